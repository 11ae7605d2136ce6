"""Functions of a number, written so that loops over them become vector instructions.

Heavy: imports Numba, so it is imported only to compile.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from bnaparser.compute.compiling import compiled
from bnaparser.compute.float_vectors import (
    BYTE,
    FLOAT,
    INT,
    LONG,
    declared,
    first_lanes,
    load,
    masked_load,
    readable,
)
from bnaparser.compute.processor import instructions

_ONE, _HALF = np.float32(1), np.float32(0.5)
# Adding and subtracting it rounds to a whole number.
ROUNDER = np.float32(12582912)
# exp(x) = 2^n exp(r) with n whole and r at most half of ln 2: a Taylor polynomial is exact enough.
_LOWEST = np.float32(-87)
_LOG2_E = np.float32(1.44269504)
_LN2_HIGH, _LN2_LOW = np.float32(0.693359375), np.float32(-2.12194440e-4)
_P6, _P5, _P4, _P3 = (np.float32(1 / number) for number in (720, 120, 24, 6))


@intrinsic  # type: ignore[untyped-decorator]
def address(typing_context: Any, array: Any) -> Any:
    """Return where the numbers of an array begin, as a whole number that others may be added to."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, given: Any) -> ir.Value:
        found = context.make_array(signature.args[0])(context, builder, given[0])
        return builder.ptrtoint(found.data, LONG)

    return types.intp(array), generate


@intrinsic  # type: ignore[untyped-decorator]
def bits_of_float(typing_context: Any, number: Any) -> Any:
    """Read a float32's bits as an int32."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, given: Any) -> ir.Value:
        return builder.bitcast(given[0], INT)

    return types.int32(types.float32), generate


@intrinsic  # type: ignore[untyped-decorator]
def float_of_bits(typing_context: Any, bits: Any) -> Any:
    """Read an int32's bits as a float32."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, given: Any) -> ir.Value:
        return builder.bitcast(given[0], FLOAT)

    return types.float32(types.int32), generate


@intrinsic  # type: ignore[untyped-decorator]
def larger(typing_context: Any, one: Any, other: Any) -> Any:
    """Return the larger of two float32 numbers; loops over it become vector instructions."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, given: Any) -> ir.Value:
        kind = ir.FunctionType(FLOAT, [FLOAT, FLOAT])
        return builder.call(
            declared(builder, "llvm.maxnum.f32", kind), given, fastmath=("nnan", "nsz")
        )

    return types.float32(types.float32, types.float32), generate


@intrinsic  # type: ignore[untyped-decorator]
def copy_floats(typing_context: Any, to: Any, place: Any, count: Any) -> Any:
    """Copy float32 numbers from an address to another. This is one instruction to compile instead
    of ten for a loop.
    """

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, given: Any) -> ir.Value:
        to, place, count = given
        pointers = (builder.inttoptr(one, BYTE.as_pointer()) for one in (to, place))
        cgutils.raw_memcpy(builder, *pointers, count, 4)
        return context.get_dummy_value()

    return types.void(types.intp, types.intp, types.intp), generate


@intrinsic  # type: ignore[untyped-decorator]
def clear_floats(typing_context: Any, to: Any, count: Any) -> Any:
    """Write ``count`` float32 zeros to an address."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, given: Any) -> ir.Value:
        to, count = given
        pointer = builder.inttoptr(to, BYTE.as_pointer())
        cgutils.memset(builder, pointer, builder.mul(count, LONG(4)), 0)
        return context.get_dummy_value()

    return types.void(types.intp, types.intp), generate


def _in_lanes(squares: bool) -> Any:
    """Return a function for compiled loops that adds up the float32 numbers, or their squares, at an address.

    Sixteen sums are kept, number i is added to sum i modulo 16, and the sums are added in pairs: eight, four, two,
    one. So the order is the same on every processor, whatever the length of its vectors.
    """
    lanes = 16
    numbers = ir.VectorType(FLOAT, lanes)

    def typed(typing_context: Any, place: Any, count: Any) -> Any:
        def generate(context: Any, builder: ir.IRBuilder, signature: Any, given: Any) -> ir.Value:
            place, count = given
            zero = ir.Constant(numbers, [0.0] * lanes)

            def added(sums: ir.Value, read: ir.Value) -> ir.Value:
                return builder.fadd(sums, builder.fmul(read, read) if squares else read)

            before = builder.block
            loop, rest = builder.append_basic_block("sum"), builder.append_basic_block("rest")
            whole = builder.and_(count, LONG(-lanes))
            builder.cbranch(builder.icmp_signed(">", whole, LONG(0)), loop, rest)
            builder.position_at_end(loop)
            step, sums = builder.phi(LONG), builder.phi(numbers)
            here = builder.add(place, builder.mul(step, LONG(4)))
            then = added(sums, load(builder, here, numbers))
            following = builder.add(step, LONG(lanes))
            for phi, first, next_one in ((step, LONG(0), following), (sums, zero, then)):
                phi.add_incoming(first, before)
                phi.add_incoming(next_one, loop)
            builder.cbranch(builder.icmp_signed("<", following, whole), loop, rest)
            builder.position_at_end(rest)
            found = builder.phi(numbers)
            found.add_incoming(zero, before)
            found.add_incoming(then, loop)
            here, left = builder.add(place, builder.mul(whole, LONG(4))), builder.sub(count, whole)
            if instructions().masks:
                last = masked_load(builder, here, numbers, first_lanes(builder, left, lanes))
            else:
                last = load(builder, readable(builder, here, left, lanes), numbers)
            total = added(found, last)
            while (half := total.type.count // 2) > 0:
                parts = [
                    builder.shuffle_vector(
                        total,
                        total,
                        ir.Constant(ir.VectorType(INT, half), list(range(first, first + half))),
                    )
                    for first in (0, half)
                ]
                total = builder.fadd(*parts)
                if half == 1:
                    break
            return builder.extract_element(total, INT(0))

        return types.float32(types.intp, types.intp), generate

    return intrinsic(typed)


_sum_at, _squares_at = _in_lanes(squares=False), _in_lanes(squares=True)


@compiled
def total(row: NDArray[np.float32]) -> np.float32:
    """Return the sum of a contiguous row, in an order that is the same on every processor."""
    return _sum_at(address(row), row.shape[0])  # type: ignore[no-any-return]


@compiled
def total_of_squares(row: NDArray[np.float32]) -> np.float32:
    """Return the sum of a row's squares, in an order that is the same on every processor."""
    return _squares_at(address(row), row.shape[0])  # type: ignore[no-any-return]


@compiled
def exp(x: np.float32) -> np.float32:
    """Return e to the power of a float32 that is at most 0; e^-87, the least there is, below -87."""
    if x < _LOWEST:  # noqa: PLR1730 (max would lose a not-a-number)
        x = _LOWEST
    n = (x * _LOG2_E + ROUNDER) - ROUNDER
    r = (x - n * _LN2_HIGH) - n * _LN2_LOW
    power = ((((_P6 * r + _P5) * r + _P4) * r + _P3) * r + _HALF) * r + _ONE
    scaled: np.float32 = (power * r + _ONE) * float_of_bits(
        (np.int32(n) + np.int32(127)) << np.int32(23)
    )
    return scaled
