"""The recursion of the chart in every semiring, and the compiled loops of its decoder: arrays in, arrays out.

Exact CKY over binary trees whose nodes carry one label each, after Stern, Andreas and Klein (2017),
"A Minimal Span-Based Neural Constituency Parser", and Gaddy, Stern and Klein (2018), "What's Going
On in Neural Constituency Parsers? An Analysis". A tree scores the sum of its labelled spans.

Spans are packed as ``bnaparser.chart.spans`` describes, those with one start side by side. A *group* is a run of
sentences of one batch. The ``*_group`` functions are the entry points and do one group each without
Python's lock, so that groups run side by side on threads. They trust the shapes, which
``chart_batch`` has checked. They never raise: a sentence with bad values gets a status other than
``OK``, and the rest of the group is still done.

*Trees* are what the model scores: sets of labelled spans no two of which cross. Such a tree has
many binary forms, which differ in nodes with the empty label alone. Where trees are counted or
listed and not merely the best is sought, each must have one derivation. So a span has two values:
``pieces``, of all trees over it whose top is a constituent (or a bare word), and ``chart``, of all
sequences of such pieces side by side. With ``filled`` for a span's labels and ``both`` for these or
none, (x) and (+) for the semiring's product and sum, and k for all split points:

    parts(i, j)  = (+)_k pieces(i, k) (x) chart(k, j),   and one for a word
    pieces(i, j) = parts(i, j) (x) filled(i, j),         for a word (x) both(i, j)
    chart(i, j)  = parts(i, j) (x) both(i, j)

In a sequence the first piece is split off, so each tree is met once. In the tropical semiring what
is met twice does no harm, and ``chart`` itself may stand for ``pieces``: that is CKY. Semirings of
natural logarithms have + for a product, and so both of these have.

Heavy: imports Numba, so it is imported only to compile.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bnaparser.chart import spans
from bnaparser.chart.spans import (
    BAD_LABEL,
    EMPTY_NOT_ZERO,
    LARGEST_SCORE,
    NOT_A_NUMBER,
    OK,
    TOO_LARGE,
    AugmentedTrees,
    Float32s,
    Floats,
    Int32s,
    Layout,
    Scratch,
    Trees,
)
from bnaparser.compute.compiling import compiled, compiled_apart, compiled_fusing

# The sum is the maximum: best trees. The sum is that of the numbers whose logarithms these are: all trees.
TROPICAL, LOG = 0, 1

span_count = compiled(spans.span_count)
row_start = compiled(spans.row_start)

# exp(x) = 2^k exp(r): k is rounded by adding a number so large that the fraction is lost.
_ROUNDING = 1.5 * 2.0**52
_LOG2_E = 1.4426950408889634
_LN2_HIGH, _LN2_LOW = 0.693147180369123816490, 1.90821492927058770002e-10
_LEAST = -708.0
_BIAS = np.int64(1023)


@compiled_fusing
def exponential(x: float) -> float:
    """Return e^x in double precision for x <= 0; 0 below -708 and for NaN. A loop that calls it is
    vectorised.
    """
    shifted = np.float64(x * _LOG2_E + _ROUNDING)
    power = shifted - _ROUNDING
    r = x - power * _LN2_HIGH - power * _LN2_LOW
    # Taylor's series: |r| is at most ln(2) / 2, the next term below 2e-16.
    series = 1 / 6227020800 * r + 1 / 479001600
    series = series * r + 1 / 39916800
    series = series * r + 1 / 3628800
    series = series * r + 1 / 362880
    series = series * r + 1 / 40320
    series = series * r + 1 / 5040
    series = series * r + 1 / 720
    series = series * r + 1 / 120
    series = series * r + 1 / 24
    series = series * r + 1 / 6
    series = series * r + 0.5
    series = series * r + 1.0
    series = series * r + 1.0
    bits = np.int64((shifted.view(np.int64) + _BIAS) << 52)
    return series * bits.view(np.float64) if x > _LEAST else 0.0


@compiled_apart
def _add_logarithms(highest: Floats, relative: Floats, left: float, right_parts: Floats) -> None:
    """Add ``left`` times each of the right parts to its sum: one exponential each, no branch."""
    for end in range(len(right_parts)):
        product, old, sums = left + right_parts[end], highest[end], relative[end]
        low, high = min(product, old), max(product, old)
        # Minus infinity less itself is not a number, of which `exponential` makes 0.
        scale = exponential(low - high)
        relative[end] = sums * scale + 1 if product > old else sums + scale
        highest[end] = high


# What `filling` returns: from chart, pieces, n, splits and relative to the chart.
Fill = Callable[[Floats, Floats, int, Floats, Floats], None]


def filling(semiring: int) -> Fill:
    """Return the recursion in a semiring, for compiled loops: ``fill_chart(chart, pieces, n, splits, relative)``.

    It turns what each span may be into the values of all trees over it, in place. ``chart`` comes in as ``both`` of
    the spans, ``pieces`` as ``filled`` (of words ``both``); with TROPICAL they may be one array. ``splits`` and
    ``relative`` are scratch space for n + 1 numbers, the latter with LOG only.

    While the spans with one start are done, from the shortest, splits[j] is the sum of (start, j)
    over the split points tried so far. Those of (start, k) all lie before k, so that (start, k) is
    complete when its turn comes to be a left part. In this order the inner loop runs along two rows
    of the packed chart: no second, transposed chart is needed, and no sum across lanes. A sum of
    logarithms is kept as the highest, and in ``relative`` the sum of all relative to that.
    """

    @compiled_apart
    def fill_chart(chart: Floats, pieces: Floats, n: int, splits: Floats, relative: Floats) -> None:
        for start in range(n - 1, -1, -1):
            row = row_start(start, n)
            splits[start + 1] = 0
            splits[start + 2 : n + 1] = -np.inf
            if semiring == LOG:
                relative[start + 1] = 1
                relative[start + 2 : n + 1] = 0
            for middle in range(start + 1, n + 1):
                parts = splits[middle]
                if semiring == LOG:
                    parts += np.log(relative[middle])
                left = parts + pieces[row + middle]
                chart[row + middle] += parts
                pieces[row + middle] = left
                other = row_start(middle, n)
                right_parts = chart[other + middle + 1 : other + n + 1]
                sums = splits[middle + 1 : n + 1]
                if semiring == LOG:
                    _add_logarithms(sums, relative[middle + 1 : n + 1], left, right_parts)
                else:
                    for end in range(len(right_parts)):
                        total = left + right_parts[end]
                        sums[end] = max(sums[end], total)

    return fill_chart


# A semiring each, so that best trees need no logarithms to be compiled.
fill_best, fill_all = filling(TROPICAL), filling(LOG)


@compiled_apart
def with_none(filled: float) -> float:
    """log(1 + e^filled): the weight of some label or none."""
    if filled > 0:
        return float(filled + np.log(1 + exponential(-filled)))
    return float(np.log(1 + exponential(filled)))


# Bit patterns of float32 numbers, read as integers. Non-negative floats sort as their patterns do,
# and integer maxima vectorise where float maxima need "fast math", which would lose the NaN check.
_LARGEST_BITS = LARGEST_SCORE.view(np.int32)
INFINITY_BITS = np.int32(0x7F800000)
_MINUS_INFINITY_BITS = np.uint32(0xFF800000)


@compiled_apart
def _status_of(highest: np.int32, highest_unsigned: np.uint32) -> int:
    """Status of scores from the greatest of their bit patterns, read with sign and without."""
    if highest > INFINITY_BITS or highest_unsigned > _MINUS_INFINITY_BITS:
        return NOT_A_NUMBER
    return TOO_LARGE if highest > _LARGEST_BITS else OK


@compiled_apart
def _write_maxima(
    scores: Float32s, first: int, n: int, allow_empty_root: bool, best: Float32s
) -> int:
    """Write the greatest score of each span of a sentence to ``best``; return the status."""
    bits, best_bits = scores.view(np.int32), best.view(np.int32)
    status = OK
    for span in range(span_count(n)):
        row = first + span
        # Starting at zero is no loss: the empty label scores 0.
        highest, highest_unsigned = np.int32(0), np.uint32(0)
        for label in range(scores.shape[1]):
            pattern = bits[row, label]
            highest = max(highest, pattern)
            highest_unsigned = max(highest_unsigned, np.uint32(pattern))
        best_bits[span] = highest
        if scores[row, 0] != 0:
            status = max(status, EMPTY_NOT_ZERO)
        status = max(status, _status_of(highest, highest_unsigned))
    if not allow_empty_root:
        root = first + n - 1
        best[n - 1] = scores[root, best_label(scores, root, 1)]
    return status


@compiled_apart
def _write_augmented_maxima(
    scores: Float32s, gold: Int32s, first: int, n: int, allow_empty_root: bool, best: Float32s
) -> int:
    """Write each span's highest score, where every label but the gold one of the span scores 1 more."""
    best_bits = best.view(np.int32)
    status = OK
    for span in range(span_count(n)):
        row = first + span
        right = gold[row]
        if right < 0 or right >= scores.shape[1]:
            return BAD_LABEL
        # Starting at zero is no loss: the empty label scores 0, or 1 where it is wrong.
        highest, highest_unsigned = np.int32(0), np.uint32(0)
        for label in range(scores.shape[1]):
            value = np.float32(scores[row, label] + np.float32(label != right))
            pattern = value.view(np.int32)
            highest = max(highest, pattern)
            highest_unsigned = max(highest_unsigned, np.uint32(pattern))
        best_bits[span] = highest
        if scores[row, 0] != 0:
            status = max(status, EMPTY_NOT_ZERO)
        status = max(status, _status_of(highest, highest_unsigned))
    if not allow_empty_root:
        root = first + n - 1
        label = _best_augmented_label(scores, root, gold[root], 1)
        best[n - 1] = scores[root, label] + np.float32(label != gold[root])
    return status


@compiled_apart
def best_label(scores: Float32s, row: int, first_label: int) -> int:
    """Column of the greatest of scores[row, first_label:], the lowest of equals."""
    best, best_label = scores[row, first_label], first_label
    for label in range(first_label + 1, scores.shape[1]):
        value = scores[row, label]
        if value > best:
            best, best_label = value, label
    return best_label


@compiled_apart
def _best_augmented_label(scores: Float32s, row: int, right: int, first_label: int) -> int:
    """Column of the greatest of scores[row, first_label:] after every label but ``right`` got 1 more."""
    best_label = first_label
    best = np.float32(scores[row, first_label] + np.float32(first_label != right))
    for label in range(first_label + 1, scores.shape[1]):
        value = np.float32(scores[row, label] + np.float32(label != right))
        if value > best:
            best, best_label = value, label
    return best_label


@compiled_apart
def _status_of_maxima(best: Float32s, size: int) -> int:
    """Status of the first ``size`` numbers of ``best``."""
    status = OK
    for span in range(size):
        if best[span] != best[span]:
            return NOT_A_NUMBER
        if best[span] > LARGEST_SCORE:
            status = TOO_LARGE
    return status


@compiled_apart
def trace_nodes(chart: Float32s, n: int, nodes: Int32s, stack: Int32s) -> None:
    """Write (start, end) of the best tree's 2n - 1 nodes in pre-order; of equal splits the lowest.

    ``stack`` is scratch space of shape (n + 1, 2).
    """
    stack[0, 0], stack[0, 1] = 0, n
    height = 1
    for node in range(2 * n - 1):
        height -= 1
        start, end = int(stack[height, 0]), int(stack[height, 1])
        nodes[node, 0], nodes[node, 1] = start, end
        if end - start == 1:
            continue
        row = row_start(start, n)
        split = start + 1
        best = chart[row + split] + chart[row_start(split, n) + end]
        for middle in range(start + 2, end):
            total = chart[row + middle] + chart[row_start(middle, n) + end]
            if total > best:
                best, split = total, middle
        stack[height, 0], stack[height, 1] = split, end
        stack[height + 1, 0], stack[height + 1, 1] = start, split
        height += 2


def decode_group(
    scores: Float32s,
    allow_empty_root: bool,
    layout: Layout,
    trees: Trees,
    scratch: Scratch,
    begin: int,
    end: int,
) -> None:
    """Best trees of the sentences begin..end of a batch, from scores (all spans, labels)."""
    chart, splits, nodes, stack = scratch
    for sentence in range(begin, end):
        n, first = layout.words[sentence], layout.spans[sentence]
        trees.counts[sentence] = 0
        trees.status[sentence] = _write_maxima(scores, first, n, allow_empty_root, chart)
        if trees.status[sentence] != OK:
            continue
        fill_best(chart, chart, n, splits, splits)
        trace_nodes(chart, n, nodes, stack)
        total, out = 0.0, layout.nodes[sentence]
        for node in range(2 * n - 1):
            row = first + row_start(nodes[node, 0], n) + nodes[node, 1]
            label = best_label(scores, row, 1 if node == 0 and not allow_empty_root else 0)
            if label > 0:
                for column in range(2):
                    trees.spans[out, column] = nodes[node, column]
                trees.spans[out, 2] = label
                out += 1
                total += scores[row, label]
        trees.counts[sentence] = out - layout.nodes[sentence]
        trees.totals[sentence] = total


def decode_best_group(
    best: tuple[Float32s, Int32s],
    roots: tuple[Float32s, Int32s],
    layout: Layout,
    trees: Trees,
    scratch: Scratch,
    begin: int,
    end: int,
) -> None:
    """Decode the sentences begin..end from each span's best score and label.

    ``best`` has one entry a span; those of whole sentences are not read, but taken from ``roots``,
    one entry a sentence.
    """
    scores, labels = best
    root_scores, root_labels = roots
    chart, splits, nodes, stack = scratch
    for sentence in range(begin, end):
        n, first = layout.words[sentence], layout.spans[sentence]
        size = span_count(n)
        of_spans = scores[first : first + size]
        for span in range(
            of_spans.shape[0]
        ):  # a loop compiles faster than a slice, whose shape would be checked
            chart[span] = of_spans[span]
        chart[n - 1] = root_scores[sentence]
        trees.counts[sentence] = 0
        trees.status[sentence] = _status_of_maxima(chart, size)
        if trees.status[sentence] != OK:
            continue
        fill_best(chart, chart, n, splits, splits)
        trace_nodes(chart, n, nodes, stack)
        total, out = 0.0, layout.nodes[sentence]
        for node in range(2 * n - 1):
            row = first + row_start(nodes[node, 0], n) + nodes[node, 1]
            label = labels[row] if node > 0 else root_labels[sentence]
            total += scores[row] if node > 0 else root_scores[sentence]
            if label < 0:
                trees.status[sentence] = BAD_LABEL
            if label > 0:
                for column in range(2):
                    trees.spans[out, column] = nodes[node, column]
                trees.spans[out, 2] = label
                out += 1
        trees.counts[sentence] = out - layout.nodes[sentence]
        trees.totals[sentence] = total


def cost_augment_group(
    gold_scores: tuple[Float32s, Int32s],
    allow_empty_root: bool,
    layout: Layout,
    trees: AugmentedTrees,
    scratch: Scratch,
    begin: int,
    end: int,
) -> None:
    """Best trees where every label but the gold one of its span scores 1 more.

    ``gold_scores`` are scores (all spans, labels) and gold labels (all spans,).
    """
    scores, gold = gold_scores
    chart, splits, nodes, stack = scratch
    for sentence in range(begin, end):
        n, first, out = layout.words[sentence], layout.spans[sentence], layout.nodes[sentence]
        trees.status[sentence] = _write_augmented_maxima(
            scores, gold, first, n, allow_empty_root, chart
        )
        if trees.status[sentence] != OK:
            continue
        fill_best(chart, chart, n, splits, splits)
        trace_nodes(chart, n, nodes, stack)
        total, cost = 0.0, 0
        for node in range(2 * n - 1):
            row = first + row_start(nodes[node, 0], n) + nodes[node, 1]
            first_label = 1 if node == 0 and not allow_empty_root else 0
            label = _best_augmented_label(scores, row, gold[row], first_label)
            trees.rows[out + node] = row
            trees.labels[out + node] = label
            total += scores[row, label]
            cost += label != gold[row]
        trees.totals[sentence] = total + cost
        trees.costs[sentence] = cost
