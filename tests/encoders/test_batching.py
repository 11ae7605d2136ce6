"""Batches: every sentence once, within the budget, longest first."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from bnaparser.encoders.batching import MOST_SUBWORDS, batches_by_length, lay_out

LENGTHS = st.lists(st.integers(0, 60), max_size=60)


@given(lengths=LENGTHS, max_tokens=st.integers(1, 200))
@example(lengths=[300, 1], max_tokens=200)
@example(lengths=[0, 0, 0], max_tokens=2)
def test_every_sentence_is_in_one_batch_within_the_budget(
    lengths: list[int], max_tokens: int
) -> None:
    batches = batches_by_length(lengths, max_tokens)
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    for batch in batches:
        longest = max(1, *(lengths[index] for index in batch)) if batch else 0
        assert batch
        assert len(batch) == 1 or longest * len(batch) <= max_tokens


@given(lengths=LENGTHS, max_tokens=st.integers(1, 200))
def test_longer_sentences_come_first_and_equal_ones_keep_their_order(
    lengths: list[int], max_tokens: int
) -> None:
    order = [index for batch in batches_by_length(lengths, max_tokens) for index in batch]
    assert order == sorted(range(len(lengths)), key=lambda index: (-lengths[index], index))


@given(lengths=LENGTHS, max_tokens=st.integers(1, 200))
def test_no_batch_could_take_the_next_sentence(lengths: list[int], max_tokens: int) -> None:
    batches = batches_by_length(lengths, max_tokens)
    for batch in batches[:-1]:
        assert (len(batch) + 1) * max(1, lengths[batch[0]]) > max_tokens


def test_worked_values() -> None:
    assert batches_by_length([3, 10, 4, 5], 12) == [[1], [3, 2], [0]]
    assert batches_by_length([], 12) == []


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
