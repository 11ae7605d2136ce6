"""Matrices rounded to int8 with one float32 scale a row."""

from __future__ import annotations

import torch
from torch import Tensor

# Matrices smaller than this are not worth a scale a row.
SMALLEST = 16384


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
