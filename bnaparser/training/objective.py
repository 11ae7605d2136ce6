"""What training makes small: the loss of spans, and beside it those of tags and of words to be found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from bnaparser.network.model import BnaModel, Encoded
from bnaparser.network.prepared import PreparedSentence
from bnaparser.training.loss import Gold, hinge_loss, likelihood_loss, tag_loss, word_loss
from bnaparser.training.soft_targets import SoftTarget, soft_tag_loss, tree_loss

# By the name that a recipe has for it.
SPAN_LOSSES = {"hinge": hinge_loss, "crf": likelihood_loss}


@dataclass(frozen=True)
class GoldPieces:
    """A sentence cut into pieces, as its text would be: ``begins`` is 1 where a word begins, else 0.

    The pieces are prepared as words are; ``begins`` is float32 (pieces,).
    """

    prepared: PreparedSentence
    begins: NDArray[np.float32]


@dataclass(frozen=True)
class LossShares:
    """What a sentence, a word with its tag and a piece count in the loss of an update."""

    sentence: float
    word: float
    piece: float = 0.0


class Objective(nn.Module):
    """The loss of a part of a batch: what a training process computes in one forward pass."""

    def __init__(self, model: BnaModel, loss: str):
        super().__init__()
        self.model = model
        self.loss = loss
        self.tag_weight = model.settings.tags.loss_weight
        self.word_weight = model.settings.text.loss_weight

    def forward(
        self,
        batch: Sequence[PreparedSentence],
        golds: Sequence[Gold],
        shares: LossShares,
        pieces: Sequence[GoldPieces] = (),
        soft: Sequence[SoftTarget] = (),
    ) -> Tensor:
        """Return a scalar: the losses of spans, of tags and of words in pieces, each times its share.

        ``soft`` is what a teacher thinks of each sentence, where there is one.
        """
        encoded = self.model.encode(batch)
        loss = shares.sentence * self._of_trees(encoded, golds, soft)
        if self.model.settings.tags.predict:
            loss = loss + self.tag_weight * shares.word * self._of_tags(encoded, golds, soft)
        if pieces:
            read = self.model.encode([one.prepared for one in pieces])
            found = word_loss(self.model, read, [one.begins for one in pieces])
            loss = loss + self.word_weight * shares.piece * found
        elif self.model.settings.text.segment_words:
            # Processes wait for the gradient of every weight: here that of the head is 0.
            loss = loss + 0.0 * self.model.word_scores(encoded).sum()
        return loss

    def _of_trees(
        self, encoded: Encoded, golds: Sequence[Gold], soft: Sequence[SoftTarget]
    ) -> Tensor:
        if soft:
            return tree_loss(self.model, encoded, golds, soft, self.loss)
        return SPAN_LOSSES[self.loss](self.model, encoded, golds)

    def _of_tags(
        self, encoded: Encoded, golds: Sequence[Gold], soft: Sequence[SoftTarget]
    ) -> Tensor:
        if soft:
            return soft_tag_loss(self.model, encoded, golds, soft)
        return tag_loss(self.model, encoded, golds)
