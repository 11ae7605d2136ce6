"""Pre-training on tiny encoders of every kind: loss, resume, the folder that it leaves."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModel, AutoModelForMaskedLM, AutoTokenizer

from bnaparser.errors import DataError, ModelError, SettingsError, TrainingInterrupted
from bnaparser.spanbert.batch import collate_examples
from bnaparser.spanbert.pretraining import (
    HELD_OUT,
    Batch,
    PretrainRun,
    _new_tokenizer,
    held_out_losses,
    pretrain,
    pretrain_factor,
    set_pretrain_rates,
)
from bnaparser.spanbert.settings import (
    PretrainRecipe,
    PretrainSettings,
    load_pretrain_recipe,
)
from tests.interrupting import signal_at

MakeRecipe = Callable[..., PretrainRecipe]
RECIPES = Path(__file__).parents[2] / "recipes" / "pretrain"
KINDS = [
    "bert", "distilbert", "roberta", "mpnet", "electra", "deberta", "deberta-v2", "modernbert",
    "xlm-roberta", "albert",
]  # fmt: skip


@pytest.fixture
def run(make_recipe: MakeRecipe, tmp_path: Path) -> Callable[..., PretrainRun]:
    """A function from what `make_recipe` takes to a run that has not begun."""
    from accelerate import Accelerator

    def make(kind: str = "bert", **tables: dict[str, object]) -> PretrainRun:
        return PretrainRun(make_recipe(kind, **tables), tmp_path / "run", Accelerator(cpu=True))

    return make


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_encoder_learns_and_is_found_again(
    make_recipe: MakeRecipe, tmp_path: Path, kind: str
) -> None:
    progress = pretrain(make_recipe(kind, pretrain={"max_steps": 12, "eval_steps": 6}), tmp_path)
    _, first, last = progress.history
    assert last["held_out_words"] < first["held_out_words"]
    assert last["held_out_boundaries"] < first["held_out_boundaries"]
    folder = tmp_path / "model"
    tokenizer = AutoTokenizer.from_pretrained(folder)
    given = tokenizer("The cat saw Mira.", return_tensors="pt")
    given.pop("token_type_ids", None)
    bare = AutoModel.from_pretrained(folder).eval()(**given).last_hidden_state
    whole = AutoModelForMaskedLM.from_pretrained(folder).eval()
    again = whole.base_model(**given).last_hidden_state
    assert torch.allclose(bare, again, atol=1e-5)


def test_the_losses_are_those_of_literal_loops(run: Callable[..., PretrainRun]) -> None:
    parts = run("bert", pretrain={"batch_tokens": 400}).parts
    parts.model.eval()
    examples = [parts.masker.example(number, (1, 0, 0)) for number in range(4)]
    batch = collate_examples(examples, parts.frame, parts.padding, parts.segments)
    found = parts.model(batch)
    hidden = parts.model.language_model(**batch.input)
    embeddings = parts.model.language_model.embeddings
    words = boundaries = 0.0
    for row, one in enumerate(examples):
        (ids,), (masked,), start = one.originals, one.masked, len(parts.frame.before)
        for place in masked.places:
            vector = hidden[row, start + place]
            scores = parts.model.language_model.word_scores(vector[None])[0]
            words -= scores.log_softmax(0)[ids[place]].item()
        for first, end in masked.spans:
            if first == 0 or end == len(ids):
                continue
            left, right = hidden[row, start + first - 1], hidden[row, start + end]
            for place in range(first, min(end, first + 15)):
                assert parts.model.boundary_head is not None
                scores = parts.model.boundary_head(
                    left[None], right[None], torch.tensor([place - first]), embeddings
                )[0]
                boundaries -= scores.log_softmax(0)[ids[place]].item()
    assert found.words.item() == pytest.approx(words, rel=1e-4)
    assert found.boundaries.item() == pytest.approx(boundaries, rel=1e-4)


@pytest.mark.parametrize("batch_tokens", [60, 4000])
def test_the_loss_of_an_update_is_a_mean_of_each_objective(
    run: Callable[..., PretrainRun], batch_tokens: int
) -> None:
    """That of the boundaries over its targets plus one, whatever parts the batch goes through in."""
    made = run(
        objectives={"boundary_weight": 0.5, "next_sentence": True},
        pretrain={"batch_tokens": batch_tokens},
    )
    parts, numbers = made.parts, next(made._batches_left())
    examples = [parts.masker.example(int(number), (1, 0, 0)) for number in numbers]
    batch = collate_examples(examples, parts.frame, parts.padding, parts.segments)
    words, boundaries, pairs = (loss.item() for loss in parts.model(batch))
    told = words / len(batch.masked) + 0.5 * boundaries / (len(batch.left) + 1) + pairs / 4
    assert made.update(made.masked(numbers)) == pytest.approx(told, rel=1e-4)


def test_without_a_boundary_target_the_loss_is_that_of_the_words(
    run: Callable[..., PretrainRun],
) -> None:
    made = run(masking={"mask_probability": 0.99})  # a block is one span, which has no boundaries
    numbers = next(made._batches_left())
    assert np.isfinite(made.update(made.masked(numbers)))
    losses = held_out_losses(made.parts, made.settings, HELD_OUT)
    assert list(losses) == ["held_out_words"]


def test_boundary_predictions_look_at_nothing_inside_the_span(
    run: Callable[..., PretrainRun],
) -> None:
    parts = run().parts
    parts.model.eval()
    examples = [parts.masker.example(number, (1, 0, 0)) for number in range(4)]
    batch = collate_examples(examples, parts.frame, parts.padding, parts.segments)
    hidden = parts.model.language_model(**batch.input).detach()
    assert len(batch.left) > 0

    def loss(vectors: torch.Tensor) -> float:
        model = parts.model
        model.language_model.forward = lambda **given: vectors  # type: ignore[method-assign]
        try:
            return float(model(batch).boundaries.item())
        finally:
            del model.language_model.forward

    told = loss(hidden)
    inside = hidden.clone()
    inside.view(-1, inside.shape[-1])[batch.masked] += 1.0
    assert loss(inside) == told
    beside = hidden.clone()
    beside.view(-1, beside.shape[-1])[batch.left[0]] += 1.0
    assert loss(beside) != told


def test_a_run_that_was_cut_off_ends_at_the_same_weights(
    make_recipe: MakeRecipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = make_recipe()
    pretrain(recipe, tmp_path / "whole")
    update = PretrainRun.update

    def cut_off(self: PretrainRun, numbers: Any) -> float:
        if self.progress.update == 4:
            raise KeyboardInterrupt
        return update(self, numbers)

    with monkeypatch.context() as patch:
        patch.setattr(PretrainRun, "update", cut_off)
        with pytest.raises(KeyboardInterrupt):
            pretrain(recipe, tmp_path / "cut")
    pretrain(recipe, tmp_path / "cut")
    for name in ("model.safetensors", "span_heads.safetensors"):
        first, second = (load_file(tmp_path / one / "model" / name) for one in ("whole", "cut"))
        assert first.keys() == second.keys()
        assert all(torch.equal(tensor, second[key]) for key, tensor in first.items())


@pytest.mark.parametrize("line", ["update 1 of 6", "update 3: scoring", "update 3: held_out"])
def test_a_terminated_run_ends_at_the_same_weights(
    make_recipe: MakeRecipe, tmp_path: Path, line: str
) -> None:
    """Before the first check, in the middle of one, and after one."""
    recipe = make_recipe()
    whole = pretrain(recipe, tmp_path / "whole")
    with (
        pytest.raises(TrainingInterrupted, match=r"the checkpoint of update \d .* resumes the run"),
        signal_at(line),
    ):
        pretrain(recipe, tmp_path / "cut")
    resumed = pretrain(recipe, tmp_path / "cut")
    assert resumed.history == whole.history
    for name in ("model.safetensors", "span_heads.safetensors"):
        files = (tmp_path / one / "model" / name for one in ("whole", "cut"))
        first, second = (file.read_bytes() for file in files)
        assert first == second


def test_before_the_first_update_there_is_nothing_to_keep(
    make_recipe: MakeRecipe, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "bnaparser")
    with pytest.raises(TrainingInterrupted, match="no update was done"), signal_at("update 0:"):
        pretrain(make_recipe(), tmp_path)
    assert not (tmp_path / "checkpoint").exists()
    pretrain(make_recipe(pretrain={"max_steps": 3}), tmp_path)
    assert f"starting from scratch: there is no checkpoint in {tmp_path}" in caplog.text
    pretrain(make_recipe(pretrain={"max_steps": 3}), tmp_path, fresh=True)
    assert f"the model of the earlier run is now in {tmp_path / 'model.1'}" in caplog.text


def test_a_new_encoder_is_the_same_in_each_run(make_recipe: MakeRecipe, tmp_path: Path) -> None:
    """The tokenizer, and with it all weights, was another one in each run of one command."""
    new = {
        "num_hidden_layers": 1,
        "hidden_size": 16,
        "num_attention_heads": 2,
        "intermediate_size": 32,
        "vocab_size": 150,
    }
    recipe = make_recipe(encoder={"name": None, "new": new})
    files = ("model.safetensors", "span_heads.safetensors", "tokenizer.json", "config.json")
    made = []
    for run in ("one", "two", "three"):
        pretrain(recipe, tmp_path / run)
        made.append([(tmp_path / run / "model" / name).read_bytes() for name in files])
    assert made[0] == made[1] == made[2]


def test_of_a_small_text_a_block_is_held_out_and_few_are_told(
    make_recipe: MakeRecipe, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It said "no text is held out", and went on without a judge."""
    text = tmp_path / "text.txt"
    text.write_text("The cat sat on the mat.\n" * 180)
    settings = {"files": (str(text),), "dev_ratio": 0.01}
    caplog.set_level("INFO", "bnaparser")
    progress = pretrain(make_recipe(text=settings), tmp_path / "run")
    assert all("held_out_words" in row for row in progress.history)
    assert "only 1 block of 60 held out (text.dev_ratio = 0.01)" in caplog.text
    assert "text.dev_ratio = 0.17 holds out about 10" in caplog.text


def test_going_on_from_a_folder_keeps_the_boundary_head(
    make_recipe: MakeRecipe, tmp_path: Path
) -> None:
    pretrain(make_recipe(), tmp_path / "first")
    folder = tmp_path / "first" / "model"
    recipe = make_recipe(
        encoder={"name": str(folder)}, pretrain={"max_steps": 1, "learning_rate": 1e-12}
    )
    pretrain(recipe, tmp_path / "second")
    first, second = (
        load_file(tmp_path / one / "model" / "span_heads.safetensors")
        for one in ("first", "second")
    )
    assert all(torch.allclose(tensor, second[key], atol=1e-6) for key, tensor in first.items())


def test_two_segments_say_whether_the_second_follows(run: Callable[..., PretrainRun]) -> None:
    made = run("bert", objectives={"next_sentence": True})
    parts = made.parts
    examples = [parts.masker.example(int(n), (1, 0, e)) for e in range(6) for n in made.trained]
    documents = parts.masker.blocks.documents
    table = parts.masker.blocks.table
    seen = {False: 0, True: 0}
    for one, number in zip(examples, list(made.trained) * 6, strict=True):
        seen[one.at_random] += 1
        follows = number + 1 < len(documents) and documents[number + 1] == documents[number]
        if not one.at_random:
            assert follows
            assert np.array_equal(one.originals[1], table[int(number) + 1]["ids"])
    assert min(seen.values()) > 0
    batch = collate_examples(examples[:3], parts.frame, parts.padding, parts.segments)
    row = batch.input["token_type_ids"][0].tolist()
    size = len(examples[0].originals[0])
    assert row[: size + 2] == [0] * (size + 2)
    assert row[size + 2] == 1
    assert batch.at_random.tolist() == [int(one.at_random) for one in examples[:3]]


def test_an_encoder_from_nothing(make_recipe: MakeRecipe, tmp_path: Path) -> None:
    new = {
        "num_hidden_layers": 1, "hidden_size": 16, "num_attention_heads": 2, "intermediate_size": 32, "vocab_size": 150,
    }  # fmt: skip
    recipe = make_recipe(encoder={"name": None, "new": new})
    pretrain(recipe, tmp_path)
    assert AutoModel.from_pretrained(tmp_path / "model").config.hidden_size == 16


def test_a_tokenizer_is_trained_once_and_kept_by_what_it_was_trained_on(
    make_recipe: MakeRecipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was trained anew in each process, and whenever a run went on."""
    new = {
        "num_hidden_layers": 1, "hidden_size": 16, "num_attention_heads": 2, "intermediate_size": 32, "vocab_size": 150,
    }  # fmt: skip
    pretrain(make_recipe(encoder={"name": None, "new": new}), tmp_path)
    (first,) = (tmp_path / "text").glob("tokenizer-*[!k]")
    with monkeypatch.context() as patch:
        patch.setattr("bnaparser.spanbert.pretraining.train_tokenizer", None)  # it would fail
        pretrain(make_recipe(encoder={"name": None, "new": new}), tmp_path)
    larger = make_recipe(encoder={"name": None, "new": new | {"vocab_size": 160}})
    pretrain(larger, tmp_path, fresh=True)
    assert len([one for one in (tmp_path / "text").glob("tokenizer-*") if one.is_dir()]) == 2
    longer = make_recipe(encoder={"name": None, "new": new}, text={"block_size": 50})
    assert _new_tokenizer(longer, tmp_path / "text").model_max_length == 50
    assert first.is_dir()


def test_the_papers_recipes_are_as_printed() -> None:
    for size, sizes in (("base", (12, 768, 12, 3072)), ("large", (24, 1024, 16, 4096))):
        recipe = load_pretrain_recipe(RECIPES / f"spanbert-{size}.toml")
        new, training = recipe.encoder.new, recipe.pretrain
        assert (
            new.num_hidden_layers,
            new.hidden_size,
            new.num_attention_heads,
            new.intermediate_size,
        ) == sizes
        assert (
            recipe.text.block_size,
            recipe.masking.mask_probability,
            recipe.masking.geometric_p,
        ) == (512, 0.15, 0.2)
        assert (recipe.masking.max_span_length, recipe.objectives.boundary_positions) == (10, 200)
        assert (training.max_steps, training.warmup_steps, training.batch_size) == (
            2_400_000, 10_000, 256,
        )  # fmt: skip
        assert (training.learning_rate, training.weight_decay, training.eps) == (
            1e-4, 0.1, 1e-8,
        )  # fmt: skip
        assert not recipe.objectives.next_sentence


def test_masks_are_drawn_one_batch_ahead_in_the_order_of_the_epoch(
    run: Callable[..., PretrainRun], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = run()

    def of(batch: Batch) -> list[list[int]]:
        return [part.ids.tolist() for one in batch.examples for part in one.masked]

    wanted = [of(made.masked(numbers)) for numbers in made._batches_left()]
    assert len(wanted) > 3
    assert [of(batch) for batch in made._batches_ahead()] == wanted

    drawn: list[int] = []
    masked = made.masked

    def third_fails(numbers: np.ndarray[Any, np.dtype[np.int64]]) -> Batch:
        drawn.append(len(numbers))
        if len(drawn) == 3:
            raise OSError("the disk is gone")
        return masked(numbers)

    monkeypatch.setattr(made, "masked", third_fails)
    ahead = made._batches_ahead()
    assert [of(next(ahead)), of(next(ahead))] == wanted[:2]
    with pytest.raises(OSError, match="the disk is gone"):
        next(ahead)
    drawn.clear()
    early = made._batches_ahead()
    next(early)
    early.close()  # as after a training's last update
    assert len(drawn) <= 2


def test_the_learning_rate_rises_and_falls() -> None:
    found = [pretrain_factor(update, 2, 6) for update in range(6)]
    assert found == [0.5, 1.0, 1.0, 0.75, 0.5, 0.25]
    settings = PretrainSettings(max_steps=6, warmup_ratio=0.3)  # 1.8 steps: two
    optimizer = SimpleNamespace(param_groups=[{"base": 1.0, "begins": 0}])
    for update, factor in enumerate(found):
        set_pretrain_rates(optimizer, update, settings)
        assert optimizer.param_groups[0]["lr"] == factor


@pytest.mark.parametrize("kind", ["bert", "electra", "distilbert"])
def test_the_encoder_waits_for_its_heads(run: Callable[..., PretrainRun], kind: str) -> None:
    begun = run(
        kind, pretrain={"freeze_encoder_steps": 2, "head_learning_rate": 0.05, "warmup_steps": 1}
    )
    model = begun.parts.model
    base = {id(one) for one in model.language_model.base.parameters()}
    begun.epoch = 0

    def moved() -> tuple[bool, bool]:
        before = {name: one.detach().clone() for name, one in model.named_parameters()}
        begun.update(begun.masked(begun.trained[:4]))
        changed = [one for name, one in model.named_parameters() if not one.equal(before[name])]
        of_encoder = [id(one) in base for one in changed]
        return any(of_encoder), not all(of_encoder)

    assert [moved() for _ in range(3)] == [(False, True), (False, True), (True, True)]
    rates = {(g["base"], g["begins"]) for g in begun.parts.optimizer.param_groups}
    assert rates == {(1e-3, 2), (0.05, 0)}


def test_what_is_wrong_with_a_run_is_said(make_recipe: MakeRecipe, tmp_path: Path) -> None:
    with pytest.raises(
        SettingsError, match=r"text\.block_size is 4000, but the encoder accepts at most \d+"
    ):
        pretrain(make_recipe(text={"block_size": 4000}), tmp_path / "long")
    with pytest.raises(ModelError, match="cannot be pre-trained on masked words"):
        pretrain(make_recipe("t5"), tmp_path / "t5")
    with pytest.raises(DataError, match="no text file has this name"):
        pretrain(make_recipe(text={"files": ("nowhere.txt",)}), tmp_path / "none")
    pretrain(make_recipe(), tmp_path / "one")
    with pytest.raises(SettingsError, match="another recipe"):
        pretrain(make_recipe(masking={"scheme": "words"}), tmp_path / "one")


def test_the_run_leaves_what_it_has_measured(make_recipe: MakeRecipe, tmp_path: Path) -> None:
    progress = pretrain(make_recipe(), tmp_path)
    told = json.loads((tmp_path / "model" / "pretrain.json").read_text(encoding="utf-8"))
    assert told["update"] == 6
    assert told["tokens"] == progress.tokens > 0
    assert [one["update"] for one in told["history"]] == [0, 3, 6]
    assert told["history"][0]["tokens"] == 0
