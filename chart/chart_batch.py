"""A batch of charts: where its sentences lie in flat arrays, their checks, and threads for them.

Every search over span scores can share this: it says what is wrong with its arguments before a
compiled loop sees them, shares the sentences out among threads, and turns the loop's status of each
sentence into an error.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnaparser.chart.spans import (
    BAD_LABEL,
    EMPTY_NOT_ZERO,
    LARGEST_SCORE,
    NO_TREE,
    NOT_A_NUMBER,
    TOO_LARGE,
    AugmentedTrees,
    Bools,
    Float32s,
    Int32s,
    Int64s,
    Layout,
    Scratch,
    Trees,
    scratch_for,
    span_count,
)
from bnaparser.compute.cores import usable_cores

# What costs about as much as starting a thread: reading this many scores.
_SCORES_WORTH_A_THREAD = 1_000_000

_MESSAGES = {
    NOT_A_NUMBER: "a score is not a number (NaN)",
    TOO_LARGE: f"a score is above {float(LARGEST_SCORE):g}",
    EMPTY_NOT_ZERO: "column 0 of the scores, the empty label, is not 0 everywhere: "
    "subtract it from all columns",
    BAD_LABEL: "a label is negative or has no column in the scores",
    NO_TREE: "every tree scores minus infinity",
}


class ScoresError(ValueError):
    """Scores with which nothing can be decided: not numbers, too large to be added up, or no tree."""


class NoTreeError(ScoresError):
    """Scores that are all right, and with which every tree scores minus infinity."""


class Decoded(NamedTuple):
    """The best tree of one sentence.

    ``spans`` is int32, shape (k, 3), k >= 0: start, end and label (1 or more) of its constituents
    in pre-order. ``score`` is the sum of their scores, added up in double precision.
    """

    score: float
    spans: Int32s


class ChartBatch:
    """Where the sentences of a batch lie in the flat arrays, and how threads share them.

    ``lengths`` are numbers of words; raises ValueError if one is below 1. ``spans`` and ``nodes``
    count those of all sentences, ``splits`` about as many split points as a search looks at.
    """

    def __init__(self, lengths: ArrayLike):
        words = integers("lengths", lengths, np.int64, None)
        if (words < 1).any():
            raise ValueError("a sentence has no words: each sentence needs at least one word")
        spans, nodes = span_count(words), 2 * words - 1
        self.layout = Layout(words, spans.cumsum() - spans, nodes.cumsum() - nodes)
        self.spans, self.nodes = int(spans.sum()), int(nodes.sum())
        self.splits = int((words**3).sum()) // 6

    def __len__(self) -> int:
        return len(self.layout.words)

    def new_trees(self) -> Trees:
        """Arrays for the best trees of all sentences, to be written by a kernel."""
        count = len(self)
        return Trees(
            np.empty((self.nodes, 3), np.int32),
            np.zeros(count, np.int64),
            np.zeros(count, np.float64),
            np.zeros(count, np.int64),
        )

    def new_augmented_trees(self) -> AugmentedTrees:
        """Arrays for the cost-augmented trees of all sentences, to be written by a kernel."""
        count = len(self)
        return AugmentedTrees(
            np.empty(self.nodes, np.int64),
            np.empty(self.nodes, np.int32),
            np.zeros(count, np.float64),
            np.zeros(count, np.int64),
            np.zeros(count, np.int64),
        )

    def scratch(self, begin: int, end: int) -> Scratch:
        """Scratch arrays for the best trees of the sentences begin..end, one after another."""
        return scratch_for(int(self.layout.words[begin:end].max(initial=1)))

    def run(self, work: Callable[[int, int], None], size: int, threads: int | None) -> None:
        """Call work(begin, end) on runs of sentences with about equal spans, one run a thread."""
        if threads is None:
            threads = min(usable_cores(), 1 + size // _SCORES_WORTH_A_THREAD)
        if threads < 1:
            raise ValueError(f"threads is {threads}; it must be at least 1")
        shares = np.arange(1, threads) * self.spans / threads
        cuts = np.searchsorted(self.layout.spans, shares)
        bounds = np.unique([0, *cuts.tolist(), len(self)]).tolist()
        groups = list(pairwise(bounds)) or [(0, 0)]
        if len(groups) == 1:
            work(*groups[0])
            return
        mine = groups[:1]
        # A new pool for each call costs 0.1 ms; one that is kept would not survive a fork.
        with ThreadPoolExecutor(len(groups) - 1) as pool:
            try:
                others = [pool.submit(work, begin, end) for begin, end in groups[1:]]
            except RuntimeError:  # no more threads: a limit is reached, or Python is about to end
                pool.shutdown(cancel_futures=True)
                others, mine = [], groups
            for begin, end in mine:
                work(begin, end)
            for other in others:
                other.result()

    def decoded(self, trees: Trees) -> list[Decoded]:
        """The trees that a kernel has written, one a sentence; raises as `raise_first` does."""
        raise_first(trees.status)
        begins = self.layout.nodes
        bounds = zip(begins.tolist(), (begins + trees.counts).tolist(), strict=True)
        spans = [trees.spans[begin:end] for begin, end in bounds]
        return list(map(Decoded, trees.totals.tolist(), spans))


def raise_first(status: Int64s) -> None:
    """Raise ValueError for the first sentence that a kernel could not decode, with the reason.

    ``status`` has one code of ``layout`` a sentence. Where its scores are at fault the error is a
    ScoresError.
    """
    bad = np.flatnonzero(status)
    if len(bad):
        code = int(status[bad[0]])
        kind: type[ValueError] = NoTreeError if code == NO_TREE else ValueError
        if code in (NOT_A_NUMBER, TOO_LARGE):
            kind = ScoresError
        raise kind(f"sentence {bad[0]}: {_MESSAGES[code]}")


def check_scores(name: str, scores: Float32s, spans: int, allow_empty_root: bool) -> None:
    """Refuse scores that are not (spans, labels), as `check_array` does, or that allow no tree."""
    labels = scores.shape[1] if getattr(scores, "ndim", 0) == 2 else 0
    check_array(name, scores, (spans, labels or 1))
    if labels == 1 and not allow_empty_root:
        raise ValueError(
            f"{name} has only the label 0 (no constituent), which the whole sentence may not have"
        )


def check_array(name: str, array: NDArray[Any], shape: tuple[int, ...]) -> None:
    """Raise an error for an array that the kernels would have to copy: silent copies of all scores
    are slow.
    """
    if not isinstance(array, np.ndarray) or array.dtype != np.float32:
        raise ValueError(f"{name} must be a numpy array of float32")
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}; these lengths need {shape}")
    if not array.flags.c_contiguous:
        raise ValueError(f"{name} must be C-contiguous: use numpy.ascontiguousarray")


def integers(name: str, values: ArrayLike, dtype: type, count: int | None) -> NDArray[Any]:
    """Return whole numbers as a contiguous array of a dtype; ValueError if their number is wrong or they are too large."""
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and not np.issubdtype(array.dtype, np.integer)):
        raise ValueError(f"{name} must be integers in one dimension")
    if count is not None and len(array) != count:
        raise ValueError(f"{name} has {len(array)} entries; these lengths need {count}")
    if array.size and not np.can_cast(array.dtype, dtype):
        most = np.iinfo(dtype)
        if array.min() < most.min or array.max() > most.max:
            raise ValueError(f"{name} has a number that {np.dtype(dtype)} cannot hold")
    return np.ascontiguousarray(array, dtype)


def with_roots(batch: ChartBatch, never_empty: Bools | None, allow_empty_root: bool) -> Bools:
    """Return which spans must have a label, (all spans,): the spans of ``never_empty``, and the
    roots if they need a label.

    Raises ValueError if ``never_empty`` is not None and does not have this number of truth values.
    """
    full = np.zeros(batch.spans, np.bool_)
    if never_empty is not None:
        full = np.array(never_empty)
        if full.dtype != np.bool_ or full.shape != (batch.spans,):
            shape = f"{full.dtype} of shape {full.shape}"
            raise ValueError(f"never_empty is {shape}; these lengths need bool ({batch.spans},)")
    if not allow_empty_root:
        full[batch.layout.spans + batch.layout.words - 1] = True
    return full
