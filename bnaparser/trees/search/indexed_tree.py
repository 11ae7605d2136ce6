"""A tree as flat lists, its words among its nodes: who stands where is then a question of numbers."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from bnaparser.trees.heads.dependencies import head_children
from bnaparser.trees.heads.rules import HeadRules

if TYPE_CHECKING:
    from bnaparser.trees.tree import Tree


class IndexedTree:
    """The nodes and words of a tree, numbered in pre-order from 0.

    So all that is below node i has the numbers from ``i + 1`` up to before ``ends[i]``, and all that
    follows it, in the sense of tregex, those from ``ends[i]`` on. The parent of the top is -1. What
    only some patterns ask for is made when it is asked for.
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
        """Of each node the number after the last one below it."""
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

    def span(self, number: int) -> tuple[int, int]:
        """Return the words that a node covers, half-open, counted as the tree's own spans are."""
        part = self.parts[number]
        if not isinstance(part, str):
            return part.span
        return self.span(self.parents[number])
