"""SG-Net as a baseline of the SLA paper: layers on top, in which a word sees its ancestors.

Zhang et al., SG-Net: Syntax-Guided Machine Reading Comprehension, 2020, as used by Li et al.,
Improving BERT with Syntax-aware Local Attention, 2021. The mixture is that of its program:
``gamma (w1 H + w2 H')``, with w the softmax of two learned numbers and gamma learned from 1.
"""

from __future__ import annotations

import torch
from pydantic import Field
from torch import Tensor, nn
from transformers import BertConfig, BertModel

from bnaparser.syntax.attention import Sizes, Syntax
from bnaparser.syntax.batch import SyntaxBatch
from bnaparser.syntax.masks import (
    SyntaxSettings,
    TextMasks,
    TokenText,
    blocks,
    dependency_heads,
    expand_first_pieces,
    open_mask,
)
from bnaparser.syntax.syntax_trees import ancestors


class SgNetSettings(SyntaxSettings):
    """SG-Net: layers on top of the encoder in which a word attends to itself and its ancestors."""

    layers: int = Field(1, gt=0)
    """Number of these layers: 1 as in the program; 3 agree with the paper's parameter counts."""

    def masks(self, text: TokenText) -> TextMasks:
        """Return which tokens see which: words their ancestors and themselves.

        A word is seen at its first subword. Words of the other sentence of a pair are all seen.
        """
        if not text.parsed:
            return TextMasks(parsed=False, mask=open_mask(text.token_words))
        matrices = [ancestors(dependency_heads(structure)) for structure in text.structures]
        return TextMasks(True, mask=expand_first_pieces(blocks(matrices, True), text.token_words))


def heads_on_top(sizes: Sizes) -> int:
    """Return how many heads a layer on top has: the encoder's number, if that divides its width.

    It does not in a small T5 (6 heads of 64 in 512): there as many heads of their width as fit.
    """
    most = sizes.heads
    if sizes.width % most:
        most = max(1, sizes.width // sizes.head_dim)
    return next(count for count in range(most, 0, -1) if sizes.width % count == 0)


class SgNet(Syntax):
    """Ordinary BERT layers over an encoder's last states, masked by syntax, and the mixture."""

    def __init__(self, settings: SgNetSettings, sizes: Sizes):
        super().__init__(settings)
        config = BertConfig(
            vocab_size=1,
            max_position_embeddings=1,
            type_vocab_size=1,
            hidden_size=sizes.width,
            num_attention_heads=heads_on_top(sizes),
            intermediate_size=sizes.intermediate_size,
            num_hidden_layers=settings.layers,
            hidden_dropout_prob=sizes.dropout,
            attention_probs_dropout_prob=sizes.dropout,
            initializer_range=sizes.initializer_range,
            attn_implementation="eager",
        )
        self.layers = BertModel(config, add_pooling_layer=False).encoder
        self.mixture = nn.Parameter(torch.zeros(2))
        self.gamma = nn.Parameter(torch.ones(()))

    def forward(self, hidden: Tensor, batch: SyntaxBatch) -> Tensor:
        """Return what takes the place of an encoder's last states (B, T, H)."""
        assert batch.mask is not None
        if self.running:
            self.calls += 1
        closed = torch.zeros_like(batch.mask, dtype=hidden.dtype)
        closed = closed.masked_fill(~batch.mask, torch.finfo(hidden.dtype).min)[:, None]
        guided = self.layers(hidden, attention_mask=closed).last_hidden_state
        weights = self.mixture.softmax(dim=0)
        mixed = self.gamma * (weights[0] * hidden + weights[1] * guided)
        return torch.where(batch.parsed[:, None, None], mixed, hidden).to(hidden.dtype)
