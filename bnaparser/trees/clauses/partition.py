"""From a tree, and which of its nodes open a clause, to clauses that share out its words.

A word belongs to the innermost clause around it. What stands between clauses follows two rules:

- A conjunction, and what stands between it and the clause that it joins, belong to that clause.
- A punctuation mark belongs to the clause of the word before it, an opening bracket or quotation mark to that of
  the word after it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal
from unicodedata import category

from bnaparser.trees.heads.dependencies import is_punctuation
from bnaparser.trees.tree import Tree

Kind = Literal["main", "coordinate", "complement", "relative", "adverbial", "non-finite"]

_OPENING_TAGS = frozenset({"``", "-LRB-", "$LRB"})
_OPENING_WORDS = frozenset({"-LRB-", "-LSB-", "-LCB-", "``", "\u00bf", "\u00a1"})
_OPENING_KINDS = frozenset({"Ps", "Pi"})  # of Unicode: brackets and quotation marks


def words_of(text: str) -> frozenset[str]:
    """Return the words of a list, such as ``"NP VP"``."""
    return frozenset(text.split())


@lru_cache(4096)
def is_mark(tag: str, word: str) -> bool:
    """Return whether a word is a punctuation mark, by its tag, or by itself if it has none."""
    return is_punctuation(tag) if tag else not any(map(str.isalnum, word))


class Nodes:
    """The nodes of a tree in pre-order, by their numbers, with the numbers of their children."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.nodes = list(tree.nodes())
        self.children: list[tuple[int, ...]] = [()] * len(self.nodes)
        waiting: list[int] = []
        for number in range(len(self.nodes) - 1, -1, -1):
            count = len(self.nodes[number].subtrees)
            if count:
                self.children[number] = tuple(waiting[: -count - 1 : -1])
                del waiting[-count:]
            waiting.append(number)

    def word(self, number: int) -> int:
        """Return the place of a node's first word, from 0."""
        return self.nodes[number].start - self.tree.start


@dataclass(slots=True)
class Opening:
    """A node that opens a clause.

    Args:
        label: The label of the clause.
        joined: Whether a conjunction joins the clause to another one.
        since: The sibling before it from which on words belong to the clause: its conjunction.
        until: The last sibling whose words belong to the clause; by default the node itself.
        beside: The node that opens the clause to which a conjunction joins it; by default that of its parent.
    """

    label: str
    joined: bool = False
    since: int | None = None
    until: int | None = None
    beside: int | None = None

    @property
    def is_alone(self) -> bool:
        """Whether the clause takes no siblings of its node with it."""
        return self.since is None and self.until is None


@dataclass(slots=True)
class Part:
    """A clause: the number of its node, the place of its head clause, its own words."""

    number: int
    label: str
    head: int | None
    words: list[int] = field(default_factory=list)


def partition(
    nodes: Nodes, openings: Mapping[int, Opening], punctuation: Sequence[bool]
) -> list[Part]:
    """Return the clauses in the order of their first words. Each word is in one clause, each clause has a word.

    Args:
        nodes: The tree.
        openings: The nodes that open clauses; node 0, which opens the main clause, among them.
        punctuation: Of each word whether it is a punctuation mark.
    """
    parts = [Part(0, openings[0].label, None)]
    part_of = {0: 0}  # by the node that opens the part
    owners = [0] * len(punctuation)
    waiting = [(0, 0)]
    while waiting:
        number, owner = waiting.pop()
        below = nodes.children[number]
        if not below:
            owners[nodes.word(number)] = owner
            continue
        around = dict.fromkeys(below, owner)
        opened = [child for child in below if child in openings]
        # Those that take siblings with them come first: a clause among these depends on them.
        for child in sorted(opened, key=lambda one: openings[one].is_alone):
            opening = openings[child]
            part_of[child] = len(parts)
            parts.append(Part(child, opening.label, around[child]))
            first = child if opening.since is None else opening.since
            last = child if opening.until is None else opening.until
            around.update((one, part_of[child]) for one in below if first <= one <= last)
        for child in opened:
            beside = openings[child].beside
            if beside is not None:
                parts[part_of[child]].head = part_of[beside]
        waiting += [(child, around[child]) for child in reversed(below)]
    _share_punctuation(nodes, owners, punctuation)
    for word, owner in enumerate(owners):
        parts[owner].words.append(word)
    return _in_order(parts)


def _share_punctuation(nodes: Nodes, owners: list[int], punctuation: Sequence[bool]) -> None:
    """Give each punctuation mark to the clause of a neighbour."""
    tags, words = nodes.tree.tags, nodes.tree.words
    opening = [
        mark and _is_opening(tag, word)
        for mark, tag, word in zip(punctuation, tags, words, strict=True)
    ]
    known = [place for place, mark in enumerate(punctuation) if not mark]
    if not known:
        owners[:] = [0] * len(owners)
        return
    for place in range(known[0], len(owners)):
        if punctuation[place]:
            owners[place] = owners[place - 1]
    after = owners[known[0]]
    following = False
    for place in range(len(owners) - 1, -1, -1):
        if not punctuation[place]:
            after, following = owners[place], True
        elif place < known[0] or (opening[place] and following):
            owners[place] = after


def _is_opening(tag: str, mark: str) -> bool:
    """Return whether a punctuation mark is an opening bracket or quotation mark."""
    is_known = tag in _OPENING_TAGS or mark in _OPENING_WORDS
    return is_known or category(mark[0]) in _OPENING_KINDS


def _in_order(parts: list[Part]) -> list[Part]:
    """Drop parts without words, and sort the others by their first words; heads are those that are left."""
    main = 0
    kept = [place for place, part in enumerate(parts) if part.words]
    if not parts[0].words:  # the first of the clauses below takes the place of an empty main clause
        below = [place for place in kept if _head(parts, place) in (None, 0)]
        main = min(below, key=lambda place: parts[place].words[0])
    order = sorted(kept, key=lambda place: parts[place].words[0])
    new = {old: place for place, old in enumerate(order)}
    heads: list[int | None] = []
    for place in order:
        head = _head(parts, place)
        if place == main:
            heads.append(None)
        else:
            heads.append(new[main] if head is None or head not in new else new[head])
    found = [parts[place] for place in order]
    for part, head in zip(found, heads, strict=True):
        part.head = head
    return found


def _head(parts: Sequence[Part], place: int) -> int | None:
    """Return the nearest clause above one that has words; None if there is none."""
    head = parts[place].head
    while head is not None and not parts[head].words:
        head = parts[head].head
    return head
