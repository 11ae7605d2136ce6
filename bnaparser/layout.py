"""How windows lie in an encoder's input: one a row, or several a row where that saves padding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Pieces that a row takes at least where windows share it. Attention grows with the row and is
# small beside all else up to here; longer rows would leave hardly less room unused.
ROW_PIECES = 64
# Rows are shared where they then have less than this part of the pieces that padding makes.
WORTH_SHARING = 0.97


@dataclass(frozen=True)
class Layout:
    """Where each window begins: ``rows`` and ``columns`` are int64 (windows,).

    ``shape`` is (rows, pieces a row); ``shared`` tells whether any row has several windows.
    """

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    shape: tuple[int, int]
    shared: bool


def lay_out(sizes: Sequence[int], may_share: bool) -> Layout:
    """Lay windows of so many pieces out, one or more; sharing rows where they may and it pays."""
    count, longest = len(sizes), max(sizes)
    if may_share and sum(sizes) < WORTH_SHARING * count * longest:
        shared = _first_fit(sizes, max(longest, ROW_PIECES))
        if shared.shape[0] * shared.shape[1] < WORTH_SHARING * count * longest:
            return shared
    return Layout(np.arange(count), np.zeros(count, np.int64), (count, longest), False)


def _first_fit(sizes: Sequence[int], capacity: int) -> Layout:
    """Put each window, longest first, into the first row that has room for it."""
    rows, columns = np.zeros(len(sizes), np.int64), np.zeros(len(sizes), np.int64)
    filled: list[int] = []
    for index in sorted(range(len(sizes)), key=lambda index: -sizes[index]):
        size = sizes[index]
        row = next((r for r, used in enumerate(filled) if used + size <= capacity), len(filled))
        if row == len(filled):
            filled.append(0)
        rows[index], columns[index] = row, filled[row]
        filled[row] += size
    return Layout(rows, columns, (len(filled), max(filled)), len(filled) < len(sizes))
