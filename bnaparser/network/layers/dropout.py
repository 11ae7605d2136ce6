"""Dropout of whole features: what the residual branches and the feed-forward network use."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class FeatureDropout(nn.Module):
    """Drop a feature at every position of a sentence at once: one mask a sentence and feature."""

    def __init__(self, probability: float):
        super().__init__()
        self.probability = probability

    def forward(self, inputs: Tensor) -> Tensor:
        """Return ``inputs`` (batch, positions, features) with dropped features scaled as usual."""
        if not self.training or self.probability == 0.0:
            return inputs
        keep = 1.0 - self.probability
        shape = (inputs.shape[0], 1, inputs.shape[-1])
        mask = torch.empty(shape, dtype=inputs.dtype, device=inputs.device).bernoulli_(keep)
        return inputs * mask.div_(keep)
