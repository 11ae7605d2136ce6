"""The order of a sentence's spans, as arrays and files of other packages have it too; the arrays of a batch.

A sentence of n words has n (n + 1) / 2 spans (start, end), 0 <= start < end <= n, and they are
packed by start, then end: ``(0, 1), (0, 2), ..., (0, n), (1, 2), ..., (n - 1, n)``. In a batch, one
sentence's spans follow those of the sentence before. The rows of the spans of four words::

    end         1    2    3    4
    start 0     0    1    2    3
    start 1          4    5    6
    start 2               7    8
    start 3                    9

``span_count``, ``row_start`` and ``span_index`` are plain arithmetic: they take numbers or arrays of
int64, and ``cky_loops`` compiles them as they stand.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

Float32s = NDArray[np.float32]
Float64s = NDArray[np.float64]
Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float32] | NDArray[np.float64]

Whole = TypeVar("Whole", int, Int64s)
"""A whole number, or many."""


def span_count(n: Whole) -> Whole:
    """Return the number of spans of a sentence.

    Args:
        n: number of words, or an array of such numbers.

    Returns:
        n (n + 1) / 2.

    Example:
        >>> from bnaparser.chart import span_count
        >>> span_count(3)
        6
    """
    return n * (n + 1) // 2


def row_start(start: Whole, n: int) -> Whole:
    """``row_start(start, n) + end`` is the index of the span (start, end), for a loop over ends."""
    return start * n - start * (start - 1) // 2 - start - 1


def span_index(start: Whole, end: Whole, n: int) -> Whole:
    """Return the row of a span in the packed arrays of a sentence.

    Args:
        start: number of the first word.
        end: number of the word after the last one.
        n: number of words of the sentence.

    Returns:
        The row.

    Example:
        >>> from bnaparser.chart import span_index
        >>> [span_index(start, end, 2) for start, end in ((0, 1), (0, 2), (1, 2))]
        [0, 1, 2]
    """
    return row_start(start, n) + end


def span_indices(n: int) -> tuple[Int64s, Int64s]:
    """Return starts and ends of all spans of a sentence, in the order of the packed arrays.

    Args:
        n: number of words.

    Returns:
        Two int64 arrays, shape (spans,).

    Example:
        >>> from bnaparser.chart import span_indices
        >>> [array.tolist() for array in span_indices(2)]
        [[0, 0, 1], [1, 2, 2]]
    """
    starts = np.repeat(np.arange(n), np.arange(n, 0, -1))
    return starts, np.arange(span_count(n)) - row_start(starts, n)


# In order of weight: a sentence with several troubles reports the last.
OK, EMPTY_NOT_ZERO, TOO_LARGE, NOT_A_NUMBER, BAD_LABEL, NO_TREE = range(6)

# Sums of larger scores could reach infinity, and infinity minus infinity is not a number.
LARGEST_SCORE = np.float32(1e30)


class Layout(NamedTuple):
    """The places of the sentences of a batch in flat arrays; each array has one entry for each
    sentence.

    ``words``: its number of words, n; ``spans``: the row of its first span; ``nodes``: where its
    2n - 1 tree nodes begin in the output.
    """

    words: Int64s
    spans: Int64s
    nodes: Int64s


class Trees(NamedTuple):
    """Output of decoding: best trees, written from ``Layout.nodes`` on.

    ``spans`` (all nodes, 3): start, end, label of the labelled nodes; ``counts``, ``totals`` and
    ``status``, one entry a sentence: how many these are, their summed score, and a status code.
    """

    spans: Int32s
    counts: Int64s
    totals: Float64s
    status: Int64s


class AugmentedTrees(NamedTuple):
    """Output of cost-augmented decoding: all 2n - 1 nodes, written from ``Layout.nodes`` on.

    ``rows`` and ``labels`` (all nodes,): the row and the column of each node in the scores;
    ``totals``, ``costs`` and ``status``, one entry a sentence: score with cost, cost, status code.
    """

    rows: Int64s
    labels: Int32s
    totals: Float64s
    costs: Int64s
    status: Int64s


class Scratch(NamedTuple):
    """Space for the best tree of the longest sentence, of n words.

    ``chart`` (spans,), ``splits`` (n + 1,), ``nodes`` (2n - 1, 2), ``stack`` (n + 1, 2).
    """

    chart: Float32s
    splits: Float32s
    nodes: Int32s
    stack: Int32s


# What kernels take of these.
LAYOUT = Layout, "i8:1", "i8:1", "i8:1"
SCRATCH = Scratch, "f4:1", "f4:1", "i4:2", "i4:2"


def scratch_for(words: int) -> Scratch:
    """Return space for sentences of at most this number of words, at least one."""
    return Scratch(
        np.empty(span_count(words), np.float32),
        np.empty(words + 1, np.float32),
        np.empty((2 * words - 1, 2), np.int32),
        np.empty((words + 1, 2), np.int32),
    )
