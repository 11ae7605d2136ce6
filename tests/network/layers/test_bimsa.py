"""BiMSA against equations 12 to 14 written as loops, and against sizes and values of the paper."""

from __future__ import annotations

import math

import pytest
import torch

from bnaparser.network.layers.bimsa import BiMSA
from bnaparser.network.model_settings import LayerSettings

SMALL = LayerSettings(
    hidden_size=8, num_attention_heads=2, head_dim=4, intermediate_size=16, attention_dropout=0.5
)


def literal_contexts(layer: BiMSA, hidden: torch.Tensor, length: int) -> torch.Tensor:
    """Equations 12 to 14, one number at a time, for one sentence (positions, width)."""
    query, key, value = layer.query(hidden), layer.key(hidden), layer.value(hidden)
    wide, half = SMALL.head_dim, SMALL.head_dim // 2
    contexts = torch.zeros(len(hidden), SMALL.num_attention_heads * wide)
    for i in range(length):
        for head in range(SMALL.num_attention_heads):
            scores = [
                float(
                    query[i, head * wide : (head + 1) * wide]
                    @ key[j, head * wide : (head + 1) * wide]
                )
                / math.sqrt(wide)
                for j in range(length)
            ]
            for direction, keys in enumerate([range(i + 1), range(i, length)]):
                total = sum(math.exp(scores[j]) for j in keys)
                for feature in range(half):
                    place = direction * SMALL.num_attention_heads * half + head * half + feature
                    contexts[i, place] = sum(
                        math.exp(scores[j]) / total * float(value[j, head * half + feature])
                        for j in keys
                    )
    return contexts


@torch.no_grad()
def test_contexts_are_those_of_the_equations() -> None:
    torch.manual_seed(1)
    layer = BiMSA(SMALL).eval()
    hidden = torch.randn(2, 5, 8)
    valid = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    found = layer.contexts(hidden, valid)
    torch.testing.assert_close(found[0], literal_contexts(layer, hidden[0], 5))
    torch.testing.assert_close(found[1, :3], literal_contexts(layer, hidden[1], 3)[:3])
    torch.testing.assert_close(layer(hidden, valid), layer.output(found))


@torch.no_grad()
def test_forward_sees_the_words_before_and_backward_those_after() -> None:
    layer = BiMSA(SMALL).eval()
    for parameter in layer.parameters():
        parameter.zero_()
    layer.value.weight[:, 0] = 1
    hidden = torch.zeros(1, 4, 8)
    hidden[0, :, 0] = torch.tensor([1.0, 2.0, 3.0, 4.0])
    forward, backward = layer.contexts(hidden, torch.ones(1, 4, dtype=torch.bool)).chunk(2, -1)
    assert forward[0, :, 0].tolist() == pytest.approx([1, 1.5, 2, 2.5])
    assert backward[0, :, 0].tolist() == pytest.approx([2.5, 3, 3.5, 4])


@torch.no_grad()
def test_the_future_reaches_the_first_half_through_the_output_projection_only() -> None:
    torch.manual_seed(1)
    layer = BiMSA(SMALL).eval()
    valid = torch.ones(1, 4, dtype=torch.bool)
    hidden = torch.randn(1, 4, 8)
    changed = hidden.clone()
    changed[0, 3] += 1
    before, after = layer.contexts(hidden, valid), layer.contexts(changed, valid)
    assert torch.equal(before[0, 0, :4], after[0, 0, :4])
    assert not torch.allclose(before[0, 0, 4:], after[0, 0, 4:])
    assert not torch.allclose(layer(hidden, valid)[0, 0, :4], layer(changed, valid)[0, 0, :4])


def test_attention_dropout_is_drawn_for_each_direction() -> None:
    torch.manual_seed(1)
    layer = BiMSA(SMALL).train()
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.zero_()
        layer.value.bias.fill_(1)
    # At one position both directions see the same single key, so only dropout tells them apart.
    contexts = layer.contexts(torch.zeros(64, 1, 8), torch.ones(64, 1, dtype=torch.bool))
    forward, backward = contexts.chunk(2, dim=-1)
    assert set(contexts.flatten().tolist()) == {0.0, 2.0}
    assert not torch.equal(forward, backward)


def test_sizes_are_the_papers() -> None:
    with torch.device("meta"):
        layer = BiMSA(LayerSettings())
    counts = {
        name: sum(p.numel() for p in part.parameters()) for name, part in layer.named_children()
    }
    assert counts == {"query": 262_656, "key": 262_656, "value": 131_328, "output": 262_656}
    assert sum(counts.values()) == 919_296
    hidden, valid = torch.empty(3, 7, 512, device="meta"), torch.ones(3, 7, device="meta").bool()
    assert layer.query(hidden).shape == layer.key(hidden).shape == (3, 7, 8 * 64)
    assert layer.value(hidden).shape == (3, 7, 8 * 32)
    assert layer.contexts(hidden, valid).shape == (3, 7, 256 + 256)
