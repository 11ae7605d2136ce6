"""The edits that take a tree to another one over the same words: in each step that which brings it nearest."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bnaparser.annotation import edits
from bnaparser.errors import TreeError
from bnaparser.trees.tree import Tree


class Edit(NamedTuple):
    """A step on the page: what is done, to which node, with which other node, with which label."""

    do: str
    node: int
    other: int = 0
    label: str = ""

    def apply(self, tree: Tree) -> Tree:
        return edits.EDITS[self.do](tree, self.node, self.other, self.label)


def next_edit(tree: Tree, gold: Tree) -> Edit | None:
    """Return the edit after which a tree is nearest to another one; None where they are equal."""
    now = distance(tree, gold)
    best: tuple[int, Edit] | None = None
    for edit in _possible(tree, gold):
        try:
            left = distance(edit.apply(tree), gold)
        except TreeError:
            continue
        if best is None or left < best[0]:
            best = left, edit
    if now == 0:
        return None
    assert best is not None and best[0] < now, (
        "a bracket can always be relabelled, removed or added"
    )
    return best[1]


def plan(tree: Tree, gold: Tree) -> list[Edit]:
    """Return the edits from a tree to another one."""
    found = []
    while (edit := next_edit(tree, gold)) is not None:
        found.append(edit)
        tree = edit.apply(tree)
    return found


def distance(tree: Tree, gold: Tree) -> int:
    """Return how many labels of brackets and tags are to be changed, added or removed."""
    ours, theirs = _chains(tree), _chains(gold)
    return sum(
        levenshtein(ours.get(span, ()), theirs.get(span, ()))
        for span in ours.keys() | theirs.keys()
    )


def levenshtein(one: Sequence[object], other: Sequence[object]) -> int:
    """Return the number of items to change, add or remove."""
    if one == other:
        return 0
    row = list(range(len(other) + 1))
    for place, item in enumerate(one, 1):
        before, row[0] = row[0], place
        for at, theirs in enumerate(other, 1):
            before, row[at] = (
                row[at],
                min(row[at] + 1, row[at - 1] + 1, before + (item != theirs)),
            )
    return row[-1]


def bracket_tokens(tree: Tree) -> list[str]:
    """Return what one edits by hand: brackets with their labels, words, closing brackets."""
    return re.findall(r"\([^\s()]*|[^\s()]+|\)", str(tree))


def _chains(tree: Tree) -> dict[tuple[int, int, bool], tuple[str, ...]]:
    """Return the labels over each span, top-down; those of words are apart."""
    found: dict[tuple[int, int, bool], tuple[str, ...]] = {}
    for node in tree.nodes():
        key = (*node.span, node.word is not None)
        found[key] = (*found.get(key, ()), node.label)
    return found


def _possible(tree: Tree, gold: Tree) -> Iterator[Edit]:
    """Yield the edits that could help."""
    nodes, theirs = list(tree.nodes()), _chains(gold)
    ours = _chains(tree)
    words = [place for place, node in enumerate(nodes) if node.word is not None]
    for place, node in enumerate(nodes):
        key = (*node.span, node.word is not None)
        if place and node.word is None and ours[key] != theirs.get(key):
            yield Edit("remove", place)
        if ours[key] != theirs.get(key):
            yield from (Edit("relabel", place, 0, label) for label in theirs.get(key, ()))
    for (start, end, of_word), labels in theirs.items():
        key = (start, end, of_word)
        if of_word or ours.get(key) == labels:
            continue
        same = [place for place, node in enumerate(nodes) if place and node.span == (start, end)]
        around = [*((place, place) for place in same), (words[start], words[end - 1])]
        yield from (Edit("bracket", *pair, label) for pair in around for label in labels)
    for place, node in enumerate(nodes):
        if place and (*node.span, node.word is not None) in theirs:
            yield from (Edit("move", place, goal) for goal in _goals(nodes, node))


def _goals(nodes: Sequence[Tree], moved: Tree) -> Iterator[int]:
    """Yield the nodes to which one may be attached."""
    for place, node in enumerate(nodes):
        around = node.start <= moved.start and moved.end <= node.end
        if node.word is None and (around or moved.start in node.span or moved.end in node.span):
            yield place


def best_candidate(trees: Sequence[Tree], gold: Tree) -> int:
    """Return the place of the tree from which the fewest steps lead to another one; to choose one is a step."""
    nearest = sorted(range(len(trees)), key=lambda place: distance(trees[place], gold))[:3]
    return min(
        {0, *nearest}, key=lambda place: (len(plan(trees[place], gold)) + (place > 0), place)
    )
