"""Small products within one attention head: queries times keys, weights times values.

Rows of one sentence lie one after another in larger arrays; what lies beside them is never read.
"""

from __future__ import annotations

import numpy as np

from bnaparser.compute.compiling import compiled
from bnaparser.compute.instructions import instructions
from bnaparser.compute.packed import Floats
from bnaparser.compute.tiles import ROWS, tile

WIDTH = instructions().lanes * instructions().narrow
_tile = tile("float32", instructions().narrow)


@compiled
def padded(count: int) -> int:
    """Return the number rounded up to whole panels."""
    return (count + WIDTH - 1) // WIDTH * WIDTH


@compiled
def pack_keys(rows: Floats, top: int, count: int, left: int, size: int, packed: Floats) -> None:
    """Write ``rows[top : top + count, left : left + size]`` with rows as columns of the product."""
    for panel in range(padded(count) // WIDTH):
        base = panel * size * WIDTH
        for inside in range(WIDTH):
            row = panel * WIDTH + inside
            for column in range(size):
                number = rows[top + row, left + column] if row < count else 0
                packed[base + column * WIDTH + inside] = number


@compiled
def pack_values(rows: Floats, top: int, count: int, left: int, size: int, packed: Floats) -> None:
    """Write the same with columns as columns of the product."""
    for panel in range(padded(size) // WIDTH):
        base = panel * count * WIDTH
        width = min(WIDTH, size - panel * WIDTH)
        for row in range(count):
            for inside in range(width):
                place = left + panel * WIDTH + inside
                packed[base + row * WIDTH + inside] = rows[top + row, place]
            for inside in range(width, WIDTH):
                packed[base + row * WIDTH + inside] = 0


@compiled
def small_product(
    rows: Floats, top: int, left: int, count: int, steps: int, packed: Floats, out: Floats
) -> None:
    """Write ``rows[top : top + count, left : left + steps]`` times packed numbers to ``out``.

    ``out`` is (count or more, a multiple of WIDTH).
    """
    sums = np.empty((ROWS, WIDTH), np.float32)
    filled, first, begin = rows, top, left
    if count < ROWS:
        filled, first, begin = np.zeros((ROWS, steps), np.float32), 0, 0
        for row in range(count):
            for column in range(steps):
                filled[row, column] = rows[top + row, left + column]
    distance = filled.shape[1] * 4
    for panel in range(out.shape[1] // WIDTH):
        for row in range(0, count, ROWS):
            here = max(0, min(row, count - ROWS))
            _tile(
                (
                    filled.ctypes.data + (first + here) * distance + begin * 4,
                    distance,
                    packed.ctypes.data + panel * steps * WIDTH * 4,
                    WIDTH * 4,
                    steps,
                    sums.ctypes.data,
                )
            )
            for inside in range(min(ROWS, count)):
                for column in range(WIDTH):
                    out[here + inside, panel * WIDTH + column] = sums[inside, column]
