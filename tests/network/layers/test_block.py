"""The frame of all layers: residuals and norms as in equation 10, and the helpers for heads."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from bnaparser.network.layers.bimsa import BiMSA
from bnaparser.network.layers.block import Block, feed_forward, hide, merge_heads, split_heads
from bnaparser.network.model_settings import LayerSettings

SMALL = LayerSettings(hidden_size=8, num_attention_heads=2, head_dim=4, intermediate_size=16)
VALID = torch.ones(1, 4, dtype=torch.bool)


def block() -> Block:
    torch.manual_seed(1)
    return Block(SMALL, BiMSA(SMALL), feed_forward(SMALL)).eval()


@torch.no_grad()
def test_output_is_that_of_equation_10() -> None:
    one, hidden = block(), torch.randn(1, 4, 8)
    inner = F.layer_norm(hidden + one.attention(hidden, VALID), (8,))
    first, _, _, second = one.feed_forward.children()
    network = second(F.leaky_relu(first(inner), 0.01))
    torch.testing.assert_close(one(hidden, VALID), F.layer_norm(inner + network, (8,)))


@torch.no_grad()
def test_output_is_that_of_the_authors_program_where_it_is_asked_for() -> None:
    torch.manual_seed(1)
    settings = SMALL.model_copy(update={"residual": "program"})
    one, hidden = Block(settings, BiMSA(SMALL), feed_forward(SMALL)).eval(), torch.randn(1, 4, 8)
    attended, first, _, _, second = one.attention(hidden, VALID), *one.feed_forward.children()
    for i in range(4):
        inner = F.layer_norm(hidden[0, i] + attended[0, i], (8,))
        network = second(F.leaky_relu(first(inner), 0.01))
        expected = F.layer_norm(hidden[0, i] + network, (8,))
        torch.testing.assert_close(one(hidden, VALID)[0, i], expected)


@torch.no_grad()
def test_attention_reaches_the_output_past_a_silent_feed_forward_network() -> None:
    """The authors' program adds the layer's input instead, and would give ``LN(x)`` here."""
    one, hidden = block(), torch.randn(1, 4, 8)
    for parameter in one.feed_forward.parameters():
        parameter.zero_()
    expected = F.layer_norm(hidden + one.attention(hidden, VALID), (8,))
    # The norm of a norm differs from the norm by its epsilon only.
    torch.testing.assert_close(one(hidden, VALID), expected, atol=1e-4, rtol=1e-4)
    assert not torch.allclose(one(hidden, VALID), F.layer_norm(hidden, (8,)), atol=1e-2)


@pytest.mark.parametrize(
    ("name", "kind"), [("leaky_relu", nn.LeakyReLU), ("relu", nn.ReLU), ("gelu", nn.GELU)]
)
def test_the_activation_is_the_one_that_is_set(name: str, kind: type[nn.Module]) -> None:
    network = feed_forward(SMALL.model_copy(update={"activation": name}))
    assert isinstance(network[1], kind)


def test_sizes_are_the_papers() -> None:
    with torch.device("meta"):
        one = Block(LayerSettings(), nn.Identity(), feed_forward(LayerSettings()))
    assert sum(parameter.numel() for parameter in one.feed_forward.parameters()) == 1_050_112
    norms = [*one.attention_norm.parameters(), *one.feed_forward_norm.parameters()]
    assert sum(parameter.numel() for parameter in norms) == 2_048


def test_heads_are_split_into_runs_of_features_and_merged_again() -> None:
    inputs = torch.arange(2 * 3 * 8).view(2, 3, 8)
    heads = split_heads(inputs, 2)
    assert heads.shape == (2, 2, 3, 4)
    assert torch.equal(heads[1, 1, 2], inputs[1, 2, 4:])
    assert torch.equal(merge_heads(heads), inputs)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_hidden_keys_get_no_weight_and_a_hidden_row_no_nan(dtype: torch.dtype) -> None:
    scores = torch.tensor([[1.0, 2.0], [1.0, 2.0]], dtype=dtype)
    visible = torch.tensor([[True, False], [False, False]])
    weights = hide(scores, visible).softmax(dim=-1)
    assert weights.tolist() == [[1.0, 0.0], [0.5, 0.5]]
