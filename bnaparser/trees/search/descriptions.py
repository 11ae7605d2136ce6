"""What a node's label must be: literals, a regular expression, anything; negated, or by its basic category."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from bnaparser.trees.brackets import ROOT_LABELS

ANYTHING = "__"
TOP_NAMES = frozenset({"_ROOT_", *ROOT_LABELS} - {""})
"""What means the top node of a tree in a pattern, whatever the label of that node is.

Treebanks and parsers name it differently: patterns for Stanford's trees have ROOT.
"""


# A regular expression names the top where one of these names stands in it as a word of its own.
_NAMES_TOP = re.compile(r"(?:(?<![A-Za-z0-9_])|(?<=\\[bAB]))(?:VROOT|ROOT|TOP|S1)(?![A-Za-z0-9_])")
_EMPTY_LABEL = "^$"
_SEEN = 1 << 14  # labels whose answer is kept: a treebank's, and frequent words

# What begins an annotation in a label of the Penn Treebank, as Stanford's PennTreebankLanguagePack has
# it. A label may begin with such a sign, and then holds it once more: -LRB-.
_ANNOTATES = r"\-=|#^~_\["
_BASIC = re.compile(rf"([{_ANNOTATES}])(?:[^{_ANNOTATES}]+\1)?[^{_ANNOTATES}]*|[^{_ANNOTATES}]+")

# A regular expression that finds one of some plain strings: that much can be told of its matches.
_SIGNS = r"[A-Za-z0-9',:%&;-]+"
_PLAIN = re.compile(rf"\^?(?:\((?:\?:)?)?({_SIGNS}(?:\|{_SIGNS})*)\)?\$?")


def basic_category(label: str) -> str:
    """Return a label without annotations: ``NP-SBJ-1`` is ``NP``, ``-LRB-`` stays."""
    found = _BASIC.match(label)
    return found.group() if found else label


@dataclass(frozen=True, slots=True)
class Description:
    """A description as it is written; ``regex`` is compiled, or None where it is literals.

    ``basic``: it is about basic categories. ``negated``: labels that do not fit are meant.
    """

    literals: tuple[str, ...] = ()
    regex: re.Pattern[str] | None = None
    basic: bool = False
    negated: bool = False

    @property
    def top_names(self) -> frozenset[str]:
        """The names of the top node, ``ROOT`` and its like, that the description has."""
        if self.regex is None:
            return TOP_NAMES.intersection(self.literals)
        names = frozenset(_NAMES_TOP.findall(self.regex.pattern))
        return names | {""} if _EMPTY_LABEL in self.regex.pattern else names

    def fits_top(self, label: str) -> bool:
        """Return whether the top node fits a description that has ``top_names``; ``label`` is its own."""
        if self.regex is None:
            return not self.negated
        labels = self.top_names if label in ROOT_LABELS else {label, *self.top_names}
        return any(map(self.regex.search, labels)) != self.negated

    @property
    def is_anything(self) -> bool:
        """Whether every label fits, before negation."""
        return self.literals == (ANYTHING,)

    def accepting(self) -> Callable[[str], bool]:
        """Return a function that tells whether a label fits; it remembers its answers.

        The top node may fit by one of its names (``fits_top``).
        """
        if self.is_anything:
            return (lambda label: False) if self.negated else (lambda label: True)
        if self.regex is None:
            literals, negated = frozenset(self.literals), self.negated
            if not self.basic:
                return (lambda s: s not in literals) if negated else literals.__contains__
        return lru_cache(_SEEN)(self._fits)

    def groups(self, label: str) -> re.Match[str] | None:
        """Return the regular expression's match on a label that fits; None where there is none."""
        text = basic_category(label) if self.basic else label
        return None if self.regex is None else self.regex.search(text)

    def needed(self) -> frozenset[str] | None:
        """Return strings of which the text of a tree that has such a node holds one; None: unknown."""
        if self.negated or self.is_anything or self.top_names:
            return None
        if self.regex is None:
            return frozenset(self.literals)
        plain = _PLAIN.fullmatch(self.regex.pattern)
        return frozenset(plain[1].split("|")) if plain else None

    def _fits(self, label: str) -> bool:
        text = basic_category(label) if self.basic else label
        found = text in self.literals if self.regex is None else self.regex.search(text) is not None
        return found != self.negated
