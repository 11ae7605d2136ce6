"""Batches of charts: the same trees by every way and on any threads, and what is refused."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from bnaparser import chart
from tests.chart.chart_cases import TWO, cost_augment, random_batch, same


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

    @pytest.mark.parametrize("startable", [0, 1])
    def test_without_threads_the_caller_does_it_all(
        self, startable: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        scores, _ = random_batch([25] * 4)
        expected = chart.decode_packed(scores, [25] * 4, 1)
        start, left = threading.Thread.start, [None] * startable

        def start_few(thread: threading.Thread) -> None:
            if not left:
                raise RuntimeError("can't start new thread")
            left.pop()
            start(thread)

        monkeypatch.setattr(threading.Thread, "start", start_few)
        assert same(chart.decode_packed(scores, [25] * 4, 4), expected)

    def test_nothing(self) -> None:
        none = np.zeros((0, 3), np.float32)
        no_labels = np.zeros(0, np.int32)
        assert chart.decode_packed(none, []) == []
        assert chart.decode_best_packed(none[:, 0].copy(), no_labels, [], [], []) == []
        found = chart.cost_augment_packed(none, no_labels, [], 2)
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
                cost_augment(scores, gold, 4)

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
            (np.zeros((6, 1), np.float32), "has only the label 0"),
            (np.zeros((6, 3)), "must be a numpy array of float32"),
            ([[0.0, 1.0]] * 6, "must be a numpy array of float32"),
            (np.zeros((3, 6), np.float32).T, "must be C-contiguous"),
        ],
    )
    def test_wrong_arrays(self, scores: Any, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            chart.decode(scores, 3)

    @pytest.mark.parametrize("lengths", [[0], [3, 0], [-1], [1.5], [[3]], 3])
    def test_wrong_lengths(self, lengths: Any) -> None:
        with pytest.raises(ValueError, match=r"no words|lengths must be integers"):
            chart.decode_packed(np.zeros((6, 2), np.float32), lengths)

    def test_wrong_number_of_threads(self) -> None:
        with pytest.raises(ValueError, match="threads is 0"):
            chart.decode_packed(TWO, [2], 0)
