"""Matrices of few values, Huffman-coded: smaller on disk than their int8 numbers.

Knows no torch: a compiled parser reads them without.
"""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

# What stands behind the names of a matrix's scales, and of its numbers where they are coded.
SCALE, CODED = ":scale", ":coded"
# A matrix whose values are no smaller when they are coded is stored as it is: it is read faster.
_WORTH_CODING = 0.7


def code(matrix: NDArray[np.int8]) -> bytes | None:
    """Return an int8 matrix Huffman-coded (a raw deflate stream), or None where that gains little.

    The values of a row follow no pattern, so that to look for repetitions would only cost.
    """
    coder = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS, 9, zlib.Z_HUFFMAN_ONLY)
    coded = coder.compress(matrix.tobytes()) + coder.flush()
    return coded if len(coded) < _WORTH_CODING * matrix.size else None


def decode(coded: bytes, rows: int) -> NDArray[np.int8]:
    """Return the matrix that was coded. Raises ValueError where the bytes are not one of ``rows``.

    A Huffman code takes a bit a value at least: what unpacks to more, was not written here, and is not
    unpacked to its end.
    """
    most = 8 * len(coded)
    decoder = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        values = np.frombuffer(bytearray(decoder.decompress(coded, most + 1)), np.int8)
    except zlib.error as error:
        raise ValueError(f"a coded matrix: {error}") from error
    if len(values) > most or not decoder.eof:
        raise ValueError("a coded matrix is cut off, or unpacks to more than a code can hold")
    if rows == 0 or len(values) % rows:
        raise ValueError("a coded matrix has not the rows of its scales")
    return values.reshape(rows, -1)
