"""Short work takes idle cores only, puts back what was set, and goes on in a forked process."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

from bnaparser import Parser
from bnaparser.parsing import threads
from bnaparser.parsing.parallel import in_batches
from bnaparser.parsing.threads import on_idle_cores

WORDS = ["The", "cat", "saw", "Mira", "."]


class Idle:
    """So many cores are idle."""

    def __init__(self, cores: float):
        self.cores = cores

    def count(self) -> float:
        return self.cores


@pytest.fixture(autouse=True)
def three_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize(("idle", "expected"), [(1, 1), (2, 2), (3, 3), (float("inf"), 3)])
def test_no_more_threads_than_idle_cores(
    monkeypatch: pytest.MonkeyPatch, idle: float, expected: int
) -> None:
    monkeypatch.setattr(threads, "_idle_cores", Idle(idle))
    found = in_batches(lambda batch: [torch.get_num_threads()] * len(batch), [5, 5], 100, True)
    assert found == [expected] * 2
    assert torch.get_num_threads() == 3


def test_a_gpu_needs_no_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_idle_cores", Idle(1))
    with on_idle_cores(on_cpu=False):
        assert torch.get_num_threads() == 3


def test_what_the_user_set_is_put_back_in_each_thread_and_after_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(threads, "_idle_cores", Idle(1))

    def work(number: int) -> tuple[int, int]:
        torch.set_num_threads(number)
        with pytest.raises(KeyError), on_idle_cores():
            inside = torch.get_num_threads()
            raise KeyError
        return inside, torch.get_num_threads()

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(work, [2, 3, 2, 3])) == [(1, 2), (1, 3), (1, 2), (1, 3)]


def test_a_busy_machine_gets_the_same_trees(
    tiny_model_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parser = Parser.load(tiny_model_dir, "cpu")
    quiet = parser.parse_words(WORDS)
    monkeypatch.setattr(threads, "_idle_cores", Idle(1))
    busy = parser.parse_words(WORDS)
    assert busy.tree == quiet.tree
    assert busy.score == pytest.approx(quiet.score, abs=1e-4)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning"
)  # forking beside threads: that is the point
def test_a_forked_process_parses(tiny_model_dir: Path) -> None:
    """OpenMP's helpers are not in the child, and it would wait for them for ever."""
    parser = Parser.load(tiny_model_dir, "cpu")
    here = parser.parse_words(WORDS)
    torch.ones(2_000_000).exp().sum()  # work for all threads, so that there are helpers
    context = multiprocessing.get_context("fork")
    received, sent = context.Pipe(duplex=False)

    def work() -> None:
        torch.ones(2_000_000).exp().sum()
        sent.send((str(parser.parse_words(WORDS).tree), len(parser.parse_many([WORDS] * 300))))

    child = context.Process(target=work, daemon=True)
    child.start()
    answered = received.poll(60)
    child.kill()
    child.join()
    assert answered, "the forked process hangs"
    assert received.recv() == (str(here.tree), 300)
    assert torch.get_num_threads() == 3
