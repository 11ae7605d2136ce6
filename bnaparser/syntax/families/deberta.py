"""DeBERTa and DeBERTa-v2: layers and attention modules are given subclasses of their own classes."""

from __future__ import annotations

import math
from typing import Any

from torch import Tensor
from transformers.models.deberta import modeling_deberta as v1
from transformers.models.deberta_v2 import modeling_deberta_v2 as v2

from bnaparser.syntax.attention import Attention
from bnaparser.syntax.batch import SyntaxBatch
from bnaparser.syntax.families.attention_hook import AttentionHook, CarryingLayer


class _GuidedAttention:
    """A DeBERTa's attention with its softmax left to the variant at ``hook``."""

    hook: AttentionHook
    syntax: SyntaxBatch | None = None

    def forward(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor,
        output_attentions: bool = False,
        query_states: Tensor | None = None,
        relative_pos: Tensor | None = None,
        rel_embeddings: Tensor | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        """Return the contexts (B, T, A * W), and the probabilities if they are requested."""
        query, key, value, scores = self.scored(hidden_states, relative_pos, rel_embeddings)
        dropout: Any = self.dropout  # type: ignore[attr-defined]
        projection: Any = self.hook.projection
        attention = Attention(
            layer_input=hidden_states,
            query=query,
            key=key,
            value=value,
            scores=scores,
            allowed=attention_mask.bool(),
            dropout=dropout.p if dropout.training else 0.0,
            output_weight=projection.weight,
        )
        contexts, probabilities = self.hook.serve(attention, self.syntax)
        return contexts.flatten(2), probabilities if output_attentions else None

    def scored(
        self, hidden_states: Tensor, relative_pos: Tensor | None, rel_embeddings: Tensor | None
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return scaled queries, keys, values (B, A, T, W) and scores (B, A, T, T)."""
        raise NotImplementedError


class GuidedDebertaAttention(_GuidedAttention, v1.DisentangledSelfAttention):  # type: ignore[misc]
    """DeBERTa's attention, guided."""

    def scored(
        self, hidden_states: Tensor, relative_pos: Tensor | None, rel_embeddings: Tensor | None
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Compute as the original does, up to its softmax."""
        projected = self.transpose_for_scores(self.in_proj(hidden_states))
        query, key, value = projected.chunk(3, dim=-1)
        query = query + self.transpose_for_scores(self.q_bias[None, None, :])
        value = value + self.transpose_for_scores(self.v_bias[None, None, :])
        factor = 1 + len(self.pos_att_type)
        query = query / math.sqrt(query.shape[-1] * factor)
        scores = query @ key.transpose(-1, -2)
        if self.relative_attention and rel_embeddings is not None:
            places = self.pos_dropout(rel_embeddings)
            scores = scores + self.disentangled_att_bias(query, key, relative_pos, places, factor)
        return query, key, value, scores


class GuidedDebertaV2Attention(_GuidedAttention, v2.DisentangledSelfAttention):  # type: ignore[misc]
    """DeBERTa-v2's attention, guided."""

    def scored(
        self, hidden_states: Tensor, relative_pos: Tensor | None, rel_embeddings: Tensor | None
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Compute as the original does, up to its softmax."""
        heads = self.num_attention_heads
        query, key, value = (  # (B * A, T, W)
            self.transpose_for_scores(projection(hidden_states), heads)
            for projection in (self.query_proj, self.key_proj, self.value_proj)
        )
        factor = 1 + ("c2p" in self.pos_att_type) + ("p2c" in self.pos_att_type)
        scale = math.sqrt(query.shape[-1] * factor)
        scores = query @ key.transpose(-1, -2) / scale
        if self.relative_attention:
            places = self.pos_dropout(rel_embeddings)
            scores = scores + self.disentangled_attention_bias(
                query, key, relative_pos, places, factor
            )
        query, key, value, scores = (
            tensor.unflatten(0, (-1, heads)) for tensor in (query / scale, key, value, scores)
        )
        return query, key, value, scores


class GuidedDebertaLayer(CarryingLayer, v1.DebertaLayer):  # type: ignore[misc]
    """DeBERTa's layer, guided."""


class GuidedDebertaV2Layer(CarryingLayer, v2.DebertaV2Layer):  # type: ignore[misc]
    """DeBERTa-v2's layer, guided."""


GUIDED: dict[Any, Any] = {
    v1.DisentangledSelfAttention: GuidedDebertaAttention,
    v1.DebertaLayer: GuidedDebertaLayer,
    v2.DisentangledSelfAttention: GuidedDebertaV2Attention,
    v2.DebertaV2Layer: GuidedDebertaV2Layer,
}
