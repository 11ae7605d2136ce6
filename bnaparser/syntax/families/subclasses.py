"""Encoders whose attention modules are given subclasses of their own classes: the names of all weights stay."""

from __future__ import annotations

from typing import Any

from transformers import PreTrainedModel
from transformers.models.big_bird.modeling_big_bird import BigBirdModel
from transformers.models.mpnet.modeling_mpnet import MPNetSelfAttention
from transformers.models.xlnet.modeling_xlnet import XLNetRelativeAttention

from bnaparser.errors import SettingsError
from bnaparser.syntax.families import deberta, longformer, relatives, xlnet
from bnaparser.syntax.families.attention_hook import AttentionHook

GUIDED: dict[Any, Any] = {
    **relatives.GUIDED,
    **longformer.GUIDED,
    **deberta.GUIDED,
    MPNetSelfAttention: relatives.GuidedMPNetAttention,
    XLNetRelativeAttention: xlnet.GuidedXLNetAttention,
}
"""Each class of these encoders that is replaced, attention modules and layers, and its subclass."""


def find_hooks(encoder: PreTrainedModel) -> list[AttentionHook]:
    """Return the attention modules of an encoder of these families, in order; an empty list for
    other encoders.

    A BigBird is set to full attention: its blocks leave no matrix that a mask could be laid on.
    """
    if isinstance(encoder, BigBirdModel):
        encoder.set_attention_type("original_full")
    found: list[tuple[Any, Any]] = []
    for module in encoder.modules():
        inner: Any = getattr(module, "self", None)
        if type(inner) in GUIDED:
            if getattr(inner, "head_logits_proj", None) is not None:
                raise SettingsError("DeBERTa with talking heads is not supported")
            found.append((inner, module.output.dense))
        elif isinstance(module, MPNetSelfAttention):
            found.append((module, module.o))
        elif isinstance(module, XLNetRelativeAttention):
            found.append((module, module))
    return [AttentionHook(module, after, layer) for layer, (module, after) in enumerate(found)]


def install(encoder: PreTrainedModel, hooks: list[AttentionHook]) -> None:
    """Give layers and attention modules the subclasses."""
    for module in encoder.modules():
        if type(module) in GUIDED:
            module.__class__ = GUIDED[type(module)]
    for hook in hooks:
        hook.module.hook = hook  # type: ignore[assignment]
