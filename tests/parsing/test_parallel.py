"""Batches side by side: the same results in order, one core each, and nothing left behind."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bnaparser.parsing.parallel import CORE_TOKENS, WORTH_SHARING, in_batches


@pytest.fixture(params=[1, 2, 3])
def threads(request: pytest.FixtureRequest) -> Iterator[int]:
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield request.param
    torch.set_num_threads(before)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(sizes=st.lists(st.integers(1, 400), max_size=40), max_tokens=st.integers(1, 2000))
def test_each_index_gets_its_result_in_batches_that_fit(
    threads: int, sizes: list[int], max_tokens: int
) -> None:
    seen: list[list[int]] = []

    def work(batch: list[int]) -> list[int]:
        seen.append(batch)
        return [-index for index in batch]

    results = in_batches(work, sizes, max_tokens, on_cpu=True)
    assert results == [-index for index in range(len(sizes))]
    for batch in seen:
        assert len(batch) == 1 or len(batch) * max(sizes[i] for i in batch) <= max_tokens
    assert torch.get_num_threads() == threads


def test_much_work_is_shared_out_and_each_thread_has_one_core(threads: int) -> None:
    """The barrier breaks unless as many batches as there are threads are under way at once."""
    together = threading.Barrier(threads)
    cores: set[int] = set()

    def work(batch: list[int]) -> Sequence[int]:
        together.wait(timeout=10)
        cores.add(torch.get_num_threads())
        return batch

    in_batches(work, [CORE_TOKENS] * 2 * threads, 10_000, on_cpu=True)
    assert cores == {1}


def test_little_work_and_that_of_other_devices_stays_in_this_thread() -> None:
    here: set[int] = set()

    def work(batch: list[int]) -> Sequence[int]:
        here.add(threading.get_ident())
        return batch

    in_batches(work, [WORTH_SHARING - 1], 10_000, on_cpu=True)
    in_batches(work, [CORE_TOKENS] * 20, 10_000, on_cpu=False)
    assert here == {threading.get_ident()}


def test_batches_are_of_about_one_size_so_that_no_core_waits_long() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    counts: list[int] = []

    def work(batch: list[int]) -> Sequence[int]:
        counts.append(len(batch))
        return batch

    in_batches(work, [10] * 110, 10_000, on_cpu=True)
    torch.set_num_threads(before)
    assert sorted(counts) == [27, 27, 28, 28]


def test_an_error_ends_the_work_and_threads_compute_as_before(threads: int) -> None:
    started: list[int] = []

    def work(batch: list[int]) -> Sequence[int]:
        started.append(batch[0])
        time.sleep(0.01)
        raise KeyError("no tree")

    with pytest.raises(KeyError, match="no tree"):
        in_batches(work, [CORE_TOKENS] * 50, 500, on_cpu=True)
    assert len(started) < 20
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(torch.get_num_threads).result() == threads
    assert not [one for one in threading.enumerate() if one.name.startswith("bnaparser-batch")]
