"""The n best trees from span scores: what callers see of the lazy search of ``lazy``.

Exact, distinct as trees (not merely in their binary forms), and in order. Scores, lengths, threads
and errors are as in ``cky``, and so is the first tree: the very one that it finds. The search adds
in double precision, ``cky`` in single; trees whose scores differ by less than single precision's
rounding may stand in either order. Trees that score minus infinity are left out, unless it is the first.
``never_empty`` as in ``marginals``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bnaparser.chart import lazy
from bnaparser.chart.chart_batch import (
    ChartBatch,
    Decoded,
    check_scores,
    raise_first,
    with_roots,
)
from bnaparser.chart.cky import decode, decode_best
from bnaparser.chart.kernels import NO_TREE, OK
from bnaparser.chart.spans import Bools, Float32s, Int64s, span_count, span_index

# Twice what a sum in single precision may be wrong by, relative to it, at each addition.
_ROUNDING = 2.0**-23


def decode_n_best(
    scores: Float32s,
    n: int,
    count: int,
    *,
    allow_empty_root: bool = False,
    never_empty: Bools | None = None,
) -> list[Decoded]:
    """The ``count`` best trees of a sentence of n words, the best first; all where they are fewer."""
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
    """``decode_n_best`` for a batch: a list of trees for each sentence."""
    if count < 1:
        raise ValueError(f"{count} best trees are asked for; it must be at least 1")
    batch = ChartBatch(lengths)
    check_scores("scores", flat_scores, batch.spans, allow_empty_root)
    full = with_roots(batch, never_empty, allow_empty_root)
    found: list[list[Decoded]] = [[] for _ in range(len(batch))]
    status: Int64s = np.zeros(len(batch), np.int64)
    as_usual = partial(decode, allow_empty_root=allow_empty_root) if never_empty is None else None

    def work(begin: int, end: int) -> None:
        for sentence in range(begin, end):
            n, first = int(batch.layout.words[sentence]), int(batch.layout.spans[sentence])
            rows = slice(first, first + span_count(n))
            found[sentence], status[sentence] = _list_trees(
                flat_scores[rows], full[rows], n, count, as_usual
            )

    batch.run(work, 3 * flat_scores.size, threads)
    raise_first(status)
    return found


def _list_trees(
    scores: Float32s,
    full: Bools,
    n: int,
    count: int,
    as_usual: Callable[[Float32s, int], Decoded] | None,
) -> tuple[list[Decoded], int]:
    # With one tree more it is known whether the first is the only best one.
    nodes, counts, totals, status = lazy.best_trees(scores, full, n, max(count, 2))
    spans = np.split(nodes, counts.cumsum()[:-1]) if len(counts) else []
    trees = list(map(Decoded, totals.tolist(), spans))
    if status == NO_TREE and as_usual is not None:
        return [as_usual(scores, n)], OK
    if len(trees) > 1 and _may_tie(trees, scores, n):
        best = decode_full(scores, full, n) if as_usual is None else as_usual(scores, n)
        trees = _as_decoded(trees, best)
    return trees[:count], status


def decode_full(scores: Float32s, never_empty: Bools, n: int) -> Decoded:
    """``cky.decode`` where the given spans, (spans,), may not be empty, the whole sentence among them or not."""
    labels = scores[:, 1:].argmax(1).astype(np.int32) + 1
    best = scores[np.arange(len(scores)), labels]
    none = ~never_empty & ~(best > 0)
    best[none], labels[none] = 0, 0
    return decode_best(best, labels, float(best[n - 1]), int(labels[n - 1]), n)


def _as_decoded(trees: list[Decoded], best: Decoded) -> list[Decoded]:
    """The trees with ``best`` first, which is as good as the first of them; as many as they were."""
    if np.array_equal(trees[0].spans, best.spans):
        return trees
    others = [tree for tree in trees if not np.array_equal(tree.spans, best.spans)]
    return [best, *others][: len(trees)]


def _may_tie(trees: list[Decoded], scores: Float32s, n: int) -> bool:
    """Tell whether single precision may see another order of the first two trees."""
    starts, ends, labels = trees[0].spans.astype(np.int64).T
    magnitude = float(np.abs(scores[span_index(starts, ends, n), labels]).sum())
    return trees[0].score - trees[1].score <= _ROUNDING * n * magnitude
