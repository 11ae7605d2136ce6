"""Best trees from span scores: what callers see of the compiled loops.

*Scores* are float32, C-contiguous, one row a span, packed as ``spans`` describes, and one column a
label; they may be minus infinity, but neither NaN nor above 1e30. Column 0 is the empty label, "no
constituent", and holds exact zeros: all scores are relative to it.

Trees are binary inside. Nodes with the empty label are spliced out of the answer, which gives trees
of any arity. The whole sentence may not be empty unless ``allow_empty_root`` is true, as it must be
for a treebank that has sentences of several trees. Of equal labels the lowest wins, of equal split
points the lowest. Length is not normalised. The search adds in single precision, so trees whose
scores differ by less than its rounding count as equal.

Errors are ``ValueError``, and name the first bad sentence of a batch; batches of none give answers
for none.

Light: never imports Numba; `cky_loops` has the loops.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bnaparser.chart.chart_batch import (
    ChartBatch,
    Decoded,
    check_array,
    check_scores,
    integers,
    raise_first,
)
from bnaparser.chart.spans import (
    LAYOUT,
    SCRATCH,
    AugmentedTrees,
    Float32s,
    Float64s,
    Int32s,
    Int64s,
    Trees,
)
from bnaparser.compute.kernel import Kernel

_GROUP = SCRATCH, "i8", "i8"
_TREES = Trees, "i4:2", "i8:1", "f8:1", "i8:1"
decode_group = Kernel(
    "bnaparser.chart.cky_loops:decode_group", "f4:2", "b1", LAYOUT, _TREES, *_GROUP
)
_PAIR = tuple, "f4:1", "i4:1"
decode_best_group = Kernel(
    "bnaparser.chart.cky_loops:decode_best_group", _PAIR, _PAIR, LAYOUT, _TREES, *_GROUP
)
_cost_augment_group = Kernel(
    "bnaparser.chart.cky_loops:cost_augment_group",
    *(
        (tuple, "f4:2", "i4:1"),
        "b1",
        LAYOUT,
        (AugmentedTrees, "i8:1", "i4:1", "f8:1", "i8:1", "i8:1"),
        *_GROUP,
    ),
)


class CostAugmentedBatch(NamedTuple):
    """The best trees of a batch when every wrong label earns 1.

    ``tree_spans`` (int64) and ``tree_labels`` (int32) are all nodes of the binary trees, 2n - 1 of a sentence of n words,
    one sentence after another in pre-order, empty ones included: row (counted through the batch) and column of their
    scores. ``cost`` (int64, one a sentence) counts the nodes whose label differs from the gold one of their span;
    ``value`` (float64) is the sum of the nodes' scores plus the cost.
    """

    tree_spans: Int64s
    tree_labels: Int32s
    value: Float64s
    cost: Int64s


def decode(scores: Float32s, n: int, *, allow_empty_root: bool = False) -> Decoded:
    """Find the best tree of a sentence (CKY).

    Args:
        scores: float32, shape (spans, labels), column 0 the empty label; row ``span_index(start, end, n)``.
        n: number of words.
        allow_empty_root: whether the whole sentence may have the empty label.

    Returns:
        The best tree and its score.

    Raises:
        ScoresError: a score is NaN, or no tree is possible.
        ValueError: an array has a wrong shape or dtype.

    Example:
        >>> import numpy as np
        >>> from bnaparser.chart import decode
        >>> scores = np.zeros((3, 2), np.float32)  # two words: spans (0, 1), (0, 2), (1, 2)
        >>> scores[:, 1] = 1, 2, -1
        >>> best = decode(scores, 2)
        >>> best.score, best.spans.tolist()
        (3.0, [[0, 2, 1], [0, 1, 1]])
    """
    return decode_packed(scores, [n], 1, allow_empty_root=allow_empty_root)[0]


def decode_packed(
    flat_scores: Float32s,
    lengths: ArrayLike,
    threads: int | None = None,
    *,
    allow_empty_root: bool = False,
) -> list[Decoded]:
    """Find the best trees of a batch of sentences. This is the fastest function for many sentences.

    Args:
        flat_scores: float32, shape (spans of all sentences, labels): the rows of one sentence after another.
        lengths: number of words of each sentence.
        threads: maximum number of threads (default: as many as the batch is worth, at most one a core).
        allow_empty_root: whether the whole sentence may have the empty label.

    Returns:
        The best tree of each sentence. The trees share one array of spans.

    Raises:
        ScoresError: a score is NaN, or no tree is possible.
        ValueError: an array has a wrong shape or dtype.

    Example:
        >>> import numpy as np
        >>> from bnaparser.chart import decode_packed
        >>> scores = np.zeros((3, 2), np.float32)  # two words: spans (0, 1), (0, 2), (1, 2)
        >>> scores[:, 1] = 1, 2, -1
        >>> [best.score for best in decode_packed(scores, [2])]
        [3.0]
    """
    batch = ChartBatch(lengths)
    check_scores("scores", flat_scores, batch.spans, allow_empty_root)
    trees = batch.new_trees()

    def work(begin: int, end: int) -> None:
        workspace = batch.scratch(begin, end)
        decode_group(flat_scores, allow_empty_root, batch.layout, trees, workspace, begin, end)

    batch.run(work, flat_scores.size, threads)
    return batch.decoded(trees)


def decode_best_packed(
    flat_best: Float32s,
    flat_labels: Int32s,
    root_scores: ArrayLike,
    root_labels: ArrayLike,
    lengths: ArrayLike,
    threads: int | None = None,
) -> list[Decoded]:
    """Find the best trees of a batch from the best label of each span.

    Args:
        flat_best: float32, shape (spans of all sentences,): score of the best label of each span.
        flat_labels: int32, shape (spans of all sentences,): the best label of each span.
        root_scores: score of the best label of each whole sentence; its entry in ``flat_best`` is not read.
        root_labels: the best label of each whole sentence, 1 or more unless an empty root is allowed.
        lengths: number of words of each sentence.
        threads: maximum number of threads (default: as many as the batch is worth, at most one a core).

    Returns:
        The best tree of each sentence.

    Raises:
        ScoresError: a score is NaN, or no tree is possible.
        ValueError: an array has a wrong shape or dtype.

    Example:
        >>> import numpy as np
        >>> from bnaparser.chart import decode_best_packed
        >>> scores = np.zeros((3, 2), np.float32)  # two words: spans (0, 1), (0, 2), (1, 2)
        >>> scores[:, 1] = 1, 2, -1
        >>> labels = np.array([1, 1, 0], np.int32)
        >>> [best.score for best in decode_best_packed(scores.max(axis=1), labels, [2.0], [1], [2])]
        [3.0]
    """
    batch = ChartBatch(lengths)
    check_array("best_scores", flat_best, (batch.spans,))
    best = flat_best, integers("best_labels", flat_labels, np.int32, batch.spans)
    root_scores = np.ascontiguousarray(root_scores, np.float32)
    check_array("root_scores", root_scores, (len(batch),))
    roots = root_scores, integers("root_labels", root_labels, np.int32, len(batch))
    trees = batch.new_trees()

    def work(begin: int, end: int) -> None:
        workspace = batch.scratch(begin, end)
        decode_best_group(best, roots, batch.layout, trees, workspace, begin, end)

    batch.run(work, batch.splits, threads)
    return batch.decoded(trees)


def cost_augment_packed(
    flat_scores: Float32s,
    flat_gold: Int32s,
    lengths: ArrayLike,
    threads: int | None = None,
    *,
    allow_empty_root: bool = False,
) -> CostAugmentedBatch:
    """Find the best trees of a batch if every (span, label) except the gold ones scores 1 more (loss-augmented decoding).

    The hinge loss of Stern, Andreas and Klein (2017) is the returned value minus the score of the gold tree, or 0 if that is
    negative. A gold constituent that is missing in the tree costs nothing itself; the spans in its place do.

    Args:
        flat_scores: float32, shape (spans of all sentences, labels): the rows of one sentence after another.
        flat_gold: int32, shape (spans of all sentences,): 0 where the gold tree has no constituent.
        lengths: number of words of each sentence.
        threads: maximum number of threads (default: as many as the batch is worth, at most one a core).
        allow_empty_root: whether the whole sentence may have the empty label.

    Returns:
        The trees and augmented scores of all sentences.

    Raises:
        ScoresError: a score is NaN, or no tree is possible.
        ValueError: an array has a wrong shape or dtype.

    Example:
        >>> import numpy as np
        >>> from bnaparser.chart import cost_augment_packed
        >>> scores = np.zeros((3, 2), np.float32)  # two words: spans (0, 1), (0, 2), (1, 2)
        >>> scores[:, 1] = 1, 2, -1
        >>> gold = np.array([1, 1, 0], np.int32)
        >>> cost_augment_packed(scores, gold, [2]).value.tolist()
        [3.0]
    """
    batch = ChartBatch(lengths)
    check_scores("scores", flat_scores, batch.spans, allow_empty_root)
    gold_scores = flat_scores, integers("gold_labels", flat_gold, np.int32, batch.spans)
    trees = batch.new_augmented_trees()

    def work(begin: int, end: int) -> None:
        workspace = batch.scratch(begin, end)
        _cost_augment_group(
            *(gold_scores, allow_empty_root, batch.layout, trees, workspace, begin, end)
        )

    batch.run(work, flat_scores.size + batch.splits, threads)
    raise_first(trees.status)
    return CostAugmentedBatch(trees.rows, trees.labels, trees.totals, trees.costs)
