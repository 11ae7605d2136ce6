"""Weights files: the same tensors are the same bytes, whoever saves them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import torch

from bnaparser.files.tensors import read_weights, write_weights

SAVE = """
import sys, torch
from pathlib import Path
from transformers import BertConfig, BertForMaskedLM
from bnaparser.files.tensors import write_weights

torch.manual_seed(1)
sizes = dict(vocab_size=30, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8)
model = BertForMaskedLM(BertConfig(**sizes))
write_weights(Path(f"{sys.argv[1]}.safetensors"), model.state_dict(), "int8")
model.save_pretrained(sys.argv[1])
"""


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


def test_a_model_that_is_saved_by_another_process_is_the_same_bytes(tmp_path: Path) -> None:
    for name in ("first", "second"):
        subprocess.run([sys.executable, "-c", SAVE, str(tmp_path / name)], check=True)
    for file in (".safetensors", "/model.safetensors"):
        first, second = (Path(f"{tmp_path}/{name}{file}") for name in ("first", "second"))
        assert first.read_bytes() == second.read_bytes()
