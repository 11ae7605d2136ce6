"""What training makes small: the loss of spans, and beside it that of tags."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn

from bnaparser.network.model import BnaModel
from bnaparser.network.prepared import PreparedSentence
from bnaparser.training.loss import Gold, hinge_loss, likelihood_loss, tag_loss

# By the name that a recipe has for it.
SPAN_LOSSES = {"hinge": hinge_loss, "crf": likelihood_loss}


class Objective(nn.Module):
    """The loss of a part of a batch: what a training process computes in one forward pass."""

    def __init__(self, model: BnaModel, loss: str, tag_weight: float):
        super().__init__()
        self.model = model
        self.span_loss = SPAN_LOSSES[loss]
        self.tag_weight = tag_weight

    def forward(
        self, batch: Sequence[PreparedSentence], golds: Sequence[Gold], sentence: float, word: float
    ) -> Tensor:
        """Return a scalar: the loss of spans times ``sentence``, and that of tags times ``word``."""
        encoded = self.model.encode(batch)
        loss = sentence * self.span_loss(self.model, encoded, golds)
        if self.model.settings.tags.predict:
            loss = loss + self.tag_weight * word * tag_loss(self.model, encoded, golds)
        return loss
