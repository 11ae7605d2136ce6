"""Matrices as int8 with one float32 scale a row, and those of few values as they are made small."""

from __future__ import annotations

import zlib

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

# What stands behind the names of a matrix's scales, and of its numbers where they are coded.
SCALE, CODED = ":scale", ":coded"
# Matrices smaller than this are not worth a scale a row.
SMALLEST = 16384
# A matrix whose values are no smaller when they are coded is stored as it is: it is read faster.
_WORTH_CODING = 0.7


def is_large_matrix(tensor: Tensor) -> bool:
    """Tell whether a tensor is stored as int8 where the matrices of a model are."""
    return tensor.is_floating_point() and tensor.dim() == 2 and tensor.numel() >= SMALLEST


def round_rows(matrix: Tensor, step: float | None = None) -> tuple[Tensor, Tensor]:
    """Return a float matrix (rows, columns) as int8, and its scales, float32 (rows, 1).

    Without ``step`` a row's largest number is 127. With it a row's scale is that share of its root
    mean square: few values are left, and few bits a weight once they are coded. 0.9 leaves some
    2.2 bits.
    """
    largest = matrix.abs().amax(dim=1, keepdim=True) / 127
    scale = largest
    if step is not None:
        scale = torch.maximum(matrix.square().mean(dim=1, keepdim=True).sqrt() * step, largest)
    scale = scale.clamp(min=1e-12 / 127)
    return (matrix / scale).round().to(torch.int8), scale


def code(matrix: NDArray[np.int8]) -> bytes | None:
    """Return an int8 matrix Huffman-coded (a raw deflate stream), or None where that gains little.

    The values of a row follow no pattern, so that to look for repetitions would only cost.
    """
    coder = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS, 9, zlib.Z_HUFFMAN_ONLY)
    coded = coder.compress(matrix.tobytes()) + coder.flush()
    return coded if len(coded) < _WORTH_CODING * matrix.size else None


def decode(coded: bytes, rows: int) -> NDArray[np.int8]:
    """Return the matrix that was coded. Raises ValueError where the bytes are not one of ``rows``."""
    try:
        values = np.frombuffer(bytearray(zlib.decompress(coded, -zlib.MAX_WBITS)), np.int8)
    except zlib.error as error:
        raise ValueError(f"a coded matrix: {error}") from error
    if rows == 0 or len(values) % rows:
        raise ValueError("a coded matrix has not the rows of its scales")
    return values.reshape(rows, -1)
