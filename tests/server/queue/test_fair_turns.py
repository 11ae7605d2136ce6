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
from bnaparser.server.queue.batcher import Job, Waiting
from bnaparser.text.sentence import from_words

if TYPE_CHECKING:
    from bnaparser.parsing.result import Parse
    from bnaparser.server.queue.batcher import Rows
    from bnaparser.text.sentence import Sentence
    from tests.server.conftest import HeldParser

    HeldJob = Job[Sentence, Parse]

BATCH = 400


def job(lengths: Sequence[int], tags: bool = False) -> HeldJob:
    """A request with sentences of so many words."""
    sentences = [from_words(["word"] * length) for length in lengths]
    rows = [["NN"] * length for length in lengths] if tags else None
    return Job(sentences, rows, lengths)


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


def test_of_many_who_have_come_the_shortest_and_the_oldest_are_first() -> None:
    async def check() -> None:
        chance = random.Random(4)
        jobs = [job([chance.randint(1, 60)]) for _ in range(300)]
        waiting: Waiting[Sentence, Parse] = Waiting(Metrics())
        for one in jobs:
            waiting.add(one)
        order = {one: number for number, one in enumerate(jobs)}
        while batch := waiting.take(BATCH):
            least = min(job.cost for job in order)
            numbers = sorted(order.pop(queued.job) for queued in batch)
            assert min(queued.cost for queued in batch) == least
            assert not order or numbers[0] < min(order.values())
        assert not order

    asyncio.run(check())


def test_a_short_request_goes_before_the_longer_ones_that_came_first() -> None:
    """All are equal in what was begun: by their arrival eight batches would come before it."""

    async def check() -> None:
        waiting: Waiting[Sentence, Parse] = Waiting(Metrics())
        for _ in range(8):
            waiting.add(job([190]))
        short = job([7])
        waiting.add(short)
        assert any(queued.job is short for queued in waiting.take(BATCH))

    asyncio.run(check())


def test_a_batch_is_filled_with_what_fits_behind_a_sentence_that_does_not() -> None:
    async def check() -> None:
        waiting: Waiting[Sentence, Parse] = Waiting(Metrics())
        for length in (300, 300, 90):
            waiting.add(job([length]))
        assert sum(queued.words for queued in waiting.take(BATCH)) == 390

    asyncio.run(check())


def test_nothing_is_counted_of_what_no_longer_waits() -> None:
    async def check() -> None:
        waiting: Waiting[Sentence, Parse] = Waiting(Metrics(), small=20.0)
        jobs = [job([3, 4, 9]) for _ in range(9)]
        jobs += [job([40, 50])]
        for one in jobs:
            waiting.add(one)
        assert (waiting.cost, waiting.small_cost) == (9 * 16 + 90, 9 * 16)
        waiting.remove(jobs[0])
        while waiting.take(BATCH):
            pass
        found = (waiting.words, waiting.sentences, waiting.cost, waiting.small_cost)
        assert found == (0, 0, 0, 0)

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


def test_the_speed_is_that_of_what_sentences_cost(
    parser: HeldParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sentence that takes ten times as long for its words says nothing about those of others."""
    clock = SimpleNamespace(now=0.0)

    def cost(sentence: Sentence) -> float:
        return len(sentence.words) * (10.0 if sentence.words[0] == "costly" else 1.0)

    def work(sentences: Sequence[Sentence], tags: Rows) -> list[Parse]:
        clock.now += sum(map(cost, sentences)) / 500
        return parser.parse_sentences(sentences)

    monkeypatch.setattr(batcher, "time", SimpleNamespace(perf_counter=lambda: clock.now))
    limits = batcher.QueueLimits(100, 100_000, 1000.0)
    made = batcher.Batcher(work, limits, Metrics(), cost=cost)

    async def ask() -> None:
        made.start()
        for number in range(40):
            name = "costly" if number % 2 else "cheap"
            await made.submit([from_words([name] * 100)])
        await made.stop()

    asyncio.run(ask())
    assert made.speed == pytest.approx(500, rel=0.01)
