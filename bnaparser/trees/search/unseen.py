"""Labels and words of a pattern that no searched tree has: most often a slip in the pattern."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bnaparser.trees.search.descriptions import TOP_NAMES, Description

if TYPE_CHECKING:
    from bnaparser.trees.tree import Tree

_TOKEN = re.compile(r"[^\s()]+", re.ASCII)
_ANY_NODE = ": any node is written __"
_QUOTES = "\"'`"


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

    def note(self) -> str:
        """Return the sentence that says that no tree has it, and what to write instead."""
        if self.description.regex is not None:
            return f"no label and no word of the trees fits {self.written}"
        return f"no tree has a label or word {self.written}{_advice(*self.description.literals)}"


class Unseen:
    """The labels and words of a pattern that are in none of the trees seen so far.

    Its memory does not grow with the number of trees. Names of the top node (``ROOT``) are in every tree.
    """

    def __init__(self, descriptions: Iterable[Description]):
        self._parts = list(
            {part.written: part for d in descriptions for part in _parts(d)}.values()
        )
        self._left = self._parts
        self._any_tree = False

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

    def see_text(self, text: str) -> None:
        """Take note of the labels and words of trees in brackets, which need not be read for that."""
        self._any_tree = True
        if any(part.may_be_in(text) for part in self._left):
            self._see(set(_TOKEN.findall(text)))

    def notes(self, matches: int = 1) -> list[str]:
        """Return a sentence for each label and word that no tree had; none where there was no tree.

        ``matches``: the number of matches. Without any, a ``*`` that is in the trees, say as a bullet, was
        hardly meant as that word.
        """
        if not self._any_tree:
            return []
        stars = [] if matches else [part for part in self._parts if part.written == "*"]
        return [part.note() for part in self._left] + [
            f"* is a label or word of the trees{_ANY_NODE}"
            for part in stars
            if part not in self._left
        ]

    def _see(self, names: set[str]) -> None:
        self._left = [part for part in self._left if not any(map(part.fits, names))]


def _parts(description: Description) -> list[_Part]:
    """Return the parts of a description that may be in no tree: names of the top node are none."""
    if description.is_anything:
        return []
    basic, regex = description.basic, description.regex
    if regex is None:
        names = [name for name in description.literals if name not in TOP_NAMES]
        return [
            _part(f"@{name}" if basic else name, Description((name,), None, basic))
            for name in names
        ]
    if description.top_names:
        return []
    return [_part(f"/{regex.pattern}/", Description((), regex, basic))]


def _part(written: str, description: Description) -> _Part:
    return _Part(written, description, description.accepting(), description.needed())


def _advice(label: str) -> str:
    plain = label.strip(_QUOTES)
    if plain and plain != label:
        return f": a word is written without quotes, {plain}"
    if set(label) == {"*"}:
        return _ANY_NODE
    if "*" in label:
        begin, _, rest = label.partition("*")
        regex = f"/^{begin}/" if begin and not rest else f"/^{label.replace('*', '.*')}$/"
        return f": * stands for no other letters, a regular expression does, {regex}"
    return ""
