"""Weights files: the same tensors are the same bytes, whoever saves them."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from bnaparser.errors import ModelError
from bnaparser.files.tensors import read_weights, write_weights


def test_the_same_tensors_are_the_same_bytes(tmp_path: Path) -> None:
    """The metadata stood in a random order."""
    matrix = torch.arange(65536.0).reshape(256, 256)
    tensors = {"naïve": matrix, "again": matrix, "short": torch.ones(3), "number": torch.tensor(4)}
    path = tmp_path / "model.safetensors"
    written = set()
    for _ in range(12):
        write_weights(path, tensors, "int8")
        written.add(path.read_bytes())
    assert len(written) == 1
    read = read_weights(path)
    assert list(read["again"].shape) == [256, 256] and read["number"] == 4
    assert (read["naïve"] - matrix).abs().max() < 300


def test_float16_has_no_number_above_65504(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    write_weights(path, {"large": torch.tensor([65504.0, float("inf")])}, "float16")
    assert read_weights(path)["large"].tolist() == [65504.0, float("inf")]
    with pytest.raises(ModelError, match="larger has values too large for float16"):
        write_weights(path, {"larger": torch.tensor([70_000.0])}, "float16")
