"""The best label of every span: the scorer's norm, ReLU and last product, and the maximum, tile by tile.

Spans are many: what lies between their fenceposts and their best label never leaves the cache.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnaparser.compute.activations import NO_ACTIVATION
from bnaparser.compute.compiling import compiled, entry
from bnaparser.compute.functions import address, larger, total
from bnaparser.compute.instructions import instructions
from bnaparser.compute.packed import Floats, PackedBytes, PackedFloats
from bnaparser.compute.products import (
    ROW_DTYPE,
    bytes_product,
    floats_product,
    round_row,
    write_bytes_tile,
    write_floats_tile,
)
from bnaparser.compute.rowwise import normalise_row
from bnaparser.compute.tiles import ROWS

Integers = NDArray[np.int64]
Posts = NDArray[np.int32]
_PANEL = instructions().panel
_GROUP = instructions().group
_LOWEST = np.float32(-np.inf)


class ScorerWeights(NamedTuple):
    """Of the span scorer: bias of its first map, norm, and bias of its last one, all float32."""

    hidden_bias: Floats
    gain: Floats
    norm_bias: Floats
    epsilon: np.float32
    output_bias: Floats


class Rounded(NamedTuple):
    """Room for the hidden vectors of a tile: one in float32, all rounded, their scales."""

    hidden: Floats
    rows: NDArray[np.uint8]
    scales: Floats


class SpanLabels(NamedTuple):
    """Output: the best label of each span but the empty one, from 1 on, and its score."""

    scores: Floats
    labels: NDArray[np.int32]


def posts_of_spans(lengths: Integers) -> tuple[Posts, Posts]:
    """Return the rows of the fenceposts of all spans of sentences of so many words, starts and ends.

    Both are int32 (spans,): one sentence's after another's, by start, then end; a sentence of n
    words has n + 1 fenceposts.
    """
    starts, ends, first = [], [], 0
    for words in lengths.tolist():
        start, end = np.triu_indices(words + 1, 1)
        starts.append(start + first)
        ends.append(end + first)
        first += words + 1
    return np.concatenate(starts).astype(np.int32), np.concatenate(ends).astype(np.int32)


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
        _of_floats(fenceposts, starts, ends, weights, output.panels, rows, scores, best)
    else:
        steps = output.panels.shape[1]
        rounded = Rounded(
            np.empty(hidden, np.float32),
            np.zeros((ROWS, steps * _GROUP), ROW_DTYPE),
            np.zeros(ROWS, np.float32),
        )
        _of_bytes(fenceposts, starts, ends, weights, output, rounded, scores, best)
    return best


@entry
def span_vectors(
    fenceposts: Floats, starts: Posts, ends: Posts, weights: ScorerWeights, out: Floats
) -> None:
    """Write the hidden vectors (spans, hidden) of spans, of which the last map makes scores."""
    for span in range(len(starts)):
        _hidden(fenceposts, starts[span], ends[span], weights, out[span])


@compiled
def _hidden(fenceposts: Floats, start: int, end: int, weights: ScorerWeights, out: Floats) -> None:
    """Write a span's hidden vector: difference of fenceposts, norm, ReLU."""
    for column in range(len(out)):
        out[column] = (
            fenceposts[end, column] + weights.hidden_bias[column] - fenceposts[start, column]
        )
    normalise_row(out, weights.gain, weights.norm_bias, weights.epsilon)
    for column in range(len(out)):
        out[column] = np.float32(0) if out[column] < 0 else out[column]  # a not-a-number stays


@compiled
def _note(scores: Floats, first: int, best: SpanLabels, span: int) -> None:
    """Keep the best of a span's scores, labels ``first + 1`` and up, if it is better than before.

    Of equal ones the lowest label wins. Where one is not a number, the best is none, either.
    """
    highest = _LOWEST
    for place in range(scores.shape[0]):
        highest = larger(highest, scores[place])
    if highest > best.scores[span] or best.labels[span] == 0:
        column = 0
        while column < len(scores) - 1 and scores[column] != highest:
            column += 1
        best.scores[span], best.labels[span] = highest, first + column + 1
    doubt = total(scores)
    if np.isnan(doubt):
        best.scores[span] = doubt


@entry
def _of_floats(
    fenceposts: Floats,
    starts: Posts,
    ends: Posts,
    weights: ScorerWeights,
    panels: Floats,
    rows: Floats,
    scores: Floats,
    best: SpanLabels,
) -> None:
    bias = weights.output_bias
    product = floats_product(rows, panels, bias, NO_ACTIVATION)
    for first in range(0, len(starts), ROWS):
        count = min(len(starts) - first, ROWS)
        for row in range(count):
            _hidden(fenceposts, starts[first + row], ends[first + row], weights, rows[row])
        for panel in range(panels.shape[0]):
            left = panel * _PANEL
            width = min(len(bias) - left, _PANEL)
            write_floats_tile(product, panel, 0, address(scores), _PANEL * 4, 0, 0)
            for row in range(count):
                _note(scores[row, :width], left, best, first + row)


@entry
def _of_bytes(
    fenceposts: Floats,
    starts: Posts,
    ends: Posts,
    weights: ScorerWeights,
    output: PackedBytes,
    rounded: Rounded,
    scores: Floats,
    best: SpanLabels,
) -> None:
    hidden, rows, scales = rounded
    bias = weights.output_bias
    product = bytes_product(rows, scales, output, bias, NO_ACTIVATION)
    for first in range(0, len(starts), ROWS):
        count = min(len(starts) - first, ROWS)
        for row in range(count):
            _hidden(fenceposts, starts[first + row], ends[first + row], weights, hidden)
            round_row(hidden, rows[row], scales, row)
        for panel in range(output.panels.shape[0]):
            left = panel * _PANEL
            width = min(len(bias) - left, _PANEL)
            write_bytes_tile(product, panel, 0, address(scores), _PANEL * 4, 0, 0)
            for row in range(count):
                _note(scores[row, :width], left, best, first + row)
