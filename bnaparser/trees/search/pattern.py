"""Patterns as users hold them: matches, and labels and words of a pattern that no searched tree has."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING

from bnaparser.errors import check_flag, type_name
from bnaparser.trees.heads.dependencies import head_rules
from bnaparser.trees.heads.rules import TREGEX, HeadRules
from bnaparser.trees.search.conditions import TOP_NAMES, Bindings, Description, needed, one_of
from bnaparser.trees.search.parsing import read_pattern
from bnaparser.trees.search.relations import IndexedTree

if TYPE_CHECKING:
    from bnaparser.trees.tree import Tree


@dataclass(frozen=True, slots=True)
class Match:
    """A node that a pattern was found at; a word is a ``str``, as among a node's children.

    ``span`` are its words, half-open. ``number`` is its place among all nodes and words of the tree
    in pre-order, from 1, as tgrep2 counts. ``names`` are the nodes that the pattern names, ``spans``
    their words, ``strings`` what it captured (``#1%name``).
    """

    node: Tree | str
    span: tuple[int, int]
    number: int
    names: Mapping[str, Tree | str]
    spans: Mapping[str, tuple[int, int]]
    strings: Mapping[str, str]


class Pattern:
    """A pattern in tregex's language: ``Pattern("NP < (PP << of)").matches(tree)``.

    ``rules`` are the head rules for ``<#`` and the other relations of heads, or their name: ``tregex``,
    ``collins`` or ``ud``. Raises PatternError, which shows the place, if the pattern cannot be read.
    """

    def __init__(self, text: str, rules: HeadRules | str = TREGEX):
        if not isinstance(text, str):
            raise TypeError(f"give a pattern as text, not {type_name(text)}")
        self.text = text
        self.rules = head_rules(rules) if isinstance(rules, str) else rules
        self._alternatives, self.names, self._descriptions = read_pattern(text)
        of_each = [needed(node_pattern) for node_pattern in self._alternatives]
        self._needed = of_each[0] if len(of_each) == 1 else one_of(of_each)

    def matches(self, tree: Tree, once: bool = False) -> Iterator[Match]:
        """Find the matches in a tree, in pre-order.

        Args:
            tree: the tree.
            once: yield each node once, with the first way in which it matches (default: once for every way).

        Yields:
            Each match.

        Example:
            >>> from bnaparser import Tree
            >>> from bnaparser.trees.search import Pattern
            >>> tree = Tree.parse("(S (NP (DT The) (NN cat)) (VP (VBD sat)))")
            >>> [match.node.words for match in Pattern("NP < NN=noun").matches(tree)]
            [('The', 'cat')]
        """
        check_flag("once", once)
        indexed = IndexedTree(tree, self.rules)
        parts, span = indexed.parts, indexed.span
        for number, part in enumerate(parts):
            for found in self._ways(indexed, number):
                names = {name: parts[node] for name, node in found.nodes.items()}
                spans = {name: span(node) for name, node in found.nodes.items()}
                yield Match(part, span(number), number + 1, names, spans, dict(found.strings))
                if once:
                    break

    def nodes(self, indexed: IndexedTree) -> Iterator[int]:
        """Find the nodes that match, for several patterns on one tree.

        Args:
            indexed: the indexed tree. Its head rules apply to ``<#`` and the other relations of heads.

        Yields:
            The number of each node that matches, once.
        """
        for number in range(len(indexed.parts)):
            for _ in self._ways(indexed, number):
                yield number
                break

    def found_in(self, tree: Tree) -> bool:
        """Return whether the pattern matches anywhere in a tree.

        Args:
            tree: the tree.

        Returns:
            True if there is a match.

        Example:
            >>> from bnaparser import Tree
            >>> from bnaparser.trees.search import Pattern
            >>> Pattern("NP < PRP").found_in(Tree.parse("(S (NP (PRP It)) (VP (VBD rained)))"))
            True
        """
        return next(self.matches(tree), None) is not None

    def may_be_in(self, text: str) -> bool:
        """Return whether the trees of a text may match. The test is fast; False is certain.

        Args:
            text: trees in brackets.

        Returns:
            False if no tree of the text matches.

        Example:
            >>> from bnaparser.trees.search import Pattern
            >>> Pattern("NP < PRP").may_be_in("(S (NP (DT That)) (VP (VBD rained)))")
            False
        """
        return all(any(string in text for string in strings) for strings in self._needed)

    def unseen(self) -> Unseen:
        """Return an object that collects the labels and words of the pattern that are in none of the trees that it sees.

        Example:
            >>> from bnaparser import Tree
            >>> from bnaparser.trees.search import Pattern
            >>> unseen = Pattern('NP|WHNP << "dog"').unseen()
            >>> unseen.see(Tree.parse("(TOP (NP (DT the) (NN dog)))"))
            >>> for note in unseen.notes():
            ...     print(note)
            no tree has a label or word WHNP
            no tree has a label or word "dog": a word is written without quotes, dog
        """
        return Unseen(self._descriptions)

    def __repr__(self) -> str:
        return f"Pattern({self.text!r})"

    def __reduce__(self) -> tuple[type[Pattern], tuple[str, HeadRules]]:
        return Pattern, (self.text, self.rules)

    def _ways(self, tree: IndexedTree, number: int) -> Iterator[Bindings]:
        for node_pattern in self._alternatives:
            if node_pattern.refers or node_pattern.fits(tree, number):
                found = Bindings()
                for _ in node_pattern.ways(tree, number, found):
                    yield found


@lru_cache(64)
def compiled(text: str) -> Pattern:
    """Return a pattern, read once for all trees that are searched for it."""
    return Pattern(text)


_TOKEN = re.compile(r"[^\s()]+", re.ASCII)
_LABEL = re.compile(r"[^\W\d_]+([-=]\w+)*")
_AFTER_A_LABEL = re.compile(r"(?<=\w)[-=](?=\w)")
_ANY_NODE = ": any node is written __"
_QUOTES = "\"'`\u2018\u2019\u201c\u201d\u2039\u203a\u00ab\u00bb"


State = tuple[bool, frozenset[str], dict[str, str]]
"""Of `Unseen`: whether there was a tree, what was in none, and the labels with functions."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A label or word of a pattern as written, or a regular expression of it."""

    written: str
    description: Description
    fits: Callable[[str], bool]
    needed: frozenset[str] | None

    def may_be_in(self, text: str) -> bool:
        """Return False where a text certainly has no label or word that fits; fast."""
        return self.needed is None or any(string in text for string in self.needed)

    @property
    def is_whole(self) -> bool:
        """Whether it may be a label that does not match the same label with functions or an index after it."""
        name = self.description
        return name.regex is None and not name.basic and _LABEL.fullmatch(self.written) is not None

    def note(self) -> str:
        """Return the sentence that says that no tree has it, and what to write instead."""
        if self.description.regex is not None:
            return f"no label and no word of the trees fits {self.written}"
        (label,) = self.description.literals
        if self.description.basic and _AFTER_A_LABEL.search(label):
            advice = f": after @ stands a label without functions, {_with_functions(label)} finds those with them"
        else:
            advice = _advice(label)
        return f"no tree has a label or word {self.written}{advice}"


class Unseen:
    """The labels and words of patterns that are in none of the trees seen so far, and the labels that trees have with functions.

    Its memory does not grow with the number of trees. Names of the top node (``ROOT``) are in every tree.
    """

    @staticmethod
    def of(patterns: Iterable[Pattern]) -> Unseen:
        """Return what collects the labels and words of several patterns."""
        return Unseen(chain.from_iterable(one._descriptions for one in patterns))

    def __init__(self, descriptions: Iterable[Description]):
        self._parts = list(
            {part.written: part for d in descriptions for part in _parts(d)}.values()
        )
        self._left = self._parts
        self._whole = {part.written for part in self._parts if part.is_whole}
        self._longer: dict[str, str] = {}  # NP: NP-SBJ
        self._any_tree = False

    @property
    def state(self) -> State:
        """What was seen, for another process."""
        return self._any_tree, frozenset(part.written for part in self._left), dict(self._longer)

    def add(self, state: State) -> None:
        """Take note of what another object for the same patterns has seen."""
        any_tree, left, longer = state
        self._any_tree = self._any_tree or any_tree
        self._left = [part for part in self._left if part.written in left]
        self._longer = {**longer, **self._longer}

    def see(self, tree: Tree) -> None:
        """Take note of the labels and words of a tree."""
        self._any_tree = True
        if self._left:
            names = set()
            for node in tree.nodes():
                names.add(node.label)
                if node.word is not None:
                    names.add(node.word)
            self._see(names)
        if len(self._longer) < len(self._whole):
            for node in tree.nodes():
                for place in _AFTER_A_LABEL.finditer(node.label):
                    label = node.label[: place.start()]
                    if label in self._whole:
                        self._longer.setdefault(label, node.label)

    def see_text(self, text: str) -> None:
        """Take note of the labels and words of trees in brackets, which need not be read for that."""
        self._any_tree = True
        if any(part.may_be_in(text) for part in self._left):
            self._see(set(_TOKEN.findall(text)))
        for label in self._whole - self._longer.keys():
            for mark in "-=":
                place = text.find(f"({label}{mark}")
                if place >= 0 and (found := _TOKEN.match(text, place + 1)):
                    self._longer[label] = found.group()

    def notes(self, matches: int = 1) -> list[str]:
        """Return a sentence for each label and word that no tree had; none where there was no tree.

        ``matches``: the number of matches. Without any, a ``*`` that is in the trees, say as a bullet, was
        hardly meant as that word.
        """
        if not self._any_tree:
            return []
        stars = [] if matches else [part for part in self._parts if part.written == "*"]
        return [
            *[part.note() for part in self._left],
            *[
                f"* is a label or word of the trees{_ANY_NODE}"
                for part in stars
                if part not in self._left
            ],
            *[
                f"{label} does not match {longer}, which is in the trees: {_with_functions(label)} matches both"
                for label, longer in sorted(self._longer.items())
            ],
        ]

    def _see(self, names: set[str]) -> None:
        self._left = [part for part in self._left if not any(map(part.fits, names))]


def _parts(description: Description) -> list[_Part]:
    """Return the parts of a description that may be in no tree: names of the top node are none."""
    if description.is_anything or description.of_class:
        return []
    basic, regex = description.basic, description.regex
    if regex is None:
        found = {
            f"@{name}" if basic else name: Description((name,), None, basic)
            for name in description.literals
            if name not in TOP_NAMES
        }
    else:
        is_top = bool(description.top_names)
        found = {} if is_top else {f"/{regex.pattern}/": Description((), regex, basic)}
    return [_Part(name, one, one.accepting(), one.needed()) for name, one in found.items()]


def _with_functions(label: str) -> str:
    """Return the pattern for a label with whatever functions and indices come after it."""
    return f"/^{label}(-|=|$)/" if _AFTER_A_LABEL.search(label) else f"@{label}"


def _advice(label: str) -> str:
    plain = label.strip(_QUOTES)
    if plain and plain != label:
        return f": a word is written without quotes, {plain}"
    if set(label) == {"*"}:
        return _ANY_NODE
    if "\\" in label:
        regex = re.escape(label.replace("\\", ""))
        return f": a label has no escapes, a regular expression has, /^{regex}$/"
    if "*" in label:
        begin, _, rest = label.partition("*")
        regex = f"/^{begin}/" if begin and not rest else f"/^{label.replace('*', '.*')}$/"
        return f": * stands for no other letters, a regular expression does, {regex}"
    return ""
