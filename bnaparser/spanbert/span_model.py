"""The network of pre-training: an encoder with its word head, and the heads of the other objectives."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from bnaparser.spanbert.language_model import LanguageModel
from bnaparser.spanbert.objectives import BoundaryHead, NextSentenceHead, word_loss
from bnaparser.spanbert.pretrain_batch import PretrainBatch
from bnaparser.spanbert.pretrain_settings import ObjectiveSettings


class Losses(NamedTuple):
    """Sums of -log P over the targets of each objective, scalars; 0 where there is no target."""

    words: Tensor
    boundaries: Tensor
    next_sentence: Tensor


class SpanModel(nn.Module):
    """What is trained: ``language_model`` with, as the settings say, boundary and next-sentence heads."""

    def __init__(self, language_model: LanguageModel, settings: ObjectiveSettings):
        super().__init__()
        self.language_model = language_model
        width = language_model.base.config.hidden_size
        vocabulary, embedding = language_model.embeddings.shape
        self.boundary_head: BoundaryHead | None = None
        if settings.boundary_weight:
            self.boundary_head = BoundaryHead(
                width,
                embedding,
                vocabulary,
                settings.boundary_positions,
                settings.max_boundary_targets,
            )
        self.next_head = NextSentenceHead(width) if settings.next_sentence else None

    def forward(self, batch: PretrainBatch) -> Losses:
        """Return the summed losses of a batch."""
        hidden = self.language_model(**batch.input)
        rows = hidden.flatten(0, 1)
        words = word_loss(self.language_model.word_scores(rows[batch.masked]), batch.words)
        none = rows.new_zeros((), dtype=torch.float32)
        boundaries = next_sentence = none
        if self.boundary_head is not None:
            scores = self.boundary_head(
                rows[batch.left],
                rows[batch.right],
                batch.positions,
                self.language_model.embeddings,
            )
            boundaries = word_loss(scores, batch.boundary_words)
        if self.next_head is not None:
            next_sentence = word_loss(self.next_head(rows[batch.whole]), batch.at_random)
        return Losses(words, boundaries, next_sentence)
