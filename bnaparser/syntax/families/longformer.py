"""Longformer: layers and attention modules are given subclasses of their own classes.

Its windows are computed here as masks of a whole matrix of scores: a long text takes the time and
memory of full attention.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from transformers.models.longformer.modeling_longformer import (
    LongformerLayer,
    LongformerSelfAttention,
)

from bnaparser.errors import SettingsError
from bnaparser.syntax.attention import Attention
from bnaparser.syntax.batch import SyntaxBatch
from bnaparser.syntax.families.attention_hook import AttentionHook, CarryingLayer


class GuidedLongformerAttention(LongformerSelfAttention):  # type: ignore[misc]
    """Longformer's attention within its window, its softmax left to the variant at ``hook``."""

    hook: AttentionHook
    syntax: SyntaxBatch | None = None

    def forward(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor,
        is_index_masked: Tensor,
        is_index_global_attn: Tensor | None = None,
        is_global_attn: bool | None = None,
        output_attentions: bool = False,
    ) -> tuple[Tensor, ...]:
        """Return the contexts (B, T, H), and the probabilities (B, T, A, T) if they are requested.

        The encoder fills texts up to whole windows; what it has filled in is left out here.
        """
        if is_global_attn:
            if self.syntax is not None:
                raise SettingsError("Longformer with syntax does not support global_attention_mask")
            return super().forward(  # type: ignore[no-any-return]
                hidden_states,
                attention_mask,
                is_index_masked,
                is_index_global_attn,
                is_global_attn,
                output_attentions,
            )
        filled = hidden_states.shape[1]
        size = filled if self.syntax is None else self.syntax.shape[1]
        hidden = hidden_states[:, :size]
        heads = (*hidden.shape[:-1], self.num_heads, self.head_dim)
        query, key, value = (
            projection(hidden).view(heads).transpose(1, 2)
            for projection in (self.query, self.key, self.value)
        )
        query = query * self.head_dim**-0.5
        places = torch.arange(size, device=hidden.device)
        near = (places - places[:, None]).abs() <= self.one_sided_attn_window_size
        projection: Any = self.hook.projection
        attention = Attention(
            layer_input=hidden,
            query=query,
            key=key,
            value=value,
            scores=query @ key.transpose(-1, -2),
            allowed=near & ~is_index_masked[:, None, None, :size],
            dropout=self.dropout if self.training else 0.0,
            output_weight=projection.weight,
        )
        contexts, probabilities = self.hook.serve(attention, self.syntax)
        output = F.pad(contexts.flatten(2), (0, 0, 0, filled - size))
        shown = F.pad(probabilities, (0, 0, 0, filled - size)).transpose(1, 2)
        return (output, shown) if output_attentions else (output,)


class GuidedLongformerLayer(CarryingLayer, LongformerLayer):  # type: ignore[misc]
    """Longformer's layer, guided."""


GUIDED: dict[Any, Any] = {
    LongformerSelfAttention: GuidedLongformerAttention,
    LongformerLayer: GuidedLongformerLayer,
}
