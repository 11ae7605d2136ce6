"""All trees of a short sentence, listed one by one: what the tests hold n-best lists and probabilities to.

Plain Python, slow and obvious. Scores are nested sequences as in ``reference``. A tree is a set of
labelled spans (start, end, label >= 1) no two of which cross, at most one label a span; it scores
the sum of theirs. Trees that score minus infinity are left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations, product

from tests.chart.reference import Node, Scores, binary_trees, span_index

Nodes = frozenset[Node]
ScoredTree = tuple[float, Nodes]
Allowed = Callable[[Nodes], bool]


def crosses(first: tuple[int, ...], second: tuple[int, ...]) -> bool:
    """Tell whether two spans overlap, and neither lies within the other."""
    (a, b), (c, d) = first[:2], second[:2]
    return a < c < b < d or c < a < d < b


def shapes(spans: Sequence[tuple[int, int]]) -> list[tuple[tuple[int, int], ...]]:
    """Every choice of some of the spans no two of which cross."""
    found: list[tuple[tuple[int, int], ...]] = [()]
    for span in spans:
        found += [(*shape, span) for shape in found if not any(crosses(span, one) for one in shape)]
    return found


def all_trees(
    scores: Scores, n: int, allow_empty_root: bool = False, allowed: Allowed | None = None
) -> list[ScoredTree]:
    """Every tree of a sentence of n words with its score, the best first.

    ``allowed`` tells which nodes may be a tree; by default all.
    """
    possible: dict[tuple[int, int], list[int]] = {}
    for span in [(i, j) for i in range(n) for j in range(i + 1, n + 1)]:
        row = scores[span_index(*span, n)]
        possible[span] = [label for label in range(1, len(row)) if row[label] > -math.inf]
    found: list[ScoredTree] = []
    for shape in shapes([span for span in possible if possible[span]]):
        if not allow_empty_root and (0, n) not in shape:
            continue
        for chosen in product(*(possible[span] for span in shape)):
            nodes = frozenset((*span, label) for span, label in zip(shape, chosen, strict=True))
            if allowed is None or allowed(nodes):
                each = [scores[span_index(start, end, n)][label] for start, end, label in nodes]
                found.append((sum(each, 0.0), nodes))
    return sorted(found, key=lambda one: -one[0])


def log_partition(trees: list[ScoredTree], temperature: float = 1.0) -> float:
    """Logarithm of the sum of exp(score / temperature) over trees, the best of which is first."""
    best = trees[0][0] / temperature
    return best + math.log(math.fsum(math.exp(score / temperature - best) for score, _ in trees))


def probabilities(trees: list[ScoredTree], temperature: float = 1.0) -> dict[Node, float]:
    """How probable each constituent is that any tree has."""
    total = log_partition(trees, temperature)
    shares: dict[Node, float] = {}
    for score, nodes in trees:
        for node in nodes:
            shares[node] = shares.get(node, 0.0) + math.exp(score / temperature - total)
    return shares


def entropy(trees: list[ScoredTree], temperature: float = 1.0) -> float:
    """Average of -log(probability) of a tree, in nats."""
    total = log_partition(trees, temperature)
    logs = [score / temperature - total for score, _ in trees]
    return -math.fsum(math.exp(one) * one for one in logs)


def crossing_pairs(nodes: Nodes) -> list[tuple[Node, Node]]:
    """The pairs among nodes that cross, of which a tree has none."""
    return [pair for pair in combinations(sorted(nodes), 2) if crosses(*pair)]


def keeps_full(nodes: Nodes, never_empty: Sequence[bool], n: int) -> bool:
    """Tell whether some binary form of a tree has a label at each of its nodes that may not be empty.

    Such spans must be constituents, or else there must be a binary tree over the constituents that
    goes round them.
    """
    labelled = {node[:2] for node in nodes}
    return any(
        labelled <= set(form)
        and all(span in labelled or not never_empty[span_index(*span, n)] for span in form)
        for form in binary_trees(0, n)
    )
