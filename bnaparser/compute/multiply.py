"""A product of rows and a packed matrix."""

from __future__ import annotations

import numpy as np

from bnaparser.compute.instructions import FEW_ROWS
from bnaparser.compute.kernel import Kernel
from bnaparser.compute.packed import BYTES, ROW_DTYPE, ROWS_KIND, Floats, PackedBytes, PackedFloats

multiply_bytes = Kernel(
    "bnaparser.compute.products:multiply_bytes",
    *("f4:2", ROWS_KIND, "f4:1", BYTES, "f4:1", "i8", "f4:2"),
)
multiply_floats = Kernel(
    "bnaparser.compute.products:multiply_floats", "f4:2", "f4:3", "f4:1", "i8", "f4:2"
)


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
