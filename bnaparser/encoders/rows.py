"""How windows lie in an encoder's input: one a row, or several a row where that saves padding."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Lengths of shared rows that are tried, in subwords: short rows leave more room unused, in long
# ones attention costs more.
LEAST_SUBWORDS, MOST_SUBWORDS, STEP = 64, 256, 4
# Room unused that is good enough, as a part of the subwords: nothing longer is tried.
GOOD_ENOUGH = 0.02
# A row of so many subwords costs twice as much a subword as the shortest one: MiniLM on a CPU.
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
    """Lay windows of so many subwords out, one or more; sharing rows where they may and it pays."""
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
    """Yield layouts of longer and longer rows, up to one that leaves hardly any room unused."""
    longest, enough = max(sizes), (1 + GOOD_ENOUGH) * sum(sizes)
    for capacity in range(max(longest, LEAST_SUBWORDS), max(longest, MOST_SUBWORDS) + 1, STEP):
        layout = _best_fit(sizes, capacity)
        yield layout
        if layout.shape[0] * layout.shape[1] <= enough:
            return


def _best_fit(sizes: Sequence[int], capacity: int) -> RowLayout:
    """Put each window, longest first, into the row that it leaves the least room in."""
    rows, columns = np.zeros(len(sizes), np.int64), np.zeros(len(sizes), np.int64)
    free: list[tuple[int, int]] = []  # the room of each row, and its number
    for index in sorted(range(len(sizes)), key=lambda index: -sizes[index]):
        place = bisect_left(free, (sizes[index], 0))
        room, row = free.pop(place) if place < len(free) else (capacity, len(free))
        rows[index], columns[index] = row, capacity - room
        insort(free, (room - sizes[index], row))
    shape = len(free), capacity - free[0][0]
    return RowLayout(rows, columns, shape, len(free) < len(sizes))
