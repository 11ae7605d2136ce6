"""BERT and its kin, DistilBERT, ALBERT, ModernBERT, NomicBERT, T5: transformers' AttentionInterface.

A registered function is called once a layer with queries, keys and values. What else it needs, a
hook in front of the attention module adds to the keyword arguments that travel to it.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from transformers import AttentionInterface, AttentionMaskInterface, PreTrainedModel
from transformers.masking_utils import sdpa_mask

from bnaparser.syntax.attention import Attention
from bnaparser.syntax.batch import SyntaxBatch
from bnaparser.syntax.families.attention_hook import AttentionHook

NAME = "bnaparser_syntax"
# What is added to the score of a key that may not be seen is no more than this: MarkupLM adds
# -10000, in bfloat16 -9984, all others the least number that there is.
_CLOSED = -9_000
# Names of the linear layer after the attention, where it is the attention module's own.
PROJECTIONS = {
    "DistilBertSelfAttention": "out_lin",
    "AlbertAttention": "dense",
    "ModernBertAttention": "Wo",
    "NomicBertAttention": "o_proj",
    "T5Attention": "o",
    "MT5Attention": "o",
    "UMT5Attention": "o",
    "EuroBertAttention": "o_proj",
    "GteAttention": "o_proj",
    "JinaEmbeddingsV3Attention": "o_proj",
}


def find_hooks(encoder: PreTrainedModel) -> list[AttentionHook]:
    """Return the attention modules of an encoder of these families, in order; an empty list for
    other encoders.
    """
    found: list[tuple[nn.Module, nn.Module]] = []
    for module in encoder.modules():
        inner = getattr(module, "self", None)
        if isinstance(inner, nn.Module) and {"query", "key", "value"} <= set(dir(inner)):
            if hasattr(inner, "scaling"):  # BERT and its copies; older forms do without
                found.append((inner, module.output.dense))
        elif type(module).__name__ in PROJECTIONS:
            found.append((module, getattr(module, PROJECTIONS[type(module).__name__])))
    return [
        AttentionHook(module, projection, layer) for layer, (module, projection) in enumerate(found)
    ]


def install(encoder: PreTrainedModel, hooks: list[AttentionHook]) -> None:
    """Let the encoder call ``attend``, and give it what it needs."""
    encoder.set_attn_implementation(NAME)
    for hook in hooks:
        hook.module.register_forward_pre_hook(_Provider(hook).provide, with_kwargs=True)


class _Provider:
    """Adds to the keyword arguments of an attention module; a class, so that copies of a model
    have providers of their own."""

    def __init__(self, hook: AttentionHook):
        self.hook = hook

    def provide(self, module: nn.Module, args: Any, kwargs: Any) -> tuple[Any, Any]:
        hidden = args[0] if args else kwargs["hidden_states"]
        rotary = kwargs.get("position_embeddings")
        return args, {**kwargs, "hook": self.hook, "layer_input": hidden, "rotary": rotary}


def attend(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float,
    dropout: float = 0.0,
    *,
    hook: AttentionHook | None = None,
    layer_input: Tensor | None = None,
    syntax: SyntaxBatch | None = None,
    rotary: tuple[Tensor, Tensor] | None = None,
    position_bias: Tensor | None = None,
    **others: Any,
) -> tuple[Tensor, Tensor | None]:
    """Serve one layer; signature and answer are transformers'.

    Without a ``hook`` this is plain attention: another model may share the configuration.
    """
    if hook is None or layer_input is None:
        plain = AttentionInterface()["sdpa"]
        causal = getattr(module, "is_causal", False)  # sdpa's own default is True
        return plain(  # type: ignore[no-any-return]
            module, query, key, value, attention_mask, dropout, scaling, causal, position_bias
        )
    query = query * scaling
    key, value = (_for_each_head(shared, query.shape[1]) for shared in (key, value))
    boolean = attention_mask is None or attention_mask.dtype == torch.bool
    if boolean and position_bias is None and not dropout and not _is_shown(module, others):
        contexts = hook.fused(layer_input, (query, key, value), attention_mask, syntax)
        if contexts is not None:
            return contexts, None
    scores = query @ key.transpose(-1, -2)
    if position_bias is not None:
        scores = scores + position_bias
    allowed, scores = weighed(attention_mask, scores)
    projection: Any = hook.projection
    attention = Attention(
        layer_input=layer_input,
        query=query,
        key=key,
        value=value,
        scores=scores,
        allowed=allowed,
        dropout=dropout,
        output_weight=projection.weight,
        turn=None if rotary is None else partial(_turned, rotary),
    )
    return hook.serve(attention, syntax)


def _for_each_head(shared: Tensor, heads: int) -> Tensor:
    """Return keys or values (B, A, T, W) of every head, where several heads may share theirs."""
    sharing = heads // shared.shape[1]
    return shared if sharing == 1 else shared.repeat_interleave(sharing, dim=1)


def _turned(rotary: tuple[Tensor, Tensor], keys: Tensor) -> Tensor:
    """Return keys (B, T, W) turned by the cosine and sine of their positions, by halves."""
    cosine, sine = rotary
    left, right = keys.chunk(2, dim=-1)
    return keys * cosine + torch.cat([-right, left], dim=-1) * sine


def weighed(mask: Tensor | None, scores: Tensor) -> tuple[Tensor | None, Tensor]:
    """Return which keys a mask lets see, and the scores with what it adds to these."""
    if mask is None or mask.dtype == torch.bool:
        return mask, scores
    # A mask of the user's own: it may also weigh.
    allowed = mask > _CLOSED
    return allowed, scores + mask.masked_fill(~allowed, 0)


def _is_shown(module: nn.Module, arguments: dict[str, Any]) -> bool:
    """Return whether the probabilities of a call are recorded."""
    shown: Any = arguments.get("output_attentions")
    return bool(shown or getattr(getattr(module, "config", None), "output_attentions", False))


AttentionInterface.register(NAME, attend)
AttentionMaskInterface.register(NAME, sdpa_mask)
