"""Windows in an encoder's rows: each has its place, none overlap, and sharing saves room."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bnaparser.encoders.batching import MOST_SUBWORDS, lay_out

SIZES = st.lists(st.integers(1, 100), min_size=1, max_size=40)


@given(SIZES, st.booleans())
def test_no_cell_is_taken_twice(sizes: list[int], may_share: bool) -> None:
    layout = lay_out(sizes, may_share)
    taken = np.zeros(layout.shape, int)
    for size, row, column in zip(sizes, layout.rows, layout.columns, strict=True):
        assert column + size <= layout.shape[1]
        taken[row, column : column + size] += 1
    assert taken.max() == 1
    assert taken.sum() == sum(sizes)
    assert layout.shared == (len(set(layout.rows.tolist())) < len(sizes))


@given(SIZES)
def test_sharing_never_takes_more_room_nor_longer_rows_than_it_may(sizes: list[int]) -> None:
    plain, shared = lay_out(sizes, False), lay_out(sizes, True)
    assert plain.shape == (len(sizes), max(sizes))
    assert np.prod(shared.shape) <= np.prod(plain.shape)
    assert shared.shape[1] <= max(MOST_SUBWORDS, max(sizes))


def test_sentences_share_rows_where_padding_would_be_much() -> None:
    layout = lay_out([60, 20, 20, 20, 30, 30], True)
    assert layout.shape == (3, 60)
    assert layout.rows.tolist() == [0, 2, 2, 2, 1, 1]
    assert layout.columns.tolist() == [0, 0, 20, 40, 0, 30]


def test_sentences_of_one_length_have_a_row_each() -> None:
    layout = lay_out([20] * 9, True)
    assert (layout.shape, layout.shared) == ((9, 20), False)
