"""Edits of a tree. Each returns a new tree over the same words; what cannot be done raises TreeError.

A node is named by its number in pre-order, 0 for the top node, as `Tree.nodes` yields them.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from bnaparser.errors import TreeError, quoted
from bnaparser.trees.brackets import ROOT_LABELS, check_readable
from bnaparser.trees.tree import CHAIN, Tree, assemble


class _Node:
    """A node that can be changed. A part-of-speech node has no children, and the number of its word."""

    __slots__ = ("children", "label", "parent", "word")

    def __init__(self, label: str, word: int = -1):
        self.label, self.word = label, word
        self.children: list[_Node] = []
        self.parent: _Node | None = None

    @property
    def first(self) -> int:
        node = self
        while node.children:
            node = node.children[0]
        return node.word

    @property
    def end(self) -> int:
        node = self
        while node.children:
            node = node.children[-1]
        return node.word + 1

    def put(self, place: int, child: _Node) -> None:
        self.children.insert(place, child)
        child.parent = self

    def place(self) -> tuple[_Node, int]:
        """Return the parent and the place among its children."""
        assert self.parent is not None
        return self.parent, next(n for n, one in enumerate(self.parent.children) if one is self)

    def nodes(self) -> list[_Node]:
        found, stack = [], [self]
        while stack:
            found.append(stack.pop())
            stack.extend(reversed(found[-1].children))
        return found


def relabel(tree: Tree, node: int, label: str) -> Tree:
    """Return the tree with another label, or part-of-speech tag, of a node."""
    nodes = _changeable(tree)
    changed = _at(nodes, node)
    if changed is nodes[0] and changed.label in ROOT_LABELS:
        raise TreeError(
            "the top node is not a constituent, and keeps its label: choose a node below"
        )
    changed.label = _checked(label)
    return _tree(nodes[0], tree)


def remove(tree: Tree, node: int) -> Tree:
    """Return the tree without a bracket: the children of the node become children of its parent."""
    nodes = _changeable(tree)
    gone = _at(nodes, node)
    if gone is nodes[0] or not gone.children:
        what = "the top node" if gone is nodes[0] else f"the tag {gone.label}"
        raise TreeError(f"{what} cannot be removed: choose a constituent below the top")
    parent, place = gone.place()
    del parent.children[place]
    for number, child in enumerate(gone.children):
        parent.put(place + number, child)
    return _tree(nodes[0], tree)


def bracket(tree: Tree, first: int, last: int, label: str) -> Tree:
    """Return the tree with a bracket more, around all from one node to another, which may be the same node.

    Around one node, the new node is its parent. Raises TreeError if the words cut through a constituent.
    """
    nodes = _changeable(tree)
    one, other = _at(nodes, min(first, last)), _at(nodes, max(first, last))
    start, end = one.first, max(one.end, other.end)
    while one.parent is not None and one.parent.end < end:
        one = one.parent
    if one.parent is None:
        raise TreeError("there can be no bracket around the top node: choose what is below it")
    while other.parent is not one.parent:
        assert other.parent is not None  # all words lie below the parent of the first node
        other = other.parent
    parent, place = one.place()
    last_place = other.place()[1] + 1
    new = _Node(_checked(label))
    inside = parent.children[place:last_place]
    if (one.first, other.end) != (start, end):
        cut = one if one.first != start else other
        raise TreeError(
            f"the bracket would cut through the {cut.label} of words {cut.first + 1} to {cut.end}:"
            " remove that bracket first, or choose whole constituents"
        )
    del parent.children[place:last_place]
    parent.put(place, new)
    for child in inside:
        new.put(len(new.children), child)
    return _tree(nodes[0], tree)


def move(tree: Tree, node: int, target: int) -> Tree:
    """Return the tree with a node, and all below it, attached to another node; the order of the
    words stays.

    A node that is left without words is removed. Raises TreeError if the words would get out of order.
    """
    nodes = _changeable(tree)
    moved, goal = _at(nodes, node), _at(nodes, target)
    name = f"the {moved.label} of words {moved.first + 1} to {moved.end}"
    if moved is nodes[0] or goal in moved.nodes():
        raise TreeError(f"{name} cannot be attached below itself: choose another constituent")
    if not goal.children:
        raise TreeError(f"nothing can be attached to the tag {goal.label}: choose a constituent")
    if goal is moved.parent:
        raise TreeError(f"{name} is attached to this {goal.label} already")
    start, left = moved.first, moved
    while left.parent is not goal and left.parent is not None and left.parent.children == [left]:
        left = left.parent  # would be without words
    parent, place = left.place()
    del parent.children[place]
    goal.put(sum(child.first < start for child in goal.children), moved)
    words = [one.word for one in nodes[0].nodes() if not one.children]
    if any(before > after for before, after in pairwise(words)):
        raise TreeError(
            f"{name} cannot be attached to this {goal.label}: words between them would get out of order"
        )
    return _tree(nodes[0], tree)


EDITS: dict[str, Callable[[Tree, int, int, str], Tree]] = {
    "relabel": lambda tree, node, other, label: relabel(tree, node, label),
    "remove": lambda tree, node, other, label: remove(tree, node),
    "bracket": bracket,
    "move": lambda tree, node, other, label: move(tree, node, other),
}
"""The edits by name, called with a tree, the numbers of two nodes, and a label."""


def _changeable(tree: Tree) -> list[_Node]:
    """Return the nodes of a tree in pre-order, as nodes that can be changed."""
    made: list[_Node] = []
    open_nodes: list[tuple[_Node, int]] = []  # with the end of its words
    for node in tree.nodes():
        new = _Node(node.label, node.start if node.word is not None else -1)
        while open_nodes and open_nodes[-1][1] <= node.start:
            open_nodes.pop()
        if open_nodes:
            open_nodes[-1][0].put(len(open_nodes[-1][0].children), new)
        if node.word is None:
            open_nodes.append((new, node.end))
        made.append(new)
    return made


def _tree(top: _Node, tree: Tree) -> Tree:
    nodes = top.nodes()
    labels, arities = [one.label for one in nodes], [len(one.children) for one in nodes]
    return assemble(labels, arities, tree.words)


def _at(nodes: list[_Node], number: int) -> _Node:
    if not 0 <= number < len(nodes):
        raise TreeError(f"there is no node {number}: the tree has {len(nodes)}, counted from 0")
    return nodes[number]


def _checked(label: str) -> str:
    if CHAIN in label:
        raise TreeError(f"the label {quoted(label)} is several: add one bracket after the other")
    return check_readable(label, "label")
