"""The stack of layers that a configuration lists: word content in, contextual vectors out."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from bnaparser.network.layers.bimsa import BiMSA
from bnaparser.network.layers.block import Block, FeatureDropout, feed_forward
from bnaparser.network.layers.nsa import NSA
from bnaparser.network.layers.partitioned import (
    PartitionedAttention,
    interleave,
    partitioned_feed_forward,
)
from bnaparser.network.layers.self_attention import SelfAttention
from bnaparser.network.model_settings import LayerKind, LayerSettings


def layer(kind: LayerKind, settings: LayerSettings) -> Block:
    """Build one layer of a kind."""
    if kind == "partitioned":
        return Block(settings, PartitionedAttention(settings), partitioned_feed_forward(settings))
    attention = {"bimsa": BiMSA, "nsa": NSA, "self_attention": SelfAttention}[kind]
    return Block(settings, attention(settings), feed_forward(settings))


class LayerStack(nn.Module):
    """Positions, norm, then the layers.

    With ``positions = "add"`` a learned table of the full width is added to the content; with
    ``"concatenate"`` content and positions have half the width each and stay side by side. With
    ``"none"`` there are neither positions nor norm.
    """

    def __init__(self, settings: LayerSettings):
        super().__init__()
        self.kind = settings.positions
        if self.kind != "none":
            self.positions = nn.Parameter(
                torch.empty(settings.max_positions, settings.content_width)
            )
            # The authors' program draws the table with deviation 1. Added to a content of a quarter
            # of that, it all but hides the words for hundreds of updates
            # (benchmarks/studies/ablation/ablation.md).
            nn.init.normal_(self.positions, std=settings.first_position_deviation)
            self.norm = nn.LayerNorm(settings.hidden_size)
        self.dropout = FeatureDropout(settings.input_dropout)
        self.layers = nn.ModuleList([layer(kind, settings) for kind in settings.layer_types])

    def forward(self, content: Tensor, valid: Tensor, beside: Tensor | None = None) -> Tensor:
        """Map ``content`` (batch, positions, content_width) to (batch, positions, width).

        ``valid`` is boolean (batch, positions), False at padding; at most ``max_positions``.
        ``beside``, shaped like the content (tags, shapes of words), is added to it after its dropout.
        """
        content = self.dropout(content)
        if beside is not None:
            content = content + beside
        hidden = content if self.kind == "none" else self.norm(self._positioned(content))
        for block in self.layers:
            hidden = block(hidden, valid)
        return interleave(hidden) if self.kind == "concatenate" else hidden

    def _positioned(self, content: Tensor) -> Tensor:
        positions = self.positions[: content.shape[1]]
        if self.kind == "concatenate":
            return torch.cat([content, positions.expand_as(content)], dim=-1)
        return content + positions
