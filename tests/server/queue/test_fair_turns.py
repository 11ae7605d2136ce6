"""Whose sentences are in the next batch: nobody with a short request waits for the long ones of others."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from bnaparser.server.metrics import Metrics
from bnaparser.server.queue import batcher
from bnaparser.server.queue.waiting import Job, Waiting
from bnaparser.text.sentence import from_words

if TYPE_CHECKING:
    from bnaparser.parsing.result import Parse
    from bnaparser.server.queue.waiting import Rows
    from bnaparser.text.sentence import Sentence
    from tests.server.conftest import HeldParser

    HeldJob = Job[Sentence, Parse]

BATCH = 400


def job(lengths: Sequence[int], tags: bool = False) -> HeldJob:
    """A request with sentences of so many words."""
    sentences = [from_words(["word"] * length) for length in lengths]
    return Job(sentences, [["NN"] * length for length in lengths] if tags else None)


def nine_of_80() -> list[HeldJob]:
    chance = random.Random(3)
    return [job([chance.randint(3, 50) for _ in range(80)]) for _ in range(9)]


@pytest.mark.parametrize(
    ("length", "begun"), [(3, 0), (12, 0), (3, 1), (12, 1), (45, 9), (3, 20), (45, 20)]
)
def test_a_short_request_behind_nine_long_ones_is_in_the_next_batch(
    length: int, begun: int
) -> None:
    async def check() -> None:
        waiting: Waiting[Sentence, Parse] = Waiting(Metrics())
        for one in nine_of_80():
            waiting.add(one)
        for _ in range(begun):
            waiting.take(BATCH)
        short = job([length])
        waiting.add(short)
        batch = waiting.take(BATCH)
        assert any(queued.job is short for queued in batch)
        assert sum(queued.words for queued in batch) <= BATCH

    asyncio.run(check())


def test_the_batch_of_a_short_request_behind_long_ones_is_half_as_large() -> None:
    async def check() -> None:
        waiting: Waiting[Sentence, Parse] = Waiting(Metrics())
        for one in nine_of_80():
            waiting.add(one)
        sizes = []
        for number in range(16):
            if number == 12:
                waiting.add(job([12]))
            sizes.append(sum(queued.words for queued in waiting.take(BATCH)))
        assert sizes[12] <= BATCH / 2
        assert min(sizes[8:12] + sizes[13:]) > 0.9 * BATCH

    asyncio.run(check())


def test_short_requests_of_many_keep_the_order_in_which_they_came() -> None:
    async def check() -> None:
        chance = random.Random(4)
        jobs = [job([chance.randint(1, 60)]) for _ in range(300)]
        waiting: Waiting[Sentence, Parse] = Waiting(Metrics())
        for one in jobs:
            waiting.add(one)
        order = {one: number for number, one in enumerate(jobs)}
        taken = 0
        while batch := waiting.take(BATCH):
            numbers = sorted(order.pop(queued.job) for queued in batch)
            assert not order or numbers[0] < min(order.values())
            assert numbers[len(numbers) // 2] < taken + 2 * len(numbers)
            taken += len(numbers)
        assert not order

    asyncio.run(check())


@pytest.mark.parametrize("length", [5, 90, 350], ids=["short", "long", "nearly a whole batch"])
def test_who_has_waited_longest_goes_on_while_others_keep_coming(length: int) -> None:
    """Half of the parser is theirs who wait longest, or a sentence a batch where that is more."""

    async def check() -> None:
        waiting: Waiting[Sentence, Parse] = Waiting(Metrics())
        oldest = job([30] * 20)
        waiting.add(oldest)
        batches = 0
        while oldest.waiting:
            for _ in range(BATCH // length + 1):
                waiting.add(job([length]))
            assert any(queued.job is oldest for queued in waiting.take(BATCH))
            batches += 1
        assert batches <= (20 if length == 350 else 6)

    asyncio.run(check())


def test_who_has_tags_and_who_has_none_take_turns() -> None:
    async def check() -> None:
        waiting: Waiting[Sentence, Parse] = Waiting(Metrics())
        waiting.add(job([30] * 100))
        waiting.take(BATCH)
        tagged, plain = job([5], tags=True), job([5])
        waiting.add(tagged)
        waiting.add(plain)
        batches = [{queued.job for queued in waiting.take(BATCH)} for _ in range(2)]
        assert batches[0] == {tagged}
        assert plain in batches[1]

    asyncio.run(check())


def test_the_speed_is_measured_over_time_not_over_batches(
    parser: HeldParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Batches that are small say no more together than one that is large and takes as long."""

    def measured(words: int, seconds: float, times: int) -> float:
        clock = SimpleNamespace(now=0.0)

        def work(sentences: Sequence[Sentence], tags: Rows) -> list[Parse]:
            clock.now += seconds
            return parser.parse_sentences(sentences)

        monkeypatch.setattr(batcher, "time", SimpleNamespace(perf_counter=lambda: clock.now))
        made = batcher.Batcher(work, batcher.QueueLimits(words, 100_000, 1000.0), Metrics())

        async def ask() -> None:
            made.start()
            for _ in range(times):
                await made.submit([from_words(["word"] * words)])
            await made.stop()

        asyncio.run(ask())
        return made.speed

    small = measured(words=50, seconds=0.5, times=10)
    large = measured(words=500, seconds=5.0, times=1)
    assert small == pytest.approx(large, rel=0.02)
