"""The relations of tregex, on a tree of numbered nodes.

A relation returns for node A all nodes B of the tree with ``A relation B``, in text order. A node is its
number in an `IndexedTree`. docs/search.md says what each relation means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from bnaparser.trees.heads.dependencies import head_children
from bnaparser.trees.heads.rules import HeadRules
from bnaparser.trees.labels import Table, label_class, table_of_labels

if TYPE_CHECKING:
    from bnaparser.trees.tree import Tree


class IndexedTree:
    """The nodes and words of a tree, numbered in pre-order from 0.

    So all that is below node i has the numbers from ``i + 1`` up to before ``ends[i]``, and all that
    follows it, in the sense of tregex, those from ``ends[i]`` on. The parent of the top is -1. What
    only some patterns ask for is made when it is requested.
    """

    def __init__(self, tree: Tree, rules: HeadRules):
        self.rules = rules
        self.parts: list[Tree | str] = []
        self.labels: list[str] = []
        self.parents: list[int] = []
        parts, labels, parents = self.parts, self.labels, self.parents
        stack: list[tuple[Tree | str, int]] = [(tree, -1)]
        while stack:
            part, parent = stack.pop()
            if not isinstance(part, str) and not part.label and part.word:
                part = part.word  # a word without a tag
            parents.append(parent)
            if isinstance(part, str):
                labels.append(part)
            else:
                labels.append(part.label)
                number = len(parts)
                stack.extend([(child, number) for child in part.children[::-1]])
            parts.append(part)

    @cached_property
    def children(self) -> list[list[int]]:
        """Of each node the numbers of its children, left to right."""
        children: list[list[int]] = [[] for _ in self.parts]
        for number in range(1, len(children)):
            children[self.parents[number]].append(number)
        return children

    @cached_property
    def ends(self) -> list[int]:
        """For each node the number after the last node below it."""
        ends = list(range(1, len(self.parts) + 1))
        for number in range(len(ends) - 1, 0, -1):  # children before parents
            parent = self.parents[number]
            ends[parent] = max(ends[parent], ends[number])
        return ends

    @cached_property
    def heads(self) -> list[int]:
        """Of each node the number of its head child; -1 of a word."""
        tree = self.parts[0]
        chosen = {} if isinstance(tree, str) else head_children(tree, self.rules)
        phrases = -1  # nodes that are no words, as `head_children` counts them
        heads = []
        for part, below in zip(self.parts, self.children, strict=True):
            phrases += not isinstance(part, str)
            heads.append(below[chosen.get(phrases, 0)] if below else -1)
        return heads

    @cached_property
    def classes(self) -> list[str]:
        """Of each node the class of its label in the treebank that has most of the tree's labels; "" of a word."""
        nodes = [part for part in self.parts if not isinstance(part, str)]
        known = table_of_labels((node.label, node.word is not None) for node in nodes)
        return ["" if isinstance(part, str) else _class_of(part, known) for part in self.parts]

    def span(self, number: int) -> tuple[int, int]:
        """Return the words that a node covers, half-open, counted as the tree's own spans are."""
        part = self.parts[number]
        if not isinstance(part, str):
            return part.span
        return self.span(self.parents[number])


def _class_of(node: Tree, known: Table) -> str:
    """The class of a node's label in a table; where that lacks the label, in another language's."""
    is_tag = node.word is not None
    return known.label_class(node.label, is_tag) or label_class(node.label, is_tag)


Relation = Callable[[IndexedTree, int], Iterable[int]]
Fits = Callable[[IndexedTree, int], bool]


def _above(tree: IndexedTree, node: int) -> Iterator[int]:
    while (node := tree.parents[node]) >= 0:
        yield node


def _children(tree: IndexedTree, node: int) -> Iterable[int]:
    return tree.children[node]


def _parent(tree: IndexedTree, node: int) -> Iterable[int]:
    parent = tree.parents[node]
    return () if parent < 0 else (parent,)


def _at(nodes: Sequence[int], place: int) -> Sequence[int]:
    return (nodes[place],) if -len(nodes) <= place < len(nodes) else ()


def numbered_child(count: int) -> Relation:
    """Return ``<i``: the child with this number, from the end if ``count`` is below 0."""
    place = count - 1 if count > 0 else count
    return lambda tree, node: _at(tree.children[node], place)


def _numbered_child_of(count: int) -> Relation:
    place = count - 1 if count > 0 else count
    return lambda tree, node: [
        parent for parent in _parent(tree, node) if _at(tree.children[parent], place) == (node,)
    ]


def _numbered_leaf(count: int) -> Relation:
    place = count - 1 if count > 0 else count
    return lambda tree, node: _at(_leaves(tree, node), place)


def _chain(step: Relation) -> Relation:
    """Return the relation to what one step after the other leads to; a step leads to one node at most."""

    def reached(tree: IndexedTree, node: int) -> Iterator[int]:
        while nodes := list(step(tree, node)):
            node = nodes[0]
            yield node

    return reached


_first_below, _last_below = _chain(numbered_child(1)), _chain(numbered_child(-1))


def _next(tree: IndexedTree, node: int) -> Iterator[int]:
    """The nodes that begin where this one ends."""
    other = tree.ends[node]
    if other < len(tree.parts):
        yield other
        yield from _first_below(tree, other)


def _previous(tree: IndexedTree, node: int) -> Iterator[int]:
    """The nodes that end where this one begins."""
    while (parent := tree.parents[node]) >= 0:
        sisters = tree.children[parent]
        if sisters[0] != node:
            other = sisters[sisters.index(node) - 1]
            yield other
            yield from _last_below(tree, other)
            return
        node = parent


def _only_child(tree: IndexedTree, node: int) -> Iterable[int]:
    below = tree.children[node]
    return below if len(below) == 1 else ()


def _only_child_of(tree: IndexedTree, node: int) -> Iterable[int]:
    parent = tree.parents[node]
    return (parent,) if parent >= 0 and len(tree.children[parent]) == 1 else ()


def _family(tree: IndexedTree, node: int) -> list[int]:
    """The node and its sisters, left to right."""
    parent = tree.parents[node]
    return [node] if parent < 0 else tree.children[parent]


def _right_sisters(tree: IndexedTree, node: int) -> Iterable[int]:
    family = _family(tree, node)
    return family[family.index(node) + 1 :]


def _left_sisters(tree: IndexedTree, node: int) -> Iterable[int]:
    family = _family(tree, node)
    return family[: family.index(node)]


def _next_sister(tree: IndexedTree, node: int) -> Iterable[int]:
    family = _family(tree, node)
    place = family.index(node) + 1
    return family[place : place + 1]


def _previous_sister(tree: IndexedTree, node: int) -> Iterable[int]:
    family = _family(tree, node)
    place = family.index(node)
    return family[place - 1 : place] if place else ()


def _head_child(tree: IndexedTree, node: int) -> Iterable[int]:
    head = tree.heads[node]
    return () if head < 0 else (head,)


def _head_child_of(tree: IndexedTree, node: int) -> Iterable[int]:
    parent = tree.parents[node]
    return (parent,) if parent >= 0 and tree.heads[parent] == node else ()


def _leaves(tree: IndexedTree, node: int) -> list[int]:
    return [other for other in range(node + 1, tree.ends[node]) if not tree.children[other]]


SIMPLE: dict[str, Relation] = {
    "<<": lambda tree, node: range(node + 1, tree.ends[node]),
    ">>": _above,
    "<": _children,
    ">": _parent,
    "<<<": _leaves,
    "..": lambda tree, node: range(tree.ends[node], len(tree.parts)),
    ".": _next,
    ",,": lambda tree, node: (o for o in range(node) if tree.ends[o] <= node),
    ",": _previous,
    "<<,": _first_below,
    "<<-": _last_below,
    "<<`": _last_below,
    ">>,": _chain(_numbered_child_of(1)),
    ">>-": _chain(_numbered_child_of(-1)),
    ">>`": _chain(_numbered_child_of(-1)),
    "<:": _only_child,
    ">:": _only_child_of,
    "<<:": _chain(_only_child),
    ">>:": _chain(_only_child_of),
    "$": lambda tree, node: [o for o in _family(tree, node) if o != node],
    "$++": _right_sisters,
    "$..": _right_sisters,
    "$--": _left_sisters,
    "$,,": _left_sisters,
    "$+": _next_sister,
    "$.": _next_sister,
    "$-": _previous_sister,
    "$,": _previous_sister,
    "<#": _head_child,
    ">#": _head_child_of,
    "<<#": _chain(_head_child),
    ">>#": _chain(_head_child_of),
    "==": lambda tree, node: (node,),
    "<=": lambda tree, node: (node, *tree.children[node]),
    ":": lambda tree, node: range(len(tree.parts)),
}
"""The relations that take nothing but their two nodes."""

COUNTED = {"<,": ("<", 1), ">,": (">", 1), "<-": ("<", -1), ">-": (">", -1)}
COUNTED |= {"<`": ("<", -1), ">`": (">", -1)}
"""Short forms of relations with a number."""

NUMBERED = {"<": numbered_child, ">": _numbered_child_of, "<<<": _numbered_leaf}
"""The relations that take a number: what makes each of its number, which is not 0."""


def through(symbol: str, fits: Fits) -> Relation:
    """Return ``<+(C)``, ``>+(C)``, ``.+(C)`` or ``,+(C)``; ``fits`` tells whether a node is C."""
    step = {"<+": _children, ">+": _parent, ".+": _next, ",+": _previous}[symbol]

    def reached(tree: IndexedTree, node: int) -> Iterator[int]:
        seen = {node}
        found, waiting = [], [node]
        while waiting:
            for other in step(tree, waiting.pop()):
                if other not in seen:
                    seen.add(other)
                    found.append(other)
                    if fits(tree, other):
                        waiting.append(other)
        return iter(sorted(found, reverse=symbol in (">+", ",+")))

    return reached
