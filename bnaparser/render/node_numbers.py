"""The numbers that NEGRA's export format and TIGER-XML give to nodes: words from 1, phrases from 500."""

from __future__ import annotations

from typing import NamedTuple

from bnaparser.trees.brackets import ROOT_LABELS
from bnaparser.trees.tree import Tree

FIRST_PHRASE = 500


class NumberedPhrase(NamedTuple):
    """A phrase: its number, its label, the numbers of its children, and its parent's, 0 for none."""

    number: int
    label: str
    children: tuple[int, ...]
    parent: int


class NumberedTree(NamedTuple):
    """Phrases, children before parents; of each word its tag and its parent, 0 for none."""

    phrases: list[NumberedPhrase]
    tags: tuple[str, ...]
    parents: list[int]


def numbered_tree(tree: Tree) -> NumberedTree:
    """Number the nodes of a tree; a top node that is no constituent (TOP and the like) is left out."""
    first = tree.start - 1
    inside = [
        node for node in tree.nodes() if node.word is None and not (_is_root(node) and node is tree)
    ]
    inside.reverse()  # children before parents
    count = max(FIRST_PHRASE, tree.end - tree.start + 1)
    numbers = {id(node): count + place for place, node in enumerate(inside)}
    parents: dict[int, int] = {}
    children: dict[int, tuple[int, ...]] = {}
    for node in inside:
        below = tuple(
            numbers[id(child)] if child.word is None else child.start - first
            for child in node.subtrees
        )
        children[numbers[id(node)]] = below
        parents.update(dict.fromkeys(below, numbers[id(node)]))
    phrases = [
        NumberedPhrase(number, node.label, children[number], parents.get(number, 0))
        for node in inside
        for number in [numbers[id(node)]]
    ]
    words = range(1, tree.end - tree.start + 1)
    return NumberedTree(phrases, tree.tags, [parents.get(word, 0) for word in words])


def _is_root(node: Tree) -> bool:
    return node.label in ROOT_LABELS
