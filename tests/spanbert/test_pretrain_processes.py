"""Pre-training in several processes: they stay together, and do what one would, killed or not."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from accelerate import Accelerator
from accelerate.state import AcceleratorState

from bnaparser.spanbert import pretraining
from bnaparser.spanbert.batch import Masker
from bnaparser.spanbert.pretraining import PretrainRun
from bnaparser.spanbert.settings import PretrainRecipe
from tests.two_processes import run_in_two


def pretrain_each(jobs: list[tuple[Any, str]], kill: bool) -> None:
    """Pre-train, in one of two processes, for each recipe and output.

    Beside each output stand the weights that this process ends with and the blocks that it masked for its updates.
    With ``kill`` the second process ends at its fourth update.
    """
    # Processes find each other once a launch: their group stays for the next training.
    AcceleratorState.destroy_process_group = lambda state: None
    runs: list[PretrainRun] = []
    seen: list[Any] = []
    rank = int(os.environ["RANK"])
    example, update, go = Masker.example, PretrainRun.update, PretrainRun.go

    def masked(masker: Masker, number: int, seed: tuple[int, ...]) -> Any:
        found = example(masker, number, seed)
        if seed[1] == pretraining.TRAINED:
            seen.append((number, *seed, *(one.ids.tolist() for one in found.masked)))
        return found

    def killed(self: PretrainRun, numbers: Any) -> Any:
        if self.progress.update == 4 and rank == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return update(self, numbers)

    def noted(self: PretrainRun) -> Any:
        runs.append(self)
        return go(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PretrainRun, "go", noted)
        patch.setattr(Masker, "example", masked)
        if kill:
            patch.setattr(PretrainRun, "update", killed)
        for recipe, output in jobs:
            seen.clear()
            progress = pretraining.pretrain(PretrainRecipe.model_validate(recipe), output)
            weights = runs[-1].parts.model.state_dict()
            ends = {"weights": weights, "seen": seen, "tokens": progress.tokens}
            torch.save(ends, f"{output}-{rank}")


# Of 42 blocks, or 98 of half the length, each epoch's last batch is one: fewer than the processes.
SIX: dict[str, Any] = {"pretrain": {"batch_size": 41, "batch_tokens": 400}}
PAIRS: dict[str, Any] = {"pretrain": {"batch_size": 97, "batch_tokens": 400}}
WANTED: dict[str, tuple[str, dict[str, Any]]] = {
    "all": ("bert", SIX),
    "words": ("bert", {"objectives": {"boundary_weight": 0.0}} | SIX),
    "next": ("bert", {"objectives": {"next_sentence": True}} | PAIRS),
    **{kind: (kind, {"pretrain": {"max_steps": 2}}) for kind in ("mpnet", "deberta-v2")},
}
DROPPING = {"encoder": {"dropout": 0.1}}
Ends = dict[str, list[dict[str, Any]]]
MakeRecipe = Callable[..., PretrainRecipe]


@pytest.fixture(scope="module")
def ends(tmp_path_factory: pytest.TempPathFactory, make_recipe: MakeRecipe) -> Ends:
    """What both processes have at the end of each run of one launch, after one that was killed."""
    folder = tmp_path_factory.mktemp("runs")

    def job(name: str, kind: str, tables: dict[str, Any]) -> tuple[Any, str]:
        return make_recipe(kind, **tables).model_dump(mode="json"), str(folder / name)

    killed = job("killed", "bert", DROPPING)
    assert not run_in_two(pretrain_each, [killed], True)
    progress = json.loads((folder / "killed/checkpoint/progress.json").read_text())
    assert progress["update"] == 3
    jobs = [job(name, *wanted) for name, wanted in WANTED.items()]
    jobs += [job("whole", "bert", DROPPING), killed]
    assert run_in_two(pretrain_each, jobs, False)
    names = [Path(output).name for _, output in jobs]
    return {name: [torch.load(folder / f"{name}-{rank}") for rank in range(2)] for name in names}


def equal(first: dict[str, torch.Tensor], second: dict[str, torch.Tensor]) -> bool:
    return first.keys() == second.keys() and all(
        torch.equal(tensor, second[name]) for name, tensor in first.items()
    )


@pytest.mark.parametrize("name", WANTED)
def test_both_processes_end_at_the_same_weights(ends: Ends, name: str) -> None:
    first, second = ends[name]
    assert equal(first["weights"], second["weights"])
    assert first["tokens"] == second["tokens"] > 0


def test_a_run_of_two_that_was_killed_ends_at_the_weights_of_one_that_was_not(ends: Ends) -> None:
    """SIGKILL for one process after the update that follows a checkpoint; dropout is on."""
    for killed, whole in zip(ends["killed"], ends["whole"], strict=True):
        assert equal(killed["weights"], whole["weights"])
        assert len(killed["seen"]) < len(whole["seen"])


@pytest.mark.parametrize("name", ["all", "words", "next"])
def test_two_processes_mask_and_learn_what_one_does(
    ends: Ends, name: str, make_recipe: MakeRecipe, tmp_path: Path
) -> None:
    kind, tables = WANTED[name]
    run = PretrainRun(make_recipe(kind, **tables), tmp_path, Accelerator(cpu=True))
    seen = []
    for number in range(6):
        batch = next(run._batches_left())
        seed = (run.settings.seed, 0, run.epoch)
        examples = [run.parts.masker.example(int(block), seed) for block in batch]
        seen += [
            (int(block), *seed, *(part.ids.tolist() for part in one.masked))
            for block, one in zip(batch, examples, strict=True)
        ]
        assert run.update(run.masked(batch)) > 0, number
    assert len(run.trained) % run.settings.batch_size == 1
    first, second = ends[name]
    theirs = [*first["seen"], *second["seen"]]
    assert len(theirs) > len(seen)
    assert {repr(one) for one in theirs} == {repr(one) for one in seen}
    assert first["tokens"] == run.progress.tokens
    for key, weight in run.parts.model.state_dict().items():
        if not key.endswith("key.bias"):  # softmax takes it out: its gradient is rounding noise
            assert torch.allclose(first["weights"][key], weight, atol=2e-4), key
