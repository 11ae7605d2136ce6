"""The objectives of pre-training against literal loops, hand-made examples and parameter counts."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from bnaparser.spanbert.batch import boundary_pairs
from bnaparser.spanbert.model import BoundaryHead, NextSentenceHead, word_loss


def test_the_programs_example_of_boundary_pairs() -> None:
    """A block of 8, spans of its first two and of its fifth and sixth subwords: one pair, 3 and 6."""
    found = boundary_pairs([(0, 2), (4, 6)], 8, 15)
    assert found.left.tolist() == [3, 3]
    assert found.right.tolist() == [6, 6]
    assert found.target.tolist() == [4, 5]
    assert found.position.tolist() == [0, 1]


def test_a_span_at_an_end_of_the_block_has_no_boundaries() -> None:
    assert len(boundary_pairs([(0, 3), (5, 8)], 8, 15).target) == 0
    assert len(boundary_pairs([], 8, 15).target) == 0


def test_only_the_first_subwords_of_a_long_span_are_predicted() -> None:
    found = boundary_pairs([(2, 20)], 30, 15)
    assert found.target.tolist() == list(range(2, 17))
    assert found.position.tolist() == list(range(15))
    assert set(found.right.tolist()) == {20}


@pytest.mark.parametrize(("width", "parameters"), [(768, 1_959_676), (1024, 3_388_668)])
def test_the_boundary_head_has_as_many_parameters_as_the_programs(
    width: int, parameters: int
) -> None:
    head = BoundaryHead(width, width, 28_996, positions=200, longest=15)
    assert sum(parameter.numel() for parameter in head.parameters()) == parameters


def test_the_boundary_head_is_the_equations() -> None:
    torch.manual_seed(1)
    head = BoundaryHead(6, 5, 11, positions=4, longest=3)
    with torch.no_grad():
        head.bias.normal_()
    left, right = torch.randn(2, 6), torch.randn(2, 6)
    position, embeddings = torch.tensor([2, 0]), torch.randn(11, 5)
    scores = head(left, right, position, embeddings)
    for row in range(2):
        joined = [*left[row].tolist(), *right[row].tolist()]
        joined += head.positions.weight[position[row]].tolist()
        hidden = loop_layer(head.first, head.first_norm, joined)
        hidden = loop_layer(head.second, head.second_norm, hidden)
        for word in range(11):
            told = sum(a * b for a, b in zip(hidden, embeddings[word].tolist(), strict=True))
            assert scores[row, word].item() == pytest.approx(
                told + head.bias[word].item(), abs=1e-4
            )


def loop_layer(
    linear: torch.nn.Linear, norm: torch.nn.LayerNorm, given: list[float]
) -> list[float]:
    """One linear map, GELU with the error function, and layer norm, number by number."""
    found = []
    for row, bias in zip(linear.weight.tolist(), linear.bias.tolist(), strict=True):
        value = sum(a * b for a, b in zip(row, given, strict=True)) + bias
        found.append(0.5 * value * (1 + math.erf(value / math.sqrt(2))))
    mean = sum(found) / len(found)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in found) / len(found) + norm.eps)
    return [
        (value - mean) / deviation * scale + shift
        for value, scale, shift in zip(found, norm.weight.tolist(), norm.bias.tolist(), strict=True)
    ]


def test_left_and_right_are_not_the_same() -> None:
    torch.manual_seed(2)
    head = BoundaryHead(6, 6, 9, positions=4, longest=3)
    left, right, position = torch.randn(1, 6), torch.randn(1, 6), torch.tensor([0])
    embeddings = torch.randn(9, 6)
    one = head(left, right, position, embeddings)
    assert not torch.allclose(one, head(right, left, position, embeddings))
    assert not torch.allclose(one, head(left, right, torch.tensor([1]), embeddings))


def test_the_loss_is_summed_word_by_word() -> None:
    torch.manual_seed(3)
    scores, targets = torch.randn(5, 7), torch.tensor([1, 0, 6, 3, 3])
    total = 0.0
    for row, target in zip(scores.tolist(), targets.tolist(), strict=True):
        total -= math.log(math.exp(row[target]) / sum(map(math.exp, row)))
    assert word_loss(scores, targets).item() == pytest.approx(total, rel=1e-5)
    assert word_loss(scores[:0], targets[:0]).item() == 0.0


def test_the_next_sentence_head_reads_the_first_subword() -> None:
    torch.manual_seed(4)
    head = NextSentenceHead(6)
    first = torch.randn(3, 6)
    told = F.linear(
        torch.tanh(F.linear(first, head.pool.weight, head.pool.bias)),
        head.decide.weight,
        head.decide.bias,
    )
    assert torch.allclose(head(first), told)
    assert head(first).shape == (3, 2)
    assert np.isfinite(word_loss(head(first), torch.tensor([0, 1, 1])).item())
