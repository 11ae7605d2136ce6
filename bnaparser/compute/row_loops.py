"""What is done to each row by itself: sums with another row, layer normalisation."""

from __future__ import annotations

import numpy as np

from bnaparser.compute.compiling import compiled
from bnaparser.compute.functions import total, total_of_squares
from bnaparser.compute.packed import Floats


@compiled
def normalise_row(row: Floats, gain: Floats, bias: Floats, epsilon: np.float32) -> None:
    """Make one row its layer norm, in place: a loop from a row to itself by another name is slow."""
    count = np.float32(len(row))
    mean = total(row) / count
    for column in range(row.shape[0]):
        row[column] -= mean
    factor = np.float32(1) / np.sqrt(total_of_squares(row) / count + epsilon)
    for column in range(row.shape[0]):
        row[column] = row[column] * factor * gain[column] + bias[column]


def normalise(
    rows: Floats, added: Floats, gain: Floats, bias: Floats, epsilon: np.float32, out: Floats
) -> None:
    """Write the layer norm of ``rows + added``, both (rows, width)."""
    for row in range(rows.shape[0]):
        line, one, other = out[row], rows[row], added[row]
        for column in range(len(line)):
            line[column] = one[column] + other[column]
        normalise_row(line, gain, bias, epsilon)


def add_scaled(total: Floats, rows: Floats, factor: np.float32) -> None:
    """Add ``factor * rows`` to ``total``, both (rows, width)."""
    for row in range(rows.shape[0]):
        for column in range(rows.shape[1]):
            total[row, column] += factor * rows[row, column]
