"""A product of rows and a packed matrix, alone or with a second core's help."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnaparser.compute.compiling import compiled
from bnaparser.compute.helping import Board, room_here, write_product_helped
from bnaparser.compute.packed import Floats, PackedBytes, PackedFloats
from bnaparser.compute.products import (
    ROW_DTYPE,
    Product,
    bytes_product,
    floats_product,
    round_rows,
    write_product,
)
from bnaparser.compute.tiles import FEW_ROWS

_NO_BOARD, _NO_FLOATS, _ALONE = np.zeros(0, np.int64), np.zeros(0, np.float32), 0


def multiply(
    rows: Floats, matrix: PackedFloats | PackedBytes, bias: Floats, activation: int = 0
) -> Floats:
    """Return ``activation(rows matrix' + bias)``: float32 (rows, outputs).

    ``rows`` is float32 (rows, inputs). For a matrix of int8 each row is rounded to int8 with a scale
    of its own. Within `helped` a second core takes part; the numbers are the same.
    Raises ValueError where the sizes do not fit.
    """
    if rows.shape[1] != matrix.inputs or len(bias) != matrix.outputs:
        raise ValueError(
            f"rows of {rows.shape[1]} and {len(bias)} biases for a matrix of {matrix.inputs} inputs"
            f" and {matrix.outputs} outputs"
        )
    count, rows = len(rows), np.ascontiguousarray(rows)
    if count < FEW_ROWS:
        rows = np.concatenate([rows, np.zeros((FEW_ROWS - count, matrix.inputs), np.float32)])
    out = np.empty((len(rows), matrix.outputs), np.float32)
    # A product takes its rows four bytes a step, whatever they are.
    size = (len(rows), 4 * matrix.panels.shape[1])
    room = room_here()
    if room is None or not room.fits(*size, matrix.outputs):
        read, scales = np.empty(size, np.uint8), np.empty(len(rows), np.float32)
        help_of = _ALONE, _NO_BOARD, _NO_FLOATS
    else:
        read, scales = room.rows[: size[0] * size[1]].reshape(size), room.scales
        help_of = room.next_number(), room.board, room.out
    if isinstance(matrix, PackedFloats):
        if help_of[0] != _ALONE:
            rows = _copied(rows, read.view(np.float32))
        multiply_floats(rows, matrix.panels, bias, activation, *help_of, out)
    else:
        multiply_bytes(rows, read.view(ROW_DTYPE), scales, matrix, bias, activation, *help_of, out)
    return out[:count]


def _copied(rows: Floats, to: Floats) -> Floats:
    to[:] = rows
    return to


@compiled
def multiply_bytes(
    rows: Floats,
    values: NDArray[np.uint8],
    scales: Floats,
    matrix: PackedBytes,
    bias: Floats,
    activation: int,
    number: int,
    board: Board,
    theirs: Floats,
    out: Floats,
) -> None:
    """Round rows to ``values`` times ``scales``, and write their product with a matrix of int8: FEW_ROWS rows at least."""
    round_rows(rows, values, scales)
    product = bytes_product(values, scales, matrix, bias, activation)
    _write(product, number, board, theirs, out)


@compiled
def multiply_floats(
    rows: Floats,
    panels: Floats,
    bias: Floats,
    activation: int,
    number: int,
    board: Board,
    theirs: Floats,
    out: Floats,
) -> None:
    """Write the product of rows and a matrix of float32: FEW_ROWS rows at least."""
    _write(floats_product(rows, panels, bias, activation), number, board, theirs, out)


@compiled
def _write(product: Product, number: int, board: Board, theirs: Floats, out: Floats) -> None:
    if number == _ALONE:
        write_product(product, out)
    else:
        write_product_helped(product, number, board, theirs, out)
