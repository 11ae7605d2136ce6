"""Best trees from span scores: checks and shapes around the compiled loops of ``kernels``.

A sentence of n words has n (n + 1) / 2 spans (start, end), 0 <= start < end <= n. They are packed
by start, then end: ``(0, 1), (0, 2), ..., (0, n), (1, 2), ..., (n - 1, n)``, so that (start, end)
has the index ``start * n - start * (start - 1) // 2 + end - start - 1``.

*Scores* are float32, C-contiguous, one row a span and one column a label; they may be minus
infinity, but neither NaN nor above 1e30. Column 0 is the empty label, "no constituent", and holds
exact zeros: all scores are relative to it.

Trees are binary inside. Nodes with the empty label are spliced out of the answer, which gives trees
of any arity. The whole sentence may not be empty unless ``allow_empty_root`` is true, as it must be
for a treebank that has sentences of several trees. Of equal labels the lowest wins, of equal split
points the lowest. Length is not normalised. The search adds in single precision, so trees whose
scores differ by less than its rounding count as equal.

In a batch, one sentence's spans follow those of the sentence before. Errors are ``ValueError``, and
name the first bad sentence of a batch; batches of none give answers for none.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnaparser.chart import kernels
from bnaparser.chart.kernels import Float32s, Float64s, Int32s, Int64s

# What costs about as much as starting a thread: reading this many scores.
_SCORES_WORTH_A_THREAD = 1_000_000

_MESSAGES = {
    kernels.NOT_A_NUMBER: "a score is not a number (NaN)",
    kernels.TOO_LARGE: f"a score is above {float(kernels.LARGEST_SCORE):g}",
    kernels.EMPTY_NOT_ZERO: "column 0 of the scores, the empty label, is not 0 everywhere: "
    "subtract it from all columns",
    kernels.BAD_LABEL: "a label is negative or has no column in the scores",
}


class ScoresError(ValueError):
    """Scores among which there is no best tree: not a number, or too large to be added up."""


class Decoded(NamedTuple):
    """The best tree of one sentence.

    ``spans`` is int32, shape (k, 3), k >= 0: start, end and label (1 or more) of its constituents
    in pre-order. ``score`` is the sum of their scores, added up in double precision.
    """

    score: float
    spans: Int32s


class CostAugmented(NamedTuple):
    """The best tree of one sentence when every wrong label earns 1.

    ``tree_spans`` (int64) and ``tree_labels`` (int32), shape (2n - 1,), are all nodes of the binary
    tree in pre-order, empty ones included: row and column of their scores. ``cost`` counts those
    whose label differs from the gold one of their span; ``value`` is their summed score plus cost.
    """

    tree_spans: Int64s
    tree_labels: Int32s
    value: float
    cost: int


class CostAugmentedBatch(NamedTuple):
    """The same for a batch: nodes one sentence after another, rows counted through the batch.

    ``value`` (float64) and ``cost`` (int64) have one entry a sentence.
    """

    tree_spans: Int64s
    tree_labels: Int32s
    value: Float64s
    cost: Int64s


def span_count(n: int) -> int:
    """Number of spans of a sentence of n words."""
    return n * (n + 1) // 2


def span_indices(n: int) -> tuple[Int64s, Int64s]:
    """Starts and ends of all spans of a sentence of n words, int64, in packed order."""
    starts = np.repeat(np.arange(n), np.arange(n, 0, -1))
    ends = np.arange(span_count(n)) - (starts * n - starts * (starts - 1) // 2 - starts - 1)
    return starts, ends


def decode(scores: Float32s, n: int, *, allow_empty_root: bool = False) -> Decoded:
    """Best tree of a sentence of n words from scores (spans, labels)."""
    return decode_packed(scores, [n], 1, allow_empty_root=allow_empty_root)[0]


def decode_packed(
    flat_scores: Float32s,
    lengths: ArrayLike,
    threads: int | None = None,
    *,
    allow_empty_root: bool = False,
) -> list[Decoded]:
    """Best trees of a batch from scores (spans of all sentences, labels): the fastest way.

    ``lengths`` are numbers of words. ``threads`` bounds the threads used; by default as many as the
    batch is worth, at most one a core. The answers share one array of spans.
    """
    batch = _Batch(lengths)
    _check_scores("scores", flat_scores, batch.spans, allow_empty_root)
    trees = batch.new_trees()

    def work(begin: int, end: int) -> None:
        kernels.decode_group(flat_scores, allow_empty_root, batch.layout, trees, begin, end)

    batch.run(work, flat_scores.size, threads)
    return batch.decoded(trees)


def decode_batch(
    scores: Sequence[Float32s],
    lengths: ArrayLike,
    threads: int | None = None,
    *,
    allow_empty_root: bool = False,
) -> list[Decoded]:
    """``decode_packed`` for sentences whose scores are arrays of their own."""
    batch = _Batch(lengths)
    if len(scores) != len(batch):
        raise ValueError(f"{len(scores)} arrays of scores but {len(batch)} lengths")
    for sentence, (array, n) in enumerate(zip(scores, batch.layout.words.tolist(), strict=True)):
        _check_scores(f"scores[{sentence}]", array, span_count(n), allow_empty_root)
    trees = batch.new_trees()
    layout = batch.layout._replace(spans=np.zeros_like(batch.layout.spans))

    def work(begin: int, end: int) -> None:
        for sentence in range(begin, end):
            kernels.decode_group(
                scores[sentence], allow_empty_root, layout, trees, sentence, sentence + 1
            )

    batch.run(work, sum(array.size for array in scores), threads)
    return batch.decoded(trees)


def decode_best(
    best_scores: Float32s, best_labels: Int32s, root_score: float, root_label: int, n: int
) -> Decoded:
    """``decode`` where each span's best label, and its score, are known already.

    ``best_scores`` is float32 and ``best_labels`` int32, both (spans,). The whole sentence's entries
    are not read; ``root_score`` and ``root_label`` stand for them (best of the labels from 1 on,
    unless an empty root is allowed).
    """
    return decode_best_packed(best_scores, best_labels, [root_score], [root_label], [n], 1)[0]


def decode_best_packed(
    flat_best: Float32s,
    flat_labels: Int32s,
    root_scores: ArrayLike,
    root_labels: ArrayLike,
    lengths: ArrayLike,
    threads: int | None = None,
) -> list[Decoded]:
    """``decode_best`` for a batch: one entry a span, and one root score and label a sentence."""
    batch = _Batch(lengths)
    _check_array("best_scores", flat_best, (batch.spans,))
    best = flat_best, _integers("best_labels", flat_labels, np.int32, batch.spans)
    root_scores = np.ascontiguousarray(root_scores, np.float32)
    _check_array("root_scores", root_scores, (len(batch),))
    roots = root_scores, _integers("root_labels", root_labels, np.int32, len(batch))
    trees = batch.new_trees()

    def work(begin: int, end: int) -> None:
        kernels.decode_best_group(best, roots, batch.layout, trees, begin, end)

    splits = int((batch.layout.words**3).sum()) // 6
    batch.run(work, splits, threads)
    return batch.decoded(trees)


def cost_augment(
    scores: Float32s, gold_labels: Int32s, n: int, *, allow_empty_root: bool = False
) -> CostAugmented:
    """Best tree of a sentence when every (span, label) but the gold ones scores 1 more.

    ``gold_labels`` is int32, shape (spans,), 0 where the gold tree has no constituent. The hinge
    loss of Stern, Andreas and Klein (2017) is the returned value minus the gold tree's score, or 0
    where that is negative. Gold constituents that are missing from the tree cost nothing by
    themselves; the spans that stand in their place do.
    """
    tree_spans, tree_labels, value, cost = cost_augment_packed(
        scores, gold_labels, [n], 1, allow_empty_root=allow_empty_root
    )
    return CostAugmented(tree_spans, tree_labels, float(value[0]), int(cost[0]))


def cost_augment_packed(
    flat_scores: Float32s,
    flat_gold: Int32s,
    lengths: ArrayLike,
    threads: int | None = None,
    *,
    allow_empty_root: bool = False,
) -> CostAugmentedBatch:
    """``cost_augment`` for a batch; arguments as for ``decode_packed``."""
    batch = _Batch(lengths)
    _check_scores("scores", flat_scores, batch.spans, allow_empty_root)
    gold_scores = flat_scores, _integers("gold_labels", flat_gold, np.int32, batch.spans)
    trees = batch.new_augmented_trees()

    def work(begin: int, end: int) -> None:
        kernels.cost_augment_group(gold_scores, allow_empty_root, batch.layout, trees, begin, end)

    batch.run(work, flat_scores.size, threads)
    _raise_first(trees.status)
    return CostAugmentedBatch(trees.rows, trees.labels, trees.totals, trees.costs)


class _Batch:
    """Where the sentences of a batch lie in the flat arrays, and how threads share them."""

    def __init__(self, lengths: ArrayLike):
        words = _integers("lengths", lengths, np.int64, None)
        if (words < 1).any():
            raise ValueError("a sentence has no words; each needs at least one")
        spans, nodes = words * (words + 1) // 2, 2 * words - 1
        self.layout = kernels.Layout(words, spans.cumsum() - spans, nodes.cumsum() - nodes)
        self.spans, self.nodes = int(spans.sum()), int(nodes.sum())

    def __len__(self) -> int:
        return len(self.layout.words)

    def new_trees(self) -> kernels.Trees:
        count = len(self)
        return kernels.Trees(
            np.empty((self.nodes, 3), np.int32),
            np.zeros(count, np.int64),
            np.zeros(count, np.float64),
            np.zeros(count, np.int64),
        )

    def new_augmented_trees(self) -> kernels.AugmentedTrees:
        count = len(self)
        return kernels.AugmentedTrees(
            np.empty(self.nodes, np.int64),
            np.empty(self.nodes, np.int32),
            np.zeros(count, np.float64),
            np.zeros(count, np.int64),
            np.zeros(count, np.int64),
        )

    def run(self, work: Callable[[int, int], None], size: int, threads: int | None) -> None:
        """Call work(begin, end) on runs of sentences with about equal spans, one run a thread."""
        if threads is None:
            threads = min(_usable_cores(), 1 + size // _SCORES_WORTH_A_THREAD)
        if threads < 1:
            raise ValueError(f"threads is {threads}; it must be at least 1")
        shares = np.arange(1, threads) * self.spans / threads
        cuts = np.searchsorted(self.layout.spans, shares)
        bounds = np.unique([0, *cuts.tolist(), len(self)]).tolist()
        groups = list(pairwise(bounds)) or [(0, 0)]
        if len(groups) == 1:
            work(*groups[0])
            return
        # A new pool for each call costs 0.1 ms; one that is kept would not survive a fork.
        with ThreadPoolExecutor(len(groups) - 1) as pool:
            others = [pool.submit(work, begin, end) for begin, end in groups[1:]]
            work(*groups[0])
            for other in others:
                other.result()

    def decoded(self, trees: kernels.Trees) -> list[Decoded]:
        _raise_first(trees.status)
        begins = self.layout.nodes
        bounds = zip(begins.tolist(), (begins + trees.counts).tolist(), strict=True)
        spans = [trees.spans[begin:end] for begin, end in bounds]
        return list(map(Decoded, trees.totals.tolist(), spans))


def _raise_first(status: Int64s) -> None:
    bad = np.flatnonzero(status)
    if len(bad):
        code = int(status[bad[0]])
        kind = ScoresError if code in (kernels.NOT_A_NUMBER, kernels.TOO_LARGE) else ValueError
        raise kind(f"sentence {bad[0]}: {_MESSAGES[code]}")


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _check_scores(name: str, scores: Float32s, spans: int, allow_empty_root: bool) -> None:
    labels = scores.shape[1] if getattr(scores, "ndim", 0) == 2 else 0
    _check_array(name, scores, (spans, labels or 1))
    if labels == 1 and not allow_empty_root:
        raise ValueError(f"{name} has the empty label only, which the whole sentence may not have")


def _check_array(name: str, array: NDArray[Any], shape: tuple[int, ...]) -> None:
    """Refuse what the kernels would have to copy: a silent copy of all scores is a slow surprise."""
    if not isinstance(array, np.ndarray) or array.dtype != np.float32:
        raise ValueError(f"{name} must be a numpy array of float32")
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}; these lengths need {shape}")
    if not array.flags.c_contiguous:
        raise ValueError(f"{name} must be C-contiguous: use numpy.ascontiguousarray")


def _integers(name: str, values: ArrayLike, dtype: type, count: int | None) -> NDArray[Any]:
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and not np.issubdtype(array.dtype, np.integer)):
        raise ValueError(f"{name} must be integers in one dimension")
    if count is not None and len(array) != count:
        raise ValueError(f"{name} has {len(array)} entries; these lengths need {count}")
    return np.ascontiguousarray(array, dtype)
