"""Partitioned attention (Kitaev and Klein 2018, section 3.2): content and position kept apart.

The first half of the features is content, the second half position. Every linear map works within
a half; an attention score is the sum of a content score and a position score.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from bnaparser.network.layers.block import ACTIVATIONS, FeatureDropout, split_heads
from bnaparser.network.model_settings import LayerSettings


class PartitionedLinear(nn.Module):
    """Two linear maps, one for the content half and one for the position half."""

    def __init__(self, inputs: int, outputs: int, bias: bool):
        super().__init__()
        self.content = nn.Linear(inputs // 2, outputs // 2, bias)
        self.position = nn.Linear(inputs // 2, outputs // 2, bias)

    def forward(self, features: Tensor) -> Tensor:
        """Map (..., inputs) to (..., outputs): content outputs first, then position outputs."""
        content, position = features.chunk(2, dim=-1)
        return torch.cat([self.content(content), self.position(position)], dim=-1)


class PartitionedAttention(nn.Module):
    """Multi-head attention whose heads hold half content, half position; no biases."""

    def __init__(self, settings: LayerSettings):
        super().__init__()
        self.heads = settings.num_attention_heads
        self.dropout = settings.attention_dropout
        inner = settings.num_attention_heads * settings.head_dim
        self.query = PartitionedLinear(settings.hidden_size, inner, bias=False)
        self.key = PartitionedLinear(settings.hidden_size, inner, bias=False)
        self.value = PartitionedLinear(settings.hidden_size, inner, bias=False)
        self.output = PartitionedLinear(inner, settings.hidden_size, bias=False)

    def forward(self, hidden: Tensor, valid: Tensor) -> Tensor:
        """Map ``hidden`` (batch, positions, width), with ``valid`` (batch, positions), to its shape."""
        context = F.scaled_dot_product_attention(
            self._split(self.query(hidden)),
            self._split(self.key(hidden)),
            self._split(self.value(hidden)),
            attn_mask=valid[:, None, None, :],
            dropout_p=self.dropout if self.training else 0.0,
        )
        content, position = context.chunk(2, dim=-1)
        halves = [half.transpose(1, 2).flatten(2) for half in (content, position)]
        output: Tensor = self.output(torch.cat(halves, dim=-1))
        return output

    def _split(self, projected: Tensor) -> Tensor:
        """Give each head its part of content and of position: (batch, heads, positions, size)."""
        content, position = projected.chunk(2, dim=-1)
        return torch.cat([split_heads(half, self.heads) for half in (content, position)], dim=-1)


def partitioned_feed_forward(settings: LayerSettings) -> nn.Sequential:
    """Return the position-wise network with partitioned linear maps."""
    return nn.Sequential(
        PartitionedLinear(settings.hidden_size, settings.intermediate_size, bias=True),
        ACTIVATIONS[settings.activation](),
        FeatureDropout(settings.feed_forward_dropout),
        PartitionedLinear(settings.intermediate_size, settings.hidden_size, bias=True),
    )


def interleave(hidden: Tensor) -> Tensor:
    """Reorder features to even indices, then odd: both halves then hold content and position.

    Fenceposts split the features into a first and a second half; without this, one of them would
    hold content only and the other position only.
    """
    return torch.cat([hidden[..., 0::2], hidden[..., 1::2]], dim=-1)
