"""What pre-training predicts: masked words, words from their span's boundaries, the next sentence.

SpanBERT's equations of 3.2; what its program adds (biases, separate means) is named where it is. The
output matrix of both word predictions is the encoder's input embedding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from bnaparser.spanbert.masking import Span

NORM_EPSILON = 1e-12  # BERT's


@dataclass(frozen=True)
class BoundaryPairs:
    """What the span-boundary objective reads and predicts in a block, all int64 (targets,).

    ``left`` and ``right`` are the subwords beside the span, ``target`` the predicted one, all
    as indices within the block; ``position`` counts the target within its span from 0.
    """

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    target: NDArray[np.int64]
    position: NDArray[np.int64]


def boundary_pairs(spans: Sequence[Span], subwords: int, longest: int) -> BoundaryPairs:
    """Return the targets of merged spans in a block of so many subwords.

    A span that touches the first or the last subword of the block has none: special subwords are
    no boundaries. Of a span the first ``longest`` subwords are predicted.
    """
    inner = [(start, end) for start, end in spans if start > 0 and end < subwords]
    rows = chain.from_iterable(
        (start - 1, end, place, place - start)
        for start, end in inner
        for place in range(start, min(end, start + longest))
    )
    table = np.fromiter(rows, np.int64).reshape(-1, 4)
    return BoundaryPairs(*table.T)


class BoundaryHead(nn.Module):
    """Predicts a subword from what stands on both sides of its span, and its place in it (3.2).

    h1 = norm(gelu(W1 [left; right; position])), y = norm(gelu(W2 h1)); the prediction is
    y times the encoder's input embedding plus a bias of its own. The linear maps have biases, as
    in the authors' program.
    """

    def __init__(self, width: int, embedding: int, vocabulary: int, positions: int, longest: int):
        super().__init__()
        self.positions = nn.Embedding(longest, positions)
        self.first = nn.Linear(2 * width + positions, width)
        self.first_norm = nn.LayerNorm(width, eps=NORM_EPSILON)
        self.second = nn.Linear(width, embedding)
        self.second_norm = nn.LayerNorm(embedding, eps=NORM_EPSILON)
        self.bias = nn.Parameter(torch.zeros(vocabulary))
        for linear in (self.first, self.second):
            nn.init.normal_(linear.weight, std=0.02)
            nn.init.zeros_(linear.bias)
        nn.init.normal_(self.positions.weight, std=0.02)

    def forward(self, left: Tensor, right: Tensor, position: Tensor, embeddings: Tensor) -> Tensor:
        """Return scores (targets, vocabulary) from (targets, width) twice and (targets,) int64."""
        joined = torch.cat([left, right, self.positions(position)], dim=-1)
        hidden = self.first_norm(F.gelu(self.first(joined)))
        hidden = self.second_norm(F.gelu(self.second(hidden)))
        return F.linear(hidden, embeddings, self.bias)


class NextSentenceHead(nn.Module):
    """Predicts from the special subword for the whole input whether the second segment follows the first (2)."""

    def __init__(self, width: int):
        super().__init__()
        self.pool = nn.Linear(width, width)
        self.decide = nn.Linear(width, 2)

    def forward(self, whole: Tensor) -> Tensor:
        """Return scores (pairs, 2) from (pairs, width); column 1 is "taken at random"."""
        scores: Tensor = self.decide(torch.tanh(self.pool(whole)))
        return scores


def word_loss(scores: Tensor, targets: Tensor) -> Tensor:
    """Return the sum over targets of -log P, a scalar; 0 where there is no target."""
    return F.cross_entropy(scores.float(), targets, reduction="sum")
