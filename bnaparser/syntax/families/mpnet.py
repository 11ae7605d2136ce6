"""MPNet: its attention module is given a subclass of its own class, with the same parameters."""

from __future__ import annotations

from typing import Any

from torch import Tensor
from transformers.models.mpnet.modeling_mpnet import MPNetSelfAttention

from bnaparser.syntax.attention import Attention
from bnaparser.syntax.families.attention_hook import AttentionHook
from bnaparser.syntax.families.interface import weighed


class GuidedMPNetAttention(MPNetSelfAttention):  # type: ignore[misc]
    """MPNet's attention, its softmax left to the variant at ``hook``."""

    hook: AttentionHook

    def forward(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
        output_attentions: bool = False,
        **others: Any,
    ) -> tuple[Tensor, ...]:
        """Return the output (B, T, H), and the probabilities if they are requested."""
        heads = (*hidden_states.shape[:-1], -1, self.attention_head_size)
        query, key, value = (
            projection(hidden_states).view(heads).transpose(1, 2)
            for projection in (self.q, self.k, self.v)
        )
        query = query * self.attention_head_size**-0.5
        scores = query @ key.transpose(-1, -2)
        if position_bias is not None:
            scores = scores + position_bias
        allowed, scores = weighed(attention_mask, scores)
        attention = Attention(
            layer_input=hidden_states,
            query=query,
            key=key,
            value=value,
            scores=scores,
            allowed=allowed,
            dropout=self.dropout.p if self.training else 0.0,
            output_weight=self.o.weight,
        )
        contexts, probabilities = self.hook.serve(attention, self.hook.held())
        output = self.o(contexts.flatten(2))
        return (output, probabilities) if output_attentions else (output,)
