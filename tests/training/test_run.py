"""Training on the invented treebank: it learns, leaves a parser, and ends when it should."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from bnaparser.encoders import device
from bnaparser.encoders.encoder_settings import EncoderSettings
from bnaparser.errors import DataError, SettingsError
from bnaparser.network import storage
from bnaparser.network.decoding import Prediction
from bnaparser.network.model import BnaModel
from bnaparser.network.model_settings import LayerSettings, TagSettings
from bnaparser.network.prepared import PreparedSentence
from bnaparser.parsing.parser import Parser
from bnaparser.training import run
from bnaparser.training.checkpoints import BEST
from bnaparser.training.data import Example
from bnaparser.training.recipe import DataSettings, Recipe
from bnaparser.training.run import Run, development_scores, train
from bnaparser.training.setup import TrainingSentence, build_accelerator
from bnaparser.training.update import Updater

SIZES: dict[str, Any] = {
    "hidden_size": 16,
    "num_attention_heads": 2,
    "head_dim": 8,
    "intermediate_size": 32,
}


def test_a_run_learns_and_leaves_a_parser(
    recipe: Callable[..., Recipe], tmp_path: Path, treebank: Path
) -> None:
    progress = train(recipe(max_steps=24), tmp_path)
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


def test_without_development_data_no_f1_is_made_up(
    recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    """The number of the update stood in metrics.json as F1."""
    progress = train(recipe(dev=(), max_steps=3), tmp_path)
    assert progress.best_update == 3
    metrics = json.loads((tmp_path / BEST / "metrics.json").read_text(encoding="utf-8"))
    assert set(metrics) == {"update", "seconds"}


def test_one_process_trains_again_in_another_precision(
    recipe: Callable[..., Recipe], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """accelerate holds on to what the first training of a process was told."""
    monkeypatch.setattr(device, "cpu_has_bfloat16", lambda: True)
    losses = []
    for number, precision in enumerate(("no", "bf16", "no")):
        progress = train(recipe(mixed_precision=precision, max_steps=1), tmp_path / str(number))
        losses.append(progress.history[0]["loss"])
    assert losses[0] == losses[2] != losses[1]
    assert losses[1] == pytest.approx(losses[0], rel=0.05)


def test_a_processor_without_bfloat16_trains_in_float32_and_says_so(
    recipe: Callable[..., Recipe],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The recipes that ship say "bf16": a training of 30 minutes would take two days there."""
    monkeypatch.setattr(device, "cpu_has_bfloat16", lambda: False)
    losses = []
    for precision in ("no", "bf16"):
        assert "float32" not in caplog.text
        progress = train(recipe(mixed_precision=precision, max_steps=1), tmp_path / precision)
        losses.append(progress.history[0]["loss"])
    assert losses[0] == losses[1]
    assert "cannot multiply bfloat16 numbers: the run computes in float32" in caplog.text


def test_a_finished_run_says_where_its_model_is(
    recipe: Callable[..., Recipe], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It said "resumed", and did nothing."""
    caplog.set_level("INFO", "bnaparser")
    train(recipe(max_steps=2), tmp_path)
    assert "already finished" not in caplog.text
    assert train(recipe(max_steps=2), tmp_path).update == 2
    assert (
        f"the training was already finished after update 2: the model is in {tmp_path / BEST}"
        in caplog.text
    )
    assert "--fresh starts from scratch; a larger train.max_steps continues the run" in caplog.text
    assert "resumed" not in caplog.text
    assert train(recipe(max_steps=3), tmp_path).update == 3
    assert "resumed after update 2" in caplog.text
    caplog.clear()
    stalled = {
        "learning_rate": 1e-12,
        "epochs": 9,
        "early_stopping_epochs": 0.5,
        "evals_per_epoch": 4,
    }
    train(recipe(**stalled), tmp_path / "stalled")
    train(recipe(**stalled), tmp_path / "stalled")
    assert "a larger train.early_stopping_epochs continues the run" in caplog.text


def test_the_arithmetic_of_the_process_is_as_before(
    recipe: Callable[..., Recipe], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deterministic: Any = torch.utils.deterministic
    monkeypatch.setattr(deterministic, "fill_uninitialized_memory", True)
    before = torch.get_deterministic_debug_mode()
    torch.set_deterministic_debug_mode("warn")
    try:
        train(recipe(max_steps=1), tmp_path)
        assert torch.get_deterministic_debug_mode() == 1
        assert deterministic.fill_uninitialized_memory
    finally:
        torch.set_deterministic_debug_mode(before)


def test_without_improvement_the_rate_is_halved_and_the_run_stops(
    recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    own = recipe(
        learning_rate=1e-12,
        evals_per_epoch=4,
        plateau_patience=2,
        early_stopping_epochs=1.5,
        epochs=20,
    )
    progress = train(own, tmp_path)
    # The first check is the best. Two checks may fail; the third one halves the rate.
    assert progress.best_update == 1
    assert progress.learning_rate_factor == 0.25
    # After six updates, an epoch and a half, without a better score it ends.
    assert progress.update == 7
    metrics = json.loads((tmp_path / BEST / "metrics.json").read_text(encoding="utf-8"))
    assert metrics["update"] == 1


def test_a_run_ends_at_a_check_and_never_before_the_first(
    recipe: Callable[..., Recipe], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It ended without a model, or between two checks: each further call made an update, and ended."""
    caplog.set_level("INFO", "bnaparser")
    own = recipe(learning_rate=1e-12, evals_per_epoch=0.5, early_stopping_epochs=1.0, epochs=9)
    assert [row["update"] for row in train(own, tmp_path).history] == [8, 16]
    assert (tmp_path / BEST).is_dir()
    assert train(own, tmp_path).update == 16
    assert "the training was already finished after update 16" in caplog.text


def test_a_number_of_steps_says_when_a_run_is_judged(
    recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    history = train(recipe(max_steps=4, eval_steps=3), tmp_path).history
    assert [row["update"] for row in history] == [3, 4]


def test_a_training_that_diverges_says_so(recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    with pytest.raises(
        SettingsError, match=r"diverged at update \d+: .*smaller train.learning_rate"
    ):
        train(recipe(learning_rate=1e30, warmup_steps=0), tmp_path)


def test_a_training_that_a_check_finds_diverged_says_so(
    recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    """It ended in the error of whoever looked for the best trees."""
    often = recipe(learning_rate=1e30, warmup_steps=0, evals_per_epoch=8)
    with pytest.raises(SettingsError, match=r"diverged at update 1: sentence 0: .*\(NaN\); set a"):
        train(often, tmp_path)


def test_tags_weigh_what_the_model_to_start_from_says(
    recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    train(recipe(tags=TagSettings(predict=True, loss_weight=1.5), max_steps=1), tmp_path / "a")
    own = recipe(start=str(tmp_path / "a" / BEST), max_steps=1)
    own = Recipe(train=own.train)  # states no network
    run = Run(own, tmp_path / "b", build_accelerator("no", tmp_path / "b"))
    assert run.updater.objective.tag_weight == run.model.settings.tags.loss_weight == 1.5


def test_rates_of_encoder_and_head_follow_the_schedule(
    recipe: Callable[..., Recipe],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    encoder_folder: Callable[[str], Path],
) -> None:
    encoder = EncoderSettings(name=str(encoder_folder("bert")))
    own = recipe(
        encoder, head_learning_rate=1e-2, lr_scheduler_type="linear", warmup_steps=2, max_steps=4
    )
    rates = []
    work = Updater.update

    def watched(self: Updater, batch: list[TrainingSentence], number: int) -> float:
        rates.append([group["lr"] for group in self.optimizer.param_groups])
        return work(self, batch, number)

    monkeypatch.setattr(Updater, "update", watched)
    train(own, tmp_path)
    factors = [0, 0.5, 1, 0.5]
    assert rates == [[pytest.approx(1e-2 * f), pytest.approx(5e-3 * f)] for f in factors]


@pytest.mark.parametrize(
    ("parts", "changes"),
    [
        ({"tags": TagSettings(given=True)}, {}),
        (
            {"tags": TagSettings(predict=True, hidden_size=8)},
            {"bucket_batches": 3, "max_grad_norm": 1.0},
        ),
        (
            {
                "layers": LayerSettings(
                    layer_types=("partitioned",),
                    positions="concatenate",
                    activation="relu",
                    **SIZES,
                )
            },
            {"store": "float16"},
        ),
        ({"layers": LayerSettings(layer_types=("self_attention", "nsa"), **SIZES)}, {"dev": ()}),
    ],
    ids=["given tags", "predicted tags", "partitioned", "no development set"],
)
def test_other_kinds_of_model_are_trained(
    recipe: Callable[..., Recipe], tmp_path: Path, parts: dict[str, Any], changes: dict[str, Any]
) -> None:
    progress = train(recipe(**parts, max_steps=2, **changes), tmp_path)
    assert math.isfinite(progress.history[-1]["loss"])
    parser = Parser(storage.load(tmp_path / BEST))
    parse = parser.parse_words(["Mira", "sang", "."], tags=["NNP", "VBD", "."])
    assert parse.error is None


def test_an_epoch_sees_every_sentence_once(
    recipe: Callable[..., Recipe], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[Example]] = []

    def look(self: Updater, batch: list[TrainingSentence], number: int) -> float:
        seen.append([sentence.example for sentence in batch])
        return 1.0

    monkeypatch.setattr(Updater, "update", look)
    monkeypatch.setattr(Run, "_check", lambda self: None)
    train(recipe(batch_size=25, epochs=2), tmp_path)
    assert len(seen) == 6
    for epoch in (seen[:3], seen[3:]):
        assert len({id(example) for batch in epoch for example in batch}) == 60
        assert sum(map(len, epoch)) == 60
    assert seen[:3] != seen[3:]


def test_nothing_to_learn_from_is_an_error(
    recipe: Callable[..., Recipe], tmp_path: Path, treebank: Path
) -> None:
    with pytest.raises(DataError, match="names no training trees"):
        train(recipe(data=()), tmp_path)
    blank = tmp_path / "blank.txt"
    blank.write_text("\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"blank\.txt holds no trees"):
        train(recipe(data=(DataSettings(path=str(blank)),)), tmp_path)
    little = DataSettings(path=str(treebank), weight=0.001)
    with pytest.raises(DataError, match="no training trees"):
        train(recipe(data=(little,)), tmp_path)
    flat = tmp_path / "flat.mrg"
    flat.write_text("(TOP (NN dog) (NN cat))\n", encoding="utf-8")
    with pytest.raises(DataError, match="no constituents"):
        train(recipe(data=(DataSettings(path=str(flat)),)), tmp_path)


TAGGER = TagSettings(predict=True, hidden_size=8)


def gold_trees_with(tag: str, examples: Sequence[Example]) -> Callable[..., list[Prediction]]:
    """A decoder that finds the gold constituents, and this tag for the first word of each."""

    def predict(
        model: BnaModel, prepared: Sequence[PreparedSentence], batch_tokens: int
    ) -> list[Prediction]:
        return [Prediction(list(e.spans), [tag, *e.tags[1:]], 0.0) for e in examples]

    return predict


def test_trees_are_judged_with_gold_tags(
    build_model: Callable[..., BnaModel],
    examples: list[Example],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A word tagged as a mark made EVALB leave its sentence out: once 2 of 105 were scored."""
    few = [example for example in examples if len(example.words) > 2][:10]
    monkeypatch.setattr(run, "predict", gold_trees_with(".", few))
    scores = development_scores(build_model(tagging=TAGGER), {"dev": few}, 500)
    assert scores["dev f1"] == scores["f1"] == 100
    words = sum(len(example.words) for example in few)
    assert scores["dev tags"] == pytest.approx(100 * (words - len(few)) / words)
    # The wrong constituents of one sentence cost something, though its tags are wrong as well.
    predicted = [replace(few[0], spans=few[0].spans[:1]), *few[1:]]
    monkeypatch.setattr(run, "predict", gold_trees_with(".", predicted))
    assert development_scores(build_model(tagging=TAGGER), {"dev": few}, 500)["f1"] < 100


def test_a_model_without_a_tagger_has_no_tag_accuracy(
    build_model: Callable[..., BnaModel], examples: list[Example]
) -> None:
    """It was 100: gold tags beside gold tags."""
    for tagging in (TagSettings(), TagSettings(given=True)):
        scores = development_scores(build_model(tagging=tagging), {"dev": examples[:4]}, 500)
        assert set(scores) == {"dev f1", "f1"}
    assert development_scores(build_model(), {}, 500) == {}


def test_a_model_that_reads_tags_is_judged_on_those_that_it_is_given(
    build_model: Callable[..., BnaModel], examples: list[Example]
) -> None:
    model = build_model(tagging=TagSettings(given=True, init_std=3.0))
    few = examples[:12]
    other = [replace(example, given_tags=("?",) * len(example.words)) for example in few]
    gold, given = (development_scores(model, {"dev": one}, 500)["f1"] for one in (few, other))
    assert gold != given
