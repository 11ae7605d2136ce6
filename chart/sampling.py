"""Trees drawn at random, each as often as its probability says: the compiled loop."""

from __future__ import annotations

from bnaparser.chart.compiled import compiled_apart
from bnaparser.chart.inside_outside import parts_of
from bnaparser.chart.probabilities import Inside
from bnaparser.chart.recursion import exponential, row_start
from bnaparser.chart.spans import Float32s, Float64s, Int32s, Int64s

# What a node of the derivation may be: a constituent, or a sequence of them, or of words.
_PIECE, _SEQUENCE = 0, 1


def draw_trees(
    scores: Float32s,
    coldness: float,
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
                    scores[span], coldness, inside.filled[span], chances[tree, drawn]
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
def _draw_label(row: Float32s, coldness: float, filled: float, chance: float) -> int:
    drawn = 0
    for label in range(1, len(row)):
        share = exponential(min(0.0, row[label] * coldness - filled))
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
