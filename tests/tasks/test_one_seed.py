"""One seed's training: resumed where it was cut off, told of what diverges, its order and updates."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from bnaparser.encoders import device
from bnaparser.errors import SettingsError, TrainingInterrupted
from bnaparser.settings import validate
from bnaparser.tasks import all_seeds, one_seed
from bnaparser.tasks.all_seeds import train
from bnaparser.tasks.data import Split
from bnaparser.tasks.model import TaskModel
from bnaparser.tasks.one_seed import PooledSampler, training_arguments, updates
from bnaparser.tasks.settings import TaskRecipe
from tests.interrupting import signal_at


def check_same_weights(first: Path, second: Path) -> None:
    """The models that two runs have stored are the same to the last digit."""
    one, other = (load_file(run / "model" / "model.safetensors") for run in (first, second))
    assert one.keys() == other.keys()
    assert all(torch.equal(tensor, other[name]) for name, tensor in one.items())


def test_an_interrupted_run_ends_at_the_same_weights(
    recipe: Callable[..., TaskRecipe],
    trained: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judge, calls = one_seed.development_scores, []

    def interrupted(recipe: TaskRecipe, split: Split, model: TaskModel) -> dict[str, float]:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return judge(recipe, split, model)

    whole = trained(eval_steps=3)
    monkeypatch.setattr(one_seed, "development_scores", interrupted)
    with pytest.raises(KeyboardInterrupt):
        train(recipe(eval_steps=3), tmp_path)
    assert (tmp_path / "seed-1" / "checkpoints" / "checkpoint-6").is_dir()
    train(recipe(eval_steps=3), tmp_path)
    assert len(calls) == 5  # those after 9 and 10 updates, the first time 3, 6 and 9
    check_same_weights(whole, tmp_path)


@pytest.mark.parametrize("line", ["update 1 of 10", "update 3: accuracy", "update 6: accuracy"])
def test_a_terminated_run_ends_at_the_same_weights(
    recipe: Callable[..., TaskRecipe], trained: Callable[..., Path], tmp_path: Path, line: str
) -> None:
    """Before the first check, after one, and in the second epoch."""
    with (
        pytest.raises(TrainingInterrupted, match="the same command resumes the run") as raised,
        signal_at(line),
    ):
        train(recipe(eval_steps=3), tmp_path)
    update = int(re.search(r"update (\d+)", str(raised.value))[1])  # type: ignore[index]
    assert (tmp_path / "seed-1" / "checkpoints" / f"checkpoint-{update}").is_dir()
    train(recipe(eval_steps=3), tmp_path)
    check_same_weights(trained(eval_steps=3), tmp_path)
    assert list((tmp_path / "seed-1" / "logs").glob("events.*"))


def test_a_fresh_run_keeps_the_earlier_model_under_another_name(
    recipe: Callable[..., TaskRecipe], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "bnaparser")
    train(recipe(max_steps=2), tmp_path)
    first = (tmp_path / "model" / "model.safetensors").read_bytes()
    with pytest.raises(TrainingInterrupted, match="no update was done"), signal_at("training on"):
        train(recipe(max_steps=3), tmp_path, fresh=True)
    assert f"the model of the earlier run is now in {tmp_path / 'model.1'}" in caplog.text
    assert (tmp_path / "model.1" / "model.safetensors").read_bytes() == first


def test_the_best_checkpoint_is_found_in_a_folder_that_was_moved(
    recipe: Callable[..., TaskRecipe],
    trained: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After the last update there was no other to find it again: the last one took its place."""

    def killed(*given: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(all_seeds, "_finish", killed)
        train(recipe(eval_steps=3), tmp_path / "first")
    moved = (tmp_path / "first").rename(tmp_path / "moved")
    train(recipe(eval_steps=3), moved)
    check_same_weights(trained(eval_steps=3), moved)


def test_a_processor_without_bfloat16_trains_in_float32_and_says_so(
    recipe: Callable[..., TaskRecipe],
    trained: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The recipe of the model that ships says "bf16": its 35 minutes would be a day there."""
    monkeypatch.setattr(device, "cpu_has_bfloat16", lambda: False)
    train(recipe(eval_steps=3, mixed_precision="bf16"), tmp_path)
    check_same_weights(trained(eval_steps=3), tmp_path)
    assert "cannot multiply bfloat16 numbers: the run computes in float32" in caplog.text


def test_half_written_checkpoints_are_passed_over(
    recipe: Callable[..., TaskRecipe], trained: Callable[..., Path], tmp_path: Path
) -> None:
    """What was killed while it wrote one could never be resumed."""
    whole = trained(eval_steps=3)
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
    shutil.rmtree(tmp_path / "seed-1")
    for update, left in ((3, None), (6, ""), (9, '{"epoch": 1')):
        half = tmp_path / "seed-1" / "checkpoints" / f"checkpoint-{update}"
        half.mkdir(parents=True)
        if left is not None:
            (half / "trainer_state.json").write_text(left)
    train(recipe(eval_steps=3), tmp_path)
    check_same_weights(whole, tmp_path)


def test_a_training_that_diverges_says_so(
    recipe: Callable[..., TaskRecipe], tmp_path: Path
) -> None:
    with pytest.raises(SettingsError, match=r"diverged.*smaller train.learning_rate"):
        train(recipe(learning_rate=1e30, warmup_ratio=0.0), tmp_path)


def test_of_several_gpus_the_first_one_trains(
    recipe: Callable[..., TaskRecipe], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each got a batch of its own, of twice the size together, and syntax did not fit any."""
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    found = training_arguments(recipe(device="cuda"), 1, tmp_path, total=5, check=2)
    assert (found.n_gpu, found.train_batch_size) == (1, 8)
    with pytest.raises(SettingsError, match=r"train\.device is cuda:1.*CUDA_VISIBLE_DEVICES"):
        training_arguments(recipe(device="cuda:1"), 1, tmp_path, total=5, check=2)


def test_a_batch_of_words_without_pieces_is_no_divergence(
    recipe_table: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    """The mean loss of no words was no number, and the run ended as one that had diverged."""
    data = tmp_path / "names.tsv"
    data.write_text("\u200b\tO\n\nMira\tB-PER\nsang\tO\n", encoding="utf-8")
    table = recipe_table("names", batch_size=1, max_steps=4)
    table["train"] |= {"data": [{"path": str(data)}], "dev": [{"path": str(data)}]}
    results = train(validate(TaskRecipe, {**table, "syntax": {}}, "test"), tmp_path / "run")
    assert 0 <= results["summary"]["dev"]["accuracy"]["mean"] <= 100


def test_how_many_updates(recipe: Callable[..., TaskRecipe]) -> None:
    settings = recipe(epochs=3.0, batch_size=8, eval_steps=None).train
    assert updates(settings, 40) == (15, 1)
    assert updates(settings, 4001) == (1503, 125)
    often = recipe(epochs=3.0, batch_size=8, eval_steps=None, evals_per_epoch=10).train
    assert updates(often, 4001) == (1503, 50)


def test_a_number_of_warm_up_steps_takes_the_place_of_their_fraction(
    recipe: Callable[..., TaskRecipe], tmp_path: Path
) -> None:
    for changes, steps in (({"warmup_ratio": 0.1}, 11), ({"warmup_steps": 0}, 0)):
        found = training_arguments(recipe(**changes), 1, tmp_path, total=105, check=2)
        assert found.warmup_steps == steps


def test_an_epoch_has_every_example_once_in_an_order_of_its_own(
    recipe: Callable[..., TaskRecipe],
) -> None:
    settings = recipe(batch_size=4, bucket_batches=5).train
    sizes = [(7 * n) % 30 for n in range(50)]

    def order_of(epoch: int) -> list[int]:
        return list(PooledSampler(sizes, settings, 1, lambda: epoch))

    assert order_of(0) != order_of(1)
    assert order_of(0) == order_of(0)
    for order in (order_of(0), order_of(1)):
        assert sorted(order) == list(range(50))
        batches = [[sizes[i] for i in order[at : at + 4]] for at in range(0, 48, 4)]
        spread = sum(max(batch) - min(batch) for batch in batches) / len(batches)
        assert spread < 10
