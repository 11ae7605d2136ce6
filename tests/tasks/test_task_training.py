"""Whole runs in small: every kind of task, seeds, resume, comparison."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from bnaparser.errors import DataError, ModelError, SettingsError
from bnaparser.settings import validate
from bnaparser.tasks import one_seed, task_storage
from bnaparser.tasks.all_seeds import train
from bnaparser.tasks.one_seed import PooledSampler, updates
from bnaparser.tasks.splits import read_data
from bnaparser.tasks.task_settings import TaskRecipe


@pytest.fixture
def recipe(recipe_table):
    def build(*arguments, syntax=None, **settings) -> TaskRecipe:
        table = recipe_table(*arguments, **settings)
        if syntax is not None:
            table["syntax"] = syntax
        return validate(TaskRecipe, table, "test")

    return build


def read(file: Path):
    return json.loads(file.read_text(encoding="utf-8"))


def test_sentiment_is_learned_and_the_stored_model_scores_the_same(recipe, tmp_path: Path) -> None:
    chosen = recipe("sentiment", epochs=8.0)
    results = train(chosen, tmp_path)
    assert results["summary"]["dev"]["accuracy"]["mean"] > 80
    assert results["summary"]["dev"]["accuracy"]["deviation"] == 0
    model = task_storage.load(tmp_path / "model")
    assert model.labels == ("negative", "positive")
    data = read_data(chosen)
    again = one_seed.development_scores(chosen, data.judged[0], model)
    assert again == results["seeds"]["1"]["dev"]
    assert read(tmp_path / "results.json") == results
    assert not (tmp_path / "seed-1" / "checkpoints").exists()


@pytest.mark.parametrize(
    ("name", "metric"), [("names", "span_f1"), ("pairs", "accuracy"), ("scores", "pearson")]
)
def test_the_other_kinds_of_task(recipe, tmp_path: Path, name: str, metric: str) -> None:
    results = train(recipe(name, epochs=5.0, new_learning_rate=5e-3), tmp_path)
    assert results["metric"] == metric
    assert results["summary"]["dev"][metric]["mean"] > 50


def test_encoders_with_one_tensor_under_two_names(recipe, tmp_path: Path) -> None:
    train(recipe("sentiment", "t5", max_updates=2), tmp_path)
    assert task_storage.load(tmp_path / "model").labels == ("negative", "positive")


def test_seeds_are_runs_of_their_own(recipe, tmp_path: Path) -> None:
    results = train(recipe(seeds=[3, 4]), tmp_path, against=None)
    assert set(results["seeds"]) == {"3", "4"}
    one, two = (results["seeds"][seed]["dev"]["macro_f1"] for seed in "34")
    summary = results["summary"]["dev"]["macro_f1"]
    assert summary["mean"] == pytest.approx((one + two) / 2)
    assert summary["deviation"] == pytest.approx(abs(one - two) / 2**0.5)
    best = tmp_path / f"seed-{results['best_seed']}" / "model" / "model.safetensors"
    assert (tmp_path / "model" / "model.safetensors").read_bytes() == best.read_bytes()
    first, second = (load_file(tmp_path / f"seed-{s}/model/model.safetensors") for s in (3, 4))
    assert any(not torch.equal(tensor, second[name]) for name, tensor in first.items())


def test_two_runs_are_compared(recipe, tmp_path: Path) -> None:
    train(recipe(syntax={}, max_updates=1), tmp_path / "plain")
    results = train(recipe(epochs=8.0), tmp_path / "sla", against=tmp_path / "plain")
    test = results["against"]
    assert test["difference"] == pytest.approx(test["first"] - test["second"])
    assert test["low"] <= test["difference"] <= test["high"]
    assert 0 < test["p_value"] <= 1
    with pytest.raises(DataError, match="other examples"):
        train(recipe("pairs", max_updates=1), tmp_path / "pairs", against=tmp_path / "plain")
    with pytest.raises(DataError, match="has 0 seeds"):
        train(recipe(epochs=8.0), tmp_path / "sla", against=tmp_path / "none")


def test_an_interrupted_run_ends_at_the_same_weights(recipe, tmp_path: Path, monkeypatch) -> None:
    chosen = recipe(check_updates=3)
    train(chosen, tmp_path / "whole")
    judge, calls = one_seed.development_scores, []

    def interrupted(*arguments):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return judge(*arguments)

    monkeypatch.setattr(one_seed, "development_scores", interrupted)
    with pytest.raises(KeyboardInterrupt):
        train(chosen, tmp_path / "cut")
    assert (tmp_path / "cut" / "seed-1" / "checkpoints" / "checkpoint-6").is_dir()
    train(chosen, tmp_path / "cut")
    assert len(calls) == 5  # those after 9 and 10 updates, the first time 3, 6 and 9
    whole, cut = (load_file(tmp_path / n / "model/model.safetensors") for n in ("whole", "cut"))
    assert all(torch.equal(tensor, cut[name]) for name, tensor in whole.items())


@pytest.mark.parametrize("left", [None, "", '{"epoch": 1'])
def test_a_half_written_checkpoint_is_passed_over(recipe, tmp_path: Path, left) -> None:
    """What was killed while it wrote one could never be resumed."""
    chosen = recipe(check_updates=3)
    train(chosen, tmp_path / "whole")
    run = tmp_path / "cut"
    shutil.copytree(tmp_path / "whole", run)
    shutil.rmtree(run / "seed-1")
    half = run / "seed-1" / "checkpoints" / "checkpoint-6"
    half.mkdir(parents=True)
    if left is not None:
        (half / "trainer_state.json").write_text(left)
    train(chosen, run)
    whole, cut = (load_file(tmp_path / n / "model/model.safetensors") for n in ("whole", "cut"))
    assert all(torch.equal(tensor, cut[name]) for name, tensor in whole.items())


def test_a_training_that_diverges_says_so(recipe, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"diverged.*smaller train.learning_rate"):
        train(recipe(learning_rate=1e30, warmup=0.0), tmp_path)


def test_what_is_wrong_is_told_before_training(recipe, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("bnaparser.tasks.all_seeds.train_seed", None)  # it would fail
    (tmp_path / "other" / "seed-old").mkdir(parents=True)
    with pytest.raises(DataError, match="has 0 seeds"):
        train(recipe(), tmp_path / "new", against=tmp_path / "other")
    with pytest.raises(ModelError, match="cannot use the device 'nonsense'"):
        train(recipe(device="nonsense"), tmp_path / "new")


def test_data_that_changed_meanwhile_are_told(recipe, recipe_table, tmp_path: Path) -> None:
    table = recipe_table()
    source = Path(table["train"]["data"][0]["path"])
    copy = tmp_path / source.name
    shutil.copy(source, copy)
    settings = {"data": [{**table["train"]["data"][0], "path": str(copy)}], "max_updates": 1}
    train(recipe(**settings), tmp_path / "run")
    lines = copy.read_text().splitlines(keepends=True)
    copy.write_text("".join(lines[:-1]))
    with pytest.raises(SettingsError, match=r"begun with other data: .*--fresh"):
        train(recipe(**settings, seeds=[1, 2]), tmp_path / "run")


def test_an_output_belongs_to_one_recipe(recipe, tmp_path: Path) -> None:
    train(recipe(max_updates=1), tmp_path)
    with pytest.raises(SettingsError, match="--fresh"):
        train(recipe(max_updates=2), tmp_path)
    train(recipe(max_updates=1, seeds=[1, 2]), tmp_path)
    train(recipe(max_updates=2), tmp_path, fresh=True)
    assert not (tmp_path / "seed-2").exists()


def test_a_name_that_is_mended_needs_no_fresh_start(recipe, tmp_path: Path) -> None:
    """After a wrong file name the mended recipe was refused as another run's."""
    wrong = recipe(max_updates=1, dev=[{"path": str(tmp_path / "typo.tsv")}])
    with pytest.raises(DataError, match="no such file"):
        train(wrong, tmp_path)
    train(recipe(max_updates=1), tmp_path)


def test_a_fresh_run_leaves_the_users_own_files_alone(recipe, tmp_path: Path) -> None:
    (tmp_path / "recipe.toml").touch()
    train(recipe(max_updates=1), tmp_path, fresh=True)
    train(recipe(max_updates=1, seeds=[2]), tmp_path, fresh=True)
    names = {file.name for file in tmp_path.iterdir()}
    assert names == {"recipe.toml", "recipe.json", "data.json", "results.json", "seed-2", "model"}


def test_tags_that_are_no_bio_tags_ask_for_another_metric(recipe_table, tmp_path: Path) -> None:
    """Training broke off with the library's KeyError after the first check."""
    file = tmp_path / "tags.tsv"
    file.write_text("It\tPRP\nrained\tVBD\n\nDogs\tNNS\nbark\tVBP\n", encoding="utf-8")
    table = recipe_table("names", max_updates=1)
    table["train"] |= {"data": [{"path": str(file)}], "dev": [{"path": str(file)}]}
    with pytest.raises(SettingsError, match=r"BIO tags.*NNS, PRP.*set task\.metric to accuracy"):
        train(validate(TaskRecipe, table, "test"), tmp_path / "run")
    table["task"]["metric"] = "accuracy"
    assert train(validate(TaskRecipe, table, "test"), tmp_path / "run")["metric"] == "accuracy"


def test_a_recipe_without_files(recipe, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"set train\.dev"):
        train(recipe(dev=[]), tmp_path)


def test_how_many_updates(recipe) -> None:
    settings = recipe(epochs=3.0, batch_size=8).train
    assert updates(settings, 40) == (15, 1)
    assert updates(settings, 4001) == (1503, 125)


def test_a_pass_has_every_example_once_in_an_order_of_its_own(recipe) -> None:
    settings = recipe(batch_size=4, pool_batches=5).train
    sizes = [(7 * n) % 30 for n in range(50)]
    passes = [list(PooledSampler(sizes, settings, 1, lambda n=n: n)) for n in (0, 1)]
    assert passes[0] != passes[1]
    assert passes[0] == list(PooledSampler(sizes, settings, 1, lambda: 0))
    for order in passes:
        assert sorted(order) == list(range(50))
        batches = [[sizes[i] for i in order[at : at + 4]] for at in range(0, 48, 4)]
        spread = sum(max(batch) - min(batch) for batch in batches) / len(batches)
        assert spread < 10
