"""A network for several languages seen as one of them: all its weights, and that language's labels and tags."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, TypeVar, cast

from bnaparser.network.compiled.compiled_network import CompiledNetwork
from bnaparser.network.labels import LanguageNames, barred
from bnaparser.network.parsing_network import ParsingNetwork
from bnaparser.network.tag_forms import allowed_tags

if TYPE_CHECKING:
    from torch import nn

    from bnaparser.network.model import BnaModel

Module = TypeVar("Module", bound="nn.Module")


def in_one_language(network: ParsingNetwork, language: str) -> ParsingNetwork:
    """Return a network that shares all weights, and gives labels and tags of one language only."""
    known = network.by_language[language]
    view: BnaModel | CompiledNetwork
    if isinstance(network, CompiledNetwork):
        view = network.barring(known)
    else:
        view = _barring(cast("BnaModel", network), known)
    view.settings, view.by_language = network.settings.in_language(language), {language: known}
    return view


def _barring(model: BnaModel, known: LanguageNames) -> BnaModel:
    view = _shallow(model)
    view.scorer = _shallow(model.scorer)
    view.scorer.output = _barred(model.scorer.output, model.labels.names[1:], known.labels)
    if model.settings.tags.predict:
        view.tagger = _shallow(model.tagger)
        last = len(model.tagger) - 1
        view.tagger[last] = _barred(
            cast("nn.Linear", model.tagger[last]), model.tags.names, known.tags
        )
        view.allowed_tags = allowed_tags(model.tags.names, known.tags)
    return view


def _shallow(module: Module) -> Module:
    """Return a module of the same parts, of which some can be put in the place of others."""
    view = copy(module)
    view._modules = dict(module._modules)
    view._parameters = dict(module._parameters)
    return view


def _barred(linear: nn.Linear, names: Sequence[str], known: frozenset[str]) -> nn.Linear:
    """Return a layer with the same weights that never prefers an output whose name is not known."""
    import torch
    from torch import nn

    view = _shallow(linear)
    bias = barred(linear.bias.detach().float().cpu().numpy(), names, known)
    view.bias = nn.Parameter(torch.from_numpy(bias).to(linear.bias), requires_grad=False)
    return view
