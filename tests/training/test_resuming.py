"""A run that was interrupted ends as if nothing had happened; another recipe's is told apart."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file

from bnaparser.encoders.encoder_settings import EncoderSettings
from bnaparser.errors import DataError, ModelError, SettingsError
from bnaparser.files.folder import WEIGHTS, only_one
from bnaparser.network.model_settings import LayerSettings
from bnaparser.training.checkpoints import BEST, CHECKPOINT, NEW, RECIPE
from bnaparser.training.recipe import DataSettings, Recipe
from bnaparser.training.run import train
from bnaparser.training.setup import TrainingSentence
from bnaparser.training.update import Updater


def weights(output: Path) -> dict[str, torch.Tensor]:
    return load_file(output / CHECKPOINT / "model.safetensors")


def equal(first: dict[str, torch.Tensor], second: dict[str, torch.Tensor]) -> bool:
    return first.keys() == second.keys() and all(
        torch.equal(tensor, second[name]) for name, tensor in first.items()
    )


def scores_only(history: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: row[key] for key in row if key != "seconds"} for row in history]


def test_a_seed_fixes_the_run(recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    runs = {"one": 3, "two": 3, "three": 4}
    for name, seed in runs.items():
        train(recipe(max_steps=3, seed=seed), tmp_path / name)
    one, two, three = (weights(tmp_path / name) for name in runs)
    assert equal(one, two)
    assert not equal(one, three)


def test_settings_that_came_since_a_run_was_begun_are_no_other_recipe(
    recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    train(recipe(max_steps=2), tmp_path)
    file = tmp_path / RECIPE
    begun = json.loads(file.read_text(encoding="utf-8"))
    del begun["layers"]["residual"], begun["tags"]["init_std"]
    file.write_text(json.dumps(begun), encoding="utf-8")
    assert train(recipe(max_steps=3), tmp_path).update == 3
    begun["layers"]["num_attention_heads"] = 4
    file.write_text(json.dumps(begun), encoding="utf-8")
    with pytest.raises(SettingsError, match="which differs in layers"):
        train(recipe(max_steps=4), tmp_path)


class KilledError(Exception):
    pass


def kill_at(monkeypatch: pytest.MonkeyPatch, update: int) -> None:
    """Let training fail before an update, as if the process had been killed there."""
    work = Updater.update

    def fragile(self: Updater, batch: list[TrainingSentence], number: int) -> float:
        if number == update:
            raise KilledError
        return work(self, batch, number)

    monkeypatch.setattr(Updater, "update", fragile)


@pytest.mark.parametrize(
    ("kind", "loss"), [("characters", "hinge"), ("characters", "crf"), ("bert", "hinge")]
)
def test_a_killed_run_ends_as_if_nothing_had_happened(
    recipe: Callable[..., Recipe],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    encoder_folder: Callable[[str], Path],
    kind: str,
    loss: str,
) -> None:
    name = None if kind == "characters" else str(encoder_folder(kind))
    encoder = EncoderSettings(name=name, character_width=8)
    own = recipe(encoder, max_steps=9, plateau_patience=1, loss=loss)
    whole = train(own, tmp_path / "whole")
    for update in (3, 7):  # in the first epoch and in the second, each past a checkpoint
        with monkeypatch.context() as patch:
            kill_at(patch, update)
            with pytest.raises(KilledError):
                train(own, tmp_path / "killed")
    resumed = train(own, tmp_path / "killed")
    assert resumed.update == whole.update == 9
    assert scores_only(resumed.history) == scores_only(whole.history)
    assert equal(weights(tmp_path / "killed"), weights(tmp_path / "whole"))
    best = [load_file(tmp_path / name / BEST / WEIGHTS) for name in ("killed", "whole")]
    assert equal(*best)


def test_a_finished_run_is_not_trained_on(recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    own = recipe(max_steps=2)
    first, again = train(own, tmp_path), train(own, tmp_path)
    assert scores_only(again.history) == scores_only(first.history)


def test_a_run_killed_while_checkpoints_change_places_is_resumed(
    recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    own = recipe(max_steps=2)
    train(own, tmp_path)
    (tmp_path / CHECKPOINT).rename(tmp_path / NEW)
    longer = train(recipe(max_steps=4), tmp_path)
    assert [row["update"] for row in longer.history] == [2, 4]
    assert not (tmp_path / NEW).exists()


def test_a_half_written_checkpoint_is_passed_over(
    recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    train(recipe(max_steps=2), tmp_path)
    before = weights(tmp_path)
    shutil.copytree(tmp_path / CHECKPOINT, tmp_path / NEW)
    (tmp_path / NEW / "progress.json").unlink()
    (tmp_path / NEW / "model.safetensors").write_bytes(b"half")
    train(recipe(max_steps=2), tmp_path)
    assert equal(weights(tmp_path), before)


def test_a_fresh_run_starts_over_and_keeps_its_logs(
    recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    train(recipe(max_steps=2), tmp_path)
    (tmp_path / NEW).mkdir()
    for name in (".checkpoint.old", ".model.new", ".model.old"):  # a killed run's
        (tmp_path / name).mkdir()
    progress = train(recipe(max_steps=1), tmp_path, fresh=True)
    assert not list(tmp_path.glob(".*"))
    assert [row["update"] for row in progress.history] == [1]
    assert not (tmp_path / NEW).exists()
    assert len(list((tmp_path / "logs").rglob("events.*"))) == 1


def test_a_fresh_run_that_cannot_begin_takes_nothing_away(
    recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    """After a typo in the recipe the old model was gone."""
    train(recipe(max_steps=1), tmp_path)
    before = sorted(tmp_path.rglob("*"))
    typo = DataSettings(path=str(tmp_path / "typo.mrg"))
    wrong: list[dict[str, Any]] = [{"data": (typo,)}, {"start": "typo"}]
    for changes, mistake in zip(wrong, (DataError, ModelError), strict=True):
        with pytest.raises(mistake):
            train(recipe(**changes), tmp_path, fresh=True)
        assert sorted(tmp_path.rglob("*")) == before


def test_a_fresh_run_leaves_the_users_own_files_alone(
    recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    """``bnaparser train recipe.toml --output . --fresh`` took the recipe and all else with it."""
    (tmp_path / "recipe.toml").touch()
    (tmp_path / "trees").mkdir()
    train(recipe(max_steps=1), tmp_path, fresh=True)
    names = {file.name for file in tmp_path.iterdir()}
    assert names == {"recipe.toml", "recipe.json", "trees", "checkpoint", "model", "logs"}


def test_a_checkpoint_of_another_recipe_is_told_apart(
    recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    train(recipe(max_steps=1), tmp_path)
    wider = LayerSettings(hidden_size=32, num_attention_heads=2, head_dim=8, intermediate_size=32)
    with pytest.raises(
        SettingsError, match=r"checkpoint belongs to another recipe.*--fresh"
    ) as raised:
        train(recipe(layers=wider, max_steps=2), tmp_path)
    assert "\n" not in str(raised.value)


def test_a_finished_run_of_another_recipe_is_told_apart(
    recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    """Its model was taken for the new recipe's."""
    train(recipe(max_steps=1), tmp_path)
    assert train(recipe(max_steps=2, threads=None), tmp_path).update == 2
    with pytest.raises(
        SettingsError, match=r"which differs in train.seed\): start over with --fresh"
    ):
        train(recipe(max_steps=2, seed=9), tmp_path)


def test_another_recipe_is_told_apart_before_the_data_are_read(
    recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    """It took as long as reading a whole treebank."""
    train(recipe(max_steps=1), tmp_path)
    missing = DataSettings(path=str(tmp_path / "moved.mrg"))
    with pytest.raises(SettingsError, match=r"which differs in train.data, train.seed\)"):
        train(recipe(max_steps=2, seed=9, data=(missing,)), tmp_path)


def test_changed_trees_are_told_when_a_run_is_resumed(
    recipe: Callable[..., Recipe], treebank: Path, tmp_path: Path
) -> None:
    """A run went on with other trees than those that it had begun with."""
    copy = tmp_path / "trees.mrg"
    lines = treebank.read_text(encoding="utf-8").splitlines(keepends=True)
    own = {"data": (DataSettings(path=str(copy)),), "dev": (DataSettings(path=str(treebank)),)}
    copy.write_text("".join(lines), encoding="utf-8")
    train(recipe(max_steps=1, **own), tmp_path / "run")
    for changed in (lines[::-1], lines[:-1], [*lines, lines[0]]):
        copy.write_text("".join(changed), encoding="utf-8")
        with pytest.raises(
            SettingsError, match=r"the trees of train.data or train.dev have changed"
        ):
            train(recipe(max_steps=2, **own), tmp_path / "run")
    copy.write_text("".join(lines), encoding="utf-8")
    assert train(recipe(max_steps=2, **own), tmp_path / "run").update == 2
    progress = tmp_path / "run" / CHECKPOINT / "progress.json"
    stored = json.loads(progress.read_text())
    del stored["data"]  # as earlier versions wrote it
    progress.write_text(json.dumps(stored))
    assert train(recipe(max_steps=3, **own), tmp_path / "run").update == 3


def test_two_trainings_in_one_folder_are_refused(
    recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    """The second one replaced the finished model of the first."""
    with only_one(tmp_path / "run", "a model is being trained"):
        for fresh in (False, True):
            with pytest.raises(
                SettingsError, match=r"a model is being trained in .*run in another"
            ):
                train(recipe(max_steps=1), tmp_path / "run", fresh=fresh)
    assert train(recipe(max_steps=1), tmp_path / "run").update == 1


def test_a_run_without_a_check_before_its_end_says_so(
    recipe: Callable[..., Recipe], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO"):
        train(recipe(max_steps=2, eval_steps=1), tmp_path)
        assert "a check every 1 updates;" in caplog.text
        train(recipe(max_steps=3, eval_steps=100), tmp_path / "other")
    assert "one check, at the end (eval_steps sets more" in caplog.text


def test_a_full_disk_is_one_sentence(
    recipe: Callable[..., Recipe], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object) -> None:
        raise SafetensorError("Error while serializing: I/O error: No space left on device")

    monkeypatch.setattr("bnaparser.files.tensors.save_file", full)
    with pytest.raises(DataError, match=r"model.safetensors cannot be written .*No space left"):
        train(recipe(max_steps=1), tmp_path)
