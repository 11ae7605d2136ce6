"""The order of a sentence's spans, as arrays and files of other rooms have it too.

A sentence of n words has n (n + 1) / 2 spans (start, end), 0 <= start < end <= n, and they are
packed by start, then end: ``(0, 1), (0, 2), ..., (0, n), (1, 2), ..., (n - 1, n)``. In a batch, one
sentence's spans follow those of the sentence before.

``span_count``, ``row_start`` and ``span_index`` are plain arithmetic: they take numbers or arrays of
int64, and ``kernels`` compiles them as they stand.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Float32s = NDArray[np.float32]
Float64s = NDArray[np.float64]
Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float32] | NDArray[np.float64]

Whole = TypeVar("Whole", int, Int64s)
"""A whole number, or many."""


def span_count(n: Whole) -> Whole:
    """Number of spans of a sentence of n words."""
    return n * (n + 1) // 2


def row_start(start: Whole, n: int) -> Whole:
    """``row_start(start, n) + end`` is the index of the span (start, end), for a loop over ends."""
    return start * n - start * (start - 1) // 2 - start - 1


def span_index(start: Whole, end: Whole, n: int) -> Whole:
    """Index of the span (start, end) among those of a sentence of n words."""
    return row_start(start, n) + end


def span_indices(n: int) -> tuple[Int64s, Int64s]:
    """Starts and ends of all spans of a sentence of n words, int64, in packed order."""
    starts = np.repeat(np.arange(n), np.arange(n, 0, -1))
    return starts, np.arange(span_count(n)) - row_start(starts, n)
