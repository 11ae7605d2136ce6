"""Training in several processes, as on several GPUs: they stay together, and do what one would."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from bnaparser.training.recipe import load_recipe
from bnaparser.training.run import train

# Of sixty sentences a batch of 59 leaves one, fewer than there are processes.
RECIPE = """
[encoder]
name = "{encoder}"
dropout = 0.0
[layers]
kinds = ["bimsa"]
width = 16
heads = 2
head_width = 8
feed_forward_width = 32
residual_dropout = 0.0
feed_forward_dropout = 0.0
attention_dropout = 0.0
[train]
data = [{{ path = "{treebank}" }}]
dev = [{{ path = "{treebank}" }}]
dev_sentences = 2
batch_size = 59
batch_tokens = 400
warmup_updates = 0
threads = 1
"""
# Each process leaves its progress and weights in a file of its own.
SCRIPT = """
import os, sys
from dataclasses import asdict
import torch
from bnaparser.training import run
from bnaparser.training.recipe import load_recipe

recipe, output, *overrides = sys.argv[1:]
runs = []
go = run.Run.go
run.Run.go = lambda run: (runs.append(run), go(run))
progress = run.train(load_recipe(recipe, tuple(overrides)), output)
state = {"progress": asdict(progress), "weights": runs[0].model.state_dict()}
torch.save(state, os.path.join(output, os.environ["RANK"]))
"""


@pytest.fixture
def recipe(tmp_path: Path, treebank: Path, encoder_folder: Callable[[str], Path]) -> Path:
    file = tmp_path / "recipe.toml"
    file.write_text(RECIPE.format(encoder=encoder_folder("bert"), treebank=treebank))
    return file


def train_in_two(recipe: Path, output: Path, *overrides: str) -> list[dict[str, Any]]:
    """Train in two processes; return what each has at the end."""
    script = recipe.with_name("script.py")
    script.write_text(SCRIPT)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2"]
    command += [f"--master-port={port}", str(script), str(recipe), str(output), *overrides]
    on_cpu = os.environ | {"ACCELERATE_USE_CPU": "true", "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=300, env=on_cpu
    )
    assert done.returncode == 0, done.stderr
    return [torch.load(output / str(rank)) for rank in range(2)]


def test_scores_mean_the_same_to_all(recipe: Path, tmp_path: Path) -> None:
    """Only one process scores; the others must learn what it means for learning rate and end."""
    settings = {
        "schedule": '"plateau"', "plateau_checks": 1, "stop_after_epochs": 3, "epochs": 20,
        "learning_rate": 1e-12, "checks_per_epoch": 1,
    }  # fmt: skip
    overrides = [f"train.{name}={value}" for name, value in settings.items()]
    first, second = train_in_two(recipe, tmp_path / "run", *overrides)
    for one in first, second:
        del one["progress"]["seconds"]  # since the last score
    assert first["progress"] == second["progress"]
    assert first["progress"]["learning_rate_factor"] < 1
    assert first["progress"]["update"] < 40


def test_two_processes_train_as_one_does(recipe: Path, tmp_path: Path) -> None:
    overrides = ("train.max_updates=6", "train.learning_rate=1e-3", "train.seed=3")
    first, second = train_in_two(recipe, tmp_path / "two", *overrides)
    for name, weight in first["weights"].items():
        assert torch.equal(weight, second["weights"][name]), name
    train(load_recipe(recipe, overrides), tmp_path / "one")
    alone = load_file(tmp_path / "one/checkpoint/model.safetensors")
    for name, weight in alone.items():
        if name.endswith(("key.bias", "layers.0.feed_forward_norm.bias")):
            # Softmax, or the difference of two ends, takes it out: all that its gradient holds is
            # rounding noise, which Adam makes large.
            continue
        assert torch.allclose(first["weights"][name.removeprefix("model.")], weight, atol=2e-4), (
            name
        )
