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
    "text.languages",  # `_names` are compared
    "chart.temperature",
    "chart.language_temperatures",
}


@torch.no_grad()
def average(names: Sequence[str], weights: Sequence[float] | None = None) -> BnaModel:
    """Return a parser whose parameters are the weighted mean of two or more parsers' parameters.

    At most three models are in memory. The temperatures are also weighted means, until the new parser is calibrated. A label
    or predicted tag that some models lack has the mean over the models that have it, as when a parser that was fine-tuned on new
    treebanks and the parser that it started from are averaged.

    Args:
        names: names or folders of models.
        weights: the weight of each model, positive numbers of any sum; by default equal weights.

    Raises:
        SettingsError: names or weights are wrong.
        ModelError: two models differ in their network or vocabulary, or each has languages, labels or tags that the other lacks.
    """
    fractions = normalised_weights(len(names), weights, "an average")
    mean = storage.load(find(names[0]))
    total: dict[str, Tensor] = {}
    of_names: dict[tuple[str, str], Tensor] = {}
    shares: dict[tuple[str, str], float] = {}
    temperature = 0.0
    of_languages: dict[str, list[tuple[float, float]]] = {}
    model = mean
    for place, (name, fraction) in enumerate(zip(names, fractions, strict=True)):
        if place:
            model = storage.load(find(name))
        if difference := _difference(mean, model):
            raise ModelError(f"{names[0]} and {name} cannot be averaged: {difference} differ")
        rows = _names_of_rows(model)
        for key, tensor in model.state_dict().items():
            if key in rows:
                for row_name, row in zip(rows[key], tensor, strict=True):
                    so_far = of_names.get((key, row_name), torch.zeros_like(row))
                    of_names[key, row_name] = so_far.add(row, alpha=fraction)
                    shares[key, row_name] = shares.get((key, row_name), 0.0) + fraction
            elif key in total:
                total[key].add_(tensor, alpha=fraction)
            else:
                total[key] = tensor * fraction
        temperature += model.settings.chart.temperature * fraction
        for language in model.settings.text.languages:
            own = model.settings.in_language(language).chart.temperature
            of_languages.setdefault(language, []).append((own, fraction))
        wider, other = (model, mean) if _size(model) > _size(mean) else (mean, model)
        wider.allow_empty_root |= other.allow_empty_root
        wider.by_language = _of_both(wider.by_language, other.by_language)
        mean = wider
    for key, row_names in _names_of_rows(mean).items():
        total[key] = torch.stack([of_names[key, one] / shares[key, one] for one in row_names])
    mean.load_state_dict(total)
    mean.settings = mean.settings.at_temperature(temperature)
    if len(of_languages) > 1:
        own_means = {
            language: sum(own * fraction for own, fraction in found)
            / sum(fraction for _, fraction in found)
            for language, found in of_languages.items()
        }
        mean.settings = mean.settings.at_temperature(own_means)
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


def _names_of_rows(model: BnaModel) -> dict[str, Sequence[str]]:
    """Return the parameters that have a row for each label or each predicted tag, with the rows' names."""
    names = {"scorer.output.": model.labels.names[1:]}
    if model.settings.tags.predict:
        names[f"tagger.{len(model.tagger) - 1}."] = model.tags.names
    keys = model.state_dict()
    return {key: rows for start, rows in names.items() for key in keys if key.startswith(start)}


def _names(model: BnaModel) -> dict[str, set[str]]:
    """Return the names of which one of two parsers may have more than the other."""
    return {
        "their languages": {*model.settings.text.languages},
        "their labels": {*model.labels.names},
        "their tags": {*model.tags.names},
    }


def _size(model: BnaModel) -> tuple[int, int]:
    """Return the number of labels and of tags, by which the parser with more names is found."""
    return len(model.labels), len(model.tags)


def _difference(one: BnaModel, other: BnaModel) -> str:
    """Name the first thing in which two models differ so that their weights cannot be mixed."""
    mine, theirs = _network(one.settings), _network(other.settings)
    fewer, more = (_names(model) for model in sorted((one, other), key=_size))
    aspects = {
        **{f"their settings {key}": (mine[key], theirs[key]) for key in mine},
        **{what: (names - more[what], set()) for what, names in fewer.items()},
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
    by_name = _names_of_rows(model)
    return {key: tensor.shape for key, tensor in model.state_dict().items() if key not in by_name}
