"""Plain self-attention against equations 1 to 3 written as loops."""

from __future__ import annotations

import math

import torch

from bnaparser.network.layers.self_attention import SelfAttention
from bnaparser.network.model_settings import LayerSettings

SMALL = LayerSettings(hidden_size=8, num_attention_heads=2, head_dim=4, intermediate_size=16)


@torch.no_grad()
def test_output_is_that_of_the_equations() -> None:
    torch.manual_seed(1)
    layer = SelfAttention(SMALL).eval()
    hidden = torch.randn(2, 4, 8)
    valid = torch.tensor([[True] * 4, [True] * 3 + [False]])
    found = layer(hidden, valid)
    for sentence, length in enumerate([4, 3]):
        words = hidden[sentence, :length]
        query, key, value = layer.query(words), layer.key(words), layer.value(words)
        context = torch.zeros(length, 8)
        for i in range(length):
            for head in (slice(0, 4), slice(4, 8)):
                scores = [math.exp(float(query[i, head] @ key[j, head]) / 2) for j in range(length)]
                for score, row in zip(scores, value, strict=True):
                    context[i, head] += score / sum(scores) * row[head]
        torch.testing.assert_close(found[sentence, :length], layer.output(context))
