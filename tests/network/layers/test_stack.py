"""The stack: order and number of layers, positions, independence of padding, gradients."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.nn import functional as F

from bnaparser.network.layers.partitioned import interleave
from bnaparser.network.layers.stack import LayerStack, layer
from bnaparser.network.model_settings import LayerKind, LayerSettings

B, N = "bimsa", "nsa"


def settings(*kinds: str, **changes: object) -> LayerSettings:
    positions = "concatenate" if "partitioned" in kinds else "add"
    sizes = {"hidden_size": 8, "num_attention_heads": 2, "head_dim": 4, "intermediate_size": 16}
    return LayerSettings(**{"layer_types": kinds, "positions": positions, **sizes, **changes})


STACKS = [(B,), (N,), ("self_attention",), ("partitioned",), (B, N), (B, N, B, N)]


@pytest.mark.parametrize(
    ("kinds", "count"),
    [
        ((B,) * 7 + (N,), 15_902_976),  # BNA of figure 2: BiMSA layers, then one of NSA
        ((B, N), 4_074_240),
        ((B,), 1_971_456),
        ((N,), 2_102_784),
        ((B, N) * 4, 16_296_960),  # "Alt" of figure 3
    ],
)
def test_sizes_are_the_papers(kinds: tuple[LayerKind, ...], count: int) -> None:
    with torch.device("meta"):
        stack = LayerStack(LayerSettings(layer_types=kinds))
    assert sum(parameter.numel() for parameter in stack.layers.parameters()) == count


@torch.no_grad()
def test_positions_are_added_before_the_norm() -> None:
    torch.manual_seed(1)
    stack = LayerStack(settings(B, N)).eval()
    content, valid = torch.randn(2, 5, 8), torch.ones(2, 5, dtype=torch.bool)
    hidden = F.layer_norm(content + stack.positions[:5], (8,))
    for one in stack.layers:
        hidden = one(hidden, valid)
    torch.testing.assert_close(stack(content, valid), hidden)


@torch.no_grad()
def test_added_positions_do_not_hide_the_words_of_a_new_network() -> None:
    torch.manual_seed(1)
    stack = LayerStack(LayerSettings(layer_types=()))
    words = 0.2 * torch.randn(2, 512)  # about as large as projected vectors of an encoder
    content = words[torch.tensor([[0, 1] * 10])]
    hidden = stack(content, torch.ones(1, 20, dtype=torch.bool))[0]
    alike = F.cosine_similarity(hidden[None], hidden[:, None], dim=-1)
    same_word = (torch.arange(20)[:, None] - torch.arange(20)) % 2 == 0
    assert alike[same_word].min() > 0.9
    assert alike[~same_word].max() < 0.2


@pytest.mark.parametrize(
    ("changes", "deviation"),
    [
        ({}, 0.02),
        ({"positions": "concatenate"}, 1.0),
        ({"position_init_std": 1.0}, 1.0),
        ({"positions": "concatenate", "position_init_std": 0.5}, 0.5),
    ],
)
def test_positions_begin_as_the_settings_say(changes: dict[str, Any], deviation: float) -> None:
    """With 1 and added positions the authors' program begins."""
    torch.manual_seed(1)
    stack = LayerStack(LayerSettings(layer_types=(), **changes))
    assert float(stack.positions.detach().std()) == pytest.approx(deviation, rel=0.02)


@torch.no_grad()
def test_tags_are_added_to_the_content_past_its_dropout() -> None:
    torch.manual_seed(1)
    stack = LayerStack(settings(input_dropout=0.5)).train()
    content, tags = torch.randn(2, 5, 8), torch.randn(2, 5, 8)
    valid = torch.ones(2, 5, dtype=torch.bool)
    torch.manual_seed(2)
    found = stack(content, valid, tags)
    torch.manual_seed(2)
    dropped = stack.dropout(content)
    assert (dropped == 0).any()
    torch.testing.assert_close(found, F.layer_norm(dropped + tags + stack.positions[:5], (8,)))


@torch.no_grad()
def test_positions_stand_beside_the_content_of_partitioned_layers() -> None:
    torch.manual_seed(1)
    stack = LayerStack(settings("partitioned")).eval()
    content, valid = torch.randn(2, 5, 4), torch.ones(2, 5, dtype=torch.bool)
    table = stack.positions[:5].expand(2, 5, 4)
    hidden = F.layer_norm(torch.cat([content, table], dim=-1), (8,))
    hidden = stack.layers[0](hidden, valid)
    torch.testing.assert_close(stack(content, valid), interleave(hidden))


@torch.no_grad()
@pytest.mark.parametrize("kinds", STACKS, ids="-".join)
def test_a_sentence_has_the_same_vectors_whatever_it_is_batched_with(
    kinds: tuple[LayerKind, ...],
) -> None:
    torch.manual_seed(1)
    stack = LayerStack(settings(*kinds)).eval()
    width = 4 if "partitioned" in kinds else 8
    content = torch.randn(3, 9, width) * 3
    lengths = torch.tensor([9, 3, 6])
    together = stack(content, torch.arange(9) < lengths[:, None])
    for row, length in enumerate(lengths.tolist()):
        alone = stack(content[row : row + 1, :length], torch.ones(1, length, dtype=torch.bool))
        torch.testing.assert_close(together[row, :length], alone[0], atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("kinds", STACKS, ids="-".join)
def test_gradients_reach_every_weight(kinds: tuple[LayerKind, ...]) -> None:
    torch.manual_seed(1)
    stack = LayerStack(settings(*kinds, max_positions=5, input_dropout=0.1)).train()
    content = torch.randn(2, 5, 4 if "partitioned" in kinds else 8, requires_grad=True)
    valid = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    outputs = stack(content, valid)
    (outputs * torch.randn_like(outputs) * valid[..., None]).sum().backward()
    for name, tensor in [("content", content), *stack.named_parameters()]:
        assert tensor.grad is not None, name
        assert tensor.grad.isfinite().all(), name
        # A key's bias adds the same to all scores of a query, which a softmax does not see.
        if not name.endswith("key.bias"):
            assert tensor.grad.abs().max() > 1e-7, name


@pytest.mark.parametrize("kind", [B, N, "self_attention", "partitioned"])
def test_half_precision_is_taken(kind: LayerKind) -> None:
    one = layer(kind, settings(kind)).eval()
    hidden, valid = torch.randn(1, 4, 8), torch.ones(1, 4, dtype=torch.bool)
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        assert one(hidden, valid).isfinite().all()
