"""How much attention is syntax's, layer by layer (figure 2 of the SLA paper).

Li et al., Improving BERT with Syntax-aware Local Attention, 2021: the gates of equation 5,
averaged over all tokens of a layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bnaparser.errors import SettingsError
from bnaparser.inspection.texts import attention_variant, variant_title
from bnaparser.syntax.variants.sla import GatedLocalAttention
from bnaparser.syntax.variants.syntax_bert import SyntaxBert
from bnaparser.tasks.examples import PreparedExample
from bnaparser.tasks.model import TaskModel, batches_of_texts

_PLAIN = ("empty", "unmasked")  # sub-networks of Syntax-BERT that no tree masks


@dataclass(frozen=True)
class GateCurve:
    """Mean, standard deviation, least and greatest gate of each layer, and of how many tokens."""

    mean: NDArray[np.float64]
    deviation: NDArray[np.float64]
    minimum: NDArray[np.float64]
    maximum: NDArray[np.float64]
    tokens: int


def gate_curve(values: Sequence[NDArray[np.float32]]) -> GateCurve:
    """Return what a figure shows of the gates of each layer, one value a token."""
    layers = np.stack(values).astype(np.float64)
    return GateCurve(
        mean=layers.mean(axis=1),
        deviation=layers.std(axis=1),
        minimum=layers.min(axis=1),
        maximum=layers.max(axis=1),
        tokens=layers.shape[1],
    )


@torch.inference_mode()
def gate_values(model: TaskModel, examples: Sequence[PreparedExample]) -> list[NDArray[np.float32]]:
    """Return the gates of each layer, in [0, 1], for all tokens of all texts, including special
    tokens.

    A gate is the fraction of the local attention. Of Syntax-BERT, which has no gates, it is the fraction
    that a token takes from the sub-networks that syntax masks. Texts come in no order.

    Raises SettingsError for variants that have neither.
    """
    if not has_gates(model):
        raise SettingsError(f"{variant_title(attention_variant(model))} has no gates")
    found: list[list[NDArray[np.float32]]] = []
    for chosen in batches_of_texts([one.size for one in examples], model.network.encoder):
        batch = [examples[index] for index in chosen]
        tokens = model.tokenize(batch)
        inputs = model.inputs(batch, tokens)
        model.network(**{name: value.to(model.device) for name, value in inputs.items()})
        real = inputs["attention_mask"].bool()
        found.append([layer.float().cpu()[real].numpy() for layer in last_gates(model)])
    return [np.concatenate(layer) for layer in zip(*found, strict=True)]


def has_gates(model: TaskModel) -> bool:
    """Return whether the model's variant has gates, or fractions of sub-networks in their place."""
    return isinstance(attention_variant(model), GatedLocalAttention | SyntaxBert)


def last_gates(model: TaskModel) -> list[Tensor]:
    """Return the gates (B, T) of each layer in the model's last call."""
    variant = attention_variant(model)
    if isinstance(variant, SyntaxBert):
        plain = [place for place, name in enumerate(variant.settings.names) if name in _PLAIN]
        return [_masked_fraction(shares, plain) for shares in variant.shares]
    assert isinstance(variant, GatedLocalAttention)
    return variant.gate_values


def _masked_fraction(shares: Tensor, plain: list[int]) -> Tensor:
    """Return what of ``shares`` (B, T, N) is not that of the sub-networks ``plain``, (B, T)."""
    return 1 - shares[..., plain].sum(dim=-1) / shares.sum(dim=-1)
