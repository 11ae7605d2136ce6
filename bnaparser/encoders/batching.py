"""Batches of sentences of similar length, bounded by tokens, and the rows of an encoder's input.

A row holds one window of subwords, or several windows where that saves padding.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Subwords that a batch holds where nothing else is requested. A CPU loses more by padding than
# it gains by size, and keeps small batches in its cache; a GPU must be full. Training keeps
# what each layer computed until the gradient is there: 500 subwords are some 2 % faster, in more
# memory.
PARSING_TOKENS = {"cpu": 500, "gpu": 16384}
TRAINING_TOKENS = {"cpu": 400, "gpu": 4000}
# Sentences, or lines, that a stream reads ahead, so that batches of similar length can be formed.
READ_AHEAD = 1024


def default_tokens(tokens: dict[str, int], device: str) -> int:
    """Return the entry of one of the tables above for a torch device, such as "cpu" or "cuda:0"."""
    return tokens["cpu" if device.startswith("cpu") else "gpu"]


def batches_by_length(lengths: Sequence[int], max_tokens: int) -> list[list[int]]:
    """Group indices of sentences, longest first, so that no batch exceeds ``max_tokens``.

    A batch counts as its longest sentence times its number of sentences: what it takes when padded.
    A sentence longer than ``max_tokens`` is a batch of its own. Equal lengths keep their order.
    """
    order = sorted(range(len(lengths)), key=lambda index: -lengths[index])
    batches: list[list[int]] = []
    longest = 0
    for index in order:
        if not batches or (len(batches[-1]) + 1) * longest > max_tokens:
            batches.append([])
            longest = max(lengths[index], 1)
        batches[-1].append(index)
    return batches


# Lengths of shared rows that are tried, in subwords: short rows leave more space unused, in long
# ones attention costs more.
LEAST_SUBWORDS, MOST_SUBWORDS, STEP = 64, 256, 4
# Room unused that is good enough, as a part of the subwords: nothing longer is tried.
GOOD_ENOUGH = 0.02
# A row of this many subwords costs twice as much a subword as the shortest one: MiniLM on a CPU.
TWICE_AS_DEAR = 3000
# Rows are shared where they then cost less than this part of what padding makes.
WORTH_SHARING = 0.97


@dataclass(frozen=True)
class RowLayout:
    """Where each window begins: ``rows`` and ``columns`` are int64 (windows,).

    ``shape`` is (rows, subwords a row); ``shared`` tells whether any row has several windows.
    """

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    shape: tuple[int, int]
    shared: bool


def lay_out(sizes: Sequence[int], may_share: bool) -> RowLayout:
    """Lay out windows of these lengths in rows; several windows share a row if they may and if that saves time."""
    count, longest = len(sizes), max(sizes)
    alone = RowLayout(np.arange(count), np.zeros(count, np.int64), (count, longest), False)
    if not may_share or sum(sizes) >= WORTH_SHARING * count * longest:
        return alone
    shared = min(_shared(sizes), key=_cost)
    return shared if _cost(shared) < WORTH_SHARING * _cost(alone) else alone


def _cost(layout: RowLayout) -> int:
    rows, columns = layout.shape
    return rows * columns * (TWICE_AS_DEAR + columns)


def _shared(sizes: Sequence[int]) -> Iterator[RowLayout]:
    """Yield layouts of longer and longer rows, up to one that leaves hardly any space unused."""
    longest, enough = max(sizes), (1 + GOOD_ENOUGH) * sum(sizes)
    for capacity in range(max(longest, LEAST_SUBWORDS), max(longest, MOST_SUBWORDS) + 1, STEP):
        layout = _best_fit(sizes, capacity)
        yield layout
        if layout.shape[0] * layout.shape[1] <= enough:
            return


def _best_fit(sizes: Sequence[int], capacity: int) -> RowLayout:
    """Put each window, longest first, into the row that it leaves the least space in."""
    rows, columns = np.zeros(len(sizes), np.int64), np.zeros(len(sizes), np.int64)
    free: list[tuple[int, int]] = []  # the free space of each row, and its number
    for index in sorted(range(len(sizes)), key=lambda index: -sizes[index]):
        place = bisect_left(free, (sizes[index], 0))
        space, row = free.pop(place) if place < len(free) else (capacity, len(free))
        rows[index], columns[index] = row, capacity - space
        insort(free, (space - sizes[index], row))
    shape = len(free), capacity - free[0][0]
    return RowLayout(rows, columns, shape, len(free) < len(sizes))
