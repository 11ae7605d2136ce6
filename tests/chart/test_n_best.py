"""n-best lists against all trees, listed one by one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnaparser import chart
from bnaparser.chart.spans import Bools, Float32s
from tests.chart import enumeration
from tests.chart.chart_cases import ScoredSentence, random_batch, same, sentences, sparse_scores
from tests.chart.tree_tables import KINDS, allows_empty_root, sparse_charts, tree_table


def nodes(tree: chart.Decoded) -> enumeration.Nodes:
    return frozenset((start, end, label) for start, end, label in tree.spans.tolist())


def check_list(
    scores: Float32s, n: int, empty_root: bool, count: int, never_empty: Bools | None = None
) -> None:
    """Scores as those of the best of all trees, each tree once, its score its own."""

    def allowed(tree: enumeration.Nodes) -> bool:
        return never_empty is None or enumeration.keeps_full(tree, never_empty.tolist(), n)

    trees = enumeration.all_trees(scores.tolist(), n, empty_root, allowed)
    found = chart.decode_n_best(
        scores, n, count, allow_empty_root=empty_root, never_empty=never_empty
    )
    by_nodes = {tree: score for score, tree in trees}
    assert [one.score for one in found] == [score for score, _ in trees[:count]]
    assert len({nodes(one) for one in found}) == len(found)
    assert all(by_nodes[nodes(one)] == one.score for one in found)
    assert all(one.spans.tolist() == in_pre_order(one) for one in found)


def total(tree: chart.Decoded, scores: Float32s, n: int) -> float:
    starts, ends, labels = tree.spans.astype(np.int64).T
    return float(scores[chart.span_index(starts, ends, n), labels].sum())


def in_pre_order(tree: chart.Decoded) -> list[list[int]]:
    return sorted(tree.spans.tolist(), key=lambda node: (node[0], -node[1]))


@settings(deadline=None, max_examples=100)
@given(sentences(4), st.sampled_from([1, 2, 3, 7, 100_000]))
def test_best_of_all_trees(sentence: ScoredSentence, count: int) -> None:
    if (
        chart.decode(sentence.scores, sentence.words, allow_empty_root=sentence.empty_root).score
        > -math.inf
    ):
        check_list(sentence.scores, sentence.words, sentence.empty_root, count)


@pytest.mark.parametrize(("n", "filled", "labels"), [(5, 0.8, 2), (6, 0.5, 2), (7, 0.3, 2)])
def test_longer_sentences(n: int, filled: float, labels: int) -> None:
    for seed in range(3):
        check_list(sparse_scores(n, filled, labels, seed), n, seed == 1, [40, 7, 10_000][seed])


@pytest.mark.parametrize("kind", KINDS)
def test_thousands_of_charts(kind: tuple[int, int, float, int]) -> None:
    for number, (scores, table) in enumerate(sparse_charts(kind)):
        count = [1, 2, 10, 60, 100_000 if kind[0] < 4 else 500][number % 5]
        root: Any = {"allow_empty_root": allows_empty_root(table)}
        expected = table.scores(scores)
        expected = np.sort(expected[expected > -np.inf])[::-1][:count]
        found = chart.decode_n_best(scores, kind[0], count, **root)
        assert [one.score for one in found] == expected.tolist()
        assert len({table.of_nodes(one.spans) for one in found}) == len(found)
        assert [total(one, scores, kind[0]) for one in found] == expected.tolist()
        assert same(found[:1], [chart.decode(scores, kind[0], **root)])


@pytest.mark.parametrize(("n", "labels", "empty_root"), [(1, 3, True), (3, 3, False), (4, 2, True)])
def test_the_table_has_the_trees_that_are_listed_one_by_one(
    n: int, labels: int, empty_root: bool
) -> None:
    scores, _ = random_batch([n], labels)
    found = np.sort(tree_table(n, labels, empty_root).scores(scores))[::-1]
    expected = [score for score, _ in enumeration.all_trees(scores.tolist(), n, empty_root)]
    assert found == pytest.approx(expected)


@settings(deadline=None, max_examples=100)
@given(sentences(9), st.integers(1, 6))
def test_first_is_the_decoders_also_where_trees_tie(sentence: ScoredSentence, count: int) -> None:
    root: Any = {"allow_empty_root": sentence.empty_root}
    best = chart.decode(sentence.scores, sentence.words, **root)
    found = chart.decode_n_best(sentence.scores, sentence.words, count, **root)
    assert same(found[:1], [best])
    assert len(found) <= count
    assert len({nodes(one) for one in found}) == len(found)


def test_first_is_the_decoders_where_single_precision_sees_no_difference() -> None:
    generator = np.random.default_rng(5)
    for _ in range(200):
        n = int(generator.integers(2, 12))
        scores = generator.integers(-2, 3, (chart.span_count(n), 3)).astype(np.float32)
        scores += generator.standard_normal(scores.shape, dtype=np.float32) * np.float32(1e-7)
        scores[:, 0] = 0
        best = chart.decode(scores, n)
        found = chart.decode_n_best(scores, n, 4)
        assert same(found[:1], [best])
        assert len({nodes(one) for one in found}) == 4 or n == 2


def test_a_batch_is_its_sentences_on_any_threads() -> None:
    lengths = [5, 1, 20, 2, 17, 3]
    scores, _ = random_batch(lengths)
    arrays = np.split(scores, np.cumsum([chart.span_count(n) for n in lengths])[:-1])
    expected = [chart.decode_n_best(one, n, 9) for one, n in zip(arrays, lengths, strict=True)]
    for threads in None, 1, 3:
        found = chart.decode_n_best_packed(scores, lengths, 9, threads)
        assert all(same(one, other) for one, other in zip(found, expected, strict=True))
    assert chart.decode_n_best_packed(scores[:0], [], 9) == []


def test_many_trees_of_a_long_sentence_are_in_order() -> None:
    scores, _ = random_batch([60], labels=20)
    found = chart.decode_n_best(scores, 60, 3000)
    totals = [one.score for one in found]
    assert len({nodes(one) for one in found}) == 3000
    assert totals == sorted(totals, reverse=True)
    for one in found[::500]:
        starts, ends, labels = one.spans.astype(np.int64).T
        rows = chart.span_index(starts, ends, 60)
        assert one.score == pytest.approx(scores[rows, labels].astype(float).sum())
        assert not enumeration.crossing_pairs(nodes(one))


def test_minus_infinity_everywhere_leaves_the_decoders_tree() -> None:
    scores = np.full((chart.span_count(3), 3), -np.inf, np.float32)
    scores[:, 0] = 0
    assert same(chart.decode_n_best(scores, 3, 5), [chart.decode(scores, 3)])


class TestRefusedLists:
    @pytest.mark.parametrize("count", [0, -1])
    def test_fewer_than_one(self, count: int) -> None:
        with pytest.raises(ValueError, match=f"{count} is not a number of trees"):
            chart.decode_n_best(random_batch([3])[0], 3, count)

    @pytest.mark.parametrize(
        ("value", "label", "message"),
        [(np.nan, 2, "NaN"), (np.inf, 1, "above 1e"), (0.5, 0, "column 0"), (np.nan, 0, "NaN")],
    )
    def test_scores(self, value: float, label: int, message: str) -> None:
        scores, _ = random_batch([3, 3])
        scores[7, label] = value
        with pytest.raises(ValueError, match="sentence 1: .*" + message):
            chart.decode_n_best_packed(scores, [3, 3], 2)

    def test_never_empty_of_another_length(self) -> None:
        with pytest.raises(ValueError, match=r"never_empty is bool of shape \(5,\)"):
            chart.decode_n_best(random_batch([3])[0], 3, 2, never_empty=np.zeros(5, np.bool_))
