"""Whole runs in small: every kind of task, seeds, comparison, what an output folder holds."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from bnaparser.errors import DataError, ModelError, SettingsError
from bnaparser.files.folder import only_one
from bnaparser.settings import validate
from bnaparser.tasks import one_seed
from bnaparser.tasks.all_seeds import compare_runs, train
from bnaparser.tasks.data import read_data
from bnaparser.tasks.model import load_model
from bnaparser.tasks.settings import TaskRecipe


def read(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


def test_several_processes_are_refused(
    recipe: Callable[..., TaskRecipe], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Batches were as many times as large, and all wrote the same files."""
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(SettingsError, match="trained by one process"):
        train(recipe(), tmp_path, fresh=True)


def test_sentiment_is_learned_and_the_stored_model_scores_the_same(
    recipe: Callable[..., TaskRecipe], trained: Callable[..., Path]
) -> None:
    run, chosen = trained(epochs=8.0), recipe(epochs=8.0)
    results = read(run / "results.json")
    assert results["summary"]["dev"]["accuracy"]["mean"] > 80
    assert results["summary"]["dev"]["accuracy"]["deviation"] == 0
    model = load_model(run / "model")
    assert model.labels == ("negative", "positive")
    data = read_data(chosen)
    again = one_seed.development_scores(chosen, data.judged[0], model)
    assert again == results["seeds"]["1"]["dev"]
    assert not (run / "seed-1" / "checkpoints").exists()


@pytest.mark.parametrize(
    ("name", "metric"), [("names", "span_f1"), ("pairs", "accuracy"), ("scores", "pearson")]
)
def test_the_other_kinds_of_task(
    recipe: Callable[..., TaskRecipe], tmp_path: Path, name: str, metric: str
) -> None:
    results = train(recipe(name, epochs=5.0, head_learning_rate=5e-3), tmp_path)
    assert results["metric"] == metric
    assert results["summary"]["dev"][metric]["mean"] > 50


def test_encoders_with_one_tensor_under_two_names(
    recipe: Callable[..., TaskRecipe], tmp_path: Path
) -> None:
    train(recipe("sentiment", "t5", max_steps=2), tmp_path)
    assert load_model(tmp_path / "model").labels == ("negative", "positive")


def test_seeds_are_runs_of_their_own(recipe: Callable[..., TaskRecipe], tmp_path: Path) -> None:
    results = train(recipe(seeds=[3, 4]), tmp_path)
    assert read(tmp_path / "results.json") == results
    assert set(results["seeds"]) == {"3", "4"}
    one, two = (results["seeds"][seed]["dev"]["macro_f1"] for seed in "34")
    summary = results["summary"]["dev"]["macro_f1"]
    assert summary["mean"] == pytest.approx((one + two) / 2)
    assert summary["deviation"] == pytest.approx(abs(one - two) / 2**0.5)
    best = tmp_path / f"seed-{results['best_seed']}" / "model" / "model.safetensors"
    assert (tmp_path / "model" / "model.safetensors").read_bytes() == best.read_bytes()
    first, second = (load_file(tmp_path / f"seed-{s}/model/model.safetensors") for s in (3, 4))
    assert any(not torch.equal(tensor, second[name]) for name, tensor in first.items())


def test_two_runs_are_compared(
    recipe: Callable[..., TaskRecipe], trained: Callable[..., Path], tmp_path: Path
) -> None:
    train(recipe(syntax={}, max_steps=1), tmp_path / "plain")
    shutil.copytree(trained(epochs=8.0), tmp_path / "sla")
    results = train(recipe(epochs=8.0), tmp_path / "sla", against=tmp_path / "plain")
    test = results["against"]
    assert test["difference"] == pytest.approx(test["first"] - test["second"])
    assert test["low"] <= test["difference"] <= test["high"]
    assert 0 < test["p_value"] <= 1
    with pytest.raises(DataError, match="other examples"):
        train(recipe("pairs", max_steps=1), tmp_path / "pairs", against=tmp_path / "plain")
    with pytest.raises(DataError, match="has 0 seeds"):
        train(recipe(epochs=8.0), tmp_path / "sla", against=tmp_path / "none")


def test_scores_are_kept_where_runs_cannot_be_compared(
    recipe: Callable[..., TaskRecipe], trained: Callable[..., Path], tmp_path: Path
) -> None:
    for name in ("run", "other"):
        shutil.copytree(trained(epochs=8.0), tmp_path / name)
    (tmp_path / "run" / "results.json").unlink()
    file = tmp_path / "other" / "seed-1" / "dev.predictions.json"
    file.write_text(json.dumps({**read(file), "labels": ["other"]}), encoding="utf-8")
    with pytest.raises(DataError, match="other examples"):
        train(recipe(epochs=8.0), tmp_path / "run", against=tmp_path / "other")
    assert read(tmp_path / "run" / "results.json")["best_seed"] == 1


def test_two_runs_in_one_folder_are_refused(
    recipe: Callable[..., TaskRecipe], tmp_path: Path
) -> None:
    with (
        only_one(tmp_path / "run", "a model is being trained"),
        pytest.raises(SettingsError, match=r"a model is being trained in .*run in another"),
    ):
        train(recipe(), tmp_path / "run")


def test_what_is_wrong_is_told_before_training(
    recipe: Callable[..., TaskRecipe],
    trained: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = trained(epochs=8.0)
    monkeypatch.setattr("bnaparser.tasks.all_seeds.train_seed", None)  # it would fail
    (tmp_path / "other" / "seed-old").mkdir(parents=True)
    with pytest.raises(DataError, match="has 0 seeds"):
        train(recipe(), tmp_path / "new", against=tmp_path / "other")
    with pytest.raises(DataError, match="other examples"):
        train(recipe("pairs"), tmp_path / "pairs", against=other)
    with pytest.raises(ModelError, match="cannot use the device 'nonsense'"):
        train(recipe(device="nonsense"), tmp_path / "new")


@pytest.mark.parametrize(
    ("encoder", "says"), [("no-such-folder", "cannot load"), (None, "cannot be attached")]
)
def test_a_wrong_encoder_or_label_is_told_before_anything_is_parsed(
    recipe: Callable[..., TaskRecipe],
    recipe_table: Callable[..., dict[str, Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    encoder: str | None,
    says: str,
) -> None:
    monkeypatch.setattr("bnaparser.tasks.data.tree_source", None)  # it would fail
    monkeypatch.setattr("bnaparser.syntax.attachment.FAMILIES", ())
    table = recipe_table()
    if encoder is not None:
        table["encoder"]["name"] = str(tmp_path / encoder)
    with pytest.raises((ModelError, SettingsError), match=says):
        train(validate(TaskRecipe, table, "test"), tmp_path / "run")
    file = tmp_path / "new.tsv"
    file.write_text("label\tsentence\n0\tIt sang.\nnew\tIt fell.\n", encoding="utf-8")
    labels = {"0": "negative", "new": "new"}
    plain = recipe(syntax={}, dev=[{"path": str(file), "labels": labels}])
    with pytest.raises(DataError, match=r"new\.tsv:3: the label 'new'"):
        train(plain, tmp_path / "run")


@pytest.mark.parametrize("change", ["another label", "another word", "one less"])
def test_data_that_changed_meanwhile_are_told(
    recipe: Callable[..., TaskRecipe],
    recipe_table: Callable[..., dict[str, Any]],
    tmp_path: Path,
    change: str,
) -> None:
    table = recipe_table()
    source = Path(table["train"]["data"][0]["path"])
    copy = tmp_path / source.name
    shutil.copy(source, copy)
    settings = {"data": [{**table["train"]["data"][0], "path": str(copy)}], "max_steps": 1}
    train(recipe(**settings), tmp_path / "run")
    lines = copy.read_text().splitlines(keepends=True)
    last = lines[-1].rstrip("\n")
    changed = {
        "another label": last.replace(*("0", "1") if "0" in last else ("1", "0")),
        "another word": last.replace(".", "!"),
        "one less": "",
    }[change]
    assert changed != last
    copy.write_text("".join([*lines[:-1], changed]))
    for seeds in ([1], [1, 2]):
        with pytest.raises(SettingsError, match=r"begun with other data \(parts\..*\): .*--fresh"):
            train(recipe(**settings, seeds=seeds), tmp_path / "run")
    copy.unlink()
    with pytest.raises(DataError, match="no such file"):
        train(recipe(**settings), tmp_path / "run")


def test_data_that_are_only_written_otherwise_are_the_same(
    recipe: Callable[..., TaskRecipe],
    recipe_table: Callable[..., dict[str, Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = recipe_table()["train"]["data"][0]
    copy = tmp_path / Path(file["path"]).name
    shutil.copy(file["path"], copy)
    quick = recipe(data=[{**file, "path": str(copy)}], max_steps=1)
    results = train(quick, tmp_path / "run")
    copy.write_text(copy.read_text() + "\n")
    assert train(quick, tmp_path / "run") == results
    monkeypatch.setattr("bnaparser.tasks.all_seeds.read_data", None)  # it would fail
    assert train(quick, tmp_path / "run") == results


@pytest.mark.parametrize(
    ("ours", "theirs", "taken"),
    [([3, 1], [1, 2, 3], "3, 1"), ([4, 2], [1, 3, 5], "1, 3")],
)
def test_seeds_are_paired_by_their_numbers(
    recipe: Callable[..., TaskRecipe],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    ours: list[int],
    theirs: list[int],
    taken: str,
) -> None:
    """The n-th of the recipe met the n-th in order of their numbers."""
    for run, seeds, right in (("ours", ours, 1), ("theirs", theirs, 0)):
        for seed in seeds:
            found = {
                "labels": ["negative", "positive"],
                "gold": [1, 1],
                "predicted": [right, seed == 1],
            }
            folder = tmp_path / run / f"seed-{seed}"
            folder.mkdir(parents=True)
            (folder / "dev.predictions.json").write_text(json.dumps(found), encoding="utf-8")
    with caplog.at_level("INFO"):
        compared = compare_runs(recipe(seeds=ours), tmp_path / "ours", tmp_path / "theirs")
    assert f"compared with the seeds {taken} of" in caplog.text
    assert compared.second == 25


def test_an_output_belongs_to_one_recipe(recipe: Callable[..., TaskRecipe], tmp_path: Path) -> None:
    train(recipe(max_steps=1), tmp_path)
    with pytest.raises(SettingsError, match="--fresh"):
        train(recipe(max_steps=2), tmp_path)
    train(recipe(max_steps=1, seeds=[1, 2]), tmp_path)
    train(recipe(max_steps=2), tmp_path, fresh=True)
    assert not (tmp_path / "seed-2").exists()


def test_a_name_that_is_mended_needs_no_fresh_start(
    recipe: Callable[..., TaskRecipe], tmp_path: Path
) -> None:
    """After a wrong file name the mended recipe was refused as another run's."""
    wrong = recipe(max_steps=1, dev=[{"path": str(tmp_path / "typo.tsv")}])
    with pytest.raises(DataError, match="no such file"):
        train(wrong, tmp_path)
    train(recipe(max_steps=1), tmp_path)


def test_a_fresh_run_that_cannot_begin_takes_nothing_away(
    recipe: Callable[..., TaskRecipe], trained: Callable[..., Path], tmp_path: Path
) -> None:
    """After a typo in the recipe model, seeds and results were gone."""
    shutil.copytree(trained(epochs=8.0), tmp_path, dirs_exist_ok=True)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(DataError, match="no such file"):
        train(recipe(dev=[{"path": str(tmp_path / "typo.tsv")}]), tmp_path, fresh=True)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_fresh_run_leaves_the_users_own_files_alone(
    recipe: Callable[..., TaskRecipe], tmp_path: Path
) -> None:
    (tmp_path / "recipe.toml").touch()
    train(recipe(max_steps=1), tmp_path, fresh=True)
    train(recipe(max_steps=1, seeds=[2]), tmp_path, fresh=True)
    names = {file.name for file in tmp_path.iterdir()}
    written = {"recipe.json", "data.json", "results.json", "seed-2", "model", "model.1"}
    assert names == {"recipe.toml", *written}


def test_tags_that_are_no_bio_tags_ask_for_another_metric(
    recipe_table: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    """Training broke off with the library's KeyError after the first check."""
    file = tmp_path / "tags.tsv"
    file.write_text("It\tPRP\nrained\tVBD\n\nDogs\tNNS\nbark\tVBP\n", encoding="utf-8")
    table = recipe_table("names", max_steps=1)
    table["train"] |= {"data": [{"path": str(file)}], "dev": [{"path": str(file)}]}
    with pytest.raises(SettingsError, match=r"BIO tags.*NNS, PRP.*set task\.metric to accuracy"):
        train(validate(TaskRecipe, table, "test"), tmp_path / "run")
    table["task"]["metric"] = "accuracy"
    assert train(validate(TaskRecipe, table, "test"), tmp_path / "run")["metric"] == "accuracy"


def test_a_recipe_without_files(recipe: Callable[..., TaskRecipe], tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"set train\.dev"):
        train(recipe(dev=[]), tmp_path)
