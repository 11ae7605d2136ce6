"""benchmarks/ablation: benepar gets the batches that our training has."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from benchmarks.ablation.ablation_training import batches, recipe_of, write_data
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
        max_updates=8,
        checks_per_epoch=1e-6,
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


def test_without_an_encoder_it_reads_characters_in_larger_steps(tmp_path: Path) -> None:
    options = argparse.Namespace(
        encoder=None, language="fr", output=tmp_path, updates=1, threads=1, precision="no"
    )
    recipe = recipe_of(options, "none", 1)
    assert recipe.encoder.name is None
    assert recipe.text.languages == ("fr",)
    assert recipe.train.learning_rate == 8e-4
