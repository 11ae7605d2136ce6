"""Training on from another model: its weights in a new network, labels and tags matched by name."""

from __future__ import annotations

import torch
from torch import Tensor
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from bnaparser.encoders.pretrained import PretrainedEncoder
from bnaparser.errors import SettingsError
from bnaparser.network.labels import Inventory
from bnaparser.network.model import BnaModel, build_model
from bnaparser.network.model_settings import ModelSettings

# Settings of layers that say what the weights compute, also where they do not say how many there are.
_SHAPE = ("layer_types", "num_attention_heads", "head_dim", "ngrams", "positions")
# Weights of a start that a network may do without.
_LEFT_BEHIND = ("tagger.", "tag_embedding.", "word_finder.")


def create_from(
    start: BnaModel,
    settings: ModelSettings,
    labels: Inventory,
    tags: Inventory,
    allow_empty_root: bool = False,
) -> BnaModel:
    """Build a model to be trained with the weights of another, which gives its encoder away.

    Labels, tags and a finder of words that the other does not have start at random, shapes of
    words as nothing; the other's tags and finder of words are left behind where the settings want
    none. Raises SettingsError when the settings ask for a network of another shape.
    """
    for key in ("name", "layers", "attention", "decoder", "mix_layers"):
        stated, theirs = getattr(settings.encoder, key), getattr(start.settings.encoder, key)
        if stated != theirs:
            raise SettingsError(
                f"train.start brings its own encoder, whose {key} is {theirs!r}, not {stated!r}:"
                f" leave encoder.{key} out, or start from a bare encoder"
            )
    for key in _SHAPE:
        stated, theirs = getattr(settings.layers, key), getattr(start.settings.layers, key)
        if stated != theirs:
            raise SettingsError(
                f"train.start does not fit the recipe: its layers.{key} is {theirs!r}, not {stated!r};"
                f" leave layers.{key} out to take it over"
            )
    source: str | tuple[PreTrainedModel, PreTrainedTokenizerBase]
    if isinstance(start.encoder, PretrainedEncoder):
        assert start.subwords is not None
        source = start.encoder.model, start.subwords.tokenizer
    else:
        source = start.encoder.characters
    model = build_model(settings, labels, tags, source, allow_empty_root)
    _carry_over(start, model)
    return model


@torch.no_grad()
def _carry_over(start: BnaModel, model: BnaModel) -> None:
    theirs, mine = start.state_dict(), model.state_dict()
    if lost := [n for n in theirs if n not in mine and not n.startswith(_LEFT_BEHIND)]:
        raise SettingsError(
            f"train.start does not fit the recipe: it has {lost[0]}, which the recipe's network lacks;"
            " leave [layers] out to take it over"
        )
    # The layers whose rows stand for labels or tags: names of the new rows, and of the old ones.
    rows = {
        "scorer.output": (model.labels.names[1:], start.labels.names[1:]),
        "tagger.3": (model.tags.names, start.tags.names),
        "tag_embedding": (("", *model.tags.names), ("", *start.tags.names)),
    }
    for name, tensor in mine.items():
        layer = name.rpartition(".")[0]
        old = theirs.get(name)
        if old is None and (name == "shape_embedding" or name.startswith("word_finder.")):
            continue  # shapes begin as nothing, the finder of words at random
        if old is None or old.shape[1:] != tensor.shape[1:]:
            raise _misfit(name, tensor, old)
        if layer in rows:
            _copy_rows(*rows[layer], old, tensor)
        elif old.shape == tensor.shape:
            tensor.copy_(old)
        else:
            raise _misfit(name, tensor, old)


def _copy_rows(
    names: tuple[str, ...], old_names: tuple[str, ...], old: Tensor, tensor: Tensor
) -> None:
    places = {name: row for row, name in enumerate(old_names)}
    for row, name in enumerate(names):
        if name in places:
            tensor[row] = old[places[name]]


def _misfit(name: str, tensor: Tensor, old: Tensor | None) -> SettingsError:
    there = "none" if old is None else "x".join(map(str, old.shape))
    return SettingsError(
        f"train.start does not fit the recipe: {name} is {'x'.join(map(str, tensor.shape))}, in "
        f"the model to start from {there}; leave [layers], [scorer], [tags] out to take them over"
    )
