"""Weights of a model folder as tensors: float32, float16, or int8 with one float32 scale a row."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import save_file
from torch import Tensor

from bnaparser.compute.matrices import Matrix, RowScaled
from bnaparser.errors import DataError, ModelError, in_one_line
from bnaparser.files.matrices import CODED, SCALE, STORE, code, read_matrices
from bnaparser.files.tables import parse_json

# Matrices smaller than this are not worth a scale a row.
SMALLEST = 16384


def is_large_matrix(tensor: Tensor) -> bool:
    """Return whether a tensor is stored as int8 where the matrices of a model are."""
    return tensor.is_floating_point() and tensor.dim() == 2 and tensor.numel() >= SMALLEST


def round_rows(matrix: Tensor, step: float | None = None) -> tuple[Tensor, Tensor]:
    """Return a float matrix (rows, columns) as int8, and its scales, float32 (rows, 1).

    Without ``step`` a row's largest number is 127. With it a row is rounded to multiples of that fraction of its root mean
    square: few values are left, and few bits a weight once they are coded. 0.9 leaves some 2.2 bits. Then the scale is fitted
    to these int8 values by least squares. So a row that was rounded before keeps its scale; its root mean square would give
    a larger one (by 3 % with a step of 0.9), since rounding enlarges it.
    """
    scale = matrix.abs().amax(dim=1, keepdim=True) / 127
    if step is not None:
        scale = torch.maximum(matrix.square().mean(dim=1, keepdim=True).sqrt() * step, scale)
    scale = scale.clamp(min=1e-12 / 127)
    values = (matrix / scale).round()
    if step is not None:
        fitted = (matrix * values).sum(dim=1, keepdim=True) / values.square().sum(
            dim=1, keepdim=True
        )
        scale = torch.where(fitted > 0, fitted, scale)  # NaN for a row of zeros
    return values.to(torch.int8), scale


# Where the weights file says which tensors are others under a second name.
COPIES = "copies"


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Say in one sentence that a file cannot be written, whichever way the libraries put it."""
    try:
        yield
    except (SafetensorError, RuntimeError) as error:
        raise DataError(
            f"{path} cannot be written ({in_one_line(error)}): is the disk full?"
        ) from error


def write_weights(
    path: Path, tensors: dict[str, Tensor], store: str, step: float | None = None
) -> None:
    """Write a weights file; ``store`` is "float32", "float16" or "int8" (large matrices only).

    Tensors in bfloat16 are written as float32: numpy, which reads the file, has no bfloat16.
    ``step`` is that of `bnaparser.files.tensors.round_rows`.
    """
    once, copies = without_copies(tensors)
    metadata = {"format": "pt", STORE: store, COPIES: json.dumps(copies)}
    with writing(path):
        save_file(_pack(once, store, step), path, metadata)
        _sort_header(path)


def _sort_header(path: Path) -> None:
    """Sort the metadata of a weights file, so that the same tensors are the same bytes.

    The library writes metadata in a random order. A file is the header's length (8 bytes), the header (JSON) and
    the numbers. Sorting does not change the header's length.
    """
    with path.open("r+b") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size))
        header["__metadata__"] = dict(sorted(header["__metadata__"].items()))
        text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
        assert len(text) <= size
        file.seek(8)
        file.write(text.ljust(size))  # the header is filled up with blanks


def without_copies(tensors: dict[str, Tensor]) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Return the tensors on the CPU, each once, and the other names of tensors that have several
    names.

    T5 has its embeddings under two names; the file format takes no tensor twice.
    """
    once: dict[str, Tensor] = {}
    copies: dict[str, str] = {}
    names: dict[tuple[int, torch.Size], str] = {}
    for name, tensor in tensors.items():
        first = names.setdefault((tensor.data_ptr(), tensor.shape), name)
        if first == name:
            once[name] = tensor.detach().cpu().contiguous()
        else:
            copies[name] = first
    return once, copies


def _pack(tensors: dict[str, Tensor], store: str, step: float | None) -> dict[str, Tensor]:
    packed: dict[str, Tensor] = {}
    for name, given in tensors.items():
        tensor = given.float() if given.dtype == torch.bfloat16 else given
        if store == "float16" and tensor.is_floating_point():
            packed[name] = _half(name, tensor)
        elif store == "int8" and is_large_matrix(tensor):
            matrix, scale = round_rows(tensor, step)
            coded = code(matrix.numpy())
            if coded is None:
                packed[name] = matrix
            else:
                packed[f"{name}{CODED}"] = torch.frombuffer(bytearray(coded), dtype=torch.uint8)
            packed[f"{name}{SCALE}"] = scale
        else:
            packed[name] = tensor
    return packed


def _half(name: str, tensor: Tensor) -> Tensor:
    half = tensor.half()
    if bool((half.isinf() & tensor.isfinite()).any()):
        raise ModelError(f"{name} has values too large for float16: use --store float32")
    return half


def read_weights(path: Path) -> dict[str, Tensor]:
    """Read a weights file, in float32; ModelError if it is missing or damaged."""
    weights = read_matrices(path)
    tensors = {name: _in_float32(array) for name, array in weights.arrays.items()}
    try:
        copies = parse_json(weights.metadata.get(COPIES, "{}"))
        if not isinstance(copies, dict):
            raise TypeError("its table of second names is damaged")
        return tensors | {name: tensors[first] for name, first in copies.items()}
    except (ValueError, KeyError, TypeError) as error:
        raise ModelError(
            f"{path} is damaged or cut short ({error}); download or copy the model again"
        ) from error


def _in_float32(array: Matrix) -> Tensor:
    if isinstance(array, RowScaled):
        return torch.from_numpy(array.values) * torch.from_numpy(array.scales)[:, None]
    return torch.from_numpy(array)
