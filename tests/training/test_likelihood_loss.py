"""The negative log-likelihood of gold trees against all trees, differences and marginals; what it teaches."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from bnaparser import chart
from bnaparser.errors import SettingsError
from bnaparser.network.labels import Inventory
from bnaparser.network.model import BnaModel
from bnaparser.training.data import Example
from bnaparser.training.loss import Gold, gold, likelihood_loss
from bnaparser.training.recipe import Recipe, load_recipe
from bnaparser.training.run import train
from bnaparser.trees.tree import Span
from tests.chart import enumeration
from tests.training.row_scores import ENCODED, LABELS, LENGTHS, RowScores, table


def numbered(n: int, *spans: Span) -> Gold:
    return gold(spans, ["T"] * n, LABELS, Inventory(["T"]))


GOLDS = [
    numbered(3, Span(0, 3, "A"), Span(1, 3, "B")),
    numbered(1, Span(0, 1, "B")),
    numbered(4, Span(0, 4, "B"), Span(0, 2, "A"), Span(0, 1, "A")),
]
# A part of two trees, and nothing.
ROOTLESS = [numbered(3, Span(0, 2, "A")), numbered(1), numbered(4, Span(2, 4, "B"))]


def of_all_trees(model: RowScores, golds: list[Gold]) -> float:
    """The sum of -log(probability of the gold tree), by listing every tree."""
    total, first = 0.0, 0
    temperature = model.settings.chart.temperature
    for n, right in zip(LENGTHS, golds, strict=True):
        rows = model.scores.detach()[first : first + chart.span_count(n)].tolist()
        first += len(rows)
        listed = enumeration.all_trees([[0.0, *row] for row in rows], n, model.allow_empty_root)
        nodes = set(zip(right.spans.tolist(), right.labels.tolist(), strict=True))
        of_gold = [
            score
            for score, tree in listed
            if {(chart.span_index(start, end, n), label) for start, end, label in tree} == nodes
        ]
        assert len(of_gold) == 1
        total += enumeration.log_partition(listed, temperature) - of_gold[0] / temperature
    return total


@pytest.mark.parametrize("temperature", [1.0, 0.4, 3.0])
@pytest.mark.parametrize(("golds", "empty"), [(GOLDS, False), (GOLDS, True), (ROOTLESS, True)])
def test_the_loss_is_that_over_all_trees(
    golds: list[Gold], empty: bool, temperature: float
) -> None:
    for seed in range(2):
        model = table(seed, temperature, empty)
        loss = likelihood_loss(model, ENCODED, golds)
        assert float(loss.detach()) == pytest.approx(of_all_trees(model, golds), rel=1e-5)


@pytest.mark.parametrize(("golds", "empty"), [(GOLDS, False), (ROOTLESS, True)])
def test_the_gradient_is_that_of_differences(golds: list[Gold], empty: bool) -> None:
    model = table(5, 0.7, empty)
    torch.autograd.backward(likelihood_loss(model, ENCODED, golds))
    assert model.scores.grad is not None
    step = 1e-2
    for place, found in enumerate(model.scores.grad.flatten().tolist()):
        values = []
        for sign in (1, -1):
            moved = table(5, 0.7, empty)
            with torch.no_grad():
                moved.scores.view(-1)[place] += sign * step
            values.append(float(likelihood_loss(moved, ENCODED, golds).detach()))
        assert found == pytest.approx((values[0] - values[1]) / (2 * step), abs=2e-3)


def test_the_gradient_is_marginals_less_gold() -> None:
    model = table(6, 0.5, False)
    torch.autograd.backward(3 * likelihood_loss(model, ENCODED, GOLDS))
    first = 0
    for n, right in zip(LENGTHS, GOLDS, strict=True):
        rows = slice(first, first + chart.span_count(n))
        first = rows.stop
        scores = np.zeros((rows.stop - rows.start, 3), np.float32)
        scores[:, 1:] = model.scores.detach()[rows].numpy()
        expected = chart.marginals(scores, n, temperature=0.5).probabilities
        expected[right.spans, right.labels] -= 1
        assert model.scores.grad is not None
        found = model.scores.grad[rows].numpy()
        np.testing.assert_allclose(found, 3 * expected[:, 1:] / 0.5, atol=1e-5)


def test_a_sentence_whose_whole_has_an_unknown_label_teaches_nothing() -> None:
    """Else all labels of wholes would be pushed down for ever: none is right, and one must be."""
    model = table(7, 1.0, False)
    unknown = numbered(4, Span(0, 4, "never seen"), Span(0, 2, "A"))
    loss = likelihood_loss(model, ENCODED, [*GOLDS[:2], unknown])
    torch.autograd.backward(loss)
    whole = likelihood_loss(model, ENCODED, GOLDS).detach()
    assert model.scores.grad is not None
    assert not model.scores.grad[-chart.span_count(4) :].any()
    assert model.scores.grad[: -chart.span_count(4)].any()
    assert 0 < float(loss.detach()) < float(whole)


def test_the_gradient_reaches_every_weight_that_scores(
    build_model: Callable[..., BnaModel], examples: list[Example]
) -> None:
    model = build_model().eval()
    batch = examples[:4]
    golds = [gold(e.spans, e.tags, model.labels, model.tags) for e in batch]
    encoded = model.encode(model.prepare([example.words for example in batch]))
    torch.autograd.backward(likelihood_loss(model, encoded, golds))
    for name, parameter in model.scorer.named_parameters():
        assert parameter.grad is not None and parameter.grad.isfinite().all(), name
        assert parameter.grad.any(), name


def test_a_run_learns_what_is_probable(recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    progress = train(recipe(max_steps=24, loss="crf"), tmp_path)
    losses = [row["loss"] for row in progress.history]
    assert all(map(math.isfinite, losses))
    assert sum(losses[-3:]) < 0.75 * sum(losses[:3])
    assert progress.best_f1 > progress.history[0]["f1"]


def test_another_loss_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "recipe.toml"
    file.write_text('[train]\nloss = "perceptron"\n', encoding="utf-8")
    with pytest.raises(
        SettingsError, match=r'train\.loss must be one of "hinge", "crf"; it is "[a-z]+"$'
    ):
        load_recipe(file)
    with pytest.raises(SettingsError, match=r"chart\.temperature must be a number, greater than 0"):
        load_recipe(file, ("train.loss=crf", "chart.temperature=0"))
