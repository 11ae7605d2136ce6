"""Scores for the chart's tests: by hand, at random, and as hypothesis draws them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from bnaparser import chart
from bnaparser.chart.spans import Float32s, Int32s


def one_label(n: int, given_scores: dict[tuple[int, int], float]) -> Float32s:
    """Scores of the one label A; -1 where not given."""
    scores = np.zeros((chart.span_count(n), 2), np.float32)
    for row, span in enumerate(zip(*map(np.ndarray.tolist, chart.span_indices(n)), strict=True)):
        scores[row, 1] = given_scores.get(span, -1)
    return scores


TWO = one_label(2, {(0, 2): 0.2, (0, 1): -0.5, (1, 2): 0.3})
THREE = one_label(3, {(0, 3): 1, (0, 2): 0.6, (1, 3): 0.5})


def random_batch(lengths: list[int], labels: int = 5, seed: int = 3) -> tuple[Float32s, Int32s]:
    """Scores and gold labels of a batch."""
    generator = np.random.default_rng(seed)
    count = sum(map(chart.span_count, lengths))
    scores = generator.standard_normal((count, labels), dtype=np.float32)
    scores[:, 0] = 0
    gold = generator.integers(0, labels, count) * (generator.random(count) < 0.3)
    return scores, gold.astype(np.int32)


def same(first: Sequence[chart.Decoded], second: Sequence[chart.Decoded]) -> bool:
    """Tell whether both are the same trees with the same scores, to the last digit."""
    return len(first) == len(second) and all(
        a.score == b.score and np.array_equal(a.spans, b.spans)
        for a, b in zip(first, second, strict=True)
    )


class ScoredSentence(NamedTuple):
    """A sentence of ``words`` words: scores (spans, labels), gold labels, and what its root may be."""

    scores: Float32s
    gold: Int32s
    words: int
    empty_root: bool


@st.composite
def sentences(draw: st.DrawFn, longest: int) -> ScoredSentence:
    """Scores are quarters, so that sums are exact and tie."""
    n = draw(st.integers(1, longest))
    labels = draw(st.integers(1, 4))
    empty_root = labels == 1 or draw(st.booleans())
    count = chart.span_count(n)
    span = draw(st.sampled_from([1, 4, 40]))
    cell = st.integers(-span, span).map(lambda number: number / 4) | st.just(-math.inf)
    cells = draw(st.lists(cell, min_size=count * labels, max_size=count * labels))
    scores = np.array(cells, np.float32).reshape(count, labels)
    scores[:, 0] = 0
    gold = draw(st.lists(st.integers(0, labels - 1), min_size=count, max_size=count))
    return ScoredSentence(scores, np.array(gold, np.int32), n, empty_root)


def sparse_scores(n: int, filled: float, labels: int, seed: int) -> Float32s:
    """Quarters, which tie, for a share of the labels, and minus infinity for the others."""
    generator = np.random.default_rng(seed)
    shape = chart.span_count(n), labels
    scores = (generator.integers(-8, 9, shape) / 4).astype(np.float32)
    scores[generator.random(shape) > filled] = -np.inf
    scores[n - 1, 1] = 0.5
    scores[:, 0] = 0
    return scores


def decode_best(
    scores: Any, labels: Any, root_score: float, root_label: int, n: int
) -> chart.Decoded:
    """Best tree of one sentence whose spans' best labels are known."""
    return chart.decode_best_packed(scores, labels, [root_score], [root_label], [n], 1)[0]


def cost_augment(
    scores: Any, gold: Any, n: int, *, allow_empty_root: bool = False
) -> tuple[Any, Any, float, int]:
    """Rows, labels, value and cost of one sentence's best tree where wrong labels earn 1."""
    found = chart.cost_augment_packed(scores, gold, [n], 1, allow_empty_root=allow_empty_root)
    return found.tree_spans, found.tree_labels, float(found.value[0]), int(found.cost[0])
