"""How Python passes the arguments of a kernel: as a row of 64-bit words, in the order of its parameters.

array     the address of the numpy object, of which the kernel reads the address of the data and the shape
integer   itself; a truth value is 0 or 1
float     its bits in double precision
tuple     the words of its items, one after another
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

# The type of a parameter: "f4:2" is a two-dimensional array of float32, "f4" a number of float32; a tuple is a class of
# tuples and the types of its items.
Kind = str | tuple[Any, ...]

# Where the fields of a numpy array begin, as numpy's C interface has them: the address of the data, and, a number of
# dimensions later, that of the shape.
DATA_OFFSET = object.__basicsize__
SHAPE_OFFSET = DATA_OFFSET + 16


class _Array(NamedTuple):
    dtype: np.dtype[Any]
    dimensions: int


class _Struct(NamedTuple):
    items: tuple[Any, ...]


def parsed(kind: Kind) -> Any:
    """Return the type of a parameter in the form that `flatten` takes."""
    if isinstance(kind, tuple):
        return _Struct(tuple(parsed(item) for item in kind[1:]))
    dtype, _, dimensions = kind.partition(":")
    if dimensions:
        return _Array(np.dtype(dtype), int(dimensions))
    return {"i": int, "b": int, "f": _bits_of_float}[dtype[0]]


def _bits_of_float(number: float) -> int:
    bits: int = struct.unpack("q", struct.pack("d", number))[0]
    return bits


def flatten(kinds: Sequence[Any], values: Sequence[Any], words: list[int]) -> None:
    """Append the 64-bit words of arguments to a list.

    Raises:
        TypeError: an array has another dtype or number of dimensions, or is not C-contiguous.
    """
    for kind, value in zip(kinds, values, strict=True):
        if kind.__class__ is _Array:
            if (
                value.dtype != kind.dtype
                or value.ndim != kind.dimensions
                or not value.flags.c_contiguous
            ):
                raise TypeError(
                    f"a kernel takes a C-contiguous array of {kind.dtype} with {kind.dimensions} dimensions, not"
                    f" {value.dtype} of shape {value.shape}, strides {value.strides}"
                )
            words.append(id(value))
        elif kind.__class__ is _Struct:
            flatten(kind.items, value, words)
        else:
            words.append(kind(value))


@cache
def check_arrays() -> None:
    """Raise RuntimeError unless arrays have their fields where kernels read them."""
    known = np.zeros((2, 3), np.float32)
    data = ctypes.c_int64.from_address(id(known) + DATA_OFFSET).value
    shape = ctypes.c_int64.from_address(id(known) + SHAPE_OFFSET).value
    if data != known.ctypes.data or list((ctypes.c_int64 * 2).from_address(shape)) != [2, 3]:
        raise RuntimeError(
            f"numpy {np.__version__} lays its arrays out in another way than kernels read"
        )
