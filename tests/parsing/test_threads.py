"""Each batch has one thread, what was set is put back, and a forked process goes on."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

from bnaparser import Parser
from bnaparser.network.model import BnaModel, Encoded
from bnaparser.network.precision import Precision
from bnaparser.network.prepared import PreparedSentence
from bnaparser.parsing.batches import on_one_thread

WORDS = ["The", "cat", "saw", "Mira", "."]


@pytest.fixture(autouse=True)
def three_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


def test_what_the_user_set_is_put_back_in_each_thread_and_after_an_error() -> None:
    def work(number: int) -> tuple[int, int]:
        torch.set_num_threads(number)
        with pytest.raises(KeyError), on_one_thread():
            inside = torch.get_num_threads()
            raise KeyError
        return inside, torch.get_num_threads()

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(work, [2, 3, 2, 3])) == [(1, 2), (1, 3), (1, 2), (1, 3)]


def test_pytorch_computes_a_batch_on_one_thread(
    build_model: Callable[..., BnaModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    """So a score is the same to the last digit, whatever else the machine does."""
    parser = Parser(build_model())
    used: list[int] = []
    encode = parser.model.encode

    def watch(batch: Sequence[PreparedSentence]) -> Encoded:
        used.append(torch.get_num_threads())
        encoded: Encoded = encode(batch)
        return encoded

    monkeypatch.setattr(parser.model, "encode", watch)
    parser.parse_words(WORDS)
    parser.parse_many([WORDS] * 40)
    assert len(used) > 3
    assert set(used) == {1}
    assert torch.get_num_threads() == 3


def test_batches_of_a_narrow_network_are_computed_one_after_another(
    build_model: Callable[..., BnaModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two threads took longer than one: each waited for the other between calls that are short."""
    parser = Parser(build_model())
    assert parser.model.prefer_single_thread
    inside: list[int] = []
    most: list[int] = []
    encode = parser.model.encode

    def watch(batch: Sequence[PreparedSentence]) -> Encoded:
        inside.append(1)
        most.append(len(inside))
        time.sleep(0.01)
        encoded: Encoded = encode(batch)
        inside.pop()
        return encoded

    monkeypatch.setattr(parser.model, "encode", watch)
    parser.parse_many([WORDS] * 400)
    assert len(most) > 3
    assert max(most) == 1


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning"
)  # forking beside threads: that is the point
@pytest.mark.parametrize("precision", ["float32", "bfloat16", "int8"])
def test_a_forked_process_parses(tiny_model_dir: Path, precision: Precision) -> None:
    """OpenMP's helpers are not in the child, and it would wait for them for ever."""
    parser = Parser.load(tiny_model_dir, "cpu", precision=precision)
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
