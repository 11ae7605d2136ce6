"""The best label of every span: the scorer's norm, ReLU and last product, and the maximum, tile by tile.

Spans are many: what lies between their fenceposts and their best label never leaves the cache.

Light: never imports Numba; `span_loops` has the loops.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnaparser.compute.kernel import Kernel
from bnaparser.compute.matrices import (
    BYTES,
    ROW_DTYPE,
    ROWS_KIND,
    Floats,
    PackedBytes,
    PackedFloats,
)
from bnaparser.compute.processor import ROWS, instructions

Integers = NDArray[np.int64]
Posts = NDArray[np.int32]
_PANEL = instructions().panel
_GROUP = instructions().group


class ScorerWeights(NamedTuple):
    """Weights of the span scorer: bias of the first map, norm, and bias of the last map, all
    float32.
    """

    hidden_bias: Floats
    gain: Floats
    norm_bias: Floats
    epsilon: np.float32
    output_bias: Floats


class Rounded(NamedTuple):
    """Space for the hidden vectors of a tile: one in float32, all rounded, their scales."""

    hidden: Floats
    rows: NDArray[np.uint8]
    scales: Floats


class SpanLabels(NamedTuple):
    """Output: the best label of each span except the empty label, from 1 on, and its score."""

    scores: Floats
    labels: NDArray[np.int32]


_SPANS = "f4:2", "i4:1", "i4:1", (ScorerWeights, "f4:1", "f4:1", "f4:1", "f4", "f4:1")
_BEST = "f4:2", (SpanLabels, "f4:1", "i4:1")
of_floats = Kernel("bnaparser.compute.span_loops:of_floats", *_SPANS, "f4:3", "f4:2", *_BEST)
of_bytes = Kernel(
    "bnaparser.compute.span_loops:of_bytes",
    *(*_SPANS, BYTES, (Rounded, "f4:1", ROWS_KIND, "f4:1"), *_BEST),
)
# (fenceposts, starts, ends, weights, out), as `span_loops` says.
span_vectors = Kernel("bnaparser.compute.span_loops:span_vectors", *_SPANS, "f4:2")


def posts_of_spans(lengths: Integers) -> tuple[Posts, Posts]:
    """Return the rows of the fenceposts of all spans of sentences of this number of words, starts and ends.

    Both are int32 (spans,): one sentence's after another's, by start, then end; a sentence of n
    words has n + 1 fenceposts.
    """
    posts = np.arange(int((lengths + 1).sum()), dtype=np.int32)
    # Of each fencepost, how many of its sentence come after it: spans that start there.
    after = np.repeat((lengths + 1).cumsum() - 1, lengths + 1) - posts
    starts = np.repeat(posts, after)
    ends = np.arange(len(starts)) - np.repeat(after.cumsum() - after, after) + starts + 1
    return starts, ends.astype(np.int32)


def best_labels(
    fenceposts: Floats,
    starts: Posts,
    ends: Posts,
    weights: ScorerWeights,
    output: PackedFloats | PackedBytes,
) -> SpanLabels:
    """Return the best label of spans, by the rows of their fenceposts, int32 (spans,).

    ``fenceposts`` (count, hidden) are projected, without bias.
    """
    best = SpanLabels(np.empty(len(starts), np.float32), np.zeros(len(starts), np.int32))
    hidden = fenceposts.shape[1]
    scores = np.empty((ROWS, _PANEL), np.float32)
    if isinstance(output, PackedFloats):
        rows = np.zeros((ROWS, hidden), np.float32)
        of_floats(fenceposts, starts, ends, weights, output.panels, rows, scores, best)
    else:
        steps = output.panels.shape[1]
        rounded = Rounded(
            np.empty(hidden, np.float32),
            np.zeros((ROWS, steps * _GROUP), ROW_DTYPE),
            np.zeros(ROWS, np.float32),
        )
        of_bytes(fenceposts, starts, ends, weights, output, rounded, scores, best)
    return best
