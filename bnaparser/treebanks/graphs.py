"""Syntactic graphs, whose phrases may be in pieces, and the trees that parsers are trained on.

The NEGRA export format and TIGER-XML hold such graphs: an edge may cross others, and punctuation has no parent.
`graph_tree` resolves crossing edges as the field does (A. Boyd 2007, *Discontinuity Revisited: An Improved
Conversion to Context-Free Representations*); its trees are those of treetools' ``root_attach
negra_mark_heads boyd_split raising``:

1. What has no parent hangs from a root, VROOT. Each child of the root moves to the lowest node over
   its left and right neighbour words, the highest place that leaves phrases whole.
2. From the lowest nodes up, a phrase in pieces keeps the piece with its head; the children of its
   other pieces move to its parent. The head is the child with the edge HD, else the last with NK, else the first.
3. Marks before and after the one phrase under the root go into it. If there are several phrases, or
   a word alone, the phrase under the root is called VROOT.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from bnaparser.errors import TreeError
from bnaparser.trees.cleaning import ROOT
from bnaparser.trees.escapes import escape_brackets
from bnaparser.trees.tree import Tree, assemble

VROOT = "VROOT"
NO_FUNCTION = frozenset({"", "-", "--", "---", "_", "*NONE*", "NONE"})
"""What a file writes for an edge without a function."""

_BLANKS = re.compile(r"[ \t\n\r\f\v]+")
_NAMES = {"$(": "$LRB", "$*LRB*": "$LRB"}
_NEGRA_WORDS = {"*LRB*": "-LRB-", "*RRB*": "-RRB-"}


@dataclass(slots=True)
class Graph:
    """Words, then phrases, numbered in one row from 0; ``parents`` and ``functions`` are of both.

    A parent of None means that the node has none. ``removed`` counts what the reader left out.
    """

    words: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    parents: list[int | None] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)
    removed: dict[str, int] = field(default_factory=dict)


def graph_tree(graph: Graph, *, keep_functions: bool = False) -> Tree:
    """Return the tree of a graph, below ``TOP``, its crossing edges resolved.

    With ``keep_functions`` the functions of edges stand in labels and tags, as in ``NP-SB``; else they are
    left out, and a phrase and its only child that differ by its function alone, ``VP`` over ``VP-OC``, are one. Raises TreeError, without a place, if the graph has a circle or a phrase without words. What
    was resolved is counted in ``graph.removed``.
    """
    nodes = _Nodes(graph)
    nodes.attach()
    nodes.raise_pieces()
    return nodes.tree(keep_functions)


class _Nodes:
    """A graph as it is changed; the root is the last node."""

    def __init__(self, graph: Graph):
        self.graph = graph
        self.count = len(graph.words)
        self.root = self.count + len(graph.labels)
        self.parents = [self.root if parent is None else parent for parent in graph.parents]
        self._drop_explicit_root()
        self.parents.append(self.root)
        self.children: list[list[int]] = [[] for _ in self.parents]
        for node, parent in enumerate(self.parents[:-1]):
            if parent >= 0:
                self.children[parent].append(node)
        self.order = self._children_first()
        self.words: list[list[int]] = [[] for _ in self.parents]
        for node in self.order:
            words = [node] if node < self.count else []
            for child in self.children[node]:
                words += self.words[child]
            if not words:
                raise TreeError(
                    f"the phrase {self._label(node)} has no word: give this phrase children, or remove it"
                )
            self.words[node] = sorted(words)

    def _drop_explicit_root(self) -> None:
        """Put the children of phrases VROOT that have no parent under the root: they are that root."""
        for node in range(self.count, self.root):
            if self.parents[node] == self.root and self._label(node) == VROOT:
                self.parents = [self.root if up == node else up for up in self.parents]
                self.parents[node] = -1

    def _children_first(self) -> list[int]:
        order, stack = [], [self.root]
        while stack:
            node = stack.pop()
            order.append(node)
            stack += self.children[node]
        lost = set(range(self.root)) - set(order)
        if circle := [node for node in lost if self.parents[node] >= 0]:
            label = self._label(max(circle))
            raise TreeError(f"the node {label} is its own ancestor: edges must lead up to one root")
        return order[::-1]

    def _label(self, node: int) -> str:
        if node == self.root:
            return VROOT
        graph = self.graph
        return graph.tags[node] if node < self.count else graph.labels[node - self.count]

    # The root's children --------------------------------------------------------------------------

    def attach(self) -> None:
        """Attach the children of the root that stand within phrases."""
        for child in sorted(self.children[self.root], key=self._first):
            left, right = self.words[child][0] - 1, self._after(child)
            if left < 0 or right >= self.count:
                continue
            target = self._lowest_over(left, right)
            if target != self.root:
                self._move(child, target)
                self._count("nodes without a parent attached")

    def _after(self, child: int) -> int:
        """Return the word after a child of the root and the children next to it."""
        last = self.words[child][-1]
        after = [one for one in self.children[self.root] if self._first(one) > self._first(child)]
        for other in sorted(after, key=self._first):
            if self._first(other) < last:
                continue
            if self._first(other) > last + 1:
                break
            last = self.words[other][-1]
        return last + 1

    def _first(self, node: int) -> int:
        return self.words[node][0]

    def _lowest_over(self, left: int, right: int) -> int:
        above = set(self._upwards(left))
        return next(node for node in self._upwards(right) if node in above)

    def _upwards(self, node: int) -> Iterator[int]:
        while node != self.root:
            yield node
            node = self.parents[node]
        yield node

    def _move(self, node: int, target: int) -> None:
        self.children[self.parents[node]].remove(node)
        self.children[target].append(node)
        self.parents[node] = target
        for above in self._upwards(target):
            if above != self.root:
                self.words[above] = sorted(self.words[above] + self.words[node])

    # Crossing edges --------------------------------------------------------------------------------

    def raise_pieces(self) -> None:
        """Leave of every phrase the piece with its head; what is in others moves to its parent."""
        order = [node for node in self._children_first() if node >= self.count]
        heads = {node: self._head(node) for node in order}  # of the graph as it is written
        spans = [(node, node) for node in range(len(self.parents))]
        for node in order:
            pieces: list[list[int]] = []
            for child in sorted(self.children[node], key=spans.__getitem__):
                if not pieces or spans[child][0] > spans[pieces[-1][-1]][1] + 1:
                    pieces.append([])
                pieces[-1].append(child)
            kept = next(piece for piece in pieces if heads[node] in piece)
            for piece in pieces:
                if piece is not kept:
                    self.children[self.parents[node]] += piece
                    self.parents = [
                        self.parents[node] if one in piece else up
                        for one, up in enumerate(self.parents)
                    ]
            if len(pieces) > 1:
                self._count("phrases with crossing edges resolved")
            self.children[node] = kept
            spans[node] = spans[kept[0]][0], spans[kept[-1]][1]
        self.spans = spans

    def _head(self, node: int) -> int:
        children = sorted(self.children[node], key=self._first)
        functions = ["" if one == self.root else self.graph.functions[one] for one in children]
        if "HD" in functions:
            return children[functions.index("HD")]
        if "NK" in functions:
            return children[len(functions) - 1 - functions[::-1].index("NK")]
        return children[0]

    def _count(self, what: str) -> None:
        self.graph.removed[what] = self.graph.removed.get(what, 0) + 1

    # The tree --------------------------------------------------------------------------------------

    def tree(self, keep_functions: bool) -> Tree:
        """Return the tree, below ``TOP``."""
        self._name_root()
        labels: list[str] = []
        arities: list[int] = []
        stack = [self.root]
        while stack:
            node = stack.pop()
            while not keep_functions and self._is_doubled(node):
                (node,) = self.children[node]
            labels.append(self._full_label(node, keep_functions))
            arities.append(len(self.children[node]))
            stack += sorted(self.children[node], key=self.spans.__getitem__, reverse=True)
        return assemble(labels, arities, [readable_word(word) for word in self.graph.words])

    def _name_root(self) -> None:
        """Put the one phrase under the root, or VROOT, below TOP."""
        children = self.children[self.root]
        phrases = [child for child in children if child >= self.count]
        marks = [child for child in children if child < self.count and self._is_mark(child)]
        if len(phrases) == 1 and len(phrases) + len(marks) == len(children):
            self.children[phrases[0]] += marks
            self.children[self.root] = phrases
            if len(marks) == 0 and self._label(phrases[0]) == ROOT:
                self.root = phrases[0]  # as our own files have it
            return
        self.children.append([self.root])
        self.spans.append(self.spans[self.root])
        self.root = len(self.children) - 1

    def _is_doubled(self, node: int) -> bool:
        """Return whether a phrase has an only child with its label, whose function alone tells them apart."""
        if len(self.children[node]) != 1 or node >= self.count + len(self.graph.labels):
            return False
        (child,) = self.children[node]
        function = self.graph.functions[child]
        return (
            child >= self.count
            and function not in NO_FUNCTION
            and self._label(child) == self._label(node)
        )

    def _is_mark(self, word: int) -> bool:
        return not any(sign.isalnum() for sign in self.graph.words[word])

    def _full_label(self, node: int, keep_functions: bool) -> str:
        if node == self.root:
            return ROOT
        if node >= self.count + len(self.graph.labels):
            return VROOT
        label = readable_label(self._label(node))
        function = self.graph.functions[node]
        if keep_functions and label and function not in NO_FUNCTION:
            return f"{label}-{readable_label(function)}"
        return label


def readable_word(word: str) -> str:
    """Return a word as trees write it: ``(`` is ``-LRB-``, a blank within it ``_``."""
    return escape_brackets(_BLANKS.sub("_", _NEGRA_WORDS.get(word, word)))


def readable_label(label: str) -> str:
    """Return a label or tag as trees write it: ``$(`` is ``$LRB``."""
    return escape_brackets(_BLANKS.sub("_", _NAMES.get(label, label)))
