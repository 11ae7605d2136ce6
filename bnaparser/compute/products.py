"""Products of rows and packed matrices, with what follows each number: scales, bias, activation.

Each output is the sum over its inputs in one order, whichever rows lie beside its own and whichever
threads compute: a sentence gets the same numbers alone and in any batch.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnaparser.compute.compiling import compiled
from bnaparser.compute.functions import ROUNDER, float_of_bits
from bnaparser.compute.instructions import instructions
from bnaparser.compute.packed import Floats, PackedBytes, PackedFloats
from bnaparser.compute.tiles import ROWS, finished_tile

_PANEL = instructions().panel
_GROUP = instructions().group
_int8_tile = finished_tile("int8", instructions().wide)
_float_tile = finished_tile("float32", instructions().wide)

# What A's numbers are stored as, and what is added to them, for each kind of int8 product: bytes
# are multiplied as unsigned times signed ones, short ones as they are.
_OFFSET = 128 if instructions().int8 == "vpdpbusd" else 0
ROW_DTYPE = {4: np.uint8, 2: np.int16, 1: np.int32}[_GROUP]
_STORED = np.dtype(ROW_DTYPE).type
_TO_STORED = np.int32(_OFFSET) - ROUNDER.view(np.int32)
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
    count, rows = len(rows), np.ascontiguousarray(rows)
    if count < ROWS:
        rows = np.concatenate([rows, np.zeros((ROWS - count, matrix.inputs), np.float32)])
    out = np.empty((len(rows), matrix.outputs), np.float32)
    if isinstance(matrix, PackedFloats):
        multiply_floats(rows, matrix.panels, bias, activation, out)
    else:
        steps = matrix.panels.shape[1]
        values = np.empty((len(rows), steps * _GROUP), ROW_DTYPE)
        scales = np.empty(len(rows), np.float32)
        round_rows(rows, values, scales)
        multiply_bytes(values, scales, matrix, bias, activation, out)
    return out[:count]


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
        # The lowest bits of so large a number are the whole number that was added to it.
        rounded = np.float32(row[column] * factor + ROUNDER)
        values[column] = _STORED(rounded.view(np.int32) + _TO_STORED)
    for column in range(row.shape[0], values.shape[0]):
        values[column] = _STORED(_OFFSET)


@compiled
def multiply_bytes(
    values: NDArray[np.uint8],
    scales: Floats,
    matrix: PackedBytes,
    bias: Floats,
    activation: int,
    out: Floats,
) -> None:
    """Write the product of rounded rows and a matrix of int8, as `multiply` describes it: ROWS rows at least."""
    count = len(out)
    for panel in range(matrix.panels.shape[0]):
        for row in range(0, count, ROWS):
            top = min(row, count - ROWS)
            bytes_tile(values, scales, matrix, bias, activation, panel, top, out, panel * _PANEL)


@compiled
def bytes_tile(
    values: NDArray[np.uint8],
    scales: Floats,
    matrix: PackedBytes,
    bias: Floats,
    activation: int,
    panel: int,
    top: int,
    out: Floats,
    left: int,
) -> None:
    """Write one tile of the product: ROWS rows from ``top`` on, and one panel, from column ``left`` on."""
    row, steps = values.shape[1] * values.itemsize, matrix.panels.shape[1]
    first = panel * _PANEL
    _int8_tile(
        (
            values.ctypes.data + top * row,
            row,
            matrix.panels.ctypes.data + first * steps * _GROUP,
            _PANEL * _GROUP,
            steps,
            out.ctypes.data + (top * out.shape[1] + left) * 4,
            out.shape[1] * 4,
            min(_PANEL, len(bias) - first),
            bias.ctypes.data + first * 4,
            activation,
            scales.ctypes.data + top * 4,
            matrix.scales.ctypes.data + first * 4,
            matrix.sums.ctypes.data + first * 4,
        )
    )


@compiled
def multiply_floats(
    rows: Floats, panels: Floats, bias: Floats, activation: int, out: Floats
) -> None:
    """Write the product of rows and a matrix of float32, as `multiply` describes it: ROWS rows at least."""
    count = len(out)
    for panel in range(panels.shape[0]):
        for row in range(0, count, ROWS):
            top = min(row, count - ROWS)
            floats_tile(rows, panels, bias, activation, panel, top, out, panel * _PANEL)


@compiled
def floats_tile(
    rows: Floats,
    panels: Floats,
    bias: Floats,
    activation: int,
    panel: int,
    top: int,
    out: Floats,
    left: int,
) -> None:
    """Write one tile of the product, as `bytes_tile` does."""
    inputs = panels.shape[1]
    first = panel * _PANEL
    _float_tile(
        (
            rows.ctypes.data + top * inputs * 4,
            inputs * 4,
            panels.ctypes.data + first * inputs * 4,
            _PANEL * 4,
            inputs,
            out.ctypes.data + (top * out.shape[1] + left) * 4,
            out.shape[1] * 4,
            min(_PANEL, len(bias) - first),
            bias.ctypes.data + first * 4,
            activation,
        )
    )
