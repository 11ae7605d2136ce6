"""benchmarks/ablation: benepar gets the batches that our training has; what the page holds."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pytest

from benchmarks.ablation.ablation_report import report, significance
from benchmarks.ablation.ablation_training import (
    batches,
    brackets,
    recipe_of,
    write_data,
    write_once,
)
from bnaparser.eval import compare_outputs, score
from bnaparser.training.data import read_mix
from bnaparser.training.recipe import DataSettings, Recipe, TrainSettings
from bnaparser.training.run import train
from bnaparser.training.setup import TrainingSentence
from bnaparser.training.update import Updater


@pytest.mark.parametrize("size", [16, 25])  # with a last batch of 12, and of 10
def test_batches_are_those_of_our_training(
    treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """A last batch of less than half was left out of benepar's epochs."""
    seen: list[list[str]] = []

    def look(self: Updater, batch: list[TrainingSentence], number: int) -> float:
        seen.append([str(sentence.example.tree) for sentence in batch])
        return 0.0

    monkeypatch.setattr(Updater, "update", look)
    settings = TrainSettings(
        data=(DataSettings(path=str(treebank)),),
        batch_size=size,
        max_steps=8,
        evals_per_epoch=1e-6,
        threads=1,
    )
    recipe = Recipe(train=settings)
    train(recipe, tmp_path)
    trees = [str(example.tree) for example in read_mix(settings).train]
    assert [[trees[index] for index in batch] for batch in batches(recipe)] == seen


def test_treebanks_are_put_together_each_with_its_own_label_map(tmp_path: Path) -> None:
    (tmp_path / "masc").mkdir()
    (tmp_path / "other").mkdir()
    tree = "(TOP (S (NP (NML (NN cat)) (NN food)) (VP (VBZ smells))))"
    for folder in ("masc", "other"):
        for part in ("train", "dev", "test"):
            (tmp_path / folder / f"{part}.txt").write_text(f"{tree}\n" * 3)
    options = argparse.Namespace(
        data=[tmp_path / "masc", tmp_path / "other"],
        judged=1,
        label_maps=Path("recipes/label_maps.toml"),
    )
    write_data(options, tmp_path / "data")
    mapped = tree.replace("(NML (NN cat))", "(NN cat)")
    assert (tmp_path / "data" / "train.mrg").read_text().splitlines() == [mapped] * 3 + [tree] * 3
    assert (tmp_path / "data" / "dev.mrg").read_text().splitlines() == [mapped, tree]


def test_trees_are_written_once_and_anew_for_other_options(tmp_path: Path) -> None:
    folder = tmp_path / "some"
    folder.mkdir()
    for part in ("train", "dev", "test"):
        (folder / f"{part}.mrg").write_text("(TOP (S (NP (DT A) (NN cat)) (VP (VBD sat))))\n" * 3)
    options = argparse.Namespace(
        data=[folder], judged=1, label_maps=Path("recipes/label_maps.toml")
    )
    test = tmp_path / "data" / "test.mrg"
    write_once(options, test.parent)
    test.write_text("kept")
    write_once(options, test.parent)
    assert test.read_text() == "kept"
    options.judged = 2
    write_once(options, test.parent)
    assert len(test.read_text().splitlines()) == 2


def test_without_an_encoder_it_reads_characters_in_larger_steps(tmp_path: Path) -> None:
    options = argparse.Namespace(
        encoder=None,
        language="fr",
        output=tmp_path,
        updates=1,
        batch_tokens=500,
        threads=1,
        precision="no",
    )
    recipe = recipe_of(options, "none", 1)
    assert recipe.encoder.name is None
    assert recipe.text.languages == ("fr",)
    assert recipe.train.learning_rate == 8e-4


def test_the_page_has_no_table_of_what_was_not_run() -> None:
    options = argparse.Namespace(
        precision="no", threads=1, encoder=Path("e5"), data=[Path("fr_sequoia")], updates=300,
        judged=None, language="fr", output=Path("fr"), batch_tokens=500,
    )  # fmt: skip
    row = {"date": "2026-11-25 15:00", "processor": "a CPU", "seconds": 60.0, "precision": "no"}
    ours = row | {"name": "bimsa+nsa", "dev": 80.0, "test": 79.0, "versions": {"bnaparser": "1"}}
    peers = row | {"name": "benepar", "dev": 78.0, "test": 79.0, "versions": {"benepar": "0.2"}}
    page = report(options, [ours | {"seed": 1}, ours | {"seed": 2}, peers | {"seed": 1}])
    assert "| BiMSA + NSA | 1 2 | 80.00 ± 0.00 | 79.00 ± 0.00 |  | 1.0 |" in page
    assert "- dev: +2.00, met\n- test: +0.00, **missed**\n" in page
    assert "n of NSA" not in page
    assert "- a CPU; 1 thread a run, float32\n" in page
    mixed = report(options, [ours | {"seed": 1}, peers | {"seed": 1, "precision": "bf16"}])
    assert "- a CPU; 1 thread a run, float32 and bfloat16\n" in mixed
    assert "| BiMSA + NSA (float32) | 1 |" in mixed
    assert "(bfloat16) | 1 |" in mixed
    assert "--language fr" in page
    assert "--batch-tokens" not in page
    more = report(options, [ours | {"seed": 1}, ours | {"seed": 1, "name": "n=2"}])
    assert "| n of NSA (seed 1) |" in more
    assert "NSA layers" not in more
    assert "benepar" not in more


def test_runs_are_compared_sentence_by_sentence_from_their_kept_brackets() -> None:
    right, wrong = (
        "(TOP (S (NP (DT A) (NN cat)) (VP (VBD sat))))",
        "(TOP (S (DT A) (NN cat) (VBD sat)))",
    )
    gold = [right] * 8
    outputs = {"bimsa+nsa": [right] * 8, "none": [right] * 2 + [wrong] * 6}
    kept = {name: brackets(score(gold, lines).rows) for name, lines in outputs.items()}
    assert kept["none"][0] == [0, 3, 3, 3] and kept["none"][-1] == [0, 1, 3, 1]
    row = {"date": "2026-11-25 15:00", "dev": 80.0, "test": 79.0}
    rows: list[dict[str, Any]] = [
        row | {"name": name, "seed": seed} for seed in (1, 2) for name in outputs
    ]
    assert significance(rows) == []
    for one in rows[:2]:
        one |= {f"{part} brackets": kept[one["name"]] for part in ("dev", "test")}
    (line,) = [line for line in significance(rows) if line.startswith("| BiMSA")]
    found = compare_outputs(gold, outputs["bimsa+nsa"], outputs["none"])
    cell = f"{found.difference:+.2f} [{found.low:+.2f}, {found.high:+.2f}], {found.p_value:.4f}"
    assert line == f"| BiMSA + NSA | 1 | {cell} | {cell} |"
    assert found.difference > 30 and found.p_value < 0.05
