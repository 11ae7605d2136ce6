"""Linguistically informed self-attention (LISA): one head attends to the syntactic parent.

Strubell et al., Linguistically-Informed Self-Attention for Semantic Role Labeling, 2018, in the
forms that two later papers give it:
supervise -- Li et al. 2021 (SLA): the last head of every layer is supervised, nothing is added;
replace -- Bai et al. 2021 (Syntax-BERT), 5.1: the keys of one head of every layer give way to a
bilinear matrix, which makes the head's scores ``q_i M h_j``; it is supervised too.
"""

from __future__ import annotations

import dataclasses
from typing import Literal

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor, nn

from bnaparser.errors import SettingsError
from bnaparser.syntax.attention import Attention, AttentionVariant, Sizes
from bnaparser.syntax.batch import SyntaxBatch
from bnaparser.syntax.masks import (
    UNSUPERVISED,
    SyntaxSettings,
    TextMasks,
    TokenText,
    dependency_heads,
    first_pieces,
)


class LisaSettings(SyntaxSettings):
    """Linguistically-informed self-attention: one head of each layer attends to the parent."""

    form: Literal["supervise", "replace"] = "supervise"
    """"supervise" trains the head to attend to the parent; "replace" puts the parent in place of its weights."""
    head: int = -1
    """The head; -1 is the last one."""
    loss_weight: float = Field(1.0, ge=0)
    """Weight of the supervision."""

    def masks(self, text: TokenText) -> TextMasks:
        """Return each token's target; texts without dependencies have none."""
        return TextMasks(text.parsed, parents=parent_pieces(text))


def parent_pieces(text: TokenText) -> NDArray[np.int64]:
    """Return (T): the first subword of the parent of each token's word, of a root's word itself.

    UNSUPERVISED for special tokens and padding, for texts without dependencies, and where the
    parent has been cut off.
    """
    parents = np.full(len(text.token_words), UNSUPERVISED)
    if not text.parsed:
        return parents
    pieces = first_pieces(text.token_words, text.words)
    heads, start = [], 0
    for structure in text.structures:
        for word, head in enumerate(dependency_heads(structure)):
            heads.append(start + (head - 1 if head else word))
        start += len(structure.words)
    words = text.token_words >= 0
    parents[words] = pieces[np.array(heads, np.int64)[text.token_words[words]]]
    return parents


class ParentHead(nn.Module):
    """The head that attends to parents: its scores, its supervision, its matrices if replaced."""

    def __init__(self, settings: LisaSettings, sizes: Sizes):
        super().__init__()
        if not -sizes.heads <= settings.head < sizes.heads:
            raise SettingsError(f"there is no head {settings.head} among {sizes.heads} heads")
        self.head = settings.head % sizes.heads
        self.loss_weight = settings.loss_weight
        self.losses: list[Tensor] = []
        count = sizes.layers if settings.form == "replace" else 0
        self.matrices = nn.ParameterList(
            torch.randn(sizes.head_dim, sizes.width) * sizes.initializer_range for _ in range(count)
        )

    def replaced(self, layer: int, attention: Attention) -> Attention:
        """Return the attention with the scores of this head; the same where it has no matrices."""
        if not len(self.matrices):
            return attention
        keys = F.linear(attention.layer_input, self.matrices[layer])
        keys = keys if attention.turn is None else attention.turn(keys)
        change = keys - attention.key[:, self.head]
        scores = attention.scores.clone()
        scores[:, self.head] += attention.query[:, self.head] @ change.transpose(-1, -2)
        return dataclasses.replace(attention, scores=scores)

    def supervise(self, attention: Attention, parents: Tensor, keep: bool) -> None:
        """Keep the cross-entropy of this head with ``parents`` (B, T), the mean over tokens."""
        scores = attention.scores[:, self.head].float()
        if attention.allowed is not None:
            of_head = self.head if attention.allowed.shape[1] > 1 else 0
            allowed = attention.allowed[:, of_head].expand_as(scores)
            scores = scores.masked_fill(~allowed, torch.finfo(scores.dtype).min)
            hidden = ~allowed.gather(2, parents.clamp_min(0)[..., None]).squeeze(2)
            parents = parents.masked_fill(hidden, UNSUPERVISED)  # beyond a sliding window
        supervised = (parents != UNSUPERVISED).sum().clamp_min(1)
        total = F.cross_entropy(
            scores.flatten(0, 1), parents.flatten(), ignore_index=UNSUPERVISED, reduction="sum"
        )
        loss = total / supervised
        if keep:  # gradient checkpointing, which does not keep, must compute the same
            self.losses.append(loss)

    def loss(self) -> Tensor | None:
        """Return the weighted mean over layers of the last call, None if none was kept."""
        return self.loss_weight * torch.stack(self.losses).mean() if self.losses else None


class Lisa(AttentionVariant):
    """LISA: trees supervise the attention only, so texts with and without trees are computed in the
    same way.

    After a call with syntax ``loss`` is the supervision to add to the task's loss.
    """

    def __init__(self, settings: LisaSettings, sizes: Sizes):
        super().__init__(settings)
        self.parent_head = ParentHead(settings, sizes)

    @property
    def loss(self) -> Tensor | None:
        """The supervision of the last call, a scalar with gradient; None if it had no syntax."""
        return self.parent_head.loss()

    def begin(self, batch: SyntaxBatch | None, shape: torch.Size, device: torch.device) -> None:
        """Take the batch of a call; forget the loss of the previous call."""
        super().begin(batch, shape, device)
        self.parent_head.losses = []

    def probabilities(self, layer: int, attention: Attention) -> Tensor:
        """Return what values are weighted with: the replaced head is there without trees too."""
        attention = self.parent_head.replaced(layer, attention)
        return attention.drop(attention.softmax())

    def guided(self, layer: int, attention: Attention, batch: SyntaxBatch) -> Tensor:
        """Return what values are weighted with, and keep the supervision of the layer."""
        assert batch.parents is not None
        self.check_gradient()
        attention = self.parent_head.replaced(layer, attention)
        self.parent_head.supervise(attention, batch.parents, keep=self.running)
        return attention.drop(attention.softmax())
