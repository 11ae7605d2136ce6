"""RoFormer, BigBird, ConvBERT, MPNet: BERT's relatives, whose attention calls no interface.

Their attention modules are given subclasses of their own classes, with the same parameters. The
batch travels to those of ``GUIDED`` with the keyword arguments of a call.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import Tensor
from transformers.models.big_bird.modeling_big_bird import BigBirdSelfAttention
from transformers.models.convbert.modeling_convbert import ConvBertSelfAttention
from transformers.models.mpnet.modeling_mpnet import MPNetSelfAttention
from transformers.models.roformer.modeling_roformer import RoFormerSelfAttention

from bnaparser.syntax.attention import Attention
from bnaparser.syntax.batch import SyntaxBatch
from bnaparser.syntax.families.attention_hook import AttentionHook
from bnaparser.syntax.families.interface import weighed


class _GuidedRelative:
    """BERT's attention, written out, with its softmax left to the variant at ``hook``."""

    hook: AttentionHook
    query: Any
    key: Any
    value: Any
    dropout: Any
    attention_head_size: int
    training: bool

    def forward(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        *,
        position_bias: Tensor | None = None,
        sinusoidal_pos: Tensor | None = None,
        syntax: SyntaxBatch | None = None,
        **others: Any,
    ) -> tuple[Tensor, Tensor]:
        """Return the contexts (B, T, A * W), and the probabilities that made them."""
        heads = (*hidden_states.shape[:-1], -1, self.attention_head_size)
        query, key, value = (
            projection(hidden_states).view(heads).transpose(1, 2)
            for projection in (self.query, self.key, self.value)
        )
        turn = None
        if sinusoidal_pos is not None:
            query, key, value = self.placed(sinusoidal_pos, query, key, value)
            turn = partial(_turned, sinusoidal_pos)
        query = query * self.attention_head_size**-0.5
        scores = query @ key.transpose(-1, -2)
        if position_bias is not None:
            scores = scores + position_bias
        allowed, scores = weighed(attention_mask, scores)
        projection: Any = self.hook.projection
        attention = Attention(
            layer_input=hidden_states,
            query=query,
            key=key,
            value=value,
            scores=scores,
            allowed=allowed,
            dropout=self.dropout.p if self.training else 0.0,
            output_weight=projection.weight[:, : query.shape[1] * self.attention_head_size],
            turn=turn,
        )
        contexts, probabilities = self.hook.serve(attention, syntax)
        return contexts.flatten(2), probabilities

    def placed(self, places: Tensor, *projected: Tensor) -> tuple[Tensor, ...]:
        """Return queries, keys and values with the positions in them."""
        raise NotImplementedError


class GuidedBigBirdAttention(_GuidedRelative, BigBirdSelfAttention):  # type: ignore[misc]
    """BigBird's full attention, guided."""


class GuidedRoFormerAttention(_GuidedRelative, RoFormerSelfAttention):  # type: ignore[misc]
    """RoFormer's attention, guided."""

    def placed(self, places: Tensor, *projected: Tensor) -> tuple[Tensor, ...]:
        """Turn queries and keys by their positions, and values where the encoder does so."""
        query, key, value = projected
        if self.rotary_value:
            turned: tuple[Tensor, ...] = self.apply_rotary_position_embeddings(places, *projected)
            return turned
        return (*self.apply_rotary_position_embeddings(places, query, key), value)


class GuidedConvBertAttention(_GuidedRelative, ConvBertSelfAttention):  # type: ignore[misc]
    """ConvBERT's attention, guided; the convolution beside it stays what it is."""

    def forward(
        self, hidden_states: Tensor, attention_mask: Tensor | None = None, **others: Any
    ) -> tuple[Tensor, Tensor]:
        """Return the contexts of attention and convolution (B, T, 2 * A * W), and probabilities."""
        contexts, probabilities = super().forward(hidden_states, attention_mask, **others)
        # The original gives both; its own attention is computed for nothing.
        both, _ = ConvBertSelfAttention.forward(self, hidden_states, attention_mask)
        return torch.cat([contexts, both[..., contexts.shape[-1] :]], dim=-1), probabilities


class GuidedMPNetAttention(_GuidedRelative, MPNetSelfAttention):  # type: ignore[misc]
    """MPNet's attention, guided; its projections have other names, and the last one is its own."""

    query = property(lambda self: self.q)
    key = property(lambda self: self.k)
    value = property(lambda self: self.v)

    def forward(  # type: ignore[override]
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
        output_attentions: bool = False,
        **others: Any,
    ) -> tuple[Tensor, ...]:
        """Return the output (B, T, H), and the probabilities if they are requested."""
        contexts, probabilities = super().forward(
            hidden_states, attention_mask, position_bias=position_bias, syntax=self.hook.held()
        )
        output = self.o(contexts)
        return (output, probabilities) if output_attentions else (output,)


GUIDED: dict[Any, Any] = {
    BigBirdSelfAttention: GuidedBigBirdAttention,
    RoFormerSelfAttention: GuidedRoFormerAttention,
    ConvBertSelfAttention: GuidedConvBertAttention,
}


def _turned(places: Tensor, keys: Tensor) -> Tensor:
    """Return keys (B, T, W) turned as RoFormer turns its own."""
    key = keys[:, None]
    turned: tuple[Tensor, Tensor] = RoFormerSelfAttention.apply_rotary_position_embeddings(
        places, key, key
    )
    return turned[1][:, 0]
