"""Functions of a number, written so that loops over them become vector instructions."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from bnaparser.compute.compiling import compiled
from bnaparser.compute.float_vectors import FLOAT, declared

_ONE, _HALF = np.float32(1), np.float32(0.5)
# Adding and subtracting it rounds to a whole number.
ROUNDER = np.float32(12582912)
# exp(x) = 2^n exp(r) with n whole and r at most half of ln 2: a Taylor polynomial is exact enough.
_LOWEST = np.float32(-87)
_LOG2_E = np.float32(1.44269504)
_LN2_HIGH, _LN2_LOW = np.float32(0.693359375), np.float32(-2.12194440e-4)
_P6, _P5, _P4, _P3 = (np.float32(1 / number) for number in (720, 120, 24, 6))


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


@compiled
def address(array: NDArray[Any]) -> int:
    """Return where the numbers of an array begin, as a whole number that others may be added to."""
    return np.int64(array.ctypes.data)  # type: ignore[return-value]
