"""What follows the sums of a tile, while they are in the processor's registers, in LLVM's own language.

Scales, bias, activation, and where the numbers go. Compilers do this an output row and eight numbers at a
time, which for GELU takes as long as the product itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from llvmlite import ir

from bnaparser.compute.activations import GELU, LEAKY_RELU, RELU
from bnaparser.compute.float_vectors import (
    FLOAT,
    LONG,
    add_rounded_product,
    copy_numbers,
    first_lanes,
    load,
    masked_load,
    masked_store,
    readable,
    room_on_stack,
    shared,
)
from bnaparser.compute.instructions import instructions

# erf(x) = x P(x^2) / Q(x^2) within 4 on either side, as in Eigen's library; the highest power first.
_P = (
    -2.72614225801306e-10, 2.77068142495902e-08, -2.10102402082508e-06, -5.69250639462346e-05,
    -7.34990630326855e-04, -2.95459980854025e-03, -1.60960333262415e-02,
)  # fmt: skip
_Q = (
    -1.45660718464996e-05, -2.13374055278905e-04, -1.68282697438203e-03, -7.37332916720468e-03,
    -1.42647390514189e-02,
)  # fmt: skip
_SQRT_HALF, _LEAK = 0.70710678, 0.01


class Finish(NamedTuple):
    """Where a tile goes, and what is done to it before.

    Addresses and distances in bytes: ``out`` and from row to row of it; ``width`` columns are written.
    ``bias``, ``scales`` and ``sums`` are of columns, ``row_scales`` of rows. With ``activation``, a
    number of ``activations``, column c of row r becomes
    ``activation((tile[r, c] + sums[c]) * (row_scales[r] * scales[c]) + bias[c])``; tiles of float32
    have neither scales nor sums.
    """

    out: ir.Value
    out_row: ir.Value
    width: ir.Value
    bias: ir.Value
    activation: ir.Value
    row_scales: ir.Value | None = None
    scales: ir.Value | None = None
    sums: ir.Value | None = None


class _Columns:
    """Reads and writes the columns of a tile that there are, a vector at a time."""

    def __init__(self, builder: ir.IRBuilder, lanes: int, vectors: int, width: ir.Value):
        self._builder = builder
        self._size = lanes * 4
        self._masks = None
        if instructions().masks:
            self._masks = [first_lanes(builder, width, lanes, v * lanes) for v in range(vectors)]

    def read(self, place: ir.Value, v: int, kind: ir.VectorType) -> ir.Value:
        """Return a vector of an array that begins at an address."""
        if self._masks is None:
            return load(self._builder, place, kind, v * self._size)
        there = self._builder.add(place, LONG(v * self._size))
        return masked_load(self._builder, there, kind, self._masks[v])

    def write(self, value: ir.Value, place: ir.Value, v: int) -> None:
        """Write a vector of an array that begins at an address."""
        there = self._builder.add(place, LONG(v * self._size))
        if self._masks is None:
            pointer = self._builder.inttoptr(there, value.type.as_pointer())
            self._builder.store(value, pointer).align = 4
        else:
            masked_store(self._builder, value, there, self._masks[v])


def write_finished(
    builder: ir.IRBuilder, tile: Sequence[ir.Value], rows: int, finish: Finish
) -> None:
    """Write a tile, vectors of rows one after another; the builder ends in a new block."""
    vectors = len(tile) // rows
    if instructions().masks:
        _write(builder, tile, rows, finish)
        return
    # Where the tile is wider than the output, the whole tile is written elsewhere first.
    panel = tile[0].type.count * vectors
    narrow = builder.icmp_signed("<", finish.width, LONG(panel))
    room = room_on_stack(builder, panel * rows)
    arrays = {
        name: readable(builder, place, finish.width, panel)
        for name in ("bias", "scales", "sums")
        if (place := getattr(finish, name)) is not None
    }
    out = builder.select(narrow, room, finish.out)
    out_row = builder.select(narrow, LONG(panel * 4), finish.out_row)
    _write(builder, tile, rows, finish._replace(out=out, out_row=out_row, **arrays))
    with builder.if_then(narrow):
        for row in range(rows):
            to = builder.add(finish.out, builder.mul(finish.out_row, LONG(row)))
            copy_numbers(builder, to, builder.add(room, LONG(row * panel * 4)), finish.width)


def _write(builder: ir.IRBuilder, tile: Sequence[ir.Value], rows: int, finish: Finish) -> None:
    lanes = tile[0].type.count
    vectors = len(tile) // rows
    numbers = ir.VectorType(FLOAT, lanes)
    columns = _Columns(builder, lanes, vectors, finish.width)

    def of_columns(array: ir.Value, kind: ir.VectorType) -> list[ir.Value]:
        return [columns.read(array, v, kind) for v in range(vectors)]

    bias = of_columns(finish.bias, numbers)
    scales, sums = [], []
    if finish.scales is not None:
        scales = of_columns(finish.scales, numbers)
        sums = of_columns(finish.sums, tile[0].type)
    for row in range(rows):
        line = builder.add(finish.out, builder.mul(finish.out_row, LONG(row)))
        row_scale = None
        if finish.row_scales is not None:
            place = builder.add(finish.row_scales, LONG(4 * row))
            row_scale = shared(builder, load(builder, place, FLOAT), lanes)
        for v in range(vectors):
            value = tile[row * vectors + v]
            if row_scale is None:
                value = builder.fadd(value, bias[v])
            else:
                whole = builder.sitofp(builder.add(value, sums[v]), numbers)
                factor = builder.fmul(row_scale, scales[v])
                value = add_rounded_product(builder, bias[v], whole, factor)
            columns.write(value, line, v)
    _activate(builder, rows, vectors, columns, finish, numbers)


def _activate(
    builder: ir.IRBuilder,
    rows: int,
    vectors: int,
    columns: _Columns,
    finish: Finish,
    numbers: ir.VectorType,
) -> None:
    """Apply the activation to what is written, a row at a time."""
    done = builder.append_basic_block("finished")
    ways = {RELU: _relu, LEAKY_RELU: _leaky_relu, GELU: _gelu}
    blocks = {number: builder.append_basic_block("activation") for number in ways}
    before = builder.block
    choice = builder.switch(finish.activation, done)
    for number, block in blocks.items():
        choice.add_case(LONG(number), block)
        builder.position_at_end(block)
        row, line = builder.phi(LONG), builder.phi(LONG)
        for v in range(vectors):
            found = ways[number](builder, columns.read(line, v, numbers))
            columns.write(found, line, v)
        following, below = builder.add(row, LONG(1)), builder.add(line, finish.out_row)
        for phi, first, then in ((row, LONG(0), following), (line, finish.out, below)):
            phi.add_incoming(first, before)
            phi.add_incoming(then, block)
        builder.cbranch(builder.icmp_signed("<", following, LONG(rows)), block, done)
    builder.position_at_end(done)


def _relu(builder: ir.IRBuilder, x: ir.Value) -> ir.Value:
    # A not-a-number is below nothing, and stays.
    zero = _all(x, 0)
    return builder.select(builder.fcmp_ordered("<", x, zero), zero, x)


def _leaky_relu(builder: ir.IRBuilder, x: ir.Value) -> ir.Value:
    below = builder.fcmp_ordered("<", x, _all(x, 0))
    return builder.select(below, builder.fmul(x, _all(x, _LEAK)), x)


def _gelu(builder: ir.IRBuilder, x: ir.Value) -> ir.Value:
    one_more = builder.fadd(_all(x, 1), _erf(builder, builder.fmul(x, _all(x, _SQRT_HALF))))
    return builder.fmul(builder.fmul(x, _all(x, 0.5)), one_more)


def _erf(builder: ir.IRBuilder, x: ir.Value) -> ir.Value:
    lowest, highest = _all(x, -4), _all(x, 4)
    x = builder.select(builder.fcmp_ordered(">", x, lowest), x, lowest)
    x = builder.select(builder.fcmp_ordered("<", x, highest), x, highest)
    square = builder.fmul(x, x)
    p, q = (_polynomial(builder, square, factors) for factors in (_P, _Q))
    return builder.fdiv(builder.fmul(x, p), q)


def _polynomial(builder: ir.IRBuilder, x: ir.Value, factors: Sequence[float]) -> ir.Value:
    value = _all(x, factors[0])
    for factor in factors[1:]:
        value = add_rounded_product(builder, _all(x, factor), value, x)
    return value


def _all(like: ir.Value, number: float) -> ir.Constant:
    """The number in all lanes of such a vector."""
    return ir.Constant(like.type, [ir.Constant(FLOAT, number)] * like.type.count)
