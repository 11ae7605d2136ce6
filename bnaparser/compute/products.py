"""Products of rows and packed matrices, with what follows each number: scales, bias, activation.

Each output is the sum over its inputs in one order, whichever rows lie beside its own and whichever
threads compute: a sentence gets the same numbers alone and in any batch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnaparser.compute.compiling import compiled
from bnaparser.compute.functions import ROUNDER, activate
from bnaparser.compute.instructions import instructions
from bnaparser.compute.packed import Floats, PackedBytes, PackedFloats
from bnaparser.compute.tiles import ROWS, float_of_bits, tile

_PANEL = instructions().panel
_GROUP = instructions().group
_int8_tile = tile("int8", instructions().wide)
_float_tile = tile("float32", instructions().wide)

# What A's numbers are stored as, and what is added to them, for each kind of int8 product: bytes
# are multiplied as unsigned times signed ones, short ones as they are.
_OFFSET = 128 if instructions().int8 == "vpdpbusd" else 0
ROW_DTYPE = {4: np.uint8, 2: np.int16, 1: np.int32}[_GROUP]
_STORED = np.dtype(ROW_DTYPE).type
_LARGEST = np.float32(127)
_SMALLEST_BITS = np.float32(1e-12).view(np.int32)
_WITHOUT_SIGN = np.int32(0x7FFFFFFF)


def multiply(
    rows: Floats, matrix: PackedFloats | PackedBytes, bias: Floats, activation: int = 0
) -> Floats:
    """Return ``activation(rows matrix' + bias)``: float32 (rows, outputs).

    ``rows`` is float32 (rows, inputs). For a matrix of int8 each row is rounded to int8 with a scale
    of its own. Raises ValueError where the sizes do not fit.
    """
    if rows.shape[1] != matrix.inputs or len(bias) != matrix.outputs:
        raise ValueError(
            f"rows of {rows.shape[1]} and {len(bias)} biases for a matrix of {matrix.inputs} inputs"
            f" and {matrix.outputs} outputs"
        )
    rows = np.ascontiguousarray(rows)
    out = np.empty((len(rows), matrix.outputs), np.float32)
    if isinstance(matrix, PackedFloats):
        multiply_floats(rows, matrix.panels, bias, activation, out)
    else:
        steps = matrix.panels.shape[1]
        values = np.empty((len(rows), steps * _GROUP), ROW_DTYPE)
        scales = np.empty(len(rows), np.float32)
        round_rows(rows, values, scales)
        multiply_bytes(values, scales, matrix, bias, activation, out)
    return out


@compiled
def round_rows(rows: Floats, values: NDArray[np.uint8], scales: Floats) -> None:
    """Round each row to whole numbers from -127 to 127 times its scale.

    ``values`` (rows, inputs, rounded up) are stored as the product takes them.
    """
    for row in range(rows.shape[0]):
        round_row(rows[row], values[row], scales, row)


@compiled
def round_row(row: Floats, values: NDArray[np.uint8], scales: Floats, place: int) -> None:
    """The same for one row, whose scale goes to ``scales[place]``."""
    # Without their sign floats sort as their bits do, and a not-a-number comes last: it is not lost.
    bits, highest = row.view(np.int32), _SMALLEST_BITS
    for column in range(row.shape[0]):
        highest = max(highest, bits[column] & _WITHOUT_SIGN)
    largest = float_of_bits(highest)
    scales[place] = largest / _LARGEST
    factor = _LARGEST / largest
    for column in range(row.shape[0]):
        whole = (row[column] * factor + ROUNDER) - ROUNDER
        values[column] = _STORED(np.int32(whole) + np.int32(_OFFSET))
    for column in range(row.shape[0], values.shape[0]):
        values[column] = _STORED(_OFFSET)


@compiled
def at_least_a_tile(rows: NDArray[Any]) -> NDArray[Any]:
    """Return the rows, with others of zeros where they are fewer than a tile has."""
    if rows.shape[0] >= ROWS:
        return rows
    filled = np.zeros((ROWS, rows.shape[1]), rows.dtype)
    for row in range(rows.shape[0]):
        for column in range(rows.shape[1]):
            filled[row, column] = rows[row, column]
    return filled


@compiled
def multiply_bytes(
    values: NDArray[np.uint8],
    scales: Floats,
    matrix: PackedBytes,
    bias: Floats,
    activation: int,
    out: Floats,
) -> None:
    """Write the product of rounded rows and a matrix of int8, as `multiply` describes it."""
    count, outputs = out.shape
    filled = at_least_a_tile(values)
    steps = matrix.panels.shape[1]
    sums = np.empty((ROWS, _PANEL), np.int32)
    for panel in range(matrix.panels.shape[0]):
        first = panel * _PANEL
        width = min(_PANEL, outputs - first)
        for row in range(0, count, ROWS):
            top = max(0, min(row, count - ROWS))
            int8_sums(filled, top, matrix.panels, panel, steps, sums)
            for inside in range(min(ROWS, count)):
                line = out[top + inside]
                scale = scales[top + inside]
                for column in range(width):
                    place = first + column
                    total = np.float32(sums[inside, column] + matrix.sums[place])
                    line[place] = total * (scale * matrix.scales[place]) + bias[place]
                activate(line, first, width, activation)


@compiled
def int8_sums(
    values: NDArray[np.uint8],
    top: int,
    panels: NDArray[np.int8],
    panel: int,
    steps: int,
    sums: NDArray[np.int32],
) -> None:
    """Write one tile: of the rows from ``top`` on, ROWS of them, and one panel."""
    row = values.shape[1] * values.itemsize
    step = _PANEL * _GROUP
    _int8_tile(
        values.ctypes.data + top * row,
        row,
        panels.ctypes.data + panel * steps * step,
        step,
        steps,
        sums.ctypes.data,
    )


@compiled
def multiply_floats(
    rows: Floats, panels: Floats, bias: Floats, activation: int, out: Floats
) -> None:
    """Write the product of rows and a matrix of float32, as `multiply` describes it."""
    count, outputs = out.shape
    filled = at_least_a_tile(rows)
    sums = np.empty((ROWS, _PANEL), np.float32)
    for panel in range(panels.shape[0]):
        first = panel * _PANEL
        width = min(_PANEL, outputs - first)
        for row in range(0, count, ROWS):
            top = max(0, min(row, count - ROWS))
            float_sums(filled, top, panels, panel, sums)
            for inside in range(min(ROWS, count)):
                line = out[top + inside]
                for column in range(width):
                    place = first + column
                    line[place] = sums[inside, column] + bias[place]
                activate(line, first, width, activation)


@compiled
def float_sums(rows: Floats, top: int, panels: Floats, panel: int, sums: Floats) -> None:
    """Write one tile: of the rows from ``top`` on, ROWS of them, and one panel."""
    inputs = panels.shape[1]
    _float_tile(
        rows.ctypes.data + top * rows.shape[1] * 4,
        rows.shape[1] * 4,
        panels.ctypes.data + panel * inputs * _PANEL * 4,
        _PANEL * 4,
        inputs,
        sums.ctypes.data,
    )
