"""Matrices of weights, packed in panels in the order in which a tile reads them; and the products.

Light: never imports Numba; `matrix_loops` has the loops.

A weight matrix W (outputs, inputs) multiplies rows: x W'. Panel p holds the outputs from p times its
width on; within it, one step after another, each output's next ``group`` inputs. What is missing at
the ends is zero.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnaparser.compute.kernel import Kernel
from bnaparser.compute.processor import AMX_STEPS, FEW_ROWS, instructions

NO_ACTIVATION, RELU, LEAKY_RELU, GELU = range(4)
ACTIVATION_NUMBERS = {"relu": RELU, "leaky_relu": LEAKY_RELU, "gelu": GELU}


Floats = NDArray[np.float32]
# No scale is smaller, so that a row of zeros is divided by something.
SMALLEST = np.float32(1e-12)
# What numbers of rows are stored as for int8 products: bytes are multiplied as unsigned times signed ones, short ones as
# they are.
ROW_DTYPE = {4: np.uint8, 2: np.int16}[instructions().group]


class RowScaled(NamedTuple):
    """A matrix of int8 ``values`` (rows, columns), each row times its one of ``scales`` (rows,)."""

    values: NDArray[np.int8]
    scales: Floats


Matrix = Floats | RowScaled


class PackedFloats(NamedTuple):
    """A float32 matrix: ``panels`` (panels, inputs, outputs of a panel)."""

    panels: NDArray[np.float32]
    inputs: int
    outputs: int


class PackedBytes(NamedTuple):
    """An int8 matrix: ``panels`` (panels, steps, outputs of a panel, group); ``scales`` (outputs,).

    ``sums`` (outputs,) are int32: what is added to a product of unsigned bytes, 128 too large each, to
    make it one of signed bytes; else 0.
    """

    panels: NDArray[np.int8]
    scales: Floats
    sums: NDArray[np.int32]
    inputs: int
    outputs: int


# What a kernel takes of an int8 matrix, and of rows that are rounded for one.
BYTES = PackedBytes, "i1:4", "f4:1", "i4:1", "i8", "i8"
ROWS_KIND = f"{np.dtype(ROW_DTYPE).str[1:]}:2"


def shape_of_matrix(matrix: Matrix) -> tuple[int, ...]:
    """Return rows and columns."""
    return (matrix.values if isinstance(matrix, RowScaled) else matrix).shape


def as_floats(matrix: Matrix) -> Floats:
    """Return a matrix in float32."""
    if isinstance(matrix, RowScaled):
        return matrix.values.astype(np.float32) * matrix.scales[:, None]
    return np.ascontiguousarray(matrix, np.float32)


def row_scaled(matrix: Matrix) -> RowScaled:
    """Return a matrix in int8: as it is stored or, where it is in float32, rounded a row at a time."""
    if isinstance(matrix, RowScaled):
        return matrix
    scales = np.maximum(np.abs(matrix).max(axis=1), SMALLEST) / np.float32(127)
    return RowScaled(np.rint(matrix / scales[:, None]).astype(np.int8), scales)


def stacked(matrices: list[Matrix], in_int8: bool) -> Matrix:
    """Return one matrix with the rows of several matrices."""
    if in_int8:
        scaled = [row_scaled(matrix) for matrix in matrices]
        values = np.concatenate([one.values for one in scaled])
        return RowScaled(values, np.concatenate([one.scales for one in scaled]))
    return np.concatenate([as_floats(matrix) for matrix in matrices])


def pack_floats(matrix: Matrix) -> PackedFloats:
    """Pack a matrix (outputs, inputs) for float32 products."""
    floats = as_floats(matrix)
    width = instructions().panel
    outputs, inputs = floats.shape
    return PackedFloats(_panels(floats, width), inputs, outputs)


def pack_bytes(matrix: Matrix) -> PackedBytes:
    """Pack a matrix (outputs, inputs) for int8 products."""
    values, scales = row_scaled(matrix)
    unit = instructions()
    outputs, inputs = values.shape
    steps = -(-inputs // unit.group)
    if unit.amx:
        steps = -(-steps // AMX_STEPS) * AMX_STEPS
    if steps * unit.group > inputs:
        values = np.pad(values, ((0, 0), (0, steps * unit.group - inputs)))
    # What a step takes of an output, the group, is moved as one number.
    word = {4: np.int32, 2: np.int16}[unit.group]
    panels = _panels(np.ascontiguousarray(values).view(word), unit.panel).view(np.int8)
    panels = panels.reshape(*panels.shape[:2], unit.panel, unit.group)
    sums = np.zeros(outputs, np.int32)
    if unit.int8 == "vpdpbusd":
        sums -= 128 * values.sum(axis=1, dtype=np.int32)
    return PackedBytes(panels, np.ascontiguousarray(scales, np.float32), sums, inputs, outputs)


def _panels(matrix: NDArray[Any], width: int) -> NDArray[Any]:
    """Return a matrix (outputs, steps) as panels (panels, steps, width), zeros at the end."""
    outputs, steps = matrix.shape
    count = -(-outputs // width)
    padded = np.zeros((count * width, steps), matrix.dtype)
    padded[:outputs] = matrix
    return np.ascontiguousarray(padded.reshape(count, width, steps).transpose(0, 2, 1))


multiply_bytes = Kernel(
    "bnaparser.compute.matrix_loops:multiply_bytes",
    *("f4:2", ROWS_KIND, "f4:1", BYTES, "f4:1", "i8", "f4:2"),
)
multiply_floats = Kernel(
    "bnaparser.compute.matrix_loops:multiply_floats", "f4:2", "f4:3", "f4:1", "i8", "f4:2"
)


def multiply(
    rows: Floats, matrix: PackedFloats | PackedBytes, bias: Floats, activation: int = 0
) -> Floats:
    """Return ``activation(rows matrix' + bias)``: float32 (rows, outputs).

    ``rows`` is float32 (rows, inputs). For a matrix of int8 each row is rounded to int8 with a scale
    of its own. Raises ValueError if the sizes do not fit.
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


# (rows, added, gain, bias, epsilon, out) and (total, rows, factor), as `row_loops` says.
normalise = Kernel(
    "bnaparser.compute.matrix_loops:normalise", "f4:2", "f4:2", "f4:1", "f4:1", "f4", "f4:2"
)
add_scaled = Kernel("bnaparser.compute.matrix_loops:add_scaled", "f4:2", "f4:2", "f4")
