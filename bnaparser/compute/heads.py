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
_tile = tile("unfused", instructions().narrow)
# So many rows of a large array can be found at once, each on a page of its own; of more a copy is faster.
_FEW = 48


@compiled
def padded(count: int) -> int:
    """Return the number rounded up to whole panels."""
    return (count + WIDTH - 1) // WIDTH * WIDTH


@compiled
def room(count: int) -> int:
    """Return how many rows products of ``count`` rows write: no fewer than a tile has."""
    return max(count, ROWS)


@compiled
def pack_keys(rows: Floats, top: int, count: int, left: int, size: int, packed: Floats) -> None:
    """Write ``rows[top : top + count, left : left + size]`` with rows as columns of the product."""
    for panel in range(padded(count) // WIDTH):
        base, first = panel * size * WIDTH, top + panel * WIDTH
        width = min(WIDTH, count - panel * WIDTH)
        for inside in range(width):
            line = rows[first + inside, left : left + size]
            for column in range(len(line)):
                packed[base + column * WIDTH + inside] = line[column]
        for column in range(size):
            for inside in range(width, WIDTH):
                packed[base + column * WIDTH + inside] = 0


@compiled
def times_keys(
    rows: Floats, top: int, count: int, left: int, size: int, packed: Floats, out: Floats
) -> None:
    """Write ``rows[top : top + count, left : left + size]`` times packed keys to ``out``.

    ``out`` has a multiple of WIDTH columns, and `room` for the rows.
    """
    filled, first = rows, top * rows.shape[1] + left
    if count < ROWS:
        filled, first = np.zeros((ROWS, size), np.float32), 0
        for row in range(count):
            for column in range(size):
                filled[row, column] = rows[top + row, left + column]
    _multiply((filled, first), room(count), (packed, 0, WIDTH, size * WIDTH), size, out)


@compiled
def times_values(
    weights: Floats, rows: Floats, top: int, count: int, left: int, size: int, out: Floats
) -> None:
    """Write weights, (room, count or more), times ``rows[top : top + count, left : left + size]``.

    ``out`` has a multiple of WIDTH columns, and `room` for the rows.
    """
    width = rows.shape[1]
    if size % WIDTH == 0 and count <= _FEW:
        found = rows, top * width + left, width, WIDTH
        _multiply((weights, 0), len(weights), found, count, out)
        return
    filled = np.zeros((count, padded(size)), np.float32)
    for row in range(count):
        line, values = filled[row], rows[top + row, left : left + size]
        for column in range(len(values)):
            line[column] = values[column]
    _multiply((weights, 0), len(weights), (filled, 0, filled.shape[1], WIDTH), count, out)


@compiled
def _multiply(
    rows: tuple[Floats, int],
    count: int,
    others: tuple[Floats, int, int, int],
    steps: int,
    out: Floats,
) -> None:
    """Multiply ``count`` rows, ROWS at least, with others.

    Of both an array and the place of the first number in it are given; of the others the distances
    from step to step and from panel to panel, too. Arrays rather than addresses, which would not
    keep them.
    """
    array, first = rows
    other, other_first, step, panel_size = others
    for panel in range(out.shape[1] // WIDTH):
        for row in range(0, count, ROWS):
            here = min(row, count - ROWS)
            _tile(
                (
                    array.ctypes.data + (first + here * array.shape[1]) * 4,
                    array.shape[1] * 4,
                    other.ctypes.data + (other_first + panel * panel_size) * 4,
                    step * 4,
                    steps,
                    out.ctypes.data + (here * out.shape[1] + panel * WIDTH) * 4,
                    out.shape[1] * 4,
                )
            )
