"""Cost-augmented decoding: hand-made cases, the reference decoder, batches, refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnaparser import chart
from tests.chart import reference
from tests.chart.chart_cases import (
    THREE,
    TWO,
    ScoredSentence,
    cost_augment,
    one_label,
    random_batch,
    sentences,
)


def test_two_words() -> None:
    gold = np.array([0, 1, 0], np.int32)
    rows, labels, value, cost = cost_augment(TWO, gold, 2)
    assert rows.tolist() == [1, 0, 2]
    assert labels.tolist() == [1, 1, 1]
    assert value == pytest.approx(2.0, abs=1e-6)
    assert cost == 2
    assert value - TWO[1, 1] == pytest.approx(1.8, abs=1e-6)


def test_three_words() -> None:
    gold = np.array([0, 0, 1, 0, 1, 0], np.int32)
    _, _, value, cost = cost_augment(THREE, gold, 3)
    assert value == pytest.approx(2.6, abs=1e-6)
    assert cost == 1
    assert value - THREE[[2, 4], 1].sum() == pytest.approx(1.1, abs=1e-6)


def test_gold_tree_far_ahead_costs_nothing() -> None:
    scores = one_label(3, {(0, 3): 9, (1, 3): 9})
    gold = np.array([0, 0, 1, 0, 1, 0], np.int32)
    rows, labels, value, cost = cost_augment(scores, gold, 3)
    assert (rows.tolist(), labels.tolist()) == ([2, 0, 4, 3, 5], [1, 0, 1, 0, 0])
    assert (value, cost) == (18, 0)


@settings(deadline=None, max_examples=100)
@given(sentences(longest=5), st.booleans())
def test_same_as_reference(sentence: ScoredSentence, enumerate_all: bool) -> None:
    scores, gold, n, empty_root = sentence
    search = reference.best_tree_by_enumeration if enumerate_all else reference.best_tree_by_cky
    value, cost, nodes = reference.cost_augment(
        scores.tolist(), gold.tolist(), n, empty_root, search
    )
    rows, labels, found, its_cost = cost_augment(scores, gold, n, allow_empty_root=empty_root)
    assert found == value
    if value > -math.inf:
        assert its_cost == cost
        assert labels.tolist() == [label for _, _, label in nodes]
        assert rows.tolist() == [reference.span_index(start, end, n) for start, end, _ in nodes]


def test_value_is_the_nodes_scores_plus_cost() -> None:
    scores, gold = random_batch([20], labels=30)
    rows, labels, value, cost = cost_augment(scores, gold, 20)
    assert value == scores[rows, labels].sum(dtype=np.float64) + cost
    assert cost == (gold[rows] != labels).sum()
    assert len(rows) == 39


def test_batch_is_the_same_as_one_by_one() -> None:
    lengths = [3, 1, 12, 7, 30, 2]
    scores, gold = random_batch(lengths)
    for threads in None, 1, 2, 3, 9:
        found = chart.cost_augment_packed(scores, gold, lengths, threads)
        first_span = first_node = 0
        for sentence, n in enumerate(lengths):
            part = slice(first_span, first_span + chart.span_count(n))
            rows, labels, value, cost = cost_augment(scores[part], gold[part], n)
            nodes = slice(first_node, first_node + 2 * n - 1)
            assert (found.tree_spans[nodes] - first_span == rows).all()
            assert (found.tree_labels[nodes] == labels).all()
            assert found.value[sentence] == value
            assert found.cost[sentence] == cost
            first_span, first_node = part.stop, nodes.stop


@pytest.mark.parametrize("label", [-1, 5])
def test_gold_label_without_column_is_refused(label: int) -> None:
    scores, gold = random_batch([3, 3])
    gold[7] = label
    with pytest.raises(ValueError, match="sentence 1: a label is negative or has no column"):
        chart.cost_augment_packed(scores, gold, [3, 3])


def test_gold_labels_of_another_length_are_refused() -> None:
    scores, gold = random_batch([3])
    with pytest.raises(ValueError, match="gold_labels has 5 entries; these lengths need 6"):
        cost_augment(scores, gold[:-1], 3)
