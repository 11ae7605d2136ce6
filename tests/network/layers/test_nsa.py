"""NSA against equations 15 to 17 written as loops, and against worked values."""

from __future__ import annotations

import math

import pytest
import torch

from bnaparser.network.layers.nsa import NSA
from bnaparser.network.model_settings import LayerSettings, Reading

READINGS: dict[Reading, Reading] = {"paper": "program", "program": "paper"}
SMALL = LayerSettings(
    hidden_size=8,
    num_attention_heads=2,
    head_dim=4,
    intermediate_size=16,
    ngrams=3,
    attention_dropout=0.5,
)


def literal_spans(
    hidden: torch.Tensor, ngrams: int, signs: Reading = "paper"
) -> list[torch.Tensor]:
    """Equations 15 and 16 for one sentence (positions, width): 1-grams first, then 2-grams...

    The authors' program turns the backward halves of the 1-grams.
    """
    half = hidden.shape[1] // 2
    spans = []
    for k in range(1, ngrams + 1):
        for i in range(len(hidden) - k):
            forward = hidden[i + k, :half] - hidden[i, :half]
            backward = hidden[i, half:] - hidden[i + k, half:]
            if signs == "program" and k == 1:
                backward = hidden[i + 1, half:] - hidden[i, half:]
            spans.append(torch.cat([forward, backward]))
    return spans


def literal_attention(
    layer: NSA, hidden: torch.Tensor, ngrams: int, scale: float, signs: Reading = "paper"
) -> torch.Tensor:
    """Equation 17 for one sentence: two attentions of ``heads`` heads, one for each half."""
    query = layer.query(hidden)
    spans = literal_spans(hidden, ngrams, signs)
    keys, values = [layer.key(span) for span in spans], [layer.value(span) for span in spans]
    size = query.shape[1] // (2 * layer.heads)
    context = torch.zeros_like(query)
    for i in range(len(hidden)):
        for first in range(0, query.shape[1], size):
            part = slice(first, first + size)
            scores = [float(query[i, part] @ key[part]) / scale for key in keys]
            total = sum(math.exp(score) for score in scores)
            for score, value in zip(scores, values, strict=True):
                context[i, part] += math.exp(score) / total * value[part]
    output: torch.Tensor = layer.output(context)
    return output


def test_spans_of_the_oracle_have_the_worked_values() -> None:
    features = torch.tensor([1.0, 2.0, 4.0, 7.0, 11.0])
    spans = torch.stack(literal_spans(features[:, None].repeat(1, 2), 2))
    assert spans[:, 0].tolist() == [1, 2, 3, 4, 3, 5, 7]
    assert spans[:, 1].tolist() == [-1, -2, -3, -4, -3, -5, -7]
    spans = torch.stack(literal_spans(features[:, None].repeat(1, 2), 2, "program"))
    assert spans[:, 0].tolist() == [1, 2, 3, 4, 3, 5, 7]
    assert spans[:, 1].tolist() == [1, 2, 3, 4, -3, -5, -7]
    lengths = {(8, 4): 22, (8, 3): 18, (3, 4): 3, (5, 4): 10}
    for (positions, ngrams), count in lengths.items():
        assert len(literal_spans(torch.zeros(positions, 2), ngrams)) == count


@torch.no_grad()
@pytest.mark.parametrize("positions", [3, 4, 7], ids=["one word", "two words", "five words"])
@pytest.mark.parametrize("ngrams", [1, 2, 4])
@pytest.mark.parametrize("signs", ["paper", "program"])
def test_output_is_that_of_the_equations_or_of_the_program(
    positions: int, ngrams: int, signs: Reading
) -> None:
    torch.manual_seed(1)
    layer = NSA(SMALL.model_copy(update={"ngrams": ngrams, "span_signs": signs})).eval()
    hidden = torch.randn(1, positions, 8)
    found = layer(hidden, torch.ones(1, positions, dtype=torch.bool))
    expected = literal_attention(layer, hidden[0], ngrams, 2.0, signs)
    torch.testing.assert_close(found[0], expected)
    other = literal_attention(layer, hidden[0], ngrams, 2.0, READINGS[signs])
    assert not torch.allclose(found[0], other, atol=1e-4)


@torch.no_grad()
def test_spans_with_an_end_in_the_padding_are_not_seen() -> None:
    torch.manual_seed(1)
    layer = NSA(SMALL).eval()
    hidden = torch.randn(2, 5, 8)
    valid = torch.tensor([[True] * 5, [True] * 4 + [False]])
    found = layer(hidden, valid)
    torch.testing.assert_close(found[0], literal_attention(layer, hidden[0], 3, 2.0))
    torch.testing.assert_close(found[1, :4], literal_attention(layer, hidden[1, :4], 3, 2.0))


@torch.no_grad()
def test_scores_are_divided_by_the_root_of_the_stated_head_width() -> None:
    layer = NSA(LayerSettings(hidden_size=2, num_attention_heads=1, head_dim=64, ngrams=1)).eval()
    for parameter in layer.parameters():
        parameter.zero_()
    layer.query.bias[0] = 1
    layer.key.weight[0, 0] = 1
    layer.value.weight[0, 0] = 1
    layer.output.weight[0, 0] = 1
    # Two 1-grams whose forward halves are 8 and 0: so are their scores, and their values.
    hidden = torch.tensor([[[0.0, 0.0], [8.0, 0.0], [8.0, 0.0]]])
    weight = layer(hidden, torch.ones(1, 3, dtype=torch.bool))[0, 0, 0] / 8
    assert float(weight) == pytest.approx(0.7311, abs=1e-4)


def test_attention_dropout_is_on_in_training_only() -> None:
    torch.manual_seed(1)
    layer, hidden = NSA(SMALL), torch.randn(1, 6, 8)
    valid = torch.ones(1, 6, dtype=torch.bool)
    assert not torch.equal(layer.train()(hidden, valid), layer(hidden, valid))
    assert torch.equal(layer.eval()(hidden, valid), layer(hidden, valid))


def test_size_is_the_papers() -> None:
    with torch.device("meta"):
        layer = NSA(LayerSettings())
    assert sum(parameter.numel() for parameter in layer.parameters()) == 1_050_624
