"""Batches: every sentence once, within the budget, longest first."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from bnaparser.encoders.batching import batches_by_length

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
