"""The loss of a teacher's probabilities, against all trees, differences and marginals."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
import torch

from bnaparser import chart
from bnaparser.network.model import BnaModel
from bnaparser.network.model_settings import TagSettings
from bnaparser.training.data import Example
from bnaparser.training.loss import (
    NO_ROWS,
    SoftTarget,
    SparseProbabilities,
    gold,
    hinge_loss,
    likelihood_loss,
    soft_tag_loss,
    tag_loss,
    tree_loss,
)
from tests.chart import enumeration
from tests.training.row_scores import ENCODED, LENGTHS, RowScores, table
from tests.training.test_likelihood_loss import GOLDS, numbered

ALONE = [1.0] * len(LENGTHS)


def of_each(model: RowScores) -> list[np.ndarray]:
    """The scores of each sentence, float32 (spans, labels), with those of no constituent."""
    scores = torch.nn.functional.pad(model.scores.detach(), (1, 0)).numpy()
    ends = np.cumsum([chart.span_count(n) for n in LENGTHS])
    return np.split(scores, ends[:-1])


def thought(teacher: RowScores, weights: Sequence[float]) -> list[SoftTarget]:
    """What a teacher thinks of the sentences."""
    temperature = teacher.settings.chart.temperature
    targets = []
    for n, scores, weight in zip(LENGTHS, of_each(teacher), weights, strict=True):
        found = chart.marginals(
            np.ascontiguousarray(scores),
            n,
            temperature=temperature,
            allow_empty_root=teacher.allow_empty_root,
        ).probabilities
        found[:, 0] = 0
        targets.append(SoftTarget(SparseProbabilities.of(found), NO_ROWS, weight))
    return targets


def of_all_trees(student: RowScores, teacher: RowScores) -> list[float]:
    """The cross-entropy of each sentence's trees, by listing every tree."""
    hot, warm = (one.settings.chart.temperature for one in (student, teacher))
    found = []
    for n, own, other in zip(LENGTHS, of_each(student), of_each(teacher), strict=True):
        mine = enumeration.all_trees(own.tolist(), n, student.allow_empty_root)
        theirs = enumeration.all_trees(other.tolist(), n, teacher.allow_empty_root)
        total, of_theirs = (
            enumeration.log_partition(trees, temperature)
            for trees, temperature in ((mine, hot), (theirs, warm))
        )
        scores = {nodes: score for score, nodes in mine}
        found.append(
            sum(
                np.exp(score / warm - of_theirs) * (total - scores[nodes] / hot)
                for score, nodes in theirs
            )
        )
    return found


@pytest.mark.parametrize(("warm", "hot"), [(1.0, 1.0), (0.6, 2.0), (3.0, 0.7)])
@pytest.mark.parametrize("empty", [False, True])
def test_the_loss_is_the_cross_entropy_over_all_trees(warm: float, hot: float, empty: bool) -> None:
    student, teacher = table(1, hot, empty), table(2, warm, False)
    loss = tree_loss(student, ENCODED, GOLDS, thought(teacher, ALONE), "hinge").detach()
    assert float(loss) == pytest.approx(sum(of_all_trees(student, teacher)), rel=1e-3)


def test_gold_and_teacher_count_by_their_weights() -> None:
    student, teacher = table(3, 0.8, False), table(4, 1.5, False)
    weights = [0.25, 1.0, 0.5]
    loss = tree_loss(student, ENCODED, GOLDS, thought(teacher, weights), "crf").detach()
    trust = np.array([0.75, 0.0, 0.5], np.float32)
    of_gold = float(likelihood_loss(student, ENCODED, GOLDS, trust).detach())
    of_teacher = np.dot(weights, of_all_trees(student, teacher))
    assert float(loss) == pytest.approx(of_gold + of_teacher, rel=1e-3)


def test_the_gradient_is_the_difference_of_marginals() -> None:
    student, teacher = table(5, 0.5, False), table(6, 2.0, False)
    soft = thought(teacher, [1.0, 0.5, 1.0])
    golds = [GOLDS[0], numbered(1), GOLDS[2]]  # of the second no tree is right
    torch.autograd.backward(tree_loss(student, ENCODED, golds, soft, "crf"))
    assert student.scores.grad is not None
    expected = [
        (chart.marginals(np.ascontiguousarray(own), n, temperature=0.5).probabilities
         - chart.marginals(np.ascontiguousarray(other), n, temperature=2.0).probabilities)
        * one.weight / 0.5
        for n, own, other, one in zip(
            LENGTHS, of_each(student), of_each(teacher), soft, strict=True
        )
    ]  # fmt: skip
    found = student.scores.grad.numpy()
    np.testing.assert_allclose(found, np.concatenate(expected)[:, 1:], atol=2.5e-4)


@pytest.mark.parametrize("gold_loss", ["hinge", "crf"])
def test_the_gradient_is_that_of_differences(gold_loss: str) -> None:
    weights = ALONE if gold_loss == "hinge" else [0.3, 0.6, 1.0]
    student, soft = table(7, 0.7, False), thought(table(8, 1.2, False), weights)
    torch.autograd.backward(tree_loss(student, ENCODED, GOLDS, soft, gold_loss))
    assert student.scores.grad is not None
    step = 1e-2
    for place, found in enumerate(student.scores.grad.flatten().tolist()):
        values = []
        for sign in (1, -1):
            moved = table(7, 0.7, False)
            with torch.no_grad():
                moved.scores.view(-1)[place] += sign * step
            values.append(float(tree_loss(moved, ENCODED, GOLDS, soft, gold_loss).detach()))
        assert found == pytest.approx((values[0] - values[1]) / (2 * step), abs=2e-3)


@pytest.mark.parametrize("gold_loss", ["hinge", "crf"])
def test_a_teacher_alone_lets_no_gold_tree_count(gold_loss: str) -> None:
    student, soft = table(9, 1.0, True), thought(table(10, 1.0, False), ALONE)
    others = [numbered(n) for n in LENGTHS]
    first, second = (
        tree_loss(student, ENCODED, golds, soft, gold_loss).detach() for golds in (GOLDS, others)
    )
    assert torch.equal(first, second)


def random_targets(model: BnaModel, lengths: Sequence[int], weight: float) -> list[SoftTarget]:
    """What a teacher that knows nothing might think."""
    generator = np.random.default_rng(1)
    targets = []
    for n in lengths:
        trees = np.zeros((chart.span_count(n), len(model.labels)), np.float32)
        trees[n - 1, 1:] = generator.dirichlet(np.ones(len(model.labels) - 1))
        tags = generator.dirichlet(np.ones(len(model.tags)), n).astype(np.float32)
        targets.append(
            SoftTarget(SparseProbabilities.of(trees), SparseProbabilities.of(tags), weight)
        )
    return targets


def test_the_hinge_loss_of_gold_counts_beside_the_teacher(
    build_model: Callable[..., BnaModel], examples: list[Example]
) -> None:
    model = build_model(tagging=TagSettings(predict=True, hidden_size=8)).eval()
    batch = examples[:3]
    golds = [gold(e.spans, e.tags, model.labels, model.tags) for e in batch]
    encoded = model.encode(model.prepare([e.words for e in batch]))
    soft = random_targets(model, encoded.lengths, 0.25)
    alone = random_targets(model, encoded.lengths, 1.0)
    both = tree_loss(model, encoded, golds, soft, "hinge")
    hinge, taught = (
        hinge_loss(model, encoded, golds),
        tree_loss(model, encoded, golds, alone, "hinge"),
    )
    torch.testing.assert_close(both, 0.75 * hinge + 0.25 * taught)
    some = np.array([1, 0, 0], np.float32)
    first = model.encode(model.prepare([batch[0].words]))
    weighted = hinge_loss(model, encoded, golds, some)
    torch.testing.assert_close(weighted, hinge_loss(model, first, golds[:1]), atol=1e-3, rtol=1e-4)


def test_the_loss_of_tags_is_that_of_a_mixture(
    build_model: Callable[..., BnaModel], examples: list[Example]
) -> None:
    model = build_model(tagging=TagSettings(predict=True, hidden_size=8)).eval()
    batch = examples[:3]
    golds = [gold(e.spans, e.tags, model.labels, model.tags) for e in batch]
    encoded = model.encode(model.prepare([e.words for e in batch]))
    soft = random_targets(model, encoded.lengths, 0.25)
    logs = model.tag_scores(encoded).log_softmax(-1)
    dense = np.zeros(tuple(logs.shape), np.float32)
    first = 0
    for n, one in zip(encoded.lengths, soft, strict=True):
        dense[first + one.tags.rows, one.tags.columns] = one.tags.values
        first += n
    taught = -(logs * torch.from_numpy(dense)).sum()
    expected = 0.75 * tag_loss(model, encoded, golds) + 0.25 * taught
    torch.testing.assert_close(soft_tag_loss(model, encoded, golds, soft), expected)
