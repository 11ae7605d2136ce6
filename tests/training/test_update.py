"""One update: what it does to the weights, whole or in parts, alone or in a run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from bnaparser.encoders.encoder_settings import EncoderSettings
from bnaparser.network.model_settings import LayerSettings, TagSettings
from bnaparser.training.data import epoch_batches, read_mix
from bnaparser.training.loop import training_arithmetic
from bnaparser.training.recipe import Recipe
from bnaparser.training.run import train
from bnaparser.training.setup import (
    TrainingSentence,
    build_accelerator,
    new_model,
    training_sentences,
)
from bnaparser.training.update import Updater

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
