"""Span scores against equation 6 and the paper's network, written out for single spans."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from bnaparser.network.model import SpanScorer
from bnaparser.network.model_settings import ScorerSettings


@torch.no_grad()
def test_span_vectors_have_the_worked_values() -> None:
    """START, three words, STOP; spans are differences of fenceposts, backward halves turned round."""
    scorer = SpanScorer(2, 3, ScorerSettings(hidden_size=2))
    scorer.hidden.weight.copy_(torch.eye(2))
    hidden = torch.tensor([[10.0, 1], [20, 2], [30, 3], [40, 4], [50, 5]])
    fenceposts = scorer.fenceposts(hidden[:-1], hidden[1:])
    assert fenceposts.tolist() == [[10, -2], [20, -3], [30, -4], [40, -5]]
    spans = {(0, 3): [30, -3], (1, 2): [10, -1]}
    for (start, end), vector in spans.items():
        assert (fenceposts[end] - fenceposts[start]).tolist() == vector


@torch.no_grad()
def test_scores_are_those_of_a_network_over_whole_span_vectors() -> None:
    torch.manual_seed(1)
    scorer = SpanScorer(512, 30, ScorerSettings())
    hidden = torch.randn(7, 512)
    starts, ends = torch.tensor([0, 0, 2, 4]), torch.tensor([1, 5, 4, 5])
    fenceposts = scorer.fenceposts(hidden[:-1], hidden[1:])
    found = scorer(fenceposts, starts, ends)
    assert found.shape == (4, 29)
    for row, (i, j) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        forward = hidden[j, :256] - hidden[i, :256]
        backward = hidden[i + 1, 256:] - hidden[j + 1, 256:]
        inner = scorer.hidden(torch.cat([forward, backward]))
        expected = scorer.output(F.relu(F.layer_norm(inner, (256,))))
        torch.testing.assert_close(found[row], expected, atol=1e-5, rtol=0)


@torch.no_grad()
def test_projecting_fenceposts_or_span_vectors_is_the_same() -> None:
    torch.manual_seed(1)
    linear = nn.Linear(512, 256)
    left, right = torch.randn(100, 512), torch.randn(100, 512)
    late = linear(left) - linear(right) + linear.bias
    torch.testing.assert_close(late, linear(left - right), atol=3e-6, rtol=0)


def test_the_hidden_layer_has_256_features_by_default() -> None:
    scorer = SpanScorer(512, 112, ScorerSettings())
    assert scorer.hidden.weight.shape == (256, 512)
    assert scorer.output.weight.shape == (111, 256)
    assert sum(p.numel() for p in scorer.parameters()) == pytest.approx(160_367)
