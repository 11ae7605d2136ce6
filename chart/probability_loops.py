"""The compiled loops of probabilities: sums over all trees, each constituent's fraction of them, and samples.

A tree's weight is the exponential of its score, divided by a temperature. Weights of all trees over
a span are summed from shorter spans to longer ones (inside) by the recursion of ``cky_loops``; the derivative of
the logarithm of the whole sum, taken from longer spans to shorter ones (outside), is what fraction of
the weight the trees with a constituent have: its probability. After Goodman (1999), "Semiring
Parsing", and Eisner (2016), "Inside-Outside and Forward-Backward Algorithms Are Just Backprop". Trees are
also drawn at random, each as often as its probability says.

Heavy: imports Numba, so it is imported only to compile.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bnaparser.chart.cky_loops import (
    INFINITY_BITS,
    exponential,
    fill_all,
    row_start,
    span_count,
    with_none,
)
from bnaparser.chart.probabilities import Inside, MarginalsOut, Workspace
from bnaparser.chart.spans import (
    EMPTY_NOT_ZERO,
    LARGEST_SCORE,
    NO_TREE,
    NOT_A_NUMBER,
    OK,
    TOO_LARGE,
    Bools,
    Float32s,
    Float64s,
    Floats,
    Int32s,
    Int64s,
    Layout,
)
from bnaparser.compute.compiling import (
    compiled_apart,
    compiled_fusing,
    compiled_reordering,
)
from bnaparser.compute.functions import larger

_MAGNITUDE = np.int32(0x7FFFFFFF)
_LOG2_E = np.float32(1.4426950408889634)
_LN2_HIGH, _LN2_LOW = np.float32(0.693359375), np.float32(-2.12194440e-4)
_ROUNDING = np.float32(1.5 * 2.0**23)
_LEAST = np.float32(-87)
_BIAS = np.int32(127)
_LOWEST = np.float32(-1e30)


@compiled_fusing
def exponential_single(x: np.float32) -> np.float32:
    """e^x in single precision for x <= 0; 0 below -87 and for NaN."""
    shifted = np.float32(x * _LOG2_E + _ROUNDING)
    power = np.float32(shifted - _ROUNDING)
    r = np.float32(np.float32(x - power * _LN2_HIGH) - power * _LN2_LOW)
    series = np.float32(np.float32(1 / 5040) * r + np.float32(1 / 720))
    series = np.float32(series * r + np.float32(1 / 120))
    series = np.float32(series * r + np.float32(1 / 24))
    series = np.float32(series * r + np.float32(1 / 6))
    series = np.float32(series * r + np.float32(0.5))
    series = np.float32(series * r + np.float32(1))
    series = np.float32(series * r + np.float32(1))
    bits = np.int32((shifted.view(np.int32) + _BIAS) << np.int32(23))
    return np.float32(series * bits.view(np.float32)) if x > _LEAST else np.float32(0)


@compiled_apart
def _highest(row: Float32s) -> tuple[np.float32, bool]:
    """The greatest of row[1:], minus infinity where there is none, and whether all are numbers."""
    bits = row.view(np.int32)
    highest, magnitude = np.float32(-np.inf), np.int32(0)
    for label in range(1, len(bits)):
        highest = larger(highest, row[label])
        magnitude = max(magnitude, bits[label] & _MAGNITUDE)
    return highest, bool(magnitude <= INFINITY_BITS)


@compiled_apart
def highest_label(row: Float32s) -> tuple[np.float32, int]:
    """The greatest of row[1:], minus infinity where there is none, and the status of the row."""
    highest, are_numbers = _highest(row)
    status = TOO_LARGE if highest > LARGEST_SCORE else OK
    if row[0] != 0:
        status = max(status, EMPTY_NOT_ZERO if row[0] == row[0] else NOT_A_NUMBER)
    return highest, (status if are_numbers else NOT_A_NUMBER)


@compiled_apart
def lowest_label(row: Float32s, first: int, score: np.float32) -> int:
    """The lowest label from ``first`` on with this score; as many as there are where none has it."""
    place = np.int32(len(row))
    for label in range(first, len(row)):
        place = min(place, np.int32(label) if row[label] == score else np.int32(len(row)))
    return int(place)


@compiled_apart
def sum_labels(
    scores: Float32s, inverse_temperature: float, weights: Float32s, filled: Float64s
) -> int:
    """Write the logarithm of each row's summed weights, column 0 left out; return the status.

    ``scores`` (spans, labels), ``filled`` (spans,). ``weights`` (spans or 1, labels) gets each
    label's fraction of the sum, or is scratch space of one row. ``inverse_temperature`` is 1 / temperature.
    """
    status = OK
    cold = np.float32(inverse_temperature)
    for span in range(len(filled)):
        row, of_row = scores[span], weights[min(span, len(weights) - 1)]
        highest, status_of_row = highest_label(row)
        status = max(status, status_of_row)
        if status_of_row != OK or highest == -np.inf:
            of_row[:] = 0
            filled[span] = -np.inf
            continue
        for label in range(len(row)):
            of_row[label] = exponential_single(np.float32((row[label] - highest) * cold))
        of_row[0] = 0
        total = _sum(of_row)
        filled[span] = highest * inverse_temperature + np.log(total)
        scale = np.float32(1) / np.float32(total)
        for label in range(len(row)):
            of_row[label] *= scale
    return status


@compiled_reordering
def _sum(numbers: Floats) -> Any:  # one of them, in their precision
    total = numbers.dtype.type(0)
    for number in numbers:
        total += number
    return float(total)


@compiled_apart
def fill_inside(inside: Inside, never_empty: Bools, n: int, workspace: Workspace) -> None:
    """Sum the weights of all trees from shorter spans to longer ones, from those of the labels in ``inside.filled``.

    Where ``never_empty`` is true a span has a label in every tree: of trees without, none counts.
    """
    for span in range(span_count(n)):
        filled = inside.filled[span]
        both = filled if never_empty[span] else with_none(filled)
        inside.both[span] = inside.chart[span] = both
        inside.pieces[span] = filled
    for start in range(n):
        word = row_start(start, n) + start + 1
        inside.pieces[word] = inside.both[word]
    fill_all(inside.chart, inside.pieces, n, workspace.splits, workspace.relative)


@compiled_apart
def parts_of(inside: Inside, span: int) -> float:
    """Logarithm of the weight of what may stand below a span's own label; minus infinity for 0."""
    if inside.chart[span] == -np.inf:
        return -np.inf
    return float(inside.chart[span] - inside.both[span])


@compiled_apart
def write_occupied(inside: Inside, n: int, workspace: Workspace) -> None:
    """Write to ``workspace.occupied`` how probable it is that each span is a constituent, whatever its label.

    The derivatives by ``chart`` come from spans that start earlier, those by ``pieces`` from spans
    with the same start that are longer: in this order each is complete when it is handed on.
    """
    by_chart, occupied = workspace.by_chart, workspace.occupied
    by_parts, below, shares = workspace.by_parts, workspace.below, workspace.shares
    for span in range(span_count(n)):
        by_chart[span] = 0
    by_chart[n - 1] = 1
    for start in range(n):
        row = row_start(start, n)
        for middle in range(n, start, -1):
            span, other = row + middle, row_start(middle, n)
            left = inside.pieces[span]
            right_parts = inside.chart[other + middle + 1 : other + n + 1]
            by_right = by_chart[other + middle + 1 : other + n + 1]
            of, under = by_parts[middle + 1 : n + 1], below[middle + 1 : n + 1]
            for end in range(len(right_parts)):
                share = exponential(min(0.0, left + right_parts[end] - under[end])) * of[end]
                shares[end] = share
                by_right[end] += share
            by_pieces = _sum(shares[: len(right_parts)])
            of_labels = exponential(min(0.0, inside.filled[span] - inside.both[span]))
            word = middle == start + 1
            occupied[span] = by_chart[span] * of_labels + by_pieces * (of_labels if word else 1.0)
            by_parts[middle] = by_chart[span] + by_pieces
            parts = parts_of(inside, span)
            # The sum is zero: the fraction is zero too, whatever the divisor.
            below[middle] = parts if parts > -np.inf else np.inf


@compiled_apart
def share_out(scores: Float32s, occupied: Float64s, weights: Float32s, parts: Float32s) -> float:
    """Turn each label's fraction of its span's weight into its probability, in place.

    Column 0 gets what is left of 1. ``parts`` is scratch space of one row. Returns the expected
    score of a tree.
    """
    expected = 0.0
    for span in range(len(occupied)):
        row, of_row, scale = scores[span], weights[span], np.float32(occupied[span])
        for label in range(len(of_row)):
            probability = of_row[label] * scale
            of_row[label] = probability
            # Minus infinity times nothing is nothing.
            parts[label] = np.float32(probability * max(row[label], _LOWEST))
        expected += _sum(parts)
        of_row[0] = max(0.0, 1.0 - occupied[span])
    return expected


@compiled_apart
def _fill(
    scores: Float32s,
    inverse_temperature: float,
    never_empty: Bools,
    n: int,
    weights: Float32s,
    inside: Inside,
    workspace: Workspace,
) -> int:
    """Fill the inside chart of a sentence from the scores of its labels; return its status.

    ``weights`` as for `sum_labels`.
    """
    status = sum_labels(scores, inverse_temperature, weights, inside.filled[: span_count(n)])
    fill_inside(inside, never_empty, n, workspace)
    if status == OK and inside.chart[n - 1] == -np.inf:
        status = NO_TREE
    return status


def fill_sentence(
    scores: Float32s,
    inverse_temperature: float,
    never_empty: Bools,
    n: int,
    weights: Float32s,
    inside: Inside,
    workspace: Workspace,
    status: Int64s,
) -> None:
    """Fill the inside chart of a sentence from the scores of its labels, and write its status (1,).

    ``weights`` as for `sum_labels`.
    """
    status[0] = _fill(scores, inverse_temperature, never_empty, n, weights, inside, workspace)


def marginals_group(
    scores: Float32s,
    never_empty: Bools,
    inverse_temperature: float,
    layout: Layout,
    shares: MarginalsOut,
    inside: Inside,
    workspace: Workspace,
    begin: int,
    end: int,
) -> None:
    """Probabilities of all constituents in the sentences begin..end of a batch."""
    for sentence in range(begin, end):
        n, first = layout.words[sentence], layout.spans[sentence]
        size = span_count(n)
        rows, weights = scores[first : first + size], shares.probabilities[first : first + size]
        full = never_empty[first : first + size]
        status = _fill(rows, inverse_temperature, full, n, weights, inside, workspace)
        shares.status[sentence] = status
        if status != OK:
            continue
        write_occupied(inside, n, workspace)
        shares.log_partitions[sentence] = inside.chart[n - 1]
        occupied = workspace.occupied[:size]
        expected = share_out(rows, occupied, weights, workspace.parts) * inverse_temperature
        # The average of -log(probability), which is 0 at least whatever the rounding.
        shares.entropies[sentence] = max(0.0, inside.chart[n - 1] - expected)


def write_gains(
    probabilities: Float32s,
    threshold: np.float32,
    never_empty: Bools,
    gains: Float32s,
    labels: Int32s,
) -> None:
    """Write each span's most probable label, and by how much it is more so than ``threshold``.

    The empty label, which gains 0, where that is more, unless the span may not be empty.
    """
    for span in range(len(gains)):
        row = probabilities[span]
        highest, are_numbers = _highest(row)
        gain = highest - threshold if highest > 0 else np.float32(-np.inf)
        gains[span], labels[span] = np.float32(0), 0
        if not are_numbers:
            gains[span] = np.float32(np.nan)
        elif never_empty[span] or gain > 0:
            gains[span], labels[span] = gain, min(lowest_label(row, 1, highest), len(row) - 1)


# What a node of the derivation may be: a constituent, or a sequence of them, or of words.
_PIECE, _SEQUENCE = 0, 1


def draw_trees(
    scores: Float32s,
    inverse_temperature: float,
    inside: Inside,
    n: int,
    chances: Float64s,
    trees: tuple[Int32s, Int64s, Float64s],
    stack: Int32s,
) -> None:
    """Write a tree for each row of ``chances``, uniform numbers below 1, (trees, `numbers_a_tree`).

    ``trees`` are spans (all trees' nodes, 3), the count of each tree's nodes, which follow one
    another from the first on, and its score. ``stack`` is scratch space of shape (n + 1, 3).
    """
    spans, counts, totals = trees
    out = 0
    for tree in range(len(chances)):
        begin, total, drawn = out, 0.0, 0
        stack[0, 0], stack[0, 1], stack[0, 2] = 0, n, _SEQUENCE
        height = 1
        while height > 0:
            height -= 1
            start, end, kind = int(stack[height, 0]), int(stack[height, 1]), stack[height, 2]
            span = row_start(start, n) + end
            labelled = kind == _PIECE and end - start > 1
            if not labelled:
                labelled = chances[tree, drawn] < exponential(
                    inside.filled[span] - inside.both[span]
                )
                drawn += 1
            if labelled:
                label = _draw_label(
                    scores[span], inverse_temperature, inside.filled[span], chances[tree, drawn]
                )
                drawn += 1
                spans[out, 0], spans[out, 1], spans[out, 2] = start, end, label
                total += scores[span, label]
                out += 1
            if end - start > 1:
                middle = _draw_split(inside, start, end, n, chances[tree, drawn])
                drawn += 1
                stack[height, 0], stack[height, 1], stack[height, 2] = middle, end, _SEQUENCE
                stack[height + 1, 0], stack[height + 1, 1] = start, middle
                stack[height + 1, 2] = _PIECE
                height += 2
        counts[tree], totals[tree] = out - begin, total


@compiled_apart
def _draw_label(row: Float32s, inverse_temperature: float, filled: float, chance: float) -> int:
    drawn = 0
    for label in range(1, len(row)):
        share = exponential(min(0.0, row[label] * inverse_temperature - filled))
        # Where rounding leaves a rest, the last label that is possible has it.
        if share > 0:
            drawn = label
            chance -= share
            if chance < 0:
                break
    return drawn


@compiled_apart
def _draw_split(inside: Inside, start: int, end: int, n: int, chance: float) -> int:
    row = row_start(start, n)
    parts = parts_of(inside, row + end)
    drawn = start + 1
    for middle in range(start + 1, end):
        product = inside.pieces[row + middle] + inside.chart[row_start(middle, n) + end]
        share = exponential(min(0.0, product - parts))
        if share > 0:
            drawn = middle
            chance -= share
            if chance < 0:
                break
    return drawn
