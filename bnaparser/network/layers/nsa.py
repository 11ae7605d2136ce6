"""N-gram span attention (BNA, 4.2.2, eq. 15 to 17): words attend to all short spans."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from bnaparser.network.layers.block import merge_heads, split_heads
from bnaparser.network.model_settings import LayerSettings


class NSA(nn.Module):
    """Queries from words; keys and values from every 1- to n-gram of positions.

    The keys for ``ngrams = 2`` and the positions 0 to 3, in the order of `_project_spans`::

        positions    0     1     2     3
        1-grams      (0,1) (1,2) (2,3)
        2-grams      (0,2) (1,3)

    The span from position i to j is ``[h_j^f - h_i^f; h_i^b - h_j^b]`` (eq. 15), where ``h^f`` and
    ``h^b`` are the first and second half of the features. The halves of query, key and value make
    two independent attentions of ``heads`` heads each. Every query sees every span of its sentence.
    Scores are divided by the square root of ``head_dim`` (the stated query and key size),
    although a head of one half is only half as wide. With ``span_signs = "program"`` 1-grams are
    ``[h_j^f - h_i^f; h_j^b - h_i^b]``, as in the authors' program; longer spans are as above.
    """

    def __init__(self, settings: LayerSettings):
        super().__init__()
        self.heads = settings.num_attention_heads
        self.ngrams = settings.ngrams
        self.scale = settings.head_dim**-0.5
        self.dropout = settings.attention_dropout
        self.turns_unigrams = settings.span_signs == "program"
        inner = settings.num_attention_heads * settings.head_dim
        self.query = nn.Linear(settings.hidden_size, inner)
        self.key = nn.Linear(settings.hidden_size, inner)
        self.value = nn.Linear(settings.hidden_size, inner)
        self.output = nn.Linear(inner, settings.hidden_size)

    def forward(self, hidden: Tensor, valid: Tensor) -> Tensor:
        """Map ``hidden`` (batch, positions, width), with ``valid`` (batch, positions), to its shape."""
        forward, backward = hidden.chunk(2, dim=-1)
        signed = torch.cat([forward, -backward], dim=-1)
        context = F.scaled_dot_product_attention(
            split_heads(self.query(hidden), 2 * self.heads),
            split_heads(self._project_spans(self.key, signed, hidden), 2 * self.heads),
            split_heads(self._project_spans(self.value, signed, hidden), 2 * self.heads),
            attn_mask=self._visible(valid)[:, None, None, :],
            dropout_p=self.dropout if self.training else 0.0,
            scale=self.scale,
        )
        output: Tensor = self.output(merge_heads(context))
        return output

    def _project_spans(self, linear: nn.Linear, signed: Tensor, hidden: Tensor) -> Tensor:
        """Return the projections of all spans (batch, spans, inner), grouped by length, then start.

        A span is a difference of two positions and the projection is linear, so the positions are
        projected once and subtracted afterwards: the cost does not grow with n. The bias is added
        to the ends, of which there are fewer than spans.
        """
        starts = F.linear(signed, linear.weight)
        ends = starts + linear.bias.to(starts.dtype)
        lengths = range(1, min(self.ngrams, signed.shape[1] - 1) + 1)
        spans = [ends[:, length:] - starts[:, :-length] for length in lengths]
        if self.turns_unigrams:
            spans[0] = linear(hidden[:, 1:] - hidden[:, :-1])
        return torch.cat(spans, dim=1)

    def _visible(self, valid: Tensor) -> Tensor:
        """Return boolean (batch, spans): a span is hidden when either of its ends is padding."""
        lengths = range(1, min(self.ngrams, valid.shape[1] - 1) + 1)
        return torch.cat([valid[:, length:] & valid[:, :-length] for length in lengths], dim=1)
