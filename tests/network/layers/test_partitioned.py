"""Partitioned attention: the two halves stay apart, scores add up, sizes are benepar's."""

from __future__ import annotations

import math

import torch

from bnaparser.network.layers.partitioned import PartitionedAttention, PartitionedLinear, interleave
from bnaparser.network.layers.stack import LayerStack, layer
from bnaparser.network.model_settings import LayerSettings

SMALL = LayerSettings(
    layer_types=("partitioned",),
    positions="concatenate",
    hidden_size=8,
    num_attention_heads=2,
    head_dim=4,
    intermediate_size=16,
    activation="relu",
)


@torch.no_grad()
def test_a_linear_map_works_within_each_half() -> None:
    torch.manual_seed(1)
    linear = PartitionedLinear(8, 4, bias=True)
    features = torch.randn(3, 8)
    found = linear(features)
    torch.testing.assert_close(found[:, :2], linear.content(features[:, :4]))
    torch.testing.assert_close(found[:, 2:], linear.position(features[:, 4:]))


@torch.no_grad()
def test_a_score_is_a_content_score_plus_a_position_score() -> None:
    torch.manual_seed(1)
    attention = PartitionedAttention(SMALL).eval()
    hidden = torch.randn(2, 4, 8)
    valid = torch.tensor([[True] * 4, [True] * 3 + [False]])
    found = attention(hidden, valid)
    for sentence, length in enumerate([4, 3]):
        words = hidden[sentence, :length]
        query, key, value = attention.query(words), attention.key(words), attention.value(words)
        context = torch.zeros(length, 8)
        for i in range(length):
            for head in range(2):
                content, position = slice(2 * head, 2 * head + 2), slice(4 + 2 * head, 6 + 2 * head)
                scores = [
                    math.exp(
                        float(
                            query[i, content] @ key[j, content]
                            + query[i, position] @ key[j, position]
                        )
                        / math.sqrt(SMALL.head_dim)
                    )
                    for j in range(length)
                ]
                for part in (content, position):
                    for score, row in zip(scores, value, strict=True):
                        context[i, part] += score / sum(scores) * row[part]
        torch.testing.assert_close(found[sentence, :length], attention.output(context))


def test_both_halves_hold_content_and_position_after_interleaving() -> None:
    names = torch.tensor([10, 11, 20, 21])  # c0 c1 p0 p1
    assert interleave(names).tolist() == [10, 20, 11, 21]


def test_sizes_are_benepars() -> None:
    settings = LayerSettings(
        layer_types=("partitioned",) * 8,
        positions="concatenate",
        hidden_size=1024,
        intermediate_size=2048,
        activation="relu",
    )
    with torch.device("meta"):
        one, stack = layer("partitioned", settings), LayerStack(settings)
    assert sum(parameter.numel() for parameter in one.parameters()) == 3_152_896
    assert sum(parameter.numel() for parameter in stack.layers.parameters()) == 25_223_168
    assert stack.positions.shape == (512, 512)
