"""Scores of labelled spans from fenceposts (BNA, eq. 6 and the MLP of section 4.1)."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from bnaparser.network.model_settings import ScorerSettings


class SpanScorer(nn.Module):
    """Linear, norm, ReLU, linear over span vectors ``[h_j^f - h_i^f; h_i^b - h_j^b]``.

    Fencepost k takes its forward half from position k and its backward half from position k + 1
    (position 0 is START), so neither half has seen what lies beyond the fencepost. The first linear
    map is applied to fenceposts before the subtraction: W(a - b) + c = Wa - Wb + c, which costs
    O(n) products a sentence instead of O(n^2).
    """

    def __init__(self, width: int, labels: int, settings: ScorerSettings):
        super().__init__()
        self.hidden = nn.Linear(width, settings.hidden_size)
        self.norm = nn.LayerNorm(settings.hidden_size)
        self.output = nn.Linear(settings.hidden_size, labels - 1)

    def fenceposts(self, left: Tensor, right: Tensor) -> Tensor:
        """Project fenceposts (count, width) to (count, hidden), without the bias.

        ``left`` and ``right`` hold the contextual vectors (count, width) of the positions to the
        left and to the right of each fencepost.
        """
        forward, _ = left.chunk(2, dim=-1)
        _, backward = right.chunk(2, dim=-1)
        return F.linear(torch.cat([forward, -backward], dim=-1), self.hidden.weight)

    def forward(self, fenceposts: Tensor, starts: Tensor, ends: Tensor) -> Tensor:
        """Score spans (spans, labels - 1): every label but the empty one, whose score is 0.

        ``starts`` and ``ends`` are int64 (spans,), rows of ``fenceposts``.
        """
        # Spans are many: the bias is added to the fenceposts, and nothing is copied that need not be.
        spans = torch.index_select(fenceposts + self.hidden.bias, 0, ends)
        spans -= torch.index_select(fenceposts, 0, starts)
        scores: Tensor = self.output(self.norm(spans).relu_())
        return scores
