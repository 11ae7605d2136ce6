"""benchmarks/ablation: benepar gets the batches that our training has."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.ablation.ablation_training import batches
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
