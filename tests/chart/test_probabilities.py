"""Probabilities against all trees, listed one by one, and against derivatives."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnaparser import chart
from bnaparser.chart.spans import Bools, Float32s
from tests.chart import enumeration
from tests.chart.chart_cases import ScoredSentence, random_batch, same, sentences, sparse_scores
from tests.chart.tree_tables import KINDS, allows_empty_root, sparse_charts


def check_marginals(
    scores: Float32s,
    n: int,
    empty_root: bool,
    temperature: float = 1.0,
    never_empty: Bools | None = None,
) -> None:
    def allowed(tree: enumeration.Nodes) -> bool:
        return never_empty is None or enumeration.keeps_full(tree, never_empty.tolist(), n)

    trees = enumeration.all_trees(scores.tolist(), n, empty_root, allowed)
    options: dict[str, Any] = {
        "temperature": temperature,
        "allow_empty_root": empty_root,
        "never_empty": never_empty,
    }
    if not trees:
        with pytest.raises(chart.ScoresError, match="sentence 0: every tree scores minus infinity"):
            chart.marginals(scores, n, **options)
        return
    expected = np.zeros(scores.shape)
    for (start, end, label), share in enumeration.probabilities(trees, temperature).items():
        expected[chart.span_index(start, end, n), label] = share
    expected[:, 0] = 1 - expected.sum(1)
    found = chart.marginals(scores, n, **options)
    assert found.log_partition == pytest.approx(
        enumeration.log_partition(trees, temperature), rel=1e-6, abs=1e-5
    )
    assert found.entropy == pytest.approx(enumeration.entropy(trees, temperature), abs=2e-4)
    np.testing.assert_allclose(found.probabilities, expected, atol=1e-5)
    # What no tree has is exactly impossible.
    assert not found.probabilities[:, 1:][expected[:, 1:] == 0].any()


@settings(deadline=None, max_examples=100)
@given(sentences(4), st.sampled_from([0.5, 1.0, 3.0]))
def test_shares_of_all_trees(sentence: ScoredSentence, temperature: float) -> None:
    check_marginals(sentence.scores, sentence.words, sentence.empty_root, temperature)


@pytest.mark.parametrize(("n", "filled", "labels"), [(5, 0.8, 2), (6, 0.5, 2), (7, 0.3, 2)])
def test_longer_sentences(n: int, filled: float, labels: int) -> None:
    for seed in range(3):
        check_marginals(sparse_scores(n, filled, labels, seed), n, seed == 1)


@pytest.mark.parametrize("kind", KINDS)
def test_thousands_of_charts(kind: tuple[int, int, float, int]) -> None:
    for number, (scores, table) in enumerate(sparse_charts(kind)):
        temperature = [1.0, 0.5, 3.0][number % 3]
        root: Any = {"allow_empty_root": allows_empty_root(table)}
        totals = table.scores(scores) / temperature
        weights = np.exp(totals - totals.max())
        expected = (weights @ table.has / weights.sum()).reshape(scores.shape)
        expected[:, 0] = 1 - expected.sum(1)
        found = chart.marginals(scores, kind[0], temperature=temperature, **root)
        assert found.log_partition == pytest.approx(totals.max() + np.log(weights.sum()), abs=1e-5)
        np.testing.assert_allclose(found.probabilities, expected, atol=1e-5)
        tree = chart.decode_expected(found.probabilities, [kind[0]], **root)[0]
        gains = table.has @ np.where(np.arange(kind[1]) > 0, expected - 0.5, 0).reshape(-1)
        possible = totals > -np.inf
        assert tree.score == pytest.approx(gains[possible].max(), abs=1e-5)


def test_inside_is_the_sum_over_the_n_best_of_all() -> None:
    for seed in range(8):
        scores = sparse_scores(5, 0.8, 3, seed)
        trees = chart.decode_n_best(scores, 5, 1_000_000)
        totals = np.array([tree.score for tree in trees])
        expected = totals[0] + math.log(np.exp(totals - totals[0]).sum())
        assert chart.marginals(scores, 5).log_partition == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("temperature", [1.0, 2.5])
def test_probabilities_are_the_derivatives_of_the_log_partition(temperature: float) -> None:
    n, step = 12, 1e-2
    scores, _ = random_batch([n], labels=4)
    found = chart.marginals(scores, n, temperature=temperature).probabilities
    generator = np.random.default_rng(2)
    for _ in range(60):
        row, label = generator.integers(len(scores)), generator.integers(1, 4)
        logs = []
        for sign in 1, -1:
            moved = scores.copy()
            moved[row, label] += sign * step
            logs.append(chart.marginals(moved, n, temperature=temperature).log_partition)
        slope = (logs[0] - logs[1]) * temperature / (2 * step)
        assert found[row, label] == pytest.approx(slope, abs=2e-4)


def test_long_sentences_neither_overflow_nor_vanish() -> None:
    for scale in 0.0, 1.0, 300.0:
        scores = random_batch([150])[0] * np.float32(scale)
        found = chart.marginals(scores, 150)
        assert math.isfinite(found.log_partition)
        assert found.entropy >= 0
        np.testing.assert_allclose(found.probabilities.sum(1), 1, atol=1e-4)
        best = chart.decode(scores, 150)
        assert found.log_partition >= best.score - 0.01


def test_great_scores_make_the_best_tree_certain() -> None:
    scores = random_batch([30])[0] * np.float32(1e6)
    found = chart.marginals(scores, 30)
    certain = np.zeros(scores.shape[0], np.int64)
    for start, end, label in chart.decode(scores, 30).spans.tolist():
        certain[chart.span_index(start, end, 30)] = label
    assert (found.probabilities.argmax(1) == certain).all()
    assert found.probabilities.max(1).min() > 0.999
    assert found.entropy == pytest.approx(0, abs=1e-3)


def test_a_batch_is_its_sentences_on_any_threads() -> None:
    lengths = [5, 1, 20, 2, 17, 3]
    scores, _ = random_batch(lengths)
    arrays = np.split(scores, np.cumsum([chart.span_count(n) for n in lengths])[:-1])
    alone = [chart.marginals(one, n) for one, n in zip(arrays, lengths, strict=True)]
    for threads in None, 1, 3:
        found = chart.marginals_packed(scores, lengths, threads)
        assert (found.probabilities == np.concatenate([one.probabilities for one in alone])).all()
        assert found.log_partitions.tolist() == [one.log_partition for one in alone]
        assert found.entropies.tolist() == [one.entropy for one in alone]
    assert len(chart.marginals_packed(scores[:0], []).probabilities) == 0


def test_samples_come_as_often_as_their_probability_says() -> None:
    scores = sparse_scores(4, 0.9, 3, 11)
    trees = enumeration.all_trees(scores.tolist(), 4)
    total = enumeration.log_partition(trees, 2.0)
    drawn = chart.sample(scores, 4, 20_000, np.random.default_rng(7), temperature=2.0)
    by_nodes = {tree: score for score, tree in trees}
    counts = Counter(frozenset(map(tuple, one.spans.tolist())) for one in drawn)
    assert set(counts) <= set(by_nodes)
    assert all(one.score == by_nodes[frozenset(map(tuple, one.spans.tolist()))] for one in drawn)
    distance = sum(
        abs(counts[tree] / 20_000 - math.exp(score / 2 - total)) for score, tree in trees
    )
    # Twice the expected distance of a fair sample, sum of sqrt(2 p (1 - p) / (pi N)).
    fair = sum(
        math.sqrt(2 * share * (1 - share) / (math.pi * 20_000))
        for share in (math.exp(score / 2 - total) for score, _ in trees)
    )
    assert distance < 2 * fair


def test_trees_with_a_label_at_every_node_are_drawn_by_numbers_of_their_own() -> None:
    n, last = 12, 11
    scores = np.full((chart.span_count(n), 2), -20, np.float32)
    scores[:, 0] = 0
    for start in range(n):
        scores[chart.span_index(start, n, n), 1] = 30
        scores[chart.span_index(start, start + 1, n), 1] = 30
    scores[chart.span_index(last, n, n), 1] = 0
    generator = np.random.default_rng(1)
    drawn = [chart.sample(scores, n, 1, generator)[0] for _ in range(400)]
    with_last = sum([last, n, 1] in tree.spans.tolist() for tree in drawn)
    assert 150 < with_last < 250


class TestExpected:
    @settings(deadline=None, max_examples=100)
    @given(sentences(4), st.sampled_from([0.0, 0.3, 0.5]))
    def test_no_tree_is_expected_to_earn_more(
        self, sentence: ScoredSentence, threshold: float
    ) -> None:
        n = sentence.words
        root: Any = {"allow_empty_root": sentence.empty_root}
        trees = enumeration.all_trees(sentence.scores.tolist(), n, sentence.empty_root)
        if not trees:
            return
        shares = enumeration.probabilities(trees)
        best = max(sum(shares[node] - threshold for node in tree) for _, tree in trees)
        found = chart.marginals(sentence.scores, n, **root)
        tree = chart.decode_expected(found.probabilities, [n], threshold=threshold, **root)[0]
        nodes = [(start, end, label) for start, end, label in tree.spans.tolist()]
        assert tree.score == pytest.approx(best, abs=1e-4)
        assert sum(shares[node] - threshold for node in nodes) == pytest.approx(best, abs=1e-4)
        assert not enumeration.crossing_pairs(frozenset(nodes))

    def test_where_one_tree_is_certain_it_is_that(self) -> None:
        scores = random_batch([20])[0] * np.float32(1e4)
        shares = chart.marginals(scores, 20).probabilities
        expected = chart.decode(scores, 20).spans
        assert (chart.decode_expected(shares, [20])[0].spans == expected).all()


class TestRefusedProbabilities:
    @pytest.mark.parametrize("temperature", [0, -1.0, math.nan, math.inf])
    def test_temperatures(self, temperature: float) -> None:
        with pytest.raises(ValueError, match=r"temperature is .*; it must be a number above 0"):
            chart.marginals(random_batch([3])[0], 3, temperature=temperature)

    @pytest.mark.parametrize("temperature", [1e-30, 1e30])
    def test_temperatures_that_single_precision_does_not_hold(self, temperature: float) -> None:
        scores = random_batch([3])[0]
        scores[0, 1] = -np.inf
        assert np.isfinite(chart.marginals(scores, 3, temperature=temperature).probabilities).all()
        beyond = temperature**1.5  # of two scores that are equal nothing was a number
        with pytest.raises(ValueError, match=r"temperature is .*; it must be from 1e-30 to 1e\+30"):
            chart.marginals(scores, 3, temperature=beyond)

    @pytest.mark.parametrize(
        ("value", "label", "message"),
        [(np.nan, 2, "NaN"), (np.inf, 1, "above 1e"), (0.5, 0, "column 0"), (np.nan, 0, "NaN")],
    )
    def test_scores(self, value: float, label: int, message: str) -> None:
        scores, _ = random_batch([3, 3])
        scores[7, label] = value
        with pytest.raises(ValueError, match="sentence 1: .*" + message):
            chart.marginals_packed(scores, [3, 3])
        with pytest.raises(ValueError, match=message):
            chart.sample(scores[6:].copy(), 3, 1, np.random.default_rng(1))

    def test_sampling_is_repeatable_and_none_is_none(self) -> None:
        scores, _ = random_batch([6])
        draws = [chart.sample(scores, 6, 5, np.random.default_rng(3)) for _ in range(2)]
        assert same(*draws)
        assert chart.sample(scores, 6, 0, np.random.default_rng(3)) == []
        with pytest.raises(ValueError, match="count is -1; it must be at least 0"):
            chart.sample(scores, 6, -1, np.random.default_rng(3))
