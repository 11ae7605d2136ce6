"""One update: what it does to the weights, whole or in parts, alone or in a run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import nn

from bnaparser.encoders.encoder_settings import EncoderSettings
from bnaparser.errors import SettingsError
from bnaparser.files.tensors import round_rows
from bnaparser.network import storage
from bnaparser.network.model_settings import LayerSettings, TagSettings
from bnaparser.training.checkpoints import BEST
from bnaparser.training.data import epoch_batches, read_mix
from bnaparser.training.loop import training_arithmetic
from bnaparser.training.recipe import Recipe, TrainSettings, load_recipe
from bnaparser.training.run import development_scores, train
from bnaparser.training.setup import (
    TrainingSentence,
    build_accelerator,
    new_model,
    training_sentences,
)
from bnaparser.training.update import Updater, rounded, scheduled_factor

Begin = Callable[[Recipe], tuple[Updater, list[list[TrainingSentence]]]]


@pytest.fixture
def begin(tmp_path: Path) -> Begin:
    """A function from a recipe to what does its updates, and the batches of its first epoch."""

    def make(recipe: Recipe) -> tuple[Updater, list[list[TrainingSentence]]]:
        mix = read_mix(recipe.train)
        model = new_model(recipe, mix)
        sentences = training_sentences(model, mix.train)
        sizes = [sentence.prepared.size for sentence in sentences]
        batches = epoch_batches(mix, sizes, recipe.train, 0)
        accelerator = build_accelerator(recipe.train.mixed_precision, tmp_path)
        updater = Updater(model, recipe.train, accelerator)
        return updater, [[sentences[index] for index in batch] for batch in batches]

    return make


def copied(network: torch.nn.Module) -> dict[str, torch.Tensor]:
    return {name: tensor.clone() for name, tensor in network.state_dict().items()}


def test_an_update_alone_is_what_it_is_in_a_run(
    recipe: Callable[..., Recipe], tmp_path: Path, begin: Begin
) -> None:
    own = recipe(tags=TagSettings(predict=True, hidden_size=8), max_steps=1, lower_case=0.3)
    progress = train(own, tmp_path)
    with training_arithmetic(torch.device("cpu")):
        updater, batches = begin(own)
        assert updater.update(batches[0], 0) == progress.history[0]["loss"]


@pytest.mark.parametrize("loss", ["hinge", "crf"])
def test_a_batch_in_parts_gives_the_gradient_of_the_whole(
    recipe: Callable[..., Recipe], begin: Begin, loss: str
) -> None:
    """Rates and dropout aside, the token budget must not change what is learned."""
    layers = LayerSettings(
        hidden_size=16,
        num_attention_heads=2,
        head_dim=8,
        intermediate_size=32,
        residual_dropout=0,
        feed_forward_dropout=0,
        attention_dropout=0,
    )
    encoder = EncoderSettings(character_width=8, character_dropout=0)
    tags = TagSettings(predict=True, hidden_size=8)
    ends = []
    for tokens in (100_000, 30):
        own = recipe(encoder, layers, tags, batch_tokens=tokens, eps=1e-3, loss=loss)
        updater, batches = begin(own)
        assert (len(updater.parts(batches[0])) == 1) == (tokens == 100_000)
        for number in range(2):
            updater.update(batches[number], number)
        ends.append(copied(updater.model))
    whole, parts = ends
    for name, tensor in whole.items():
        torch.testing.assert_close(parts[name], tensor, atol=1e-4, rtol=1e-3)


WIDE = LayerSettings(hidden_size=128, num_attention_heads=2, head_dim=64, intermediate_size=256)


def test_weights_are_rounded_within_and_exact_again_afterwards() -> None:
    torch.manual_seed(0)
    large = nn.Linear(128, 128)
    network = nn.Sequential(large, nn.Linear(128, 2))
    before = [parameter.detach().clone() for parameter in network.parameters()]
    numbers, scales = round_rows(before[0], 0.9)
    with pytest.raises(KeyError), rounded(network, 0.9):
        torch.testing.assert_close(large.weight.detach(), numbers * scales, rtol=0, atol=0)
        for now, then in zip(list(network.parameters())[1:], before[1:], strict=True):
            assert torch.equal(now, then)  # too small for a scale a row
        raise KeyError
    assert all(torch.equal(*two) for two in zip(network.parameters(), before, strict=True))
    with rounded(network, None):
        assert torch.equal(large.weight, before[0])


def test_the_gradient_is_that_of_the_rounded_weights() -> None:
    """Of a square it tells the two apart: twice the weight that was used."""
    torch.manual_seed(0)
    network = nn.Linear(128, 128, bias=False)
    numbers, scales = round_rows(network.weight.detach(), 0.9)
    with rounded(network, 0.9):
        (gradient,) = torch.autograd.grad(network.weight.square().sum(), network.weight)
    torch.testing.assert_close(gradient, 2 * numbers * scales)


def test_the_stored_model_has_the_f1_that_was_judged(
    recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    given = recipe(max_steps=6, store="int8", qat_step=0.9, layers=WIDE)
    progress = train(given, tmp_path)
    stored = storage.load(tmp_path / BEST)
    large = [m for m in stored.state_dict().values() if m.dim() == 2 and m.numel() >= 16384]
    assert large and all(len(row.unique()) < 14 for matrix in large for row in matrix)
    scores = development_scores(stored, read_mix(given.train).dev, 1000)
    assert scores["f1"] == pytest.approx(progress.best_f1)


def test_a_step_needs_int8(tmp_path: Path) -> None:
    path = tmp_path / "recipe.toml"
    path.write_text("[train]\nqat_step = 0.9\n", encoding="utf-8")
    with pytest.raises(SettingsError, match='qat_step needs store = "int8"'):
        load_recipe(path)


def test_the_rate_rises_from_0_over_160_updates() -> None:
    settings = TrainSettings()
    factors = [scheduled_factor(update, 10_000, settings) for update in range(400)]
    assert factors == [min(update, 160) / 160 for update in range(400)]
    assert factors[0] == 0
    constant = settings.model_copy(
        update={"lr_scheduler_type": "constant_with_warmup", "warmup_steps": 0}
    )
    assert {scheduled_factor(update, 100, constant) for update in range(100)} == {1.0}


def test_a_linear_schedule_falls_to_0() -> None:
    settings = TrainSettings(lr_scheduler_type="linear", warmup_steps=10)
    factors = [scheduled_factor(update, 110, settings) for update in range(110)]
    assert factors[:10] == [update / 10 for update in range(10)]
    assert factors[10:] == pytest.approx([1 - update / 100 for update in range(100)])
    assert scheduled_factor(5, 5, TrainSettings(lr_scheduler_type="linear", warmup_steps=5)) == 0


def test_a_fraction_of_the_steps_is_their_number() -> None:
    of_steps = TrainSettings(lr_scheduler_type="linear", warmup_steps=11)
    of_all = TrainSettings(lr_scheduler_type="linear", warmup_ratio=0.1)
    for update in range(110):
        assert scheduled_factor(update, 110, of_all) == scheduled_factor(update, 110, of_steps)
