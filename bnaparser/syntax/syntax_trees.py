"""The syntax of a text as plain values: its trees, and what they say of each pair of its words.

The matrices are what the papers' attention masks are made of; row i is the query, column j the
word that it may look at (SLA: Li and others 2021; SG-Net: Zhang and others 2020; Syntax-BERT: Bai
and others 2021). Only numpy is needed here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnaparser.errors import SentenceError
from bnaparser.trees.heads.dependencies import Heads, dependencies, parents_first
from bnaparser.trees.heads.rules import UD, HeadRules
from bnaparser.trees.tree import Tree

UNREACHABLE = int(np.iinfo(np.int32).max)
"""The distance of two words that no path of edges joins."""

Distances = NDArray[np.int32]


@dataclass(frozen=True)
class SyntaxTrees:
    """The syntax of one text of one or more sentences, one after another.

    ``heads`` are the dependency heads of its words, counted from 1 in the whole text, 0 for a root
    (each sentence has one, a fragment may have more). ``trees`` are the constituency trees of its
    sentences, in order, over as many words. A source of dependencies alone has no trees. Of a
    text that could not be parsed both are missing, and ``error`` says why.

    Raises SentenceError where heads or trees do not fit the words.
    """

    words: tuple[str, ...]
    heads: tuple[int, ...] | None
    trees: tuple[Tree, ...] = ()
    error: str | None = None

    def __post_init__(self) -> None:
        if self.heads is not None:
            if len(self.heads) != len(self.words):
                raise SentenceError(f"{len(self.heads)} heads for {len(self.words)} words")
            parents_first(self.heads)
        covered = sum(tree.end - tree.start for tree in self.trees)
        if self.trees and covered != len(self.words):
            raise SentenceError(f"trees of {covered} words for a text of {len(self.words)}")

    @classmethod
    def of_trees(
        cls, words: Sequence[str], trees: Sequence[Tree], rules: HeadRules = UD
    ) -> SyntaxTrees:
        """Build the syntax of a text from the trees of its sentences.

        Args:
            words: the words of the text.
            trees: the trees of its sentences, which have these words together.
            rules: the head rules that turn trees into dependencies.

        Returns:
            The words with dependencies and trees.

        Raises:
            SentenceError: the trees have another number of words than the text.

        Example:
            >>> from bnaparser import Tree
            >>> from bnaparser.syntax import SyntaxTrees
            >>> tree = Tree.parse("(S (NP (PRP It)) (VP (VBD rained)))")
            >>> SyntaxTrees.of_trees(tree.words, [tree]).heads
            (2, 0)
        """
        return cls(tuple(words), dependencies_of(trees, rules), tuple(trees))

    def sentences(self, first: int, end: int) -> tuple[int, SyntaxTrees]:
        """Return the sentences that have the words from ``first`` to ``end``, and their first word.

        A sentence here is what no tree and no dependency leaves; words without syntax stand alone.
        """
        joined = np.zeros(len(self.words) + 1, np.int64)  # what is between two words, in steps
        for word, head in enumerate(self.heads or (), 1):
            if head:
                joined[min(word, head)] += 1
                joined[max(word, head)] -= 1
        start = 0
        for tree in self.trees:
            joined[start + 1] += 1
            start += tree.end - tree.start
            joined[start] -= 1
        cuts = np.flatnonzero(np.cumsum(joined) == 0)
        begin, stop = int(cuts[cuts <= first][-1]), int(cuts[cuts >= end][0])
        heads = (
            None
            if self.heads is None
            else tuple(head and head - begin for head in self.heads[begin:stop])
        )
        trees, start = [], 0
        for tree in self.trees:
            if begin <= start < stop:
                trees.append(tree)
            start += tree.end - tree.start
        return begin, SyntaxTrees(self.words[begin:stop], heads, tuple(trees), self.error)


class Relations(NamedTuple):
    """How words are related, as three matrices of distances; 0 where they are not.

    ``parent[i, j]`` is d where word i is the ancestor of word j that is d steps up, ``child`` is
    its transpose, ``sibling[i, j]`` the number of edges between two words of one tree of which
    neither is above the other. The mask of one kind at distance d is ``relations.parent == d``.
    """

    parent: Distances
    child: Distances
    sibling: Distances


def dependencies_of(trees: Sequence[Tree], rules: HeadRules) -> tuple[int, ...]:
    """Return the heads of the words of several trees, counted from 1 over all of them."""
    heads: list[int] = []
    for tree in trees:
        start = len(heads)
        heads.extend(head and head + start for head in dependencies(tree, rules))
    return tuple(heads)


def tree_distances(heads: Heads, link_roots: bool = False) -> Distances:
    """Return how many edges of the undirected tree lie between each two words, shape [n, n].

    Words of different trees are UNREACHABLE; with ``link_roots`` all roots hang from one more
    node, so that two roots are 2 apart. Raises SentenceError as `parents_first` does.
    """
    count = len(heads)
    distances = np.full((count, count), UNREACHABLE, dtype=np.int32)
    depths = np.zeros(count, dtype=np.int32)
    for place in parents_first(heads):
        if heads[place]:
            above = distances[heads[place] - 1]
            row = above + (above != UNREACHABLE)
            distances[place] = row
            distances[:, place] = row
            depths[place] = depths[heads[place] - 1] + 1
        distances[place, place] = 0
    if link_roots:
        over_the_top = depths[:, None] + depths[None, :] + 2
        return np.where(distances == UNREACHABLE, over_the_top, distances)
    return distances


def neighbour_distances(distances: Distances) -> Distances:
    """Return SLA's D: the least distance to a word from the query or a word beside it (equation 2).

    D[i, j] = min over k in i-1, i, i+1 of distances[k, j], k within the text. D is not symmetric;
    it is 0 for the query and both words beside it.
    """
    nearest = distances.copy()
    np.minimum(nearest[1:], distances[:-1], out=nearest[1:])
    np.minimum(nearest[:-1], distances[1:], out=nearest[:-1])
    return nearest


def ancestors(heads: Heads) -> NDArray[np.bool_]:
    """Return whether word j is word i or stands above it, shape [n, n] (SG-Net).

    Raises SentenceError as `parents_first` does.
    """
    found = np.eye(len(heads), dtype=np.bool_)
    for place in parents_first(heads):
        if heads[place]:
            found[place] |= found[heads[place] - 1]
    return found


def relations(heads: Heads) -> Relations:
    """Return Syntax-BERT's relations over a dependency tree.

    Words of different trees are not related. Raises SentenceError as `parents_first` does.
    """
    distances = tree_distances(heads)
    above = ancestors(heads)
    child = np.where(above, distances, 0)
    unrelated = above | above.T | (distances == UNREACHABLE)
    return Relations(child.T.copy(), child, np.where(unrelated, 0, distances))


def constituency_relations(trees: Sequence[Tree], heads: Heads | None = None) -> Relations:
    """Return Syntax-BERT's relations over constituency trees, of one sentence after another.

    Words are leaves, none above another: all pairs within a sentence are siblings, at their
    distance through the tree, where a word and its tag are one node. With the ``heads`` that head
    rules found in these trees, a word is the parent of those in the phrases that it heads, at their
    distance through the tree as well (not by steps from head to head, which the dependencies'
    relations count); pairs so related are siblings no more. No pair is related in two ways.
    """
    distances = leaf_distances(trees)
    above = np.zeros(distances.shape, np.bool_)
    if heads is not None:
        above = ancestors(heads)
        np.fill_diagonal(above, False)
    child = np.where(above, distances, 0)
    unrelated = (distances == UNREACHABLE) | above | above.T
    return Relations(child.T.copy(), child, np.where(unrelated, 0, distances))


def leaf_distances(trees: Sequence[Tree]) -> Distances:
    """Return how many edges lie between each two words through their constituency tree.

    A word and its tag are one node; words of different trees are UNREACHABLE.
    """
    count = sum(tree.end - tree.start for tree in trees)
    distances = np.full((count, count), UNREACHABLE, dtype=np.int32)
    start = 0
    for tree in trees:
        depths, joins = _depths(tree)
        end = start + len(depths)
        distances[start:end, start:end] = _through_joins(depths, joins)
        start = end
    return distances


def _depths(tree: Tree) -> tuple[Distances, Distances]:
    """Return the depth of each leaf, and that of the lowest node over it and the leaf after it."""
    depths = np.zeros(tree.end - tree.start, dtype=np.int32)
    joins = np.zeros(max(0, len(depths) - 1), dtype=np.int32)
    stack = [(tree, 0)]
    while stack:
        node, depth = stack.pop()
        if node.word is not None:
            depths[node.start - tree.start] = depth
        for child in node.subtrees:
            if child.end < node.end:
                joins[child.end - tree.start - 1] = depth
            stack.append((child, depth + 1))
    return depths, joins


def _through_joins(depths: Distances, joins: Distances) -> Distances:
    """Return leaf distances: the lowest node over two leaves is the highest join between them."""
    count = len(depths)
    highest = np.zeros((count, count), dtype=np.int32)
    for place in range(count):
        highest[place, place] = depths[place]
        highest[place, place + 1 :] = np.minimum.accumulate(joins[place:])
        highest[place + 1 :, place] = highest[place, place + 1 :]
    return depths[:, None] + depths[None, :] - 2 * highest
