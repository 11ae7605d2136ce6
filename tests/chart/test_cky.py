"""The compiled decoder: hand-made cases, the reference decoder, batches, threads, refusals."""

from __future__ import annotations

import math
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnaparser import chart
from bnaparser.chart import kernels, reference


def one_label(n: int, given_scores: dict[tuple[int, int], float]) -> np.ndarray:
    """Scores of the one label A; -1 where not given."""
    scores = np.zeros((chart.span_count(n), 2), np.float32)
    for row, span in enumerate(zip(*map(np.ndarray.tolist, chart.span_indices(n)), strict=True)):
        scores[row, 1] = given_scores.get(span, -1)
    return scores


TWO = one_label(2, {(0, 2): 0.2, (0, 1): -0.5, (1, 2): 0.3})
THREE = one_label(3, {(0, 3): 1, (0, 2): 0.6, (1, 3): 0.5})


def random_batch(
    lengths: list[int], labels: int = 5, seed: int = 3
) -> tuple[np.ndarray, np.ndarray]:
    """Scores and gold labels of a batch."""
    generator = np.random.default_rng(seed)
    count = sum(map(chart.span_count, lengths))
    scores = generator.standard_normal((count, labels), dtype=np.float32)
    scores[:, 0] = 0
    gold = generator.integers(0, labels, count) * (generator.random(count) < 0.3)
    return scores, gold.astype(np.int32)


def same(first: list[Any], second: list[Any]) -> bool:
    return len(first) == len(second) and all(
        a.score == b.score and np.array_equal(a.spans, b.spans)
        for a, b in zip(first, second, strict=True)
    )


@st.composite
def sentences(draw: st.DrawFn, longest: int) -> tuple[np.ndarray, np.ndarray, int, bool]:
    """Scores, gold labels, words, empty root allowed. Quarters, so that sums are exact and tie."""
    n = draw(st.integers(1, longest))
    labels = draw(st.integers(1, 4))
    empty_root = labels == 1 or draw(st.booleans())
    count = chart.span_count(n)
    span = draw(st.sampled_from([1, 4, 40]))
    cell = st.integers(-span, span).map(lambda number: number / 4) | st.just(-math.inf)
    cells = draw(st.lists(cell, min_size=count * labels, max_size=count * labels))
    scores = np.array(cells, np.float32).reshape(count, labels)
    scores[:, 0] = 0
    gold = draw(st.lists(st.integers(0, labels - 1), min_size=count, max_size=count))
    return scores, np.array(gold, np.int32), n, empty_root


class TestSpanOrder:
    @pytest.mark.parametrize("n", [0, 1, 2, 3, 17])
    def test_indices_list_the_spans_in_packed_order(self, n: int) -> None:
        starts, ends = chart.span_indices(n)
        expected = [(i, j) for i in range(n) for j in range(i + 1, n + 1)]
        assert list(zip(starts.tolist(), ends.tolist(), strict=True)) == expected
        assert len(expected) == chart.span_count(n)

    def test_index_formula(self) -> None:
        n = 9
        for index, (i, j) in enumerate(zip(*chart.span_indices(n), strict=True)):
            assert i * n - i * (i - 1) // 2 + (j - i - 1) == index


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
        assert chart.decode(scores, 1) == (-1, pytest.approx(np.array([[0, 1, 2]])))
        score, spans = chart.decode(scores, 1, allow_empty_root=True)
        assert score == 0
        assert spans.shape == (0, 3)

    def test_ties_take_the_lowest_label_and_the_lowest_split(self) -> None:
        scores = np.zeros((chart.span_count(4), 3), np.float32)
        assert chart.decode(scores, 4).spans.tolist() == [[0, 4, 1]]
        nodes = chart.cost_augment(scores, np.zeros(10, np.int32), 4).tree_spans
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
    def test_best_of_all_binary_trees(self, sentence: tuple) -> None:
        scores, _, n, empty_root = sentence
        search = reference.best_tree_by_enumeration
        expected, nodes = reference.decode(scores.tolist(), n, empty_root, search)
        score, spans = chart.decode(scores, n, allow_empty_root=empty_root)
        assert score == expected
        if expected > -math.inf:
            assert spans.tolist() == list(map(list, nodes))

    @settings(deadline=None, max_examples=50)
    @given(sentences(longest=12))
    def test_same_tree_as_plain_cky(self, sentence: tuple) -> None:
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
        score, spans = chart.decode_best(best, labels, 1.5, 7, n)
        starts, ends, found = spans.astype(np.int64).T
        rows = starts * n - starts * (starts - 1) // 2 + ends - starts - 1
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
    def test_same_as_decode(self, sentence: tuple) -> None:
        scores, _, n, empty_root = sentence
        first = 0 if empty_root else 1
        best, labels = scores.max(1), scores.argmax(1).astype(np.int32)
        root = scores[n - 1, first:]
        best[n - 1], labels[n - 1] = np.nan, -1  # must not be read
        found = chart.decode_best(best, labels, root.max(), first + root.argmax(), n)
        assert same([found], [chart.decode(scores, n, allow_empty_root=empty_root)])

    def test_minus_infinity_at_all_spans_but_one_tree(self) -> None:
        best = np.array([0, 0, 9, 0, -np.inf, 0], np.float32)  # (1, 3) is impossible
        labels = np.array([2, 3, 0, 4, 5, 6], np.int32)
        score, spans = chart.decode_best(best, labels, 1.0, 1, 3)
        assert score == 1
        assert spans.tolist() == [[0, 3, 1], [0, 2, 3], [0, 1, 2], [1, 2, 4], [2, 3, 6]]

    @pytest.mark.parametrize("bad", [np.nan, np.inf, 2e30])
    def test_bad_scores_are_refused(self, bad: float) -> None:
        good, labels = np.zeros(6, np.float32), np.zeros(6, np.int32)
        worse = good.copy()
        worse[4] = bad
        with pytest.raises(ValueError, match="sentence 0: a score is"):
            chart.decode_best(worse, labels, 0.0, 1, 3)
        with pytest.raises(ValueError, match="sentence 0: a score is"):
            chart.decode_best(good, labels, bad, 1, 3)

    def test_negative_label_is_refused(self) -> None:
        with pytest.raises(ValueError, match="sentence 0: a label is negative"):
            chart.decode_best(np.zeros(1, np.float32), np.zeros(1, np.int32), 0.0, -1, 1)

    @pytest.mark.parametrize("name", ["best_scores", "best_labels", "root_scores", "root_labels"])
    def test_wrong_lengths_are_refused(self, name: str) -> None:
        arrays = {
            "best_scores": np.zeros(6, np.float32),
            "best_labels": np.zeros(6, np.int32),
            "root_scores": np.zeros(1, np.float32),
            "root_labels": np.ones(1, np.int32),
        }
        arrays[name] = np.repeat(arrays[name], 2)
        with pytest.raises(ValueError, match=name):
            chart.decode_best_packed(*arrays.values(), [3])


class TestCostAugment:
    def test_two_words(self) -> None:
        gold = np.array([0, 1, 0], np.int32)
        rows, labels, value, cost = chart.cost_augment(TWO, gold, 2)
        assert rows.tolist() == [1, 0, 2]
        assert labels.tolist() == [1, 1, 1]
        assert value == pytest.approx(2.0, abs=1e-6)
        assert cost == 2
        assert value - TWO[1, 1] == pytest.approx(1.8, abs=1e-6)

    def test_three_words(self) -> None:
        gold = np.array([0, 0, 1, 0, 1, 0], np.int32)
        _, _, value, cost = chart.cost_augment(THREE, gold, 3)
        assert value == pytest.approx(2.6, abs=1e-6)
        assert cost == 1
        assert value - THREE[[2, 4], 1].sum() == pytest.approx(1.1, abs=1e-6)

    def test_gold_tree_far_ahead_costs_nothing(self) -> None:
        scores = one_label(3, {(0, 3): 9, (1, 3): 9})
        gold = np.array([0, 0, 1, 0, 1, 0], np.int32)
        rows, labels, value, cost = chart.cost_augment(scores, gold, 3)
        assert (rows.tolist(), labels.tolist()) == ([2, 0, 4, 3, 5], [1, 0, 1, 0, 0])
        assert (value, cost) == (18, 0)

    @settings(deadline=None, max_examples=100)
    @given(sentences(longest=5), st.booleans())
    def test_same_as_reference(self, sentence: tuple, enumerate_all: bool) -> None:
        scores, gold, n, empty_root = sentence
        search = reference.best_tree_by_enumeration if enumerate_all else reference.best_tree_by_cky
        value, cost, nodes = reference.cost_augment(
            scores.tolist(), gold.tolist(), n, empty_root, search
        )
        found = chart.cost_augment(scores, gold, n, allow_empty_root=empty_root)
        assert found.value == value
        if value > -math.inf:
            assert found.cost == cost
            assert found.tree_labels.tolist() == [label for _, _, label in nodes]
            assert found.tree_spans.tolist() == [
                reference.span_index(start, end, n) for start, end, _ in nodes
            ]

    def test_value_is_the_nodes_scores_plus_cost(self) -> None:
        scores, gold = random_batch([20], labels=30)
        rows, labels, value, cost = chart.cost_augment(scores, gold, 20)
        assert value == scores[rows, labels].sum(dtype=np.float64) + cost
        assert cost == (gold[rows] != labels).sum()
        assert len(rows) == 39

    def test_batch_is_the_same_as_one_by_one(self) -> None:
        lengths = [3, 1, 12, 7, 30, 2]
        scores, gold = random_batch(lengths)
        for threads in None, 1, 2, 3, 9:
            found = chart.cost_augment_packed(scores, gold, lengths, threads)
            first_span = first_node = 0
            for sentence, n in enumerate(lengths):
                part = slice(first_span, first_span + chart.span_count(n))
                single = chart.cost_augment(scores[part], gold[part], n)
                nodes = slice(first_node, first_node + 2 * n - 1)
                assert (found.tree_spans[nodes] - first_span == single.tree_spans).all()
                assert (found.tree_labels[nodes] == single.tree_labels).all()
                assert found.value[sentence] == single.value
                assert found.cost[sentence] == single.cost
                first_span, first_node = part.stop, nodes.stop

    @pytest.mark.parametrize("label", [-1, 5])
    def test_gold_label_without_column_is_refused(self, label: int) -> None:
        scores, gold = random_batch([3, 3])
        gold[7] = label
        with pytest.raises(ValueError, match="sentence 1: a label is negative or has no column"):
            chart.cost_augment_packed(scores, gold, [3, 3])

    def test_gold_labels_of_another_length_are_refused(self) -> None:
        scores, gold = random_batch([3])
        with pytest.raises(ValueError, match="gold_labels has 5 entries; these lengths need 6"):
            chart.cost_augment(scores, gold[:-1], 3)


class TestBatches:
    LENGTHS = (5, 1, 40, 2, 17, 17, 3, 1, 60)

    @pytest.mark.parametrize("threads", [None, 1, 2, 4, 20])
    @pytest.mark.parametrize("empty_root", [False, True])
    def test_every_way_gives_the_same_trees(self, threads: int | None, empty_root: bool) -> None:
        scores, _ = random_batch(list(self.LENGTHS))
        arrays = np.split(scores, np.cumsum([chart.span_count(n) for n in self.LENGTHS])[:-1])
        expected = [
            chart.decode(array, n, allow_empty_root=empty_root)
            for array, n in zip(arrays, self.LENGTHS, strict=True)
        ]
        options: dict[str, Any] = {"threads": threads, "allow_empty_root": empty_root}
        assert same(chart.decode_batch(arrays, self.LENGTHS, **options), expected)
        assert same(chart.decode_packed(scores, self.LENGTHS, **options), expected)
        roots = [
            array[n - 1, not empty_root :] for array, n in zip(arrays, self.LENGTHS, strict=True)
        ]
        found = chart.decode_best_packed(
            scores.max(1),
            scores.argmax(1).astype(np.int32),
            [root.max() for root in roots],
            [root.argmax() + (not empty_root) for root in roots],
            self.LENGTHS,
            threads,
        )
        assert same(found, expected)

    def test_large_batch_uses_threads_by_itself(self) -> None:
        lengths = [30] * 90
        scores, _ = random_batch(lengths, labels=30)
        assert same(chart.decode_packed(scores, lengths), chart.decode_packed(scores, lengths, 1))

    def test_callers_may_be_threads_themselves(self) -> None:
        scores, _ = random_batch([25] * 4)
        expected = chart.decode_packed(scores, [25] * 4, 1)
        with ThreadPoolExecutor(4) as pool:
            jobs = [pool.submit(chart.decode_packed, scores, [25] * 4, 2) for _ in range(40)]
            assert all(same(job.result(), expected) for job in jobs)

    def test_nothing(self) -> None:
        none = np.zeros((0, 3), np.float32)
        assert chart.decode_packed(none, []) == []
        assert chart.decode_batch([], []) == []
        assert chart.decode_best_packed(none[:, 0].copy(), [], [], [], []) == []
        found = chart.cost_augment_packed(none, [], [], 2)
        assert [len(part) for part in found] == [0, 0, 0, 0]


class TestRefusals:
    @pytest.mark.parametrize("bits", [0x7FC00000, 0xFFC00000, 0x7F800001, 0xFF800001])
    @pytest.mark.parametrize("label", [0, 1, 4])
    @pytest.mark.parametrize("row", [0, 2, 5])
    def test_every_kind_of_nan(self, bits: int, label: int, row: int) -> None:
        scores, gold = random_batch([3, 3])
        scores.view(np.uint32)[6 + row, label] = bits
        with pytest.raises(ValueError, match="sentence 1: a score is not a number"):
            chart.decode_packed(scores, [3, 3])
        with pytest.raises(ValueError, match="sentence 1: a score is not a number"):
            chart.cost_augment_packed(scores, gold, [3, 3])

    def test_messages_say_what_is_wrong(self) -> None:
        for value, label, message in [
            (np.nan, 2, "NaN"),
            (np.inf, 2, "a score is above 1e"),
            (2e30, 2, "a score is above 1e"),
            (0.5, 0, "column 0 of the scores"),
            (-np.inf, 0, "column 0 of the scores"),
        ]:
            scores, gold = random_batch([4])
            scores[6, label] = value
            with pytest.raises(ValueError, match=message):
                chart.decode(scores, 4)
            with pytest.raises(ValueError, match=message):
                chart.cost_augment(scores, gold, 4)

    def test_negative_zero_is_zero(self) -> None:
        scores, _ = random_batch([4])
        expected = chart.decode(scores, 4)
        scores[:, 0] = -0.0
        assert same([chart.decode(scores, 4)], [expected])

    @pytest.mark.parametrize(
        ("scores", "message"),
        [
            (np.zeros((5, 3), np.float32), r"shape \(5, 3\); these lengths need \(6, 3\)"),
            (np.zeros(6, np.float32), r"shape \(6,\)"),
            (np.zeros((6, 0), np.float32), r"shape \(6, 0\)"),
            (np.zeros((6, 1), np.float32), "has the empty label only"),
            (np.zeros((6, 3)), "must be a numpy array of float32"),
            ([[0.0, 1.0]] * 6, "must be a numpy array of float32"),
            (np.zeros((3, 6), np.float32).T, "must be C-contiguous"),
        ],
    )
    def test_wrong_arrays(self, scores: Any, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            chart.decode(scores, 3)
        with pytest.raises(ValueError, match=message):
            chart.decode_batch([scores], [3])

    @pytest.mark.parametrize("lengths", [[0], [3, 0], [-1], [1.5], [[3]], 3])
    def test_wrong_lengths(self, lengths: Any) -> None:
        with pytest.raises(ValueError, match=r"no words|lengths must be integers"):
            chart.decode_packed(np.zeros((6, 2), np.float32), lengths)

    def test_wrong_number_of_arrays_or_threads(self) -> None:
        with pytest.raises(ValueError, match="1 arrays of scores but 2 lengths"):
            chart.decode_batch([TWO], [2, 2])
        with pytest.raises(ValueError, match="threads is 0"):
            chart.decode_packed(TWO, [2], 0)


class TestInstallation:
    def test_read_only_scores_are_read(self) -> None:
        scores = TWO.copy()
        scores.flags.writeable = False
        assert same([chart.decode(scores, 2)], [chart.decode(TWO, 2)])

    def test_import_does_not_load_numba(self) -> None:
        code = "import sys, bnaparser.chart; sys.exit('numba' in sys.modules)"
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

    def test_all_names_are_there(self) -> None:
        assert all(hasattr(chart, name) for name in chart.__all__)
        with pytest.raises(AttributeError, match="nothing"):
            chart.nothing  # noqa: B018

    def test_compiles_where_no_folder_can_be_written(self, monkeypatch: pytest.MonkeyPatch) -> None:
        import numba

        njit = numba.njit

        def refuse_cache(**options: Any) -> Any:
            if options.get("cache"):
                raise RuntimeError("cannot cache function: no locator available")
            return njit(**options)

        monkeypatch.setattr(kernels.numba, "njit", refuse_cache)
        assert kernels._compiled(lambda number: number + 1)(1) == 2
