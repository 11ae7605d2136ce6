"""What all layers share (BNA, eq. 10 and 11): attention and feed-forward, each with residual and norm."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from bnaparser.network.model_settings import LayerSettings


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


ACTIVATIONS: dict[str, type[nn.Module]] = {
    "leaky_relu": nn.LeakyReLU,
    "relu": nn.ReLU,
    "gelu": nn.GELU,
}


class Block(nn.Module):
    """``H^ = LN(H + attention(H))``, then ``LN(H^ + FFN(H^))`` (eq. 10; the same form in eq. 11).

    With ``residual = "program"`` it is then ``LN(H + FFN(H^))``, as in the authors' program.
    ``attention(hidden, valid)`` maps (batch, positions, width) to the same shape; ``valid`` is
    boolean (batch, positions), False at padding.
    """

    def __init__(self, settings: LayerSettings, attention: nn.Module, feed_forward: nn.Module):
        super().__init__()
        self.attention = attention
        self.feed_forward = feed_forward
        self.attention_norm = nn.LayerNorm(settings.hidden_size)
        self.feed_forward_norm = nn.LayerNorm(settings.hidden_size)
        self.dropout = FeatureDropout(settings.residual_dropout)
        self.adds_input = settings.residual == "program"

    def forward(self, hidden: Tensor, valid: Tensor) -> Tensor:
        """Return the layer's output, shaped like ``hidden`` (batch, positions, width)."""
        attended = self.attention_norm(hidden + self.dropout(self.attention(hidden, valid)))
        kept = hidden if self.adds_input else attended
        output: Tensor = self.feed_forward_norm(kept + self.dropout(self.feed_forward(attended)))
        return output


def feed_forward(settings: LayerSettings) -> nn.Sequential:
    """Return the position-wise network: linear, activation, feature dropout, linear."""
    return nn.Sequential(
        nn.Linear(settings.hidden_size, settings.intermediate_size),
        ACTIVATIONS[settings.activation](),
        FeatureDropout(settings.feed_forward_dropout),
        nn.Linear(settings.intermediate_size, settings.hidden_size),
    )


def split_heads(inputs: Tensor, heads: int) -> Tensor:
    """Reshape (batch, positions, heads * size) to (batch, heads, positions, size)."""
    batch, positions, features = inputs.shape
    return inputs.view(batch, positions, heads, features // heads).transpose(1, 2)


def merge_heads(inputs: Tensor) -> Tensor:
    """Reshape (batch, heads, positions, size) to (batch, positions, heads * size)."""
    batch, heads, positions, size = inputs.shape
    return inputs.transpose(1, 2).reshape(batch, positions, heads * size)


def hide(scores: Tensor, visible: Tensor) -> Tensor:
    """Give hidden keys the lowest finite score: they get weight 0 unless a whole row is hidden.

    A whole row is hidden only for padded queries, whose output nobody reads; minus infinity would
    make it NaN there.
    """
    return scores.masked_fill(~visible, torch.finfo(scores.dtype).min)
