"""A pattern that trees are searched for, and what it finds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from bnaparser.errors import check_flag, type_name
from bnaparser.trees.heads.collins import COLLINS
from bnaparser.trees.heads.dependencies import head_rules
from bnaparser.trees.heads.rules import HeadRules
from bnaparser.trees.search.conditions import Bindings, needed, one_of
from bnaparser.trees.search.indexed_tree import IndexedTree
from bnaparser.trees.search.pattern_parser import read_pattern
from bnaparser.trees.search.unseen import Unseen

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

    ``rules`` are the head rules that ``<#`` and its kind go by, or their name. Raises PatternError, which
    shows the place, if the pattern cannot be read.
    """

    def __init__(self, text: str, rules: HeadRules | str = COLLINS):
        if not isinstance(text, str):
            raise TypeError(f"give a pattern as text, not {type_name(text)}")
        self.text = text
        self.rules = head_rules(rules) if isinstance(rules, str) else rules
        self._alternatives, self.names, self._descriptions = read_pattern(text)
        of_each = [needed(wanted) for wanted in self._alternatives]
        self._needed = of_each[0] if len(of_each) == 1 else one_of(of_each)

    def matches(self, tree: Tree, once: bool = False) -> Iterator[Match]:
        """Yield what is found in a tree: each node, in pre-order, once for every way to match it.

        ``once``: each node once, with the first way.
        """
        check_flag("once", once)
        indexed = IndexedTree(tree, self.rules)
        for number in range(len(indexed.parts)):
            for found in self._ways(indexed, number):
                yield _match(indexed, number, found)
                if once:
                    break

    def found_in(self, tree: Tree) -> bool:
        """Tell whether the pattern is anywhere in a tree."""
        return next(self.matches(tree), None) is not None

    def may_be_in(self, text: str) -> bool:
        """Tell whether the trees that a text holds may match: False is certain, and told fast."""
        return all(any(string in text for string in strings) for strings in self._needed)

    def unseen(self) -> Unseen:
        """Return what tells which labels and words of the pattern are in none of the trees that it is shown.

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
        for wanted in self._alternatives:
            if wanted.refers or wanted.fits(tree, number):
                found = Bindings()
                for _ in wanted.ways(tree, number, found):
                    yield found


@lru_cache(64)
def compiled(text: str) -> Pattern:
    """Return a pattern, read once for all trees that are searched for it."""
    return Pattern(text)


def _match(tree: IndexedTree, number: int, found: Bindings) -> Match:
    return Match(
        tree.parts[number],
        tree.span(number),
        number + 1,
        {name: tree.parts[node] for name, node in found.nodes.items()},
        {name: tree.span(node) for name, node in found.nodes.items()},
        dict(found.strings),
    )
