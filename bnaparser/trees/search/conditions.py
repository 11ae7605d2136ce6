"""A pattern after it was read: descriptions of labels, nodes, and every way in which their conditions hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import Literal

from bnaparser.trees.brackets import ROOT_LABELS
from bnaparser.trees.search.relations import IndexedTree, Relation

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

# A regular expression that finds one of some plain strings, so that its matches are known.
_SIGNS = r"[A-Za-z0-9',:%&;-]+"
_PLAIN = re.compile(rf"\^?(?:\((?:\?:)?)?({_SIGNS}(?:\|{_SIGNS})*)\)?\$?")


def basic_category(label: str) -> str:
    """Return a label without annotations: ``NP-SBJ-1`` is ``NP``, ``-LRB-`` stays."""
    found = _BASIC.match(label)
    return found.group() if found else label


@dataclass(frozen=True, slots=True)
class Description:
    """A description as it is written; ``regex`` is compiled, or None if it is literals.

    ``basic``: it is about basic categories. ``negated``: labels that do not fit are meant. ``of_class``: the literals
    are classes of labels (``@@noun-phrase``).
    """

    literals: tuple[str, ...] = ()
    regex: re.Pattern[str] | None = None
    basic: bool = False
    negated: bool = False
    of_class: bool = False

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

    def has_class(self, label_class: str) -> bool:
        """Return whether a node of this class fits a description of classes."""
        return (label_class in self.literals) != self.negated

    def accepting(self) -> Callable[[str], bool]:
        """Return a function that returns whether a label matches; it caches its results.

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
        """Return the regular expression's match on a label that fits; None if there is none."""
        text = basic_category(label) if self.basic else label
        return None if self.regex is None else self.regex.search(text)

    def needed(self) -> frozenset[str] | None:
        """Return strings of which the text of a tree that has such a node holds one; None: unknown."""
        if self.negated or self.of_class or self.is_anything or self.top_names:
            return None
        if self.regex is None:
            return frozenset(self.literals)
        plain = _PLAIN.fullmatch(self.regex.pattern)
        return frozenset(plain[1].split("|")) if plain else None

    def _fits(self, label: str) -> bool:
        text = basic_category(label) if self.basic else label
        found = text in self.literals if self.regex is None else self.regex.search(text) is not None
        return found != self.negated


Mode = Literal["", "!", "?"]
"""How a condition is meant: it holds, it does not hold, it may hold."""


@dataclass(slots=True)
class Bindings:
    """What a way of matching has found so far: nodes by their names, captured strings by theirs."""

    nodes: dict[str, int] = field(default_factory=dict)
    strings: dict[str, str] = field(default_factory=dict)


class NodePattern:
    """A node of a pattern: what its label must be, its name, and the condition that it must meet.

    ``refers``: the node is described not by a label, but by a node that was named before, ``=`` for that node
    itself, ``~`` for any with its label. ``captures`` are numbers of groups and names of strings.
    """

    __slots__ = ("accepts", "captures", "condition", "description", "name", "names_top", "refers")

    def __init__(
        self,
        description: Description,
        name: str | None = None,
        refers: tuple[Literal["=", "~"], str] | None = None,
        captures: Sequence[tuple[int, str]] = (),
    ):
        self.description, self.name, self.refers = description, name, refers
        self.captures = tuple(captures)
        self.names_top = bool(description.top_names)
        self.accepts = description.accepting()
        self.condition: Condition | None = None

    @property
    def is_plain(self) -> bool:
        """Whether the node is described by its label only."""
        has_more = (
            self.refers or self.name or self.captures or self.names_top or self.description.of_class
        )
        return not has_more and self.condition is None

    def ways(self, tree: IndexedTree, node: int, found: Bindings) -> Iterator[None]:
        """Yield once for each way in which a node meets all; ``found`` is as it found it in the meantime."""
        if not self._fits(tree, node, found):
            return
        captured = self._captured(tree, node, found)
        if captured is None:
            return
        found.strings |= captured
        if self.name is not None:
            found.nodes[self.name] = node
        try:
            if self.condition is None:
                yield
            else:
                yield from self.condition.ways(tree, node, found)
        finally:  # also where nobody asks for more ways
            if self.name is not None:
                del found.nodes[self.name]
            for name in captured:
                del found.strings[name]

    def fits(self, tree: IndexedTree, node: int) -> bool:
        """Return whether a node fits the description."""
        if self.description.of_class:
            return self.description.has_class(tree.classes[node])
        label = tree.labels[node]
        if self.names_top and not node:
            return self.description.fits_top(label)
        return self.accepts(label)

    def _fits(self, tree: IndexedTree, node: int, found: Bindings) -> bool:
        if self.refers is None:
            return self.fits(tree, node)
        kind, name = self.refers
        other = found.nodes.get(name)
        if other is None:
            return False
        return node == other if kind == "=" else tree.labels[node] == tree.labels[other]

    def _captured(self, tree: IndexedTree, node: int, found: Bindings) -> dict[str, str] | None:
        """The strings that this node adds; None if one was found before and is another."""
        if not self.captures:
            return {}
        label = tree.labels[node]
        groups = self.description.groups(label)
        new: dict[str, str] = {}
        for number, name in self.captures:
            string = label if groups is None else (groups[number] or "")
            known = found.strings.get(name, new.get(name))
            if known is not None and known != string:
                return None
            if name not in found.strings:
                new[name] = string
        return new


@dataclass(frozen=True, slots=True)
class Related:
    """``relation B``: some node that the relation leads to matches."""

    relation: Relation
    node_pattern: NodePattern
    mode: Mode = ""

    def ways(self, tree: IndexedTree, node: int, found: Bindings) -> Iterator[None]:
        """Yield for each way in which it holds of a node."""
        return _in_mode(self.mode, lambda: self._all(tree, node, found))

    def _all(self, tree: IndexedTree, node: int, found: Bindings) -> Iterator[None]:
        node_pattern = self.node_pattern
        if node_pattern.is_plain:
            accepts, labels = node_pattern.accepts, tree.labels
            for other in self.relation(tree, node):
                if accepts(labels[other]):
                    yield
        else:
            for other in self.relation(tree, node):
                yield from node_pattern.ways(tree, other, found)


@dataclass(frozen=True, slots=True)
class AllOf:
    """Conditions joined by ``&``."""

    parts: tuple[Condition, ...]
    mode: Mode = ""

    def ways(self, tree: IndexedTree, node: int, found: Bindings) -> Iterator[None]:
        """Yield for each way in which all hold of a node; those of the last part change first."""
        return _in_mode(self.mode, lambda: self._all(tree, node, found))

    def _all(self, tree: IndexedTree, node: int, found: Bindings) -> Iterator[None]:
        ways: list[Iterator[None]] = []  # of the parts so far; recursion would bound their number
        try:
            while True:
                if len(ways) < len(self.parts):
                    ways.append(self.parts[len(ways)].ways(tree, node, found))
                else:
                    yield
                while next(ways[-1], self) is self:
                    ways.pop()
                    if not ways:
                        return
        finally:  # the last first: each takes back what it found
            while ways:
                ways.pop()


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Conditions joined by ``|``."""

    parts: tuple[Condition, ...]
    mode: Mode = ""

    def ways(self, tree: IndexedTree, node: int, found: Bindings) -> Iterator[None]:
        """Yield for each way in which one of them holds of a node."""
        return _in_mode(self.mode, lambda: self._all(tree, node, found))

    def _all(self, tree: IndexedTree, node: int, found: Bindings) -> Iterator[None]:
        for part in self.parts:
            yield from part.ways(tree, node, found)


Condition = Related | AllOf | AnyOf


def _in_mode(mode: Mode, ways: Callable[[], Iterator[None]]) -> Iterator[None]:
    """The ways of a condition as its mode has them: all; one if there is none; the first, or one."""
    if not mode:
        yield from ways()
        return
    holds = False
    for _ in ways():
        holds = True
        if mode == "?":
            yield
        break
    if not holds:
        yield


def needed(node_pattern: NodePattern) -> list[frozenset[str]]:
    """Return sets of strings: the text of a tree that matches holds one of each set."""
    own = None if node_pattern.refers else node_pattern.description.needed()
    below = [] if node_pattern.condition is None else _needed_by(node_pattern.condition)
    return below if own is None else [own, *below]


def _needed_by(condition: Condition) -> list[frozenset[str]]:
    if condition.mode:
        return []
    if isinstance(condition, Related):
        return needed(condition.node_pattern)
    of_parts = [_needed_by(part) for part in condition.parts]
    return list(chain(*of_parts)) if isinstance(condition, AllOf) else one_of(of_parts)


def one_of(of_parts: Sequence[list[frozenset[str]]]) -> list[frozenset[str]]:
    """Return what is needed where one of several parts is to match, of each what it needs."""
    return [frozenset().union(*(sets[0] for sets in of_parts))] if all(of_parts) else []
