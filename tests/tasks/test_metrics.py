"""Scores against counts made by hand, and the paired test against enumeration."""

from __future__ import annotations

import itertools
import math
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from bnaparser.errors import DataError
from bnaparser.tasks.examples import Gold
from bnaparser.tasks.kinds import KINDS
from bnaparser.tasks.kinds.regression import CORRELATIONS
from bnaparser.tasks.metrics import class_metric
from bnaparser.tasks.settings import TaskSettings
from bnaparser.tasks.significance import compare

TWO = TaskSettings(positive="yes")
TAGS = TaskSettings(kind="tagging")
SCORES = TaskSettings(kind="regression")


def test_classes_by_hand() -> None:
    gold, found = [1, 1, 1, 0, 0, 0, 0, 0], [1, 1, 0, 1, 0, 0, 0, 0]
    scores = TWO.of_kind.score(("no", "yes"), gold, found)
    # 2 right of 3 found and of 3 there; 4 true negatives.
    assert scores["accuracy"] == pytest.approx(75.0)
    assert scores["precision"] == scores["recall"] == pytest.approx(200 / 3)
    assert scores["f1"] == scores["f0.5"] == pytest.approx(200 / 3)
    assert scores["matthews"] == pytest.approx(100 * (2 * 4 - 1) / math.sqrt(3 * 3 * 5 * 5))
    assert scores["macro_f1"] == pytest.approx((200 / 3 + 80) / 2)


def test_a_class_that_is_nowhere_counts_for_nothing() -> None:
    scores = TaskSettings().of_kind.score(("a", "b", "c"), [0, 0, 1, 1], [0, 0, 1, 0])
    assert scores["macro_f1"] == pytest.approx((80 + 200 / 3) / 2)


def test_half_weight_on_recall() -> None:
    scores = TWO.of_kind.score(("no", "yes"), [1, 1, 1, 1, 0], [1, 0, 0, 0, 0])
    assert scores["f0.5"] == pytest.approx(100 * 1.25 * 0.25 / (0.25 + 0.25))


def test_spans_count_where_both_ends_and_the_kind_are_right() -> None:
    labels = ("O", "B-PER", "I-PER", "B-LOC")
    gold = [(1, 2, 0, 3), (0, 1)]
    found = [(1, 2, 0, 1), (1, 1)]
    scores = TAGS.of_kind.score(labels, gold, found)
    assert scores["span_precision"] == pytest.approx(50.0)
    assert scores["span_recall"] == pytest.approx(200 / 3)
    assert scores["span_f1"] == pytest.approx(400 / 7)
    assert scores["accuracy"] == pytest.approx(400 / 6)


def test_nothing_found_is_no_warning() -> None:
    assert TAGS.of_kind.score(("O", "B-X"), [(1, 0)], [(0, 0)])["span_f1"] == 0
    assert SCORES.of_kind.score((), [1.0, 2.0], [3.0, 3.0]) == {"pearson": 0.0, "spearman": 0.0}


def test_correlations_by_hand() -> None:
    scores = SCORES.of_kind.score((), [1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 30.0])
    assert scores["spearman"] == pytest.approx(80.0)
    assert scores["pearson"] == pytest.approx(100 * np.corrcoef([1, 2, 3, 4], [1, 3, 2, 30])[0, 1])


@given(arrays(np.int64, (3, 6), elements=st.integers(0, 3)))
def test_correlations_of_examples_that_occur_several_times_are_scipys(rows: Any) -> None:
    gold, found, times = rows
    if not times.any():
        return
    repeated = np.repeat(gold, times), np.repeat(found, times)
    constant = any(len(np.unique(side)) == 1 for side in repeated)
    for name, of in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr)):
        expected = 0.0 if constant else 100 * of(*repeated).statistic
        weighted = CORRELATIONS[name](gold * 1.0, found * 1.0, times[None] * 1.0)
        assert weighted[0] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("metric", KINDS["classification"].metrics)
def test_counts_give_the_metrics_of_scikit_learn(metric: str) -> None:
    generator = np.random.default_rng(3)
    gold, found = generator.integers(0, 3, 60), generator.integers(0, 3, 60)
    counted = [np.bincount(one, minlength=3) for one in (gold[gold == found], gold, found)]
    rows = np.concatenate(counted)[None].astype(np.float64)
    expected = TaskSettings(positive="b").of_kind.score("abc", gold.tolist(), found.tolist())[
        metric
    ]
    assert class_metric(metric, rows, 3, 1)[0] == pytest.approx(expected)


def test_macro_f1_leaves_out_a_class_that_is_nowhere() -> None:
    assert class_metric("macro_f1", np.tile([3.0, 0.0, 2.0], (1, 3)), 3, None)[0] == 100


def test_many_classes_fit_into_memory() -> None:
    """Tables of gold by predicted class took 1 GB a seed for 150 classes and 5,500 examples."""
    generator = np.random.default_rng(7)
    gold, first, second = generator.integers(150, size=(3, 500)).tolist()
    tracemalloc.start()
    labels = [*map(str, range(150))]
    found = compare(TaskSettings(metric="macro_f1"), labels, gold, [first], [second], trials=20)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.first == pytest.approx(
        TaskSettings().of_kind.score(labels, gold, first)["macro_f1"]
    )
    assert most < 40e6


def test_the_p_value_is_that_of_all_swaps() -> None:
    gold = [1] * 8
    first, second = [1, 1, 1, 1, 1, 1, 0, 0], [0, 0, 0, 0, 0, 1, 1, 0]
    found = compare(TWO, ("no", "yes"), gold, [first], [second], trials=20000)
    assert (found.first, found.second) == (75.0, 25.0)
    differing = [a - b for a, b in zip(first, second, strict=True) if a != b]
    sums = [
        sum(sign * d for sign, d in zip(signs, differing, strict=True))
        for signs in itertools.product((1, -1), repeat=len(differing))
    ]
    exact = np.mean([abs(total) >= 4 for total in sums])
    assert found.p_value == pytest.approx(exact, abs=0.02)
    assert found.low < found.difference < found.high


def test_the_p_value_is_never_0_and_the_interval_is_that_of_95_percent() -> None:
    """Of 100 examples drawn, 50 are right, distributed binomially."""
    gold, second = [1] * 100, [0, 1] * 50
    assert compare(TWO, ("no", "yes"), gold, [gold], [second], trials=99).p_value == 0.01
    found = compare(TWO, ("no", "yes"), gold, [gold], [second], trials=5000)
    assert (found.low, found.high) == pytest.approx((40, 60), abs=1.01)


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
    found = compare(task, labels, gold, [gold], [worse], trials=50)
    assert found.first == pytest.approx(100.0)
    assert found.p_value < 0.05
    same = compare(task, labels, gold, [gold], [gold], trials=50)
    assert (same.difference, same.low, same.high, same.p_value) == (0.0, 0.0, 0.0, 1.0)


def noisy(gold: list[float], generator: np.random.Generator, noise: float) -> list[float]:
    return [one + noise * float(generator.normal()) for one in gold]


def test_seeds_that_only_differ_in_scale_are_alike() -> None:
    """Pooled over seeds, an offset of each took away from the correlation: p was 0.0005."""
    generator = np.random.default_rng(5)
    gold = [float(score) for score in generator.normal(size=200)]
    first = [noisy(gold, generator, 1.0) for _ in range(3)]
    second = [[10 * seed + 2 * one for one in run] for seed, run in enumerate(first)]
    for metric in KINDS["regression"].metrics:
        task = SCORES.model_copy(update={"metric": metric})
        found = compare(task, (), gold, first, second, trials=100)
        assert found.difference == pytest.approx(0, abs=1e-9)
        assert found.p_value == 1
        seeds = [SCORES.of_kind.score((), gold, run)[metric] for run in first]
        assert found.first == pytest.approx(np.mean(seeds))


@pytest.mark.parametrize("task", [TWO, TAGS, SCORES])
def test_more_seeds_make_no_more_examples(task: TaskSettings) -> None:
    """The same predictions ten times over turned 0.44 into 0.009."""
    generator = np.random.default_rng(8)
    labels = {"classification": ("no", "yes"), "tagging": ("O", "B-X")}.get(task.kind, ())
    gold: list[Any]
    runs: list[list[Any]]
    if task.kind == "regression":
        scores = [float(one) for one in generator.normal(size=80)]
        gold, runs = [*scores], [[*noisy(scores, generator, 1.0)] for _ in range(2)]
    else:
        drawn = generator.integers(0, 2, (3, 80, 4)).tolist()
        tags = [[tuple(row) for row in run] for run in drawn]
        classes = [[row[0] for row in run] for run in drawn]
        gold, *runs = tags if task.kind == "tagging" else classes
    once = compare(task, labels, gold, runs[:1], runs[1:], trials=200)
    tiled = compare(task, labels, gold, runs[:1] * 10, runs[1:] * 10, trials=200)
    assert tiled.p_value == once.p_value > 0.05
    assert (tiled.low, tiled.high) == pytest.approx((once.low, once.high))
    assert (tiled.examples, tiled.seeds) == (80, 10)


def test_runs_that_do_not_fit() -> None:
    with pytest.raises(
        DataError, match="of 1 seeds cannot be compared with predictions of 2 seeds"
    ):
        compare(TWO, ("no", "yes"), [1], [[1]], [[1], [1]])
    with pytest.raises(DataError, match="predictions for 1 and 2 examples"):
        compare(TWO, ("no", "yes"), [1], [[1]], [[1, 0]])
