"""The order of spans: its indices, one by one and as arrays, and how many there are."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from bnaparser import chart
from tests.chart.chart_cases import TWO, same


@pytest.mark.parametrize("n", [0, 1, 2, 3, 17])
def test_indices_list_the_spans_in_packed_order(n: int) -> None:
    starts, ends = chart.span_indices(n)
    expected = [(i, j) for i in range(n) for j in range(i + 1, n + 1)]
    assert list(zip(starts.tolist(), ends.tolist(), strict=True)) == expected
    assert len(expected) == chart.span_count(n)


def test_index_of_a_span_is_its_place_in_packed_order() -> None:
    n = 9
    for place, (i, j) in enumerate(zip(*chart.span_indices(n), strict=True)):
        assert chart.span_index(int(i), int(j), n) == place
        assert i * n - i * (i - 1) // 2 + (j - i - 1) == place


@pytest.mark.parametrize("n", [1, 2, 9, 2000])
def test_arrays_of_spans_have_arrays_of_indices(n: int) -> None:
    starts, ends = chart.span_indices(n)
    assert np.array_equal(chart.span_index(starts, ends, n), np.arange(chart.span_count(n)))


def test_counts_of_many_sentences() -> None:
    lengths = np.arange(50)
    assert chart.span_count(lengths).tolist() == [chart.span_count(n) for n in range(50)]


def test_read_only_scores_are_read() -> None:
    scores = TWO.copy()
    scores.flags.writeable = False
    assert same([chart.decode(scores, 2)], [chart.decode(TWO, 2)])


def test_import_does_not_load_numba() -> None:
    code = "import sys, bnaparser.chart; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
