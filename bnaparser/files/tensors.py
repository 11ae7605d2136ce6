"""Tensors and JSON of a model folder: float32, float16, or int8 with one float32 scale a row."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from bnaparser.errors import DataError, ModelError, in_one_line

# Where the weights file says which tensors are others under a second name.
COPIES = "copies"
# Matrices smaller than this are not worth a scale a row.
SMALLEST_INT8 = 16384


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Say in one sentence that a file cannot be written, whichever way the libraries put it."""
    try:
        yield
    except (SafetensorError, RuntimeError) as error:
        raise DataError(
            f"{path} cannot be written ({in_one_line(error)}): is the disk full?"
        ) from error


def write_weights(path: Path, tensors: dict[str, Tensor], store: str) -> None:
    """Write a weights file; ``store`` is "float32", "float16" or "int8" (large matrices only)."""
    once, copies = without_copies(tensors)
    metadata = {"format": "pt", "store": store, COPIES: json.dumps(copies)}
    with writing(path):
        save_file(_pack(once, store), path, metadata)


def without_copies(tensors: dict[str, Tensor]) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Return the tensors on the CPU, each once, and the other names of those that have several.

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


def _pack(tensors: dict[str, Tensor], store: str) -> dict[str, Tensor]:
    packed: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        if store == "float16" and tensor.is_floating_point():
            packed[name] = tensor.half()
        elif store == "int8" and _is_large_matrix(tensor):
            scale = tensor.abs().amax(dim=1, keepdim=True).clamp(min=1e-12) / 127
            packed[name] = (tensor / scale).round().to(torch.int8)
            packed[f"{name}:scale"] = scale
        else:
            packed[name] = tensor
    return packed


def _is_large_matrix(tensor: Tensor) -> bool:
    return tensor.is_floating_point() and tensor.dim() == 2 and tensor.numel() >= SMALLEST_INT8


def read_weights(path: Path) -> dict[str, Tensor]:
    """Read a weights file, in float32; ModelError where it is missing or damaged."""
    tensors: dict[str, Tensor] = {}
    try:
        with safe_open(path, framework="pt") as file:
            for name in file.keys():  # noqa: SIM118 (not a mapping)
                if name.endswith(":scale"):
                    continue
                tensor = file.get_tensor(name)
                if tensor.dtype == torch.int8:
                    scale = file.get_tensor(f"{name}:scale")
                    if scale.shape != (len(tensor), 1):
                        raise ValueError(f"{name}:scale has not one number a row")
                    tensor = tensor * scale
                tensors[name] = tensor.float() if tensor.is_floating_point() else tensor
            copies = json.loads((file.metadata() or {}).get(COPIES, "{}"))
            if not isinstance(copies, dict):
                raise TypeError("its second names are no table")
            tensors.update({name: tensors[first] for name, first in copies.items()})
    except FileNotFoundError as error:
        raise ModelError(f"{path} is missing; the folder is not a complete model") from error
    except (SafetensorError, OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(
            f"{path} is damaged or cut short ({error}); get the model again"
        ) from error
    return tensors
