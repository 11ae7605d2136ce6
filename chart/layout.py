"""Where the sentences of a batch lie in flat arrays, what kernels write, and what they say of each sentence."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bnaparser.chart.spans import Float32s, Float64s, Int32s, Int64s, span_count

# In order of weight: a sentence with several troubles reports the last.
OK, EMPTY_NOT_ZERO, TOO_LARGE, NOT_A_NUMBER, BAD_LABEL, NO_TREE = range(6)

# Sums of larger scores could reach infinity, and infinity minus infinity is not a number.
LARGEST_SCORE = np.float32(1e30)


class Layout(NamedTuple):
    """Where the sentences of a batch lie; one entry a sentence in each array.

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
    """Room for the best tree of the longest sentence, of n words.

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
    """Return room for sentences of at most so many words, at least one."""
    return Scratch(
        np.empty(span_count(words), np.float32),
        np.empty(words + 1, np.float32),
        np.empty((2 * words - 1, 2), np.int32),
        np.empty((words + 1, 2), np.int32),
    )
