"""Training in several processes, as on several GPUs: they stay together, and do what one would."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import torch
from accelerate.state import AcceleratorState
from safetensors.torch import load_file

from bnaparser.network import storage
from bnaparser.network.model import BnaModel
from bnaparser.training.recipe import load_recipe
from bnaparser.training.run import Run, train
from tests.two_processes import run_in_two

# Of sixty sentences a batch of 59 leaves one, fewer than there are processes.
RECIPE = """
[encoder]
name = "{encoder}"
dropout = 0.0
[layers]
layer_types = ["bimsa"]
hidden_size = 16
num_attention_heads = 2
head_dim = 8
intermediate_size = 32
residual_dropout = 0.0
feed_forward_dropout = 0.0
attention_dropout = 0.0
[train]
data = [{{ path = "{treebank}" }}]
dev = [{{ path = "{treebank}" }}]
dev_sentences = 2
batch_size = 59
batch_tokens = 400
warmup_steps = 0
threads = 1
"""
SCORED = {
    "lr_scheduler_type": '"reduce_lr_on_plateau"', "plateau_patience": 1, "early_stopping_epochs": 3, "epochs": 20,
    "learning_rate": 1e-12, "evals_per_epoch": 1,
}  # fmt: skip
SIX_UPDATES = {"max_steps": 6, "learning_rate": 1e-3, "seed": 3}
TWO_UPDATES = {"max_steps": 2}
KINDS = ["bert", "t5", "xlnet"]
Ends = dict[str, list[dict[str, Any]]]


def train_each(trainings: list[tuple[str, str, list[str]]]) -> None:
    """Train, in one of two processes, for each recipe, output and settings; leave progress and weights there."""
    # Processes find each other once a launch: their group stays for the next training.
    AcceleratorState.destroy_process_group = lambda state: None
    runs: list[Run] = []
    go = Run.go

    def noted(self: Run) -> Any:
        runs.append(self)
        return go(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Run, "go", noted)
        for recipe, output, settings in trainings:
            progress = train(load_recipe(recipe, tuple(settings)), output)
            state = {"progress": asdict(progress), "weights": runs[-1].model.state_dict()}
            torch.save(state, Path(output) / os.environ["RANK"])


def overrides(settings: dict[str, Any]) -> list[str]:
    return [f"train.{name}={value}" for name, value in settings.items()]


@pytest.fixture(scope="module")
def recipe(
    tmp_path_factory: pytest.TempPathFactory, treebank: Path, encoder_folder: Callable[[str], Path]
) -> Callable[[str], Path]:
    """A function from a kind of encoder to a recipe."""
    folder = tmp_path_factory.mktemp("recipes")

    def write(kind: str) -> Path:
        file = folder / f"{kind}.toml"
        file.write_text(RECIPE.format(encoder=encoder_folder(kind), treebank=treebank))
        return file

    return write


@pytest.fixture(scope="module")
def taught(
    tmp_path_factory: pytest.TempPathFactory, build_model: Callable[..., BnaModel]
) -> dict[str, Any]:
    """Settings of a training with a teacher, which knows nothing."""
    folder = tmp_path_factory.mktemp("teacher")
    storage.save(build_model("roberta"), folder / "model", "float32", {})
    return {**SIX_UPDATES, "teacher": json.dumps([str(folder / "model")])}


@pytest.fixture(scope="module")
def ends(
    tmp_path_factory: pytest.TempPathFactory,
    recipe: Callable[[str], Path],
    taught: dict[str, Any],
) -> Ends:
    """What both processes have at the end of each training, all done in one launch."""
    folder = tmp_path_factory.mktemp("runs")
    wanted: dict[str, tuple[str, dict[str, Any]]]
    wanted = {"scored": ("bert", SCORED), "six": ("bert", SIX_UPDATES), "taught": ("bert", taught)}
    wanted |= {kind: (kind, TWO_UPDATES) for kind in KINDS}
    trainings = [
        (str(recipe(kind)), str(folder / name), overrides(settings))
        for name, (kind, settings) in wanted.items()
    ]
    assert run_in_two(train_each, trainings)
    return {name: [torch.load(folder / name / str(rank)) for rank in range(2)] for name in wanted}


def test_scores_mean_the_same_to_all(ends: Ends) -> None:
    """Only one process scores; the others must learn what it means for learning rate and end."""
    first, second = ({**one["progress"], "seconds": 0} for one in ends["scored"])
    assert first == second  # but the seconds since the last score
    assert first["learning_rate_factor"] < 1
    assert first["update"] < 40


def test_kinds_of_encoders_train_in_two_processes(ends: Ends) -> None:
    """XLNet has weights for masked words, which nothing here reads: they got no gradient."""
    for kind in KINDS:
        first, second = ends[kind]
        assert first["progress"]["update"] == 2, kind
        for name, weight in first["weights"].items():
            assert torch.equal(weight, second["weights"][name]), (kind, name)


@pytest.mark.parametrize("name", ["six", "taught"])
def test_two_processes_train_as_one_does(
    ends: Ends,
    recipe: Callable[[str], Path],
    taught: dict[str, Any],
    tmp_path: Path,
    name: str,
) -> None:
    first, second = ends[name]
    for key, weight in first["weights"].items():
        assert torch.equal(weight, second["weights"][key]), key
    settings = {"six": SIX_UPDATES, "taught": taught}[name]
    train(load_recipe(recipe("bert"), tuple(overrides(settings))), tmp_path / "one")
    alone = load_file(tmp_path / "one/checkpoint/model.safetensors")
    for key, weight in alone.items():
        if key.endswith(("key.bias", "layers.0.feed_forward_norm.bias")):
            # Softmax, or the difference of two ends, takes it out: all that its gradient holds is
            # rounding noise, which Adam makes large.
            continue
        assert torch.allclose(first["weights"][key.removeprefix("model.")], weight, atol=2e-4), key
