"""A product of rows and a packed matrix."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnaparser.compute.compiling import entry
from bnaparser.compute.packed import Floats, PackedBytes, PackedFloats
from bnaparser.compute.products import (
    ROW_DTYPE,
    bytes_product,
    floats_product,
    round_rows,
    write_bytes_product,
    write_floats_product,
)
from bnaparser.compute.tiles import FEW_ROWS


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
    if count < FEW_ROWS:
        rows = np.concatenate([rows, np.zeros((FEW_ROWS - count, matrix.inputs), np.float32)])
    out = np.empty((len(rows), matrix.outputs), np.float32)
    if isinstance(matrix, PackedFloats):
        multiply_floats(rows, matrix.panels, bias, activation, out)
    else:
        # A product takes its rows four bytes a step, whatever the type of a number is.
        values = np.empty((len(rows), 4 * matrix.panels.shape[1]), np.uint8).view(ROW_DTYPE)
        scales = np.empty(len(rows), np.float32)
        multiply_bytes(rows, values, scales, matrix, bias, activation, out)
    return out[:count]


@entry
def multiply_bytes(
    rows: Floats,
    values: NDArray[np.uint8],
    scales: Floats,
    matrix: PackedBytes,
    bias: Floats,
    activation: int,
    out: Floats,
) -> None:
    """Round rows to ``values`` times ``scales``, and write their product with a matrix of int8: FEW_ROWS rows at least."""
    round_rows(rows, values, scales)
    write_bytes_product(bytes_product(values, scales, matrix, bias, activation), out)


@entry
def multiply_floats(
    rows: Floats, panels: Floats, bias: Floats, activation: int, out: Floats
) -> None:
    """Write the product of rows and a matrix of float32: FEW_ROWS rows at least."""
    write_floats_product(floats_product(rows, panels, bias, activation), out)
