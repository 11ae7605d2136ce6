"""The compiled decoder: hand-made cases, and the reference decoder on many others."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from bnaparser import chart
from tests.chart import reference
from tests.chart.chart_cases import (
    THREE,
    TWO,
    ScoredSentence,
    cost_augment,
    decode_best,
    one_label,
    same,
    sentences,
)


class TestDecode:
    def test_two_words(self) -> None:
        score, spans = chart.decode(TWO, 2)
        assert score == pytest.approx(0.5, abs=1e-7)
        assert spans.tolist() == [[0, 2, 1], [1, 2, 1]]
        assert spans.dtype == np.int32

    def test_three_words(self) -> None:
        score, spans = chart.decode(THREE, 3)
        assert score == pytest.approx(1.6, abs=1e-7)
        assert spans.tolist() == [[0, 3, 1], [0, 2, 1]]

    def test_one_word(self) -> None:
        scores = np.array([[0, -2, -1]], np.float32)
        score, spans = chart.decode(scores, 1)
        assert (score, spans.tolist()) == (-1, [[0, 1, 2]])
        score, spans = chart.decode(scores, 1, allow_empty_root=True)
        assert score == 0
        assert spans.shape == (0, 3)

    def test_ties_take_the_lowest_label_and_the_lowest_split(self) -> None:
        scores = np.zeros((chart.span_count(4), 3), np.float32)
        assert chart.decode(scores, 4).spans.tolist() == [[0, 4, 1]]
        nodes = cost_augment(scores, np.zeros(10, np.int32), 4)[0]
        # (0, 4), (0, 1), (1, 4), (1, 2), (2, 4), (2, 3), (3, 4)
        assert nodes.tolist() == [3, 0, 6, 4, 8, 7, 9]

    def test_minus_infinity_everywhere(self) -> None:
        scores = np.full((chart.span_count(5), 4), -np.inf, np.float32)
        scores[:, 0] = 0
        score, spans = chart.decode(scores, 5)
        assert score == -math.inf
        assert spans.tolist() == [[0, 5, 1]]

    def test_empty_root_leaves_several_trees(self) -> None:
        scores = one_label(4, {(0, 2): 1, (2, 4): 1})
        assert chart.decode(scores, 4).score == 1
        score, spans = chart.decode(scores, 4, allow_empty_root=True)
        assert score == 2
        assert spans.tolist() == [[0, 2, 1], [2, 4, 1]]

    @settings(deadline=None, max_examples=150)
    @given(sentences(longest=6))
    def test_best_of_all_binary_trees(self, sentence: ScoredSentence) -> None:
        scores, _, n, empty_root = sentence
        search = reference.best_tree_by_enumeration
        expected, nodes = reference.decode(scores.tolist(), n, empty_root, search)
        score, spans = chart.decode(scores, n, allow_empty_root=empty_root)
        assert score == expected
        if expected > -math.inf:
            assert spans.tolist() == list(map(list, nodes))

    @settings(deadline=None, max_examples=50)
    @given(sentences(longest=12))
    def test_same_tree_as_plain_cky(self, sentence: ScoredSentence) -> None:
        scores, _, n, empty_root = sentence
        expected, nodes = reference.decode(scores.tolist(), n, empty_root)
        score, spans = chart.decode(scores, n, allow_empty_root=empty_root)
        assert (score, spans.tolist()) == (expected, list(map(list, nodes)))

    def test_long_sentence(self) -> None:
        """2,000 words: memory grows with the square of the length, time stays near a second."""
        n = 2000
        generator = np.random.default_rng(0)
        best = generator.standard_normal(chart.span_count(n), dtype=np.float32) - 2
        labels = (best > 0).astype(np.int32)
        best = np.maximum(best, 0)
        score, spans = decode_best(best, labels, 1.5, 7, n)
        starts, ends, found = spans.astype(np.int64).T
        rows = chart.span_index(starts, ends, n)
        assert spans[0].tolist() == [0, n, 7]
        assert (found[1:] == 1).all()
        assert score == pytest.approx(1.5 + best[rows[1:]].sum(dtype=np.float64))
        open_ends = [n]
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            while open_ends[-1] <= start:
                open_ends.pop()
            assert end <= open_ends[-1], "spans cross"
            open_ends.append(end)


class TestDecodeBest:
    @settings(deadline=None, max_examples=50)
    @given(sentences(longest=8))
    def test_same_as_decode(self, sentence: ScoredSentence) -> None:
        scores, _, n, empty_root = sentence
        first = 0 if empty_root else 1
        best, labels = scores.max(1), scores.argmax(1).astype(np.int32)
        root = scores[n - 1, first:]
        best[n - 1], labels[n - 1] = np.nan, -1  # must not be read
        found = decode_best(best, labels, root.max(), first + int(root.argmax()), n)
        assert same([found], [chart.decode(scores, n, allow_empty_root=empty_root)])

    def test_minus_infinity_at_all_spans_but_one_tree(self) -> None:
        best = np.array([0, 0, 9, 0, -np.inf, 0], np.float32)  # (1, 3) is impossible
        labels = np.array([2, 3, 0, 4, 5, 6], np.int32)
        score, spans = decode_best(best, labels, 1.0, 1, 3)
        assert score == 1
        assert spans.tolist() == [[0, 3, 1], [0, 2, 3], [0, 1, 2], [1, 2, 4], [2, 3, 6]]

    @pytest.mark.parametrize("bad", [np.nan, np.inf, 2e30])
    def test_bad_scores_are_refused(self, bad: float) -> None:
        good, labels = np.zeros(6, np.float32), np.zeros(6, np.int32)
        worse = good.copy()
        worse[4] = bad
        with pytest.raises(ValueError, match="sentence 0: a score is"):
            decode_best(worse, labels, 0.0, 1, 3)
        with pytest.raises(ValueError, match="sentence 0: a score is"):
            decode_best(good, labels, bad, 1, 3)

    def test_negative_label_is_refused(self) -> None:
        with pytest.raises(ValueError, match="sentence 0: a label is negative"):
            decode_best(np.zeros(1, np.float32), np.zeros(1, np.int32), 0.0, -1, 1)

    def test_labels_that_32_bits_do_not_hold_are_refused(self) -> None:
        """They became other labels without a word."""
        scores = np.zeros(3, np.float32)
        labels: Any = np.ones(3, np.int64)
        assert len(decode_best(scores, labels, 0.0, 1, 2).spans) > 0
        labels[0] += 2**32
        with pytest.raises(ValueError, match="best_labels has a number that int32 cannot hold"):
            decode_best(scores, labels, 0.0, 1, 2)

    @pytest.mark.parametrize("name", ["best_scores", "best_labels", "root_scores", "root_labels"])
    def test_wrong_lengths_are_refused(self, name: str) -> None:
        twice = {name: 2}
        scores, labels = np.zeros(6, np.float32), np.zeros(6, np.int32)
        with pytest.raises(ValueError, match=name):
            chart.decode_best_packed(
                np.repeat(scores, twice.get("best_scores", 1)),
                np.repeat(labels, twice.get("best_labels", 1)),
                np.repeat(scores[:1], twice.get("root_scores", 1)),
                np.repeat(labels[:1], twice.get("root_labels", 1)),
                [3],
            )
