"""Scores against counts made by hand, and the paired test against enumeration."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from bnaparser.errors import DataError
from bnaparser.tasks.task_metrics import score
from bnaparser.tasks.task_model import Gold
from bnaparser.tasks.task_settings import METRICS, TaskSettings
from bnaparser.tasks.task_significance import compare, table_metric

TWO = TaskSettings(positive="yes")
TAGS = TaskSettings(kind="tagging")
SCORES = TaskSettings(kind="regression")


def test_classes_by_hand() -> None:
    gold, found = [1, 1, 1, 0, 0, 0, 0, 0], [1, 1, 0, 1, 0, 0, 0, 0]
    scores = score(TWO, ("no", "yes"), gold, found)
    # 2 right of 3 found and of 3 there; 4 true negatives.
    assert scores["accuracy"] == pytest.approx(75.0)
    assert scores["precision"] == scores["recall"] == pytest.approx(200 / 3)
    assert scores["f1"] == scores["f0.5"] == pytest.approx(200 / 3)
    assert scores["matthews"] == pytest.approx(100 * (2 * 4 - 1) / math.sqrt(3 * 3 * 5 * 5))
    assert scores["macro_f1"] == pytest.approx((200 / 3 + 80) / 2)


def test_a_class_that_is_nowhere_counts_for_nothing() -> None:
    scores = score(TaskSettings(), ("a", "b", "c"), [0, 0, 1, 1], [0, 0, 1, 0])
    assert scores["macro_f1"] == pytest.approx((80 + 200 / 3) / 2)


def test_half_weight_on_recall() -> None:
    scores = score(TWO, ("no", "yes"), [1, 1, 1, 1, 0], [1, 0, 0, 0, 0])
    assert scores["f0.5"] == pytest.approx(100 * 1.25 * 0.25 / (0.25 + 0.25))


def test_spans_count_where_both_ends_and_the_kind_are_right() -> None:
    labels = ("O", "B-PER", "I-PER", "B-LOC")
    gold = [(1, 2, 0, 3), (0, 1)]
    found = [(1, 2, 0, 1), (1, 1)]
    scores = score(TAGS, labels, gold, found)
    assert scores["span_precision"] == pytest.approx(50.0)
    assert scores["span_recall"] == pytest.approx(200 / 3)
    assert scores["span_f1"] == pytest.approx(400 / 7)
    assert scores["accuracy"] == pytest.approx(400 / 6)


def test_nothing_found_is_no_warning() -> None:
    assert score(TAGS, ("O", "B-X"), [(1, 0)], [(0, 0)])["span_f1"] == 0
    assert score(SCORES, (), [1.0, 2.0], [3.0, 3.0]) == {"pearson": 0.0, "spearman": 0.0}


def test_correlations_by_hand() -> None:
    scores = score(SCORES, (), [1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 30.0])
    assert scores["spearman"] == pytest.approx(80.0)
    assert scores["pearson"] == pytest.approx(100 * np.corrcoef([1, 2, 3, 4], [1, 3, 2, 30])[0, 1])


@pytest.mark.parametrize("metric", METRICS["classification"])
def test_tables_give_the_metrics_of_scikit_learn(metric: str) -> None:
    generator = np.random.default_rng(3)
    gold, found = generator.integers(0, 3, 60), generator.integers(0, 3, 60)
    table = np.zeros((1, 9))
    for wanted, guess in zip(gold, found, strict=True):
        table[0, wanted * 3 + guess] += 1
    expected = score(TaskSettings(positive="b"), "abc", gold.tolist(), found.tolist())[metric]
    assert table_metric(metric, table, 3, 1)[0] == pytest.approx(expected)


def test_a_table_of_macro_f1_leaves_out_a_class_that_is_nowhere() -> None:
    assert table_metric("macro_f1", np.diag([3.0, 0.0, 2.0]).reshape(1, 9), 3, None)[0] == 100


def test_the_p_value_is_that_of_all_swaps() -> None:
    gold = [1] * 8
    first, second = [1, 1, 1, 1, 1, 1, 0, 0], [0, 0, 0, 0, 0, 1, 1, 0]
    found = compare(TWO, ("no", "yes"), gold, first, second, trials=20000)
    assert (found.first, found.second) == (75.0, 25.0)
    differing = [a - b for a, b in zip(first, second, strict=True) if a != b]
    sums = [
        sum(sign * d for sign, d in zip(signs, differing, strict=True))
        for signs in itertools.product((1, -1), repeat=len(differing))
    ]
    exact = np.mean([abs(total) >= 4 for total in sums])
    assert found.p_value == pytest.approx(exact, abs=0.02)
    assert found.low < found.difference < found.high


@pytest.mark.parametrize(
    ("task", "labels", "gold", "worse"),
    [
        (TAGS, ("O", "B-X"), [(0, 1)] * 30, [(0, 0)] * 30),
        (SCORES, (), [float(n) for n in range(30)], [float(-n) for n in range(30)]),
        (TaskSettings(metric="matthews"), ("a", "b"), [0, 1] * 15, [1, 0] * 15),
    ],
)
def test_right_beats_wrong_and_equals_itself(
    task: TaskSettings, labels: tuple[str, ...], gold: list[Gold], worse: list[Gold]
) -> None:
    found = compare(task, labels, gold, gold, worse, trials=50)
    assert found.first == pytest.approx(100.0)
    assert found.p_value < 0.05
    same = compare(task, labels, gold, gold, gold, trials=50)
    assert (same.difference, same.low, same.high, same.p_value) == (0.0, 0.0, 0.0, 1.0)


def test_runs_that_do_not_fit() -> None:
    with pytest.raises(DataError, match="predictions for 1 and 2 examples"):
        compare(TWO, ("no", "yes"), [1], [1], [1, 0])
