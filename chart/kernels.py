"""The compiled loops of the chart decoder and nothing else: arrays in, arrays out.

Exact CKY over binary trees whose nodes carry one label each, after Stern, Andreas and Klein (2017),
"A Minimal Span-Based Neural Constituency Parser", and Gaddy, Stern and Klein (2018), "What's Going
On in Neural Constituency Parsers? An Analysis". A tree scores the sum of its labelled spans.

Spans are packed as ``spans`` describes, those with one start side by side. A *group* is a run of
sentences of one batch. The ``*_group`` functions are the entry points and do one group each without
Python's lock, so that groups run side by side on threads. They trust the shapes, which
``chart_batch`` has checked. They never raise: a sentence with bad values gets a status other than
``OK``, and the rest of the group is still done.
"""

from __future__ import annotations

import numpy as np

from bnaparser.chart.compiled import compiled_apart
from bnaparser.chart.layout import (
    BAD_LABEL,
    EMPTY_NOT_ZERO,
    LARGEST_SCORE,
    NOT_A_NUMBER,
    OK,
    TOO_LARGE,
    AugmentedTrees,
    Layout,
    Scratch,
    Trees,
)
from bnaparser.chart.recursion import fill_best, row_start, span_count
from bnaparser.chart.spans import Float32s, Int32s

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
    """The same where every label but the gold one of its span scores 1 more."""
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
    """The same where every label but ``right`` scores 1 more."""
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
    """The same from each span's best score and label.

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
