"""Training on the invented treebank: it learns, a seed fixes it, and being killed changes nothing."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors import SafetensorError
from safetensors.torch import load_file

from bnaparser.encoders.encoder_settings import EncoderSettings
from bnaparser.errors import DataError, SettingsError
from bnaparser.network import storage
from bnaparser.network.model_settings import LayerSettings, ScorerSettings, TagSettings
from bnaparser.parsing.parser import Parser
from bnaparser.training.data import pooled_batches
from bnaparser.training.recipe import DataSettings, Recipe, TrainSettings
from bnaparser.training.run import BEST, CHECKPOINT, NEW, Run, _accelerator, scheduled_factor, train

SIZES: dict[str, Any] = {"width": 16, "heads": 2, "head_width": 8, "feed_forward_width": 32}
NO_DROPOUT = {"residual_dropout": 0, "feed_forward_dropout": 0, "attention_dropout": 0}


@pytest.fixture
def recipe(treebank):
    """A function that makes a recipe for the treebank: four updates of 16 sentences an epoch."""

    def make(
        encoder: EncoderSettings | None = None,
        layers: LayerSettings | None = None,
        tags: TagSettings | None = None,
        **changes: Any,
    ) -> Recipe:
        source = DataSettings(path=str(treebank))
        settings = {
            "data": (source,),
            "dev": (source,),
            "dev_sentences": 12,
            "batch_size": 16,
            "learning_rate": 5e-3,
            "warmup_updates": 2,
            "checks_per_epoch": 2,
            "seed": 3,
            "threads": 1,
        }
        return Recipe(
            encoder=encoder or EncoderSettings(character_width=8),
            layers=layers or LayerSettings(**SIZES),
            scorer=ScorerSettings(hidden=64),
            tags=tags or TagSettings(),
            train=TrainSettings(**{**settings, **changes}),
        )

    return make


def weights(output: Path) -> dict[str, torch.Tensor]:
    return load_file(output / CHECKPOINT / "model.safetensors")


def equal(first: dict[str, torch.Tensor], second: dict[str, torch.Tensor]) -> bool:
    return first.keys() == second.keys() and all(
        torch.equal(tensor, second[name]) for name, tensor in first.items()
    )


def scores_only(history: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: row[key] for key in row if key != "seconds"} for row in history]


def test_a_run_learns_and_leaves_a_parser(recipe, tmp_path, treebank):
    progress = train(recipe(max_updates=24), tmp_path)
    assert progress.update == 24
    assert [row["update"] for row in progress.history] == list(range(2, 25, 2))
    losses = [row["loss"] for row in progress.history]
    assert sum(losses[-3:]) < 0.8 * sum(losses[:3])
    best = max(progress.history, key=lambda row: row["f1"])
    assert (progress.best_f1, progress.best_update) == (best["f1"], best["update"])
    assert best["f1"] > progress.history[0]["f1"] + 10
    assert best[f"{treebank.name} f1"] == best["f1"]
    metrics = json.loads((tmp_path / BEST / "metrics.json").read_text(encoding="utf-8"))
    assert (metrics["update"], metrics["f1"]) == (best["update"], best["f1"])
    assert Parser.load(tmp_path / BEST, device="cpu").parse_words(["Mira", "sang"]).error is None
    assert list((tmp_path / "logs").rglob("events.*"))


def test_a_seed_fixes_the_run(recipe, tmp_path):
    runs = {"one": 3, "two": 3, "three": 4}
    for name, seed in runs.items():
        train(recipe(max_updates=3, seed=seed), tmp_path / name)
    one, two, three = (weights(tmp_path / name) for name in runs)
    assert equal(one, two)
    assert not equal(one, three)


class KilledError(Exception):
    pass


def kill_at(monkeypatch: pytest.MonkeyPatch, update: int) -> None:
    """Let training fail before an update, as if the process had been killed there."""
    work = Run._update

    def fragile(self: Run, batch: list[int]) -> float:
        if self.progress.update == update:
            raise KilledError
        return work(self, batch)

    monkeypatch.setattr(Run, "_update", fragile)


@pytest.mark.parametrize("kind", ["characters", "bert"])
def test_a_killed_run_ends_as_if_nothing_had_happened(
    recipe, tmp_path, monkeypatch, encoder_folder, kind
):
    name = None if kind == "characters" else str(encoder_folder(kind))
    encoder = EncoderSettings(name=name, character_width=8)
    own = recipe(encoder, max_updates=9, average_decay=0.8, plateau_checks=1)
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
    best = [load_file(tmp_path / name / BEST / storage.WEIGHTS) for name in ("killed", "whole")]
    assert equal(*best)


def test_a_finished_run_is_not_trained_on(recipe, tmp_path):
    own = recipe(max_updates=2)
    first, again = train(own, tmp_path), train(own, tmp_path)
    assert scores_only(again.history) == scores_only(first.history)


def test_a_run_killed_while_checkpoints_change_places_is_resumed(recipe, tmp_path):
    own = recipe(max_updates=2)
    train(own, tmp_path)
    (tmp_path / CHECKPOINT).rename(tmp_path / NEW)
    longer = train(recipe(max_updates=4), tmp_path)
    assert [row["update"] for row in longer.history] == [2, 4]
    assert not (tmp_path / NEW).exists()


def test_a_half_written_checkpoint_is_passed_over(recipe, tmp_path):
    train(recipe(max_updates=2), tmp_path)
    before = weights(tmp_path)
    shutil.copytree(tmp_path / CHECKPOINT, tmp_path / NEW)
    (tmp_path / NEW / "progress.json").unlink()
    (tmp_path / NEW / "model.safetensors").write_bytes(b"half")
    train(recipe(max_updates=2), tmp_path)
    assert equal(weights(tmp_path), before)


def test_a_fresh_run_starts_over_and_keeps_its_logs(recipe, tmp_path):
    train(recipe(max_updates=2), tmp_path)
    (tmp_path / NEW).mkdir()
    progress = train(recipe(max_updates=1), tmp_path, fresh=True)
    assert [row["update"] for row in progress.history] == [1]
    assert not (tmp_path / NEW).exists()
    assert len(list((tmp_path / "logs").rglob("events.*"))) == 1


def test_a_fresh_run_leaves_the_users_own_files_alone(recipe, tmp_path):
    """``bnaparser train recipe.toml --output . --fresh`` took the recipe and all else with it."""
    (tmp_path / "recipe.toml").touch()
    (tmp_path / "trees").mkdir()
    train(recipe(max_updates=1), tmp_path, fresh=True)
    names = {file.name for file in tmp_path.iterdir()}
    assert names == {"recipe.toml", "recipe.json", "trees", "checkpoint", "model", "logs"}


def test_a_checkpoint_of_another_recipe_is_told_apart(recipe, tmp_path):
    train(recipe(max_updates=1), tmp_path)
    wider = LayerSettings(**{**SIZES, "width": 32})
    with pytest.raises(SettingsError, match=r"checkpoint is another recipe's.*--fresh") as raised:
        train(recipe(layers=wider, max_updates=2), tmp_path)
    assert "\n" not in str(raised.value)


def test_a_finished_run_of_another_recipe_is_told_apart(recipe, tmp_path):
    """Its model was taken for the new recipe's."""
    train(recipe(max_updates=1), tmp_path)
    assert train(recipe(max_updates=2, threads=2), tmp_path).update == 2
    with pytest.raises(SettingsError, match=r"it differs in train\): start over with --fresh"):
        train(recipe(max_updates=2, seed=9), tmp_path)


def test_a_full_disk_is_one_sentence(recipe, tmp_path, monkeypatch):
    def full(*arguments):
        raise SafetensorError("Error while serializing: I/O error: No space left on device")

    monkeypatch.setattr("bnaparser.files.tensors.save_file", full)
    with pytest.raises(DataError, match=r"model.safetensors cannot be written .*No space left"):
        train(recipe(max_updates=1), tmp_path)


def test_without_development_data_no_f1_is_made_up(recipe, tmp_path):
    """The number of the update stood in metrics.json as F1."""
    progress = train(recipe(dev=(), max_updates=3), tmp_path)
    assert progress.best_update == 3
    metrics = json.loads((tmp_path / BEST / "metrics.json").read_text(encoding="utf-8"))
    assert set(metrics) == {"update", "seconds"}


def test_the_arithmetic_of_the_process_is_as_before(recipe, tmp_path, monkeypatch):
    deterministic = torch.utils.deterministic
    monkeypatch.setattr(deterministic, "fill_uninitialized_memory", True)
    before = torch.get_deterministic_debug_mode()
    torch.set_deterministic_debug_mode("warn")
    try:
        train(recipe(max_updates=1), tmp_path)
        assert torch.get_deterministic_debug_mode() == 1
        assert deterministic.fill_uninitialized_memory
    finally:
        torch.set_deterministic_debug_mode(before)


def test_without_improvement_the_rate_is_halved_and_the_run_stops(recipe, tmp_path):
    own = recipe(
        learning_rate=1e-12,
        checks_per_epoch=4,
        plateau_checks=2,
        stop_after_epochs=1.5,
        epochs=20,
    )
    progress = train(own, tmp_path)
    # The first check is the best. Two checks may fail; the third one halves the rate.
    assert progress.best_update == 1
    assert progress.learning_rate_factor == 0.25
    # Six updates, an epoch and a half, may pass without a better score.
    assert progress.update == 8
    metrics = json.loads((tmp_path / BEST / "metrics.json").read_text(encoding="utf-8"))
    assert metrics["update"] == 1


def test_a_training_that_diverges_says_so(recipe, tmp_path):
    with pytest.raises(
        SettingsError, match=r"diverged at update \d+: .*smaller train.learning_rate"
    ):
        train(recipe(learning_rate=1e30, warmup_updates=0), tmp_path)


def test_tags_weigh_what_the_model_to_start_from_says(recipe, tmp_path):
    train(recipe(tags=TagSettings(predict=True, loss_weight=1.5), max_updates=1), tmp_path / "a")
    own = recipe(start=str(tmp_path / "a" / BEST), max_updates=1)
    own = Recipe(train=own.train)  # states no network
    run = Run(own, tmp_path / "b", _accelerator(own, tmp_path / "b"))
    assert run.objective.tag_weight == run.model.settings.tags.loss_weight == 1.5


def test_the_rate_rises_from_0_over_160_updates():
    settings = TrainSettings()
    factors = [scheduled_factor(update, 10_000, settings) for update in range(400)]
    assert factors == [min(update, 160) / 160 for update in range(400)]
    assert factors[0] == 0
    constant = settings.model_copy(update={"schedule": "constant", "warmup_updates": 0})
    assert {scheduled_factor(update, 100, constant) for update in range(100)} == {1.0}


def test_a_linear_schedule_falls_to_0():
    settings = TrainSettings(schedule="linear", warmup_updates=10)
    factors = [scheduled_factor(update, 110, settings) for update in range(110)]
    assert factors[:10] == [update / 10 for update in range(10)]
    assert factors[10:] == pytest.approx([1 - step / 100 for step in range(100)])
    assert scheduled_factor(5, 5, TrainSettings(schedule="linear", warmup_updates=5)) == 0


def test_rates_of_encoder_and_head_follow_the_schedule(
    recipe, tmp_path, monkeypatch, encoder_folder
):
    encoder = EncoderSettings(name=str(encoder_folder("bert")))
    own = recipe(
        encoder, head_learning_rate=1e-2, schedule="linear", warmup_updates=2, max_updates=4
    )
    rates = []
    work = Run._backward

    def watched(self: Run, *arguments: Any) -> float:
        rates.append([group["lr"] for group in self.optimizer.param_groups])
        return work(self, *arguments)

    monkeypatch.setattr(Run, "_backward", watched)
    train(own, tmp_path)
    factors = [0, 0.5, 1, 0.5]
    assert rates == [[pytest.approx(1e-2 * f), pytest.approx(5e-3 * f)] for f in factors]


def test_averaged_weights_are_those_of_the_formula(recipe, tmp_path, monkeypatch):
    seen: list[dict[str, torch.Tensor]] = []
    average: dict[str, torch.Tensor] = {}
    work = Run._update

    def watched(self: Run, batch: list[int]) -> float:
        loss = work(self, batch)
        seen.append({name: tensor.clone() for name, tensor in self.model.state_dict().items()})
        average.update(self.average.module.state_dict())
        return loss

    monkeypatch.setattr(Run, "_update", watched)
    train(recipe(max_updates=5, average_decay=0.8, checks_per_epoch=1), tmp_path)
    expected = seen[0]
    for later in seen[1:]:
        expected = {name: 0.8 * expected[name] + 0.2 * later[name] for name in expected}
    for name, tensor in expected.items():
        torch.testing.assert_close(average[name], tensor, atol=1e-6, rtol=1e-5)


def test_a_batch_in_parts_gives_the_gradient_of_the_whole(recipe, tmp_path):
    """Rates and dropout aside, the token budget must not change what is learned."""
    layers = LayerSettings(**SIZES, **NO_DROPOUT)
    encoder = EncoderSettings(character_width=8, character_dropout=0)
    options: dict[str, Any] = {"max_updates": 2, "warmup_updates": 0, "epsilon": 1e-3}
    tags = TagSettings(predict=True, hidden=8)
    for name, tokens in (("whole", 100_000), ("parts", 30)):
        train(recipe(encoder, layers, tags, batch_tokens=tokens, **options), tmp_path / name)
    whole, parts = weights(tmp_path / "whole"), weights(tmp_path / "parts")
    for name, tensor in whole.items():
        torch.testing.assert_close(parts[name], tensor, atol=1e-4, rtol=1e-3)


@pytest.mark.parametrize(
    ("parts", "changes"),
    [
        ({"tags": TagSettings(given=True)}, {}),
        ({"tags": TagSettings(predict=True, hidden=8)}, {"pool_batches": 3, "clip_norm": 1.0}),
        (
            {
                "layers": LayerSettings(
                    kinds=("partitioned",), positions="concatenate", activation="relu", **SIZES
                )
            },
            {"store": "float16"},
        ),
        ({"layers": LayerSettings(kinds=("self_attention", "nsa"), **SIZES)}, {"dev": ()}),
    ],
    ids=["given tags", "predicted tags", "partitioned", "no development set"],
)
def test_other_kinds_of_model_are_trained(recipe, tmp_path, parts, changes):
    progress = train(recipe(**parts, max_updates=2, **changes), tmp_path)
    assert math.isfinite(progress.history[-1]["loss"])
    parser = Parser(storage.load(tmp_path / BEST))
    parse = parser.parse_words(["Mira", "sang", "."], tags=["NNP", "VBD", "."])
    assert parse.error is None


def test_an_epoch_sees_every_sentence_once(recipe, tmp_path, monkeypatch):
    seen: list[list[int]] = []

    def look(self: Run, batch: list[int]) -> float:
        seen.append(batch)
        self.progress.update += 1
        return 1.0

    monkeypatch.setattr(Run, "_update", look)
    monkeypatch.setattr(Run, "_check", lambda self, loss: None)
    train(recipe(batch_size=25, epochs=2), tmp_path)
    assert len(seen) == 6
    for epoch in (seen[:3], seen[3:]):
        assert sorted(index for batch in epoch for index in batch) == list(range(60))
    assert seen[:3] != seen[3:]


@given(
    count=st.integers(1, 80),
    size=st.integers(1, 12),
    pool=st.integers(1, 4),
    seed=st.integers(0, 9),
)
def test_batches_hold_every_drawn_sentence_once(count, size, pool, seed):
    settings = TrainSettings(batch_size=size, pool_batches=pool)
    order = np.random.default_rng(seed).permutation(count).tolist()
    lengths = [(7 * index) % 23 for index in range(count)]
    batches = pooled_batches(order, lengths, settings, np.random.default_rng(seed))
    assert sorted(index for batch in batches for index in batch) == list(range(count))
    assert len(batches) == math.ceil(count / size)
    assert all(0 < len(batch) <= size for batch in batches)


def test_a_pool_puts_sentences_of_similar_length_together():
    settings = TrainSettings(batch_size=5, pool_batches=4)
    order = np.random.default_rng(1).permutation(20).tolist()
    batches = pooled_batches(order, list(range(20)), settings, np.random.default_rng(2))
    assert sorted(map(sorted, batches)) == [
        list(range(first, first + 5)) for first in (0, 5, 10, 15)
    ]
    assert batches != sorted(batches)


def test_nothing_to_learn_from_is_an_error(recipe, tmp_path, treebank):
    with pytest.raises(DataError, match="no training trees"):
        train(recipe(data=()), tmp_path)
    little = DataSettings(path=str(treebank), weight=0.001)
    with pytest.raises(DataError, match="no training trees"):
        train(recipe(data=(little,)), tmp_path)
    flat = tmp_path / "flat.mrg"
    flat.write_text("(TOP (NN dog) (NN cat))\n", encoding="utf-8")
    with pytest.raises(DataError, match="no constituents"):
        train(recipe(data=(DataSettings(path=str(flat)),)), tmp_path)
