"""The hinge loss against worked values, and its sparse gradient against a dense literal one."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import nn

from bnaparser import chart
from bnaparser.network.labels import Inventory
from bnaparser.network.model import BnaModel, Encoded
from bnaparser.training import loss
from bnaparser.training.data import Example
from bnaparser.training.loss import (
    GOLD,
    IGNORED_TAG,
    Gold,
    gold,
    hinge_loss,
    loss_augmented_scores,
    tag_loss,
)
from bnaparser.trees.tree import Span, Tree
from tests.chart import reference

LABELS = Inventory(["", "A"])
TAGS = Inventory(["T"])


class Table(BnaModel):
    """A model of one sentence whose span scores stand in a table: scores[start, end, label - 1]."""

    def __init__(self, scores: torch.Tensor):
        nn.Module.__init__(self)  # without the layers of a network
        self.allow_empty_root = False
        self.scores = nn.Parameter(scores)
        self.labels = LABELS

    @property
    def device(self) -> torch.device:
        return self.scores.device

    def span_scores(
        self, encoded: Encoded, starts: torch.Tensor, ends: torch.Tensor
    ) -> torch.Tensor:
        return self.scores[starts, ends]


def table(n: int, given: dict[tuple[int, int], float]) -> tuple[Table, Encoded]:
    """The label A scores as given, -1 where it is not."""
    scores = torch.full((n + 1, n + 1, 1), -1.0)
    for span, score in given.items():
        scores[span] = score
    return Table(scores), Encoded(torch.zeros(n + 1, 1), torch.zeros(n, 1), [n])


def gold_of(n: int, *spans: tuple[int, int]) -> Gold:
    return gold([Span(*span, "A") for span in spans], ["T"] * n, LABELS, TAGS)


TWO = {(0, 2): 0.2, (0, 1): -0.5, (1, 2): 0.3}
THREE = {(0, 3): 1.0, (0, 2): 0.6, (1, 3): 0.5, (0, 1): -1.0, (1, 2): -1.0, (2, 3): -1.0}


@pytest.mark.parametrize(
    ("n", "scores", "right", "loss"),
    [(2, TWO, [(0, 2)], 1.8), (3, THREE, [(0, 3), (1, 3)], 1.1)],
    ids=["two words", "three words"],
)
def test_worked_losses(
    n: int, scores: dict[tuple[int, int], float], right: list[tuple[int, int]], loss: float
) -> None:
    model, encoded = table(n, scores)
    found = hinge_loss(model, encoded, [gold_of(n, *right)]).detach()
    assert float(found) == pytest.approx(loss, abs=1e-6)


def test_a_gold_tree_that_wins_by_a_margin_costs_nothing() -> None:
    model, encoded = table(2, {(0, 2): 9.0, (0, 1): -9.0, (1, 2): -9.0})
    loss = hinge_loss(model, encoded, [gold_of(2, (0, 2))])
    assert float(loss.detach()) == 0
    torch.autograd.backward(loss)
    assert model.scores.grad is not None and not model.scores.grad.any()


def test_trees_become_numbers() -> None:
    labels = Inventory.of_labels(["NP", "VP", "S", "S::VP"])
    tags = Inventory.of_tags(["PRP", "VBP"])
    tree = Tree.parse("(TOP (S (NP (PRP I)) (VP (VBP run)) (. .)))")
    found = gold(tree.spans(), tree.tags, labels, tags)
    starts, ends = chart.span_indices(3)
    cells = [(starts[row], ends[row]) for row in found.spans]
    assert cells == [(0, 3), (0, 1), (1, 2)]
    assert [labels.names[label] for label in found.labels] == ["S", "NP", "VP"]
    assert found.tags.tolist() == [0, 1, IGNORED_TAG]
    assert found.labels.dtype == np.int32


def test_a_chain_is_one_label_and_one_never_seen_counts_as_none() -> None:
    labels = Inventory.of_labels(["S::VP"])
    seen = Tree.parse("(TOP (S (VP (VB Go))))")
    unseen = Tree.parse("(TOP (FRAG (NP (NNP Rome))) (. .))")
    found = gold(seen.spans(), seen.tags, labels, TAGS)
    assert (found.spans.tolist(), found.labels.tolist()) == ([0], [1])
    found = gold(unseen.spans(), unseen.tags, labels, TAGS)
    assert (found.spans.tolist(), found.labels.tolist()) == ([], [])


def dense_loss(model: BnaModel, encoded: Encoded, golds: list[Gold]) -> torch.Tensor:
    """Equations 8 and 9 over all cells of the chart, with the slow decoder, and with gradient."""
    starts, ends = model.span_rows(encoded)
    scores = model.span_scores(encoded, starts, ends)
    scores = torch.cat([torch.zeros(len(scores), 1), scores], dim=-1)
    total, first = torch.zeros(()), 0
    for n, right in zip(encoded.lengths, golds, strict=True):
        own = scores[first : first + chart.span_count(n)]
        first += len(own)
        gold_labels = np.zeros(len(own), np.int32)
        gold_labels[right.spans] = right.labels
        _, cost, nodes = reference.cost_augment(
            own.tolist(), gold_labels.tolist(), n, model.allow_empty_root
        )
        worst = sum(own[reference.span_index(start, end, n), label] for start, end, label in nodes)
        best = own[torch.from_numpy(right.spans), torch.from_numpy(right.labels).long()].sum()
        total = total + torch.clamp(worst + cost - best, min=0)
    return total


@pytest.mark.parametrize("allow_empty_root", [False, True])
def test_value_and_gradient_are_those_of_the_dense_loss(
    build_model: Callable[..., BnaModel], examples: list[Example], allow_empty_root: bool
) -> None:
    model = build_model(allow_empty_root=allow_empty_root).eval()
    batch = examples[:3] + examples[48:52]
    prepared = model.prepare([example.words for example in batch])
    golds = [gold(e.spans, e.tags, model.labels, model.tags) for e in batch]
    gradients = []
    for function in (hinge_loss, dense_loss):
        model.zero_grad()
        loss = function(model, model.encode(prepared), golds)
        torch.autograd.backward(loss)
        gradients.append([p.grad.clone() for p in model.parameters() if p.grad is not None])
        gradients[-1].append(loss.detach())
    for sparse, dense in zip(*gradients, strict=True):
        torch.testing.assert_close(sparse, dense, atol=1e-3, rtol=1e-4)
    assert gradients[0][-1] > 0


def test_contested_labels_are_the_gold_one_and_the_best_of_the_others(
    build_model: Callable[..., BnaModel], examples: list[Example], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loss, "SPANS_AT_ONCE", 7)
    model = build_model().eval()
    encoded = model.encode(model.prepare([example.words for example in examples[:3]]))
    scores = model.all_scores(encoded)
    right = np.arange(len(scores), dtype=np.int32) % len(model.labels)
    found, rivals = loss_augmented_scores(model, encoded, *model.span_rows(encoded), right)
    for own, gold_label, three, rival in zip(scores, right, found, rivals, strict=True):
        others = [label for label in range(1, len(own)) if label != gold_label]
        best = max(others, key=own.__getitem__)
        expected = [0, own[best], own[gold_label] if gold_label else -np.inf]
        np.testing.assert_allclose(three, expected, rtol=1e-5)
        assert rival == best
    assert found.dtype == np.float32
    assert rivals.dtype == np.int32
    assert found.shape[1] == GOLD + 1


def test_the_loss_of_a_batch_is_the_sum_over_its_sentences(
    build_model: Callable[..., BnaModel], examples: list[Example]
) -> None:
    model = build_model().eval()
    batch = examples[:5]
    golds = [gold(e.spans, e.tags, model.labels, model.tags) for e in batch]
    prepared = model.prepare([example.words for example in batch])
    with torch.no_grad():
        together = hinge_loss(model, model.encode(prepared), golds)
        alone = [
            hinge_loss(model, model.encode([one]), [own])
            for one, own in zip(prepared, golds, strict=True)
        ]
    torch.testing.assert_close(together, torch.stack(alone).sum(), atol=1e-3, rtol=1e-5)


class Tagger(BnaModel):
    """A model whose scores of tags are given: (words, tags)."""

    device = torch.device("cpu")

    def __init__(self, scores: torch.Tensor):
        nn.Module.__init__(self)
        self.scores = scores

    def tag_scores(self, encoded: Encoded) -> torch.Tensor:
        return self.scores


NOTHING = Encoded(torch.zeros(0), torch.zeros(0), [])


def tags_of(*numbers: int) -> Gold:
    return Gold(np.zeros(0, np.int64), np.zeros(0, np.int32), np.array(numbers, np.int64))


def test_uniform_tag_scores_cost_the_logarithm_of_their_number() -> None:
    loss = tag_loss(Tagger(torch.zeros(5, 46)), NOTHING, [tags_of(3, 7), tags_of(0, 45, 1)])
    assert float(loss) == pytest.approx(19.14, abs=0.005)
    assert float(loss) == pytest.approx(5 * math.log(46))


def test_tags_never_seen_in_training_do_not_count() -> None:
    scores = torch.tensor([[2.0, 0.0], [0.0, 0.0]])
    loss = tag_loss(Tagger(scores), NOTHING, [tags_of(0, IGNORED_TAG)])
    assert float(loss) == pytest.approx(math.log(1 + math.exp(-2)))
    assert float(tag_loss(Tagger(scores), NOTHING, [tags_of(IGNORED_TAG, IGNORED_TAG)])) == 0
