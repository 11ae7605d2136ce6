"""All trees of a short sentence as one table, so that a chart is held to all of them in milliseconds.

Made from nothing but the definition: sets of labelled spans no two of which cross, at most one label
a span. `enumeration` lists the same trees one by one, and the tests hold the two to each other.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnaparser import chart
from bnaparser.chart.spans import Bools, Float32s, Float64s
from tests.chart.chart_cases import sparse_scores

# Stands for minus infinity where sums of quarters must stay exact; no sum of others comes near.
_IMPOSSIBLE = -(2.0**30)


class TreeTable(NamedTuple):
    """Trees of n words: ``has`` (trees, spans * labels) is 1 where a tree has the label, 0 elsewhere."""

    n: int
    labels: int
    has: Float64s

    def scores(self, scores: Float32s) -> Float64s:
        """Return the score of every tree (trees,), exact for quarters; minus infinity among others."""
        finite = np.where(np.isneginf(scores), _IMPOSSIBLE, scores).astype(np.float64)
        finite[:, 0] = 0
        totals: Float64s = np.asarray(self.has @ finite.reshape(-1))
        return np.where(totals < _IMPOSSIBLE / 2, -np.inf, totals)

    def has_any(self, rows: Any, labels: Any = slice(1, None)) -> Bools:
        """Tell of every tree whether it has any of the spans with any of the labels."""
        grid = self.has.reshape(len(self.has), -1, self.labels)
        found: Bools = np.asarray(grid[:, rows][..., labels].reshape(len(grid), -1).any(1))
        return found

    def of_nodes(self, nodes: NDArray[np.int32]) -> bytes:
        """Return a tree's spans (nodes, 3) as one value, the same for the same tree."""
        row = np.zeros(self.has.shape[1], np.bool_)
        starts, ends, labels = nodes.astype(np.int64).T
        row[chart.span_index(starts, ends, self.n) * self.labels + labels] = True
        return row.tobytes()


@cache
def tree_table(n: int, labels: int, empty_root: bool) -> TreeTable:
    """Return all trees of n words with labels from 1 to ``labels - 1``."""
    spans = list(zip(*map(np.ndarray.tolist, chart.span_indices(n)), strict=True))
    has = np.zeros((1, len(spans) * labels), np.bool_)
    # The long spans first: then few trees are looked through for what crosses.
    for place in sorted(range(len(spans)), key=lambda one: spans[one][0] - spans[one][1]):
        crossing = [row for row, other in enumerate(spans) if _cross(spans[place], other)]
        grid = has.reshape(len(has), len(spans), labels)
        free = has[~grid[:, crossing].any(axis=(1, 2))]
        whole = spans[place] == (0, n) and not empty_root
        more = [] if whole else [has]
        for label in range(1, labels):
            with_label = free.copy()
            with_label[:, place * labels + label] = True
            more.append(with_label)
        has = np.concatenate(more)
    return TreeTable(n, labels, has.astype(np.float64))


def _cross(first: tuple[int, int], second: tuple[int, int]) -> bool:
    words = [set(range(*first)), set(range(*second))]
    return bool(words[0] & words[1] and words[0] - words[1] and words[1] - words[0])


# How many charts of each kind: words, columns of scores, the share of them that is not minus infinity.
KINDS = [
    (1, 4, 0.7, 300),
    (2, 4, 0.8, 400),
    (3, 3, 0.8, 600),
    (4, 3, 0.8, 600),
    (5, 2, 0.9, 600),
    (5, 3, 0.6, 30),
    (6, 2, 0.8, 150),
    (7, 2, 0.8, 20),
]


def sparse_charts(kind: tuple[int, int, float, int]) -> list[tuple[Float32s, TreeTable]]:
    """Return charts of a kind, quarters, which tie, and minus infinity, with the trees to hold each to.

    Some allow an empty root, as the table says by having the tree of no constituent.
    """
    n, labels, filled, count = kind
    found = []
    for seed in range(count):
        table = tree_table(n, labels, seed % 3 == 2 and n < 7)
        found.append((sparse_scores(n, filled, labels, 1000 * n + seed), table))
    return found


def allows_empty_root(table: TreeTable) -> bool:
    """Tell whether the tree of no constituent is among them."""
    return not table.has[0].any()
