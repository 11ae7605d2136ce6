"""Training in processes of its own: a seed fixes the weights, and SIGKILL changes nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

RECIPE = """
[encoder]
character_width = 8
[layers]
hidden_size = 16
num_attention_heads = 2
head_dim = 8
intermediate_size = 32
[tags]
predict = true
[train]
data = [{{ path = "{treebank}" }}]
dev = [{{ path = "{treebank}" }}]
dev_sentences = 8
batch_size = 16
max_steps = 40
learning_rate = 5e-3
warmup_steps = 2
evals_per_epoch = 1
seed = 3
threads = 2
"""

Start = Callable[[Path], subprocess.Popen[bytes]]


@pytest.fixture
def start(treebank: Path, tmp_path: Path) -> Start:
    """A function that starts the recipe in a process of its own, writing to a folder."""
    file = tmp_path / "recipe.toml"
    file.write_text(RECIPE.format(treebank=treebank), encoding="utf-8")

    def run(output: Path) -> subprocess.Popen[bytes]:
        command = [
            sys.executable,
            "-m",
            "bnaparser",
            "train",
            str(file),
            "--output",
            str(output),
        ]
        # Threads that wait sleep: on a busy machine they would take the time from each other.
        environment = os.environ | {"OMP_WAIT_POLICY": "passive"}
        return subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment
        )

    return run


def finish(process: subprocess.Popen[bytes]) -> str:
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors.decode()
    return errors.decode()


def kill_after_first_checkpoint(process: subprocess.Popen[bytes], output: Path) -> int:
    """Kill a run once it has left a checkpoint; return the update of that checkpoint."""
    file = output / "checkpoint" / "progress.json"
    while not file.exists():
        assert process.poll() is None, process.communicate()[1].decode()
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    update: int = json.loads(file.read_text(encoding="utf-8"))["update"]
    return update


def test_a_killed_run_and_one_that_was_not_end_at_the_same_weights(
    start: Start, tmp_path: Path
) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    finish(start(whole))
    update = kill_after_first_checkpoint(start(killed), killed)
    assert update < 40
    assert f"resumed after update {update}" in finish(start(killed))
    for name in ("checkpoint", "model"):
        first, second = (load_file(path / name / "model.safetensors") for path in (whole, killed))
        assert first.keys() == second.keys()
        assert all(torch.equal(tensor, second[key]) for key, tensor in first.items())
