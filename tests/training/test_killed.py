"""A training in a process of its own: Ctrl-C and SIGKILL change nothing of its end."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from bnaparser.cli import main
from bnaparser.training.checkpoints import BEST, CHECKPOINT, PROGRESS
from bnaparser.training.recipe import load_recipe
from bnaparser.training.run import train

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
batch_size = 4
max_steps = 60
evals_per_epoch = 1
learning_rate = 5e-3
seed = 3
threads = 1
"""


def start(recipe: Path, output: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "bnaparser", "train", str(recipe), "--output", str(output)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"OMP_WAIT_POLICY": "passive"},
    )


def read_until(process: subprocess.Popen[str], line: str) -> str:
    """Return what a process has told by the time that it has told a line."""
    assert process.stderr is not None
    told = ""
    while line not in told:
        new = process.stderr.readline()
        assert new, told
        told += new
    return told


def test_a_run_that_is_interrupted_and_then_killed_ends_at_the_same_weights(
    treebank: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    recipe, cut = tmp_path / "recipe.toml", tmp_path / "cut"
    recipe.write_text(RECIPE.format(treebank=treebank), encoding="utf-8")
    interrupted = start(recipe, cut)
    told = read_until(interrupted, "update 1 of 60")
    interrupted.send_signal(signal.SIGINT)
    interrupted.send_signal(signal.SIGINT)  # `timeout -s INT` sends it to the group as well
    _, errors = interrupted.communicate(timeout=300)
    assert interrupted.returncode == 130, errors
    assert f"reading the data of {recipe}; output in {cut}\n" in told
    assert re.search(
        r"training on cpu \(1 thread\): 60 sentences, [\d,]+ parameters, 60 updates \(4 epochs\),"
        rf" a check every 15 updates; output in {cut}\n",
        told,
    )
    update = json.loads((cut / CHECKPOINT / PROGRESS).read_text())["update"]
    assert f"interrupted: the checkpoint of update {update} is in {cut / CHECKPOINT};" in errors
    assert "Traceback" not in errors

    killed = start(recipe, cut)
    assert f"resumed after update {update}" in read_until(killed, "update 30:")
    killed.kill()
    killed.communicate()
    update = json.loads((cut / CHECKPOINT / PROGRESS).read_text())["update"]
    assert 15 <= update < 60

    assert main(["train", str(recipe), "--output", str(cut)]) == 0
    assert f"resumed after update {update}" in caplog.text
    assert re.search(r"update 60 of 60, loss [\d.]+, .* in all\n", caplog.text)
    train(load_recipe(recipe), tmp_path / "whole")
    for name in (CHECKPOINT, BEST):
        ours, theirs = (
            load_file(tmp_path / run / name / "model.safetensors") for run in ("cut", "whole")
        )
        assert ours.keys() == theirs.keys()
        assert all(torch.equal(tensor, theirs[key]) for key, tensor in ours.items())
