"""The n best trees from span scores: what callers see of the lazy search of ``lazy``.

Exact, distinct as trees (not merely in their binary forms), and in order. Scores, lengths, threads
and errors are as in ``cky``, and so is the first tree: the very one that it finds. The search adds
in double precision, ``cky`` in single; trees whose scores differ by less than single precision's
rounding may stand in either order. Trees that score minus infinity are left out, unless it is the first.
``never_empty`` as in ``marginals``.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice, pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bnaparser.chart.chart_batch import (
    ChartBatch,
    Decoded,
    check_scores,
    raise_first,
    with_roots,
)
from bnaparser.chart.kernels import NO_TREE, OK
from bnaparser.chart.spans import Bools, Float32s
from bnaparser.chart.tree_lists import TreeLists, list_group


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
    """``decode_n_best`` for a batch: a list of trees for each sentence, which share arrays of spans."""
    if count < 1:
        raise ValueError(f"{count} best trees are asked for; it must be at least 1")
    batch = ChartBatch(lengths)
    check_scores("scores", flat_scores, batch.spans, allow_empty_root)
    full = with_roots(batch, never_empty, allow_empty_root)
    counts, status = np.zeros(len(batch), np.int64), np.zeros(len(batch), np.int64)
    found: dict[int, TreeLists] = {}

    def work(begin: int, end: int) -> None:
        found[begin] = list_group(
            flat_scores, full, count, batch.layout, counts, status, begin, end
        )

    batch.run(work, 3 * flat_scores.size, threads)
    if never_empty is None:
        status[status == NO_TREE] = OK
    raise_first(status)
    trees = chain.from_iterable(_trees(found[begin]) for begin in sorted(found))
    return [list(islice(trees, of_sentence)) for of_sentence in counts.tolist()]


def _trees(lists: TreeLists) -> Iterator[Decoded]:
    ends = lists.sizes.cumsum().tolist()
    spans = [lists.nodes[begin:end] for begin, end in pairwise([0, *ends])]
    return map(Decoded, lists.totals.tolist(), spans)
