"""Bidirectional masked self-attention (BNA, 4.2.1, eq. 12 to 14)."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from bnaparser.network.layers.block import hide, merge_heads, split_heads
from bnaparser.network.model_settings import LayerSettings


class BiMSA(nn.Module):
    """One score matrix, two softmaxes: over the words up to a query, and from the query on::

        forward mask      keys 0 1 2 3        backward mask     keys 0 1 2 3
        query 0                x                   query 0           x x x x
        query 1                x x                 query 1             x x x
        query 2                x x x               query 2               x x
        query 3                x x x x             query 3                 x

    The forward mask keeps keys ``j <= i`` and the backward mask keys ``j >= i``. Equation 13 prints
    it the other way round; but the span vectors of equation 6 take their forward half from the
    left of a fencepost, so forward must mean the words before. Values have half the width of
    queries and keys (footnote 3), so that both directions together are as wide as the input.
    """

    def __init__(self, settings: LayerSettings):
        super().__init__()
        self.heads = settings.num_attention_heads
        self.scale = settings.head_dim**-0.5
        self.dropout = settings.attention_dropout
        inner = settings.num_attention_heads * settings.head_dim
        self.query = nn.Linear(settings.hidden_size, inner)
        self.key = nn.Linear(settings.hidden_size, inner)
        self.value = nn.Linear(settings.hidden_size, inner // 2)
        self.output = nn.Linear(inner, settings.hidden_size)

    def forward(self, hidden: Tensor, valid: Tensor) -> Tensor:
        """Map ``hidden`` (batch, positions, width), with ``valid`` (batch, positions), to its shape."""
        output: Tensor = self.output(self.contexts(hidden, valid))
        return output

    def contexts(self, hidden: Tensor, valid: Tensor) -> Tensor:
        """Return (batch, positions, heads * head_dim): all forward contexts, then all backward.

        This is equation 14 before the output projection; in training, attention dropout is applied
        to either direction by itself.
        """
        query = split_heads(self.query(hidden), self.heads)
        key = split_heads(self.key(hidden), self.heads)
        value = split_heads(self.value(hidden), self.heads)
        scores = query @ key.transpose(-1, -2) * self.scale
        positions = hidden.shape[1]
        before = torch.ones(positions, positions, dtype=torch.bool, device=hidden.device).tril()
        keys = valid[:, None, None, :]
        forward = self._attend(scores, keys & before, value)
        backward = self._attend(scores, keys & before.T, value)
        return torch.cat([merge_heads(forward), merge_heads(backward)], dim=-1)

    def _attend(self, scores: Tensor, visible: Tensor, value: Tensor) -> Tensor:
        weights = hide(scores, visible).softmax(dim=-1)
        return F.dropout(weights, self.dropout, self.training).to(value.dtype) @ value
