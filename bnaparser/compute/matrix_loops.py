"""The compiled loops of products of rows and packed matrices (scales, bias, activation), and of layer norms.

Each output is the sum over its inputs in one order, whichever rows lie beside its own and whichever
threads compute: a sentence gets the same numbers alone and in any batch.

Heavy: imports Numba, so it is imported only to compile.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bnaparser.compute.compiling import compiled
from bnaparser.compute.functions import (
    ROUNDER,
    address,
    bits_of_float,
    float_of_bits,
    total,
    total_of_squares,
)
from bnaparser.compute.matrices import ROW_DTYPE, SMALLEST, Floats, PackedBytes
from bnaparser.compute.processor import AMX_ROWS, FEW_ROWS, ROWS, instructions
from bnaparser.compute.tiles import finished_tile


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


PANEL = instructions().panel
_GROUP = instructions().group

# What A's numbers are stored as, and what is added to them, for each kind of int8 product: bytes
# are multiplied as unsigned times signed ones, short ones as they are.
_OFFSET = 128 if instructions().int8 == "vpdpbusd" else 0
_STORED = np.dtype(ROW_DTYPE).type
_TO_STORED = np.int32(_OFFSET) - ROUNDER.view(np.int32)
_LARGEST = np.float32(127)
_SMALLEST_BITS = SMALLEST.view(np.int32)
_WITHOUT_SIGN = np.int32(0x7FFFFFFF)

# What a product is to the loops, in whole numbers: outputs, rows; the address of the rows and bytes from one to the
# next, steps; that of the panels and the bytes of one; those of the bias, the activation; and of
# the scales of rows and columns and of what is added to sums, all 0 where the numbers are float32.
Product = tuple[int, int, int, int, int, int, int, int, int, int, int, int]


@compiled
def round_rows(rows: Floats, values: NDArray[np.uint8], scales: Floats) -> None:
    """Round each row to whole numbers from -127 to 127 times its scale.

    ``values`` (rows, inputs, rounded up) are stored as the product takes them.
    """
    for row in range(rows.shape[0]):
        round_row(rows[row], values[row], scales, row)


@compiled
def round_row(row: Floats, values: NDArray[np.uint8], scales: Floats, place: int) -> None:
    """Round one row to whole numbers from -127 to 127 times its scale, and write the scale to ``scales[place]``."""
    # Without their sign floats sort as their bits do, and a not-a-number comes last: it is not lost.
    highest = _SMALLEST_BITS
    for column in range(row.shape[0]):
        bits = bits_of_float(row[column]) & _WITHOUT_SIGN
        highest = max(highest, bits)
    largest = float_of_bits(highest)
    scales[place] = largest / _LARGEST
    factor = _LARGEST / largest
    for column in range(row.shape[0]):
        # The lowest bits of so large a number are the whole number that was added to it.
        rounded = np.float32(row[column] * factor + ROUNDER)
        values[column] = _STORED(bits_of_float(rounded) + _TO_STORED)
    for column in range(row.shape[0], values.shape[0]):
        values[column] = _STORED(_OFFSET)


@compiled
def bytes_product(
    values: NDArray[np.uint8], scales: Floats, matrix: PackedBytes, bias: Floats, activation: int
) -> Product:
    """Describe the product of rounded rows and a matrix of int8."""
    panels = matrix.panels
    return (
        len(bias),
        values.shape[0],
        address(values),
        values.shape[1] * values.itemsize,
        panels.shape[1],
        address(panels),
        panels.shape[1] * PANEL * _GROUP,
        address(bias),
        activation,
        address(scales),
        address(matrix.scales),
        address(matrix.sums),
    )


@compiled
def floats_product(rows: Floats, panels: Floats, bias: Floats, activation: int) -> Product:
    """Describe the product of rows and a matrix of float32."""
    inputs, none = panels.shape[1], 0
    return (
        len(bias),
        rows.shape[0],
        address(rows),
        inputs * 4,
        inputs,
        address(panels),
        inputs * PANEL * 4,
        address(bias),
        activation,
        none,
        none,
        none,
    )


@compiled
def _place(
    product: Product, panel: int, top: int, out: int, out_row: int, ask: int, ask_bytes: int
) -> tuple[int, ...]:
    """Return the arguments of a tile: the addresses of its factors, of its result, and of the scales."""
    outputs, _, rows, row, steps, panels, size, bias, activation, row_scales, scales, sums = product
    first = panel * PANEL
    a, b, step = rows + top * row, panels + panel * size, size // steps
    width = min(outputs - first, PANEL)
    ask_step = (ask_bytes + steps - 1) // steps
    at, of_rows = first * 4, row_scales + top * 4
    return (
        a, row, b, step, steps, ask, ask_step, out, out_row, width, bias + at, activation,
        of_rows, scales + at, sums + at,
    )  # fmt: skip


# Writes ROWS rows from ``top`` on of a panel of a product to the address ``out``, with ``out_row`` bytes from row to row:
# (product, panel, top, out, out_row, ask, ask_bytes). Meanwhile the ``ask_bytes`` at the address ``ask`` are
# fetched; there need not be anything.
WriteTile = Callable[[Product, int, int, int, int, int, int], None]
# Writes a whole product, FEW_ROWS rows at least, as many as the output has: (product, out).
WriteProduct = Callable[[Product, Floats], None]


def _writing(kind: str, places: int) -> tuple[WriteTile, WriteProduct]:
    """Return what writes products of "int8" or "float32", for compiled loops: one alone is compiled in half the time.

    ``places`` is how many of the numbers of `_place` its tiles take.
    """
    of_rows = finished_tile(kind, ROWS, instructions().wide)
    of_few = finished_tile(kind, FEW_ROWS, instructions().wide)

    @compiled
    def write_tile(
        product: Product, panel: int, top: int, out: int, out_row: int, ask: int, ask_bytes: int
    ) -> None:
        of_rows(_place(product, panel, top, out, out_row, ask, ask_bytes)[:places])

    @compiled
    def write_few(
        product: Product, panel: int, top: int, out: int, out_row: int, ask: int, ask_bytes: int
    ) -> None:
        of_few(_place(product, panel, top, out, out_row, ask, ask_bytes)[:places])

    @compiled
    def write_product(product: Product, out: Floats) -> None:
        outputs, count, size = product[0], product[1], product[6]
        row_size = outputs * 4
        # Small tiles are slower, row by row: three of them would take longer than one that writes a row again.
        in_small = count % ROWS if count < ROWS or count % ROWS <= 2 * FEW_ROWS else 0
        for panel in range((outputs + PANEL - 1) // PANEL):
            left = address(out) + panel * PANEL * 4
            # The weights of the next panel are fetched in the meantime, if there is one: each tile fetches its part of them.
            there = product[5] + (panel + 1) * size
            for start in range(0, count - in_small, ROWS):
                top = min(start, count - ROWS)
                ask, share = there + top * size // count, ROWS * size // count
                write_tile(product, panel, top, left + top * row_size, row_size, ask, share)
            for start in range(count - in_small, count, FEW_ROWS):
                top = min(start, count - FEW_ROWS)
                ask, share = there + top * size // count, FEW_ROWS * size // count
                write_few(product, panel, top, left + top * row_size, row_size, ask, share)

    return write_tile, write_product


def _writing_with_amx() -> WriteProduct:
    """Return what writes products of "int8" in matrix registers."""
    from bnaparser.compute.amx_tiles import end_tiles, start_tiles, write_amx_tile

    @compiled
    def write_product(product: Product, out: Floats) -> None:
        outputs, count, size = product[0], product[1], product[6]
        row_size = outputs * 4
        # Tiles of the same number of rows; the last one writes some rows again.
        height = -(-count // -(-count // AMX_ROWS))
        start_tiles(height)
        for panel in range((outputs + PANEL - 1) // PANEL):
            left = address(out) + panel * PANEL * 4
            there = product[5] + (panel + 1) * size
            for start in range(0, count, height):
                top = min(start, count - height)
                ask, share = there + top * size // count, height * size // count
                place = _place(product, panel, top, left + top * row_size, row_size, ask, share)
                write_amx_tile(height, place)
        end_tiles()

    return write_product


write_bytes_tile, write_bytes_product = _writing("int8", 15)
if instructions().amx:
    write_bytes_product = _writing_with_amx()
write_floats_tile, write_floats_product = _writing("float32", 12)  # numbers without scales


def multiply_bytes(
    rows: Floats,
    values: NDArray[np.uint8],
    scales: Floats,
    matrix: PackedBytes,
    bias: Floats,
    activation: int,
    out: Floats,
) -> None:
    """Write ``activation(rows matrix' + bias)``; ``values`` and ``scales`` are scratch space for rounded rows."""
    round_rows(rows, values, scales)
    write_bytes_product(bytes_product(values, scales, matrix, bias, activation), out)


def multiply_floats(
    rows: Floats, panels: Floats, bias: Floats, activation: int, out: Floats
) -> None:
    """Write ``activation(rows matrix' + bias)``."""
    write_floats_product(floats_product(rows, panels, bias, activation), out)
