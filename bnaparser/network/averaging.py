"""One parser whose weights are the mean of several that were fine-tuned from the same model.

Trainings that leave one start on ways of their own, with other seeds or data, end in one valley of the
loss, and its middle is often better than any end (Wortsman and others, "Model soups", ICML 2022).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from bnaparser.encoders.pretrained import PretrainedEncoder
from bnaparser.errors import ModelError, SettingsError
from bnaparser.models import find
from bnaparser.network import storage
from bnaparser.network.labels import LanguageNames
from bnaparser.network.model import BnaModel
from bnaparser.network.model_settings import ModelSettings

# Settings that do not change what trained weights compute; dropouts do not either.
_HARMLESS = {
    "encoder.name",
    "encoder.layers",  # what they have is compared
    "encoder.attention",
    "layers.position_init_std",
    "tags.init_std",
    "tags.loss_weight",
    "text.loss_weight",
    "chart.temperature",
}
_OF_LABELS = "scorer.output."  # parameters with a row for each label


@torch.no_grad()
def average(names: Sequence[str], weights: Sequence[float] | None = None) -> BnaModel:
    """Return a parser whose parameters are the weighted mean of two or more parsers' parameters.

    At most three models are in memory. The temperature is also the weighted mean, until the new parser is calibrated. A label
    that some models lack has the mean over the models that have it, as when a fine-tuned parser, which got new labels, and the
    parser that it started from are averaged.

    Args:
        names: names or folders of models.
        weights: the weight of each model, positive numbers of any sum; by default equal weights.

    Raises:
        SettingsError: names or weights are wrong.
        ModelError: two models differ in their network, vocabulary or tags, or each has labels that the other lacks.
    """
    fractions = normalised_weights(len(names), weights, "an average")
    mean = storage.load(find(names[0]))
    total: dict[str, Tensor] = {}
    of_labels: dict[tuple[str, str], Tensor] = {}
    shares: dict[str, float] = {}
    temperature = 0.0
    model = mean
    for place, (name, fraction) in enumerate(zip(names, fractions, strict=True)):
        if place:
            model = storage.load(find(name))
        if difference := _difference(mean, model):
            raise ModelError(f"{names[0]} and {name} cannot be averaged: {difference} differ")
        labels = model.labels.names[1:]
        shares |= {label: shares.get(label, 0.0) + fraction for label in labels}
        for key, tensor in model.state_dict().items():
            if key.startswith(_OF_LABELS):
                for label, row in zip(labels, tensor, strict=True):
                    so_far = of_labels.get((key, label), torch.zeros_like(row))
                    of_labels[key, label] = so_far.add(row, alpha=fraction)
            elif key in total:
                total[key].add_(tensor, alpha=fraction)
            else:
                total[key] = tensor * fraction
        temperature += model.settings.chart.temperature * fraction
        wider, other = (model, mean) if len(model.labels) > len(mean.labels) else (mean, model)
        wider.allow_empty_root |= other.allow_empty_root
        wider.by_language = _of_both(wider.by_language, other.by_language)
        mean = wider
    for key, _ in of_labels:
        rows = [of_labels[key, label] / shares[label] for label in mean.labels.names[1:]]
        total[key] = torch.stack(rows)
    mean.load_state_dict(total)
    mean.settings = mean.settings.at_temperature(temperature)
    return mean


def normalised_weights(count: int, weights: Sequence[float] | None, what: str) -> list[float]:
    """Return the weights of ``count`` models, scaled to the sum 1.

    Args:
        count: the number of models.
        weights: positive numbers; None for equal weights.
        what: what is made from the models, for the message, such as "an ensemble".

    Raises:
        SettingsError: there are fewer than two models, or not one positive number for each.
    """
    if count < 2:
        raise SettingsError(f"{what} needs two models or more: name another model")
    if weights is None:
        return [1 / count] * count
    if len(weights) != count:
        raise SettingsError(
            f"{len(weights)} weights for {count} models: give one weight for each model"
        )
    positive = all(hasattr(weight, "__float__") and weight > 0 for weight in weights)
    if not positive or not sum(weights) < float("inf"):
        raise SettingsError(
            f"weights {', '.join(map(str, weights))}: each weight must be a positive finite number"
        )
    return [weight / sum(weights) for weight in weights]


def _of_both(
    one: Mapping[str, LanguageNames], other: Mapping[str, LanguageNames]
) -> dict[str, LanguageNames]:
    """Return the names that each language has in either model."""
    nothing = LanguageNames(frozenset(), frozenset())
    pairs = {code: (one.get(code, nothing), other.get(code, nothing)) for code in {**one, **other}}
    return {
        code: LanguageNames(mine.labels | theirs.labels, mine.tags | theirs.tags)
        for code, (mine, theirs) in pairs.items()
    }


def _difference(one: BnaModel, other: BnaModel) -> str:
    """Name the first thing in which two models differ so that their weights cannot be mixed."""
    mine, theirs = _network(one.settings), _network(other.settings)
    fewer, more = sorted((one.labels.names, other.labels.names), key=len)
    aspects = {
        **{f"their settings {key}": (mine[key], theirs[key]) for key in mine},
        "their labels": ({*fewer} & {*more}, {*fewer}),
        "their tags": (one.tags.names, other.tags.names),
        "their vocabularies": (_vocabulary(one), _vocabulary(other)),
        "their encoders": (_shapes(one), _shapes(other)),
    }
    return next((name for name, (left, right) in aspects.items() if left != right), "")


def _network(settings: ModelSettings) -> dict[str, object]:
    """Return the settings that say what the weights compute, as ``layers.num_attention_heads``."""
    return {
        f"{table}.{key}": value
        for table, values in settings.model_dump().items()
        for key, value in values.items()
        if f"{table}.{key}" not in _HARMLESS and "dropout" not in key
    }


def _vocabulary(model: BnaModel) -> object:
    if isinstance(model.encoder, PretrainedEncoder):
        assert model.subwords is not None
        return model.subwords.tokenizer.get_vocab()
    return model.encoder.characters


def _shapes(model: BnaModel) -> dict[str, torch.Size]:
    shapes = {name: tensor.shape for name, tensor in model.state_dict().items()}
    return {name: shape for name, shape in shapes.items() if not name.startswith(_OF_LABELS)}
