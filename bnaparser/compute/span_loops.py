"""The best label of every span: the scorer's norm, ReLU and last product, and the maximum, tile by tile.

Spans are many: what lies between their fenceposts and their best label never leaves the cache.

Heavy: imports Numba, so it is imported only to compile.
"""

from __future__ import annotations

import numpy as np

from bnaparser.compute.compiling import compiled
from bnaparser.compute.functions import address, larger, total
from bnaparser.compute.matrices import NO_ACTIVATION, Floats, PackedBytes
from bnaparser.compute.matrix_loops import (
    bytes_product,
    floats_product,
    normalise_row,
    round_row,
    write_bytes_tile,
    write_floats_tile,
)
from bnaparser.compute.processor import ROWS, instructions
from bnaparser.compute.span_labels import Posts, Rounded, ScorerWeights, SpanLabels

_PANEL = instructions().panel
_LOWEST = np.float32(-np.inf)


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


def of_floats(
    fenceposts: Floats,
    starts: Posts,
    ends: Posts,
    weights: ScorerWeights,
    panels: Floats,
    rows: Floats,
    scores: Floats,
    best: SpanLabels,
) -> None:
    """Write the best label of each span; ``rows`` and ``scores`` are scratch space for a tile."""
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


def of_bytes(
    fenceposts: Floats,
    starts: Posts,
    ends: Posts,
    weights: ScorerWeights,
    output: PackedBytes,
    rounded: Rounded,
    scores: Floats,
    best: SpanLabels,
) -> None:
    """Write the best label of each span; ``rounded`` and ``scores`` are scratch space for a tile."""
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
