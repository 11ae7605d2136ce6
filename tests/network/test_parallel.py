"""Batches side by side: the same results in order, and nothing left behind."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnaparser.network.decoding import CORE_TOKENS, WORTH_SHARING, in_batches


@settings(max_examples=100)
@given(
    sizes=st.lists(st.integers(1, 400), max_size=40),
    max_tokens=st.integers(1, 2000),
    threads=st.integers(1, 3),
)
def test_each_index_gets_its_result_in_batches_that_fit(
    sizes: list[int], max_tokens: int, threads: int
) -> None:
    seen: list[list[int]] = []

    def work(batch: list[int]) -> list[int]:
        seen.append(batch)
        return [-index for index in batch]

    results = in_batches(work, sizes, max_tokens, threads)
    assert results == [-index for index in range(len(sizes))]
    for batch in seen:
        assert len(batch) == 1 or len(batch) * max(sizes[i] for i in batch) <= max_tokens


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_much_work_is_shared_out(threads: int) -> None:
    """The barrier breaks unless as many batches as there are threads are under way at once."""
    together = threading.Barrier(threads)

    def work(batch: list[int]) -> Sequence[int]:
        together.wait(timeout=10)
        return batch

    in_batches(work, [CORE_TOKENS] * 2 * threads, 10_000, threads)


def test_little_work_and_that_of_one_thread_stays_in_this_thread() -> None:
    here: set[int] = set()

    def work(batch: list[int]) -> Sequence[int]:
        here.add(threading.get_ident())
        return batch

    in_batches(work, [WORTH_SHARING - 1] * 2, 10_000, 3)
    in_batches(work, [CORE_TOKENS], 10_000, 3)
    in_batches(work, [CORE_TOKENS] * 20, 10_000, 1)
    assert here == {threading.get_ident()}


def test_batches_are_of_about_one_size_so_that_no_core_waits_long() -> None:
    counts: list[int] = []

    def work(batch: list[int]) -> Sequence[int]:
        counts.append(len(batch))
        return batch

    in_batches(work, [10] * 110, 10_000, 2)
    assert sorted(counts) == [27, 27, 28, 28]


@pytest.mark.parametrize("startable", [0, 1])
def test_without_threads_the_work_is_done_in_this_one(
    startable: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, left = threading.Thread.start, [None] * startable

    def start_few(thread: threading.Thread) -> None:
        if not left:
            raise RuntimeError("can't start new thread")
        left.pop()
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", start_few)
    assert in_batches(lambda batch: batch, [CORE_TOKENS] * 6, 10_000, 3) == list(range(6))


def test_an_error_ends_the_work() -> None:
    started: list[int] = []

    def work(batch: list[int]) -> Sequence[int]:
        started.append(batch[0])
        time.sleep(0.01)
        raise KeyError("no tree")

    with pytest.raises(KeyError, match="no tree"):
        in_batches(work, [CORE_TOKENS] * 50, 500, 3)
    assert len(started) < 20
    assert not [one for one in threading.enumerate() if one.name.startswith("bnaparser-batch")]
