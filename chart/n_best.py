"""The n best trees from span scores: what callers see of the lazy search.

Exact, distinct as trees (not merely in their binary forms), and in order. Scores, lengths, threads
and errors are as in ``cky``, and so is the first tree: the very one that it finds. The search adds
in double precision, ``cky`` in single; trees whose scores differ by less than single precision's
rounding may stand in either order. Trees that score minus infinity are left out, unless it is the first.
``never_empty`` as in ``marginals``.

Light: never imports Numba; `n_best_loops` has the loops.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnaparser.chart.chart_batch import (
    ChartBatch,
    Decoded,
    check_scores,
    raise_first,
    with_roots,
)
from bnaparser.chart.spans import (
    NO_TREE,
    OK,
    SCRATCH,
    Bools,
    Float32s,
    Float64s,
    Int32s,
    Int64s,
    Scratch,
    scratch_for,
    span_count,
)
from bnaparser.compute.kernel import Kernel

# What the search is about when it stops for lack of space: entries of its state.
BEGUN, ITEM, FOUND, WRITTEN, HEIGHT, MORE, STATES = range(7)


class Hypergraph(NamedTuple):
    """One sentence's chart and labels, and the state of each vertex.

    ``scores`` (spans, labels) and ``never_empty`` (spans,) as given; ``pieces`` and ``chart``
    (spans,): the best scores; ``vertices`` (4, 3 * spans): state.
    """

    n: int
    scores: Float32s
    never_empty: Bools
    pieces: Float64s
    chart: Float64s
    vertices: Int32s


class Items(NamedTuple):
    """Space for items: ``links`` (6, capacity), ``totals`` (capacity,), and how many there are, ``used`` (1,)."""

    links: Int32s
    totals: Float64s
    used: Int64s


class Decoding(NamedTuple):
    """The tree that CKY finds in single precision, and space for finding it.

    ``highest`` (spans,): each span's best score of a label; ``splits`` (n + 1,); ``spans`` (2n - 1, 3): labelled nodes in
    pre-order, of which there are ``size`` (1,), and their summed score ``total`` (1,).
    """

    highest: Float32s
    splits: Float64s
    scratch: Scratch
    spans: Int32s
    size: Int64s
    total: Float64s


class Listed(NamedTuple):
    """Several trees: labelled nodes in pre-order (nodes, 3), the number of nodes and the score of
    each tree (trees,).
    """

    nodes: Int32s
    counts: Int64s
    totals: Float64s


_GRAPH = Hypergraph, "i8", "f4:2", "b1:1", "f8:1", "f8:1", "i4:2"
_start_search = Kernel(
    "bnaparser.chart.n_best_loops:start_search",
    *(_GRAPH, (Decoding, "f4:1", "f8:1", SCRATCH, "i4:2", "i8:1", "f8:1"), "i8:1"),
)
_best_trees = Kernel(
    "bnaparser.chart.n_best_loops:best_trees",
    *(
        _GRAPH,
        (Items, "i4:2", "f8:1", "i8:1"),
        (Listed, "i4:2", "i8:1", "f8:1"),
        "i4:2",
        "i4:2",
        "i8:1",
    ),
)
N_BEST_LOOPS = (_start_search, _best_trees)


def decode_n_best(
    scores: Float32s,
    n: int,
    count: int,
    *,
    allow_empty_root: bool = False,
    never_empty: Bools | None = None,
) -> list[Decoded]:
    """Find the n best trees of a sentence.

    Args:
        scores: float32, shape (spans, labels), column 0 the empty label; row ``span_index(start, end, n)``.
        n: number of words.
        count: number of trees.
        allow_empty_root: whether the whole sentence may have the empty label.
        never_empty: bool, shape (spans,): spans that must have a label, as `constrain` returns them.

    Returns:
        The trees, best first; fewer than ``count`` if the sentence has fewer.

    Raises:
        ScoresError: a score is NaN, or no tree is possible.
        ValueError: an array has a wrong shape or dtype.

    Example:
        >>> import numpy as np
        >>> from bnaparser.chart import decode_n_best
        >>> scores = np.zeros((3, 2), np.float32)  # two words: spans (0, 1), (0, 2), (1, 2)
        >>> scores[:, 1] = 1, 2, -1
        >>> [tree.score for tree in decode_n_best(scores, 2, count=3)]
        [3.0, 2.0, 2.0]
    """
    options: dict[str, Any] = {"allow_empty_root": allow_empty_root, "never_empty": never_empty}
    return decode_n_best_packed(scores, [n], count, 1, **options)[0]


def decode_n_best_packed(
    flat_scores: Float32s,
    lengths: ArrayLike,
    count: int,
    threads: int | None = None,
    *,
    allow_empty_root: bool = False,
    never_empty: Bools | None = None,
) -> list[list[Decoded]]:
    """Find the n best trees of each sentence of a batch.

    Args:
        flat_scores: float32, shape (spans of all sentences, labels): the rows of one sentence after another.
        lengths: number of words of each sentence.
        count: number of trees of a sentence.
        threads: maximum number of threads (default: as many as the batch is worth, at most one a core).
        allow_empty_root: whether the whole sentence may have the empty label.
        never_empty: bool, shape (spans,): spans that must have a label, as `constrain` returns them.

    Returns:
        The trees of each sentence, best first. The trees of a sentence share arrays of spans.

    Raises:
        ScoresError: a score is NaN, or no tree is possible.
        ValueError: an array has a wrong shape or dtype.

    Example:
        >>> import numpy as np
        >>> from bnaparser.chart import decode_n_best_packed
        >>> scores = np.zeros((3, 2), np.float32)  # two words: spans (0, 1), (0, 2), (1, 2)
        >>> scores[:, 1] = 1, 2, -1
        >>> [[tree.score for tree in trees] for trees in decode_n_best_packed(scores, [2], count=2)]
        [[3.0, 2.0]]
    """
    if count < 1:
        raise ValueError(f"{count} is not a number of trees: give at least 1")
    batch = ChartBatch(lengths)
    check_scores("scores", flat_scores, batch.spans, allow_empty_root)
    full = with_roots(batch, never_empty, allow_empty_root)
    status = np.zeros(len(batch), np.int64)
    found: list[list[Decoded]] = [[] for _ in range(len(batch))]

    def work(begin: int, end: int) -> None:
        for sentence in range(begin, end):
            n, first = int(batch.layout.words[sentence]), int(batch.layout.spans[sentence])
            part = slice(first, first + span_count(n))
            of_sentence = status[sentence : sentence + 1]
            found[sentence] = _n_best(flat_scores[part], full[part], n, count, of_sentence)

    batch.run(work, 3 * flat_scores.size, threads)
    if never_empty is None:
        status[status == NO_TREE] = OK
    raise_first(status)
    return found


def _n_best(
    scores: Float32s, never_empty: Bools, n: int, count: int, status: Int64s
) -> list[Decoded]:
    """Return the best trees of a sentence, and write its status (1,): if no tree has a score, the decoder's tree."""
    size = span_count(n)
    vertices = np.empty((4, 3 * size), np.int32)
    graph = Hypergraph(n, scores, never_empty, np.empty(size), np.empty(size), vertices)
    best = Decoding(
        np.empty(size, np.float32),
        np.empty(n + 1),
        scratch_for(n),
        np.empty((2 * n - 1, 3), np.int32),
        np.zeros(1, np.int64),
        np.zeros(1),
    )
    _start_search(graph, best, status)
    if status[0] not in (OK, NO_TREE):
        return []
    first = Decoded(float(best.total[0]), best.spans[: int(best.size[0])])
    if status[0] == NO_TREE or count == 1:
        return [first]
    # The search adds in double precision: its first tree may be another one of nearly the same score.
    others = (one for one in _listed(graph, count) if not np.array_equal(one.spans, first.spans))
    return [first, *islice(others, count - 1)]


def _listed(graph: Hypergraph, count: int) -> Iterator[Decoded]:
    """Yield the best trees of a sentence that has one, at most this number, with arrays that grow as they are filled."""
    n = graph.n
    items = Items(np.empty((6, 16 * n), np.int32), np.empty(16 * n), np.zeros(1, np.int64))
    trees = Listed(np.empty((2 * n, 3), np.int32), np.zeros(count, np.int64), np.zeros(count))
    stack, places = np.empty((2 * n + 2, 3), np.int32), np.empty((n + 1, 3), np.int32)
    state = np.zeros(STATES, np.int64)
    while True:
        _best_trees(graph, items, trees, stack, places, state)
        if not state[MORE]:
            break
        used, capacity = int(items.used[0]), len(items.totals)
        if used + 16 * n > capacity:
            items = Items(_grown(items.links, 1), _grown(items.totals), items.used)
        if int(state[WRITTEN]) + 2 * n > len(trees.nodes):
            trees = trees._replace(nodes=_grown(trees.nodes))
    ends = trees.counts[: int(state[FOUND])].cumsum().tolist()
    spans = [trees.nodes[begin:end] for begin, end in pairwise([0, *ends])]
    return map(Decoded, trees.totals.tolist(), spans)


def _grown(array: NDArray[Any], axis: int = 0) -> NDArray[Any]:
    """Return an array of twice the size along an axis that begins as this one."""
    return np.concatenate([array, np.empty_like(array)], axis=axis)
