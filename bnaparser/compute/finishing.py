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
    first_lanes,
    load,
    masked_load,
    masked_store,
    shared,
    size_in_bytes,
)

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


def write_finished(
    builder: ir.IRBuilder, tile: Sequence[ir.Value], rows: int, finish: Finish
) -> None:
    """Write a tile, vectors of rows one after another; the builder ends in a new block."""
    lanes = tile[0].type.count
    vectors = len(tile) // rows
    numbers = ir.VectorType(FLOAT, lanes)
    masks = [first_lanes(builder, finish.width, lanes, v * lanes) for v in range(vectors)]
    size = size_in_bytes(numbers)

    def of_columns(array: ir.Value, kind: ir.VectorType) -> list[ir.Value]:
        return [
            masked_load(builder, builder.add(array, LONG(v * size)), kind, masks[v])
            for v in range(vectors)
        ]

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
            masked_store(builder, value, builder.add(line, LONG(v * size)), masks[v])
    _activate(builder, rows, masks, numbers, finish)


def _activate(
    builder: ir.IRBuilder,
    rows: int,
    masks: Sequence[ir.Value],
    numbers: ir.VectorType,
    finish: Finish,
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
        for v, mask in enumerate(masks):
            place = builder.add(line, LONG(v * size_in_bytes(numbers)))
            found = ways[number](builder, masked_load(builder, place, numbers, mask))
            masked_store(builder, found, place, mask)
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
