"""Stored weights made ready for compiled products, each taken by its name."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnaparser.compute.matrices import (
    NO_ACTIVATION,
    Floats,
    Matrix,
    PackedBytes,
    PackedFloats,
    RowScaled,
    as_floats,
    multiply,
    normalise,
    pack_bytes,
    pack_floats,
    shape_of_matrix,
    stacked,
)
from bnaparser.errors import ModelError


@dataclass(frozen=True)
class Affine:
    """A linear map: ``x W' + b``, then an activation."""

    matrix: PackedFloats | PackedBytes
    bias: Floats

    def __call__(self, rows: Floats, activation: int = NO_ACTIVATION) -> Floats:
        """Map float32 (rows, inputs) to (rows, outputs)."""
        return multiply(rows, self.matrix, self.bias, activation)


@dataclass(frozen=True)
class Norm:
    """Layer normalisation."""

    gain: Floats
    bias: Floats
    epsilon: np.float32

    def __call__(self, rows: Floats, added: Floats) -> Floats:
        """Return the norm of ``rows + added``, float32 (rows, width)."""
        out = np.empty_like(rows)
        normalise(rows, added, self.gain, self.bias, self.epsilon, out)
        return out


@dataclass(frozen=True)
class RowTable:
    """A table of vectors, such as embeddings; int8 where it is stored so."""

    stored: Matrix

    def rows(self, numbers: NDArray[np.int64]) -> Floats:
        """Return vectors by their numbers: float32 (numbers, width)."""
        if isinstance(self.stored, RowScaled):
            return as_floats(RowScaled(self.stored.values[numbers], self.stored.scales[numbers]))
        return self.stored[numbers]


class StoredWeights:
    """The weights of a model by their names; ``in_int8`` says which products they are made for.

    What is requested is checked: compiled loops trust sizes. Raises ModelError, which names the weight.
    """

    def __init__(self, matrices: dict[str, Matrix], in_int8: bool, source: str):
        self._matrices = matrices
        self.in_int8 = in_int8
        self._source = source

    def __contains__(self, name: str) -> bool:
        return name in self._matrices

    def affine(self, inputs: int, outputs: int, *names: str) -> Affine:
        """Make one linear map of one or several layers of the same sizes that have the same input."""
        matrices = [self.matrix(f"{name}.weight", outputs, inputs) for name in names]
        bias = [
            self.array(f"{name}.bias", outputs)
            if f"{name}.bias" in self
            else np.zeros(outputs, np.float32)
            for name in names
        ]
        return self.made(matrices, np.concatenate(bias))

    def made(self, matrices: list[Matrix], bias: Floats) -> Affine:
        """Make one linear map of matrices, stacked by rows."""
        matrix = stacked(matrices, self.in_int8)
        return Affine(pack_bytes(matrix) if self.in_int8 else pack_floats(matrix), bias)

    def norm(self, width: int, name: str, epsilon: float = 1e-5) -> Norm:
        """Return a layer norm; the default is PyTorch's."""
        gain, bias = (self.array(f"{name}.{part}", width) for part in ("weight", "bias"))
        return Norm(gain, bias, np.float32(epsilon))

    def table(self, name: str, rows: int, width: int) -> RowTable:
        """Return a table of vectors."""
        return RowTable(self.matrix(name, rows, width))

    def array(self, name: str, *shape: int) -> Floats:
        """Return an array in float32."""
        return as_floats(self.matrix(name, *shape))

    def matrix(self, name: str, *shape: int) -> Matrix:
        """Return an array or matrix as it is stored."""
        found = self._matrices.get(name)
        if found is None:
            raise ModelError(f"{self._source}: there is no {name}")
        if shape_of_matrix(found) != shape:
            has = shape_of_matrix(found)
            raise ModelError(f"{self._source}: {name} is {has}, not {shape}")
        return found


def signed(matrix: Matrix, signs: Floats) -> Matrix:
    """Return a matrix with each column times its sign, 1 or -1."""
    if isinstance(matrix, RowScaled):
        return RowScaled(matrix.values * signs.astype(np.int8), matrix.scales)
    return matrix * signs
