"""exp, erf and the activations, written so that loops over them become vector instructions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnaparser.compute.compiling import compiled
from bnaparser.compute.tiles import float_of_bits

NO_ACTIVATION, RELU, LEAKY_RELU, GELU = range(4)
ACTIVATION_NUMBERS = {"relu": RELU, "leaky_relu": LEAKY_RELU, "gelu": GELU}

_ONE, _HALF = np.float32(1), np.float32(0.5)
_LEAK = np.float32(0.01)
# Adding and subtracting it rounds to a whole number.
ROUNDER = np.float32(12582912)
# exp(x) = 2^n exp(r) with n whole and r at most half of ln 2: a Taylor polynomial is exact enough.
_LOWEST = np.float32(-87)
_LOG2_E = np.float32(1.44269504)
_LN2_HIGH, _LN2_LOW = np.float32(0.693359375), np.float32(-2.12194440e-4)
_P6, _P5, _P4, _P3 = (np.float32(1 / number) for number in (720, 120, 24, 6))
# erf(x) = x P(x^2) / Q(x^2) within 4 on either side, as in Eigen's library.
_FOUR = np.float32(4)
_A1, _A3, _A5, _A7, _A9, _A11, _A13 = (
    np.float32(number)
    for number in (
        -1.60960333262415e-02, -2.95459980854025e-03, -7.34990630326855e-04, -5.69250639462346e-05,
        -2.10102402082508e-06, 2.77068142495902e-08, -2.72614225801306e-10,
    )
)  # fmt: skip
_B0, _B2, _B4, _B6, _B8 = (
    np.float32(number)
    for number in (
        -1.42647390514189e-02, -7.37332916720468e-03, -1.68282697438203e-03, -2.13374055278905e-04,
        -1.45660718464996e-05,
    )
)  # fmt: skip
_SQRT_HALF = np.float32(0.70710678)


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
def erf(x: np.float32) -> np.float32:
    """Return the error function of a float32."""
    x = min(max(x, -_FOUR), _FOUR)
    y = x * x
    p = (((((_A13 * y + _A11) * y + _A9) * y + _A7) * y + _A5) * y + _A3) * y + _A1
    q = (((_B8 * y + _B6) * y + _B4) * y + _B2) * y + _B0
    return x * p / q


@compiled
def activate(numbers: NDArray[np.float32], first: int, count: int, activation: int) -> None:
    """Apply an activation, one of those above, to so many float32 numbers, in place."""
    if activation == RELU:
        for place in range(first, first + count):
            numbers[place] = max(numbers[place], 0)
    elif activation == LEAKY_RELU:
        for place in range(first, first + count):
            if numbers[place] < 0:
                numbers[place] *= _LEAK
    elif activation == GELU:
        for place in range(first, first + count):
            x = numbers[place]
            numbers[place] = x * _HALF * (_ONE + erf(x * _SQRT_HALF))
