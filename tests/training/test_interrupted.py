"""Ctrl-C and SIGTERM in a training: a checkpoint, from which the same command ends at the same weights."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from bnaparser.errors import TrainingInterrupted
from bnaparser.training.checkpoints import BEST, CHECKPOINT
from bnaparser.training.recipe import Recipe
from bnaparser.training.run import tensorboard_tag, train
from tests.interrupting import signal_at


def same(first: Path, second: Path) -> bool:
    ours, theirs = (load_file(file) for file in (first, second))
    return ours.keys() == theirs.keys() and all(torch.equal(ours[n], theirs[n]) for n in ours)


def same_runs(first: Path, second: Path) -> bool:
    """Whether two runs have ended with the same weights, and have kept the same model."""
    files = (f"{CHECKPOINT}/model.safetensors", f"{BEST}/model.safetensors")
    return all(same(first / file, second / file) for file in files)


@pytest.mark.parametrize("line", ["update 1 of 9", "update 2: scoring", "update 4:"])
def test_a_terminated_run_ends_as_if_nothing_had_happened(
    recipe: Callable[..., Recipe], tmp_path: Path, line: str
) -> None:
    """Before the first check, in the middle of one, and after one."""
    own = recipe(max_steps=9, plateau_patience=1, max_grad_norm=1.0)
    whole = train(own, tmp_path / "whole")
    with (
        pytest.raises(TrainingInterrupted, match="the same command resumes") as raised,
        signal_at(line),
    ):
        train(own, tmp_path / "cut")
    assert raised.value.signal == signal.SIGTERM
    resumed = train(own, tmp_path / "cut")
    assert same_runs(tmp_path / "cut", tmp_path / "whole")
    told = [[{**row, "seconds": 0} for row in one.history] for one in (whole, resumed)]
    assert told[0] == told[1]


def test_before_the_first_update_there_is_nothing_to_keep(
    recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    with (
        pytest.raises(TrainingInterrupted, match="no update was done, so there is nothing new"),
        signal_at("training on"),
    ):
        train(recipe(max_steps=2), tmp_path)
    assert not (tmp_path / CHECKPOINT).exists()
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_a_run_without_a_checkpoint_starts_anew_and_says_so(
    recipe: Callable[..., Recipe], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "bnaparser")
    with pytest.raises(TrainingInterrupted), signal_at("training on"):
        train(recipe(max_steps=2), tmp_path)
    assert "starting from scratch" not in caplog.text
    train(recipe(max_steps=2), tmp_path)
    assert f"starting from scratch: there is no checkpoint in {tmp_path}" in caplog.text


def test_a_fresh_run_keeps_the_earlier_model_under_another_name(
    recipe: Callable[..., Recipe], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The best model of the first run was gone when a fresh one had made its first check."""
    caplog.set_level("INFO", "bnaparser")
    train(recipe(max_steps=3), tmp_path)
    first = (tmp_path / BEST / "model.safetensors").read_bytes()
    for number in (1, 2):
        train(recipe(max_steps=1, seed=number), tmp_path, fresh=True)
        assert (
            f"the model of the earlier run is now in {tmp_path / f'model.{number}'}" in caplog.text
        )
    assert (tmp_path / "model.1" / "model.safetensors").read_bytes() == first
    assert (tmp_path / "model.2").is_dir()
    assert (tmp_path / BEST).is_dir()


@pytest.fixture
def keyboard() -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt, also where a shell has told its background jobs to ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_a_second_signal_ends_at_once(keyboard: None) -> None:
    """The second one does what it does without a training: here it is a KeyboardInterrupt."""
    from bnaparser.training.loop import interruptible

    with (
        pytest.raises(KeyboardInterrupt) as raised,
        interruptible() as interruption,
        interruption.waiting(),
    ):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)  # at the same moment: the same interrupt
        interruption._since -= 2
        signal.raise_signal(signal.SIGINT)
    assert not isinstance(raised.value, TrainingInterrupted)


def test_beside_the_main_thread_a_training_handles_no_signals(
    recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    updates: list[int] = []
    thread = threading.Thread(
        target=lambda: updates.append(train(recipe(max_steps=1), tmp_path).update)
    )
    thread.start()
    thread.join()
    assert updates == [1]


@pytest.mark.parametrize(
    ("score", "tag"),
    [
        ("f1", "f1"),
        ("fr_sequoia/dev.txt.xz f1", "fr_sequoia/dev/f1"),
        ("dev.mrg (genia) tags", "dev_genia/tags"),
    ],
)
def test_scores_have_tags_without_endings_of_files(score: str, tag: str) -> None:
    assert tensorboard_tag(score) == tag


def test_tensorboard_shows_loss_rates_and_scores(
    recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    train(recipe(max_steps=2, max_grad_norm=1.0), tmp_path)
    (file,) = (tmp_path / "logs").rglob("events.*")
    events = EventAccumulator(str(file))
    events.Reload()
    assert set(events.Tags()["scalars"]) == {
        "loss", "learning_rate/head", "gradient_norm", "tiny/f1", "f1",
    }  # fmt: skip
