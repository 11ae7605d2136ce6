"""The queue, on a parser that the test stops and lets go; no test sleeps."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from bnaparser.server.metrics import Metrics
from bnaparser.server.problems import Failure, NotReady, QueueFull, TooLarge
from bnaparser.server.queue.batcher import Batcher, QueueLimits
from bnaparser.text.sentence import from_words

if TYPE_CHECKING:
    from bnaparser.parsing.result import Parse
    from bnaparser.text.sentence import Sentence
    from tests.server.conftest import HeldParser

    HeldBatcher = Batcher[Sentence, Parse]


def sentence(name: str, words: int = 1) -> Sentence:
    return from_words([name] * words)


@asynccontextmanager
async def running(
    parser: HeldParser,
    batch_words: int = 100,
    queue_words: int = 100_000,
    queue_seconds: float = 1000.0,
) -> AsyncIterator[HeldBatcher]:
    limits = QueueLimits(batch_words, queue_words, queue_seconds)
    batcher = Batcher(parser.parse_sentences, limits, Metrics())
    batcher.start()
    try:
        yield batcher
    finally:
        parser.gate.set()
        await batcher.stop()


async def submit(batcher: HeldBatcher, *sentences: Sentence) -> asyncio.Task[list[Parse]]:
    """Hand in a request, and return once it waits in the queue."""
    task = asyncio.ensure_future(batcher.submit(sentences))
    await asyncio.sleep(0)
    return task


async def hold(batcher: HeldBatcher, parser: HeldParser) -> asyncio.Task[list[Parse]]:
    """Stop the parsing thread in the middle of a request, which is returned."""
    parser.hold()
    blocker = await submit(batcher, sentence("blocker"))
    await asyncio.to_thread(parser.wait_until_held)
    parser.batches.clear()
    return blocker


def test_answers_come_in_order_and_never_mixed_up(parser: HeldParser) -> None:
    async def check() -> None:
        chance = random.Random(1)
        async with running(parser) as batcher:
            requests = [
                [sentence(f"r{request}s{i}", chance.randint(1, 40)) for i in range(size)]
                for request, size in enumerate(chance.choices([0, 1, 2, 7, 60], k=120))
            ]
            answers = await asyncio.gather(*map(batcher.submit, requests))
            assert (batcher.waiting.words, batcher.waiting.sentences) == (0, 0)
        for request, answer in zip(requests, answers, strict=True):
            assert [parse.words for parse in answer] == [one.words for one in request]
        assert all(sum(map(len, batch)) <= 100 for batch in parser.batches)
        assert len(parser.batches) < sum(map(len, requests)) / 2

    asyncio.run(check())


@pytest.mark.parametrize("length", [10, 3, 25])
def test_small_requests_do_not_wait_for_a_large_one(parser: HeldParser, length: int) -> None:
    async def check() -> None:
        async with running(parser) as batcher:
            await hold(batcher, parser)
            large = await submit(batcher, *[sentence("large", 10) for _ in range(300)])
            small = [await submit(batcher, sentence(f"small{i}", length)) for i in range(4)]
            parser.gate.set()
            await asyncio.gather(large, *small)
            names = [{words[0] for words in batch} for batch in parser.batches]
            last = max(i for i, batch in enumerate(names) if any("small" in n for n in batch))
            assert last < 4
            assert len(parser.batches) > 20

    asyncio.run(check())


def test_two_large_requests_share_the_parser(parser: HeldParser) -> None:
    async def check() -> None:
        async with running(parser) as batcher:
            await hold(batcher, parser)
            first = await submit(batcher, *[sentence("first", 10) for _ in range(100)])
            second = await submit(batcher, *[sentence("second", 10) for _ in range(100)])
            parser.gate.set()
            await asyncio.gather(first, second)
            half = [words[0] for batch in parser.batches[:10] for words in batch]
            assert 40 <= half.count("first") <= 60

    asyncio.run(check())


def test_a_batch_has_sentences_of_similar_length(parser: HeldParser) -> None:
    async def check() -> None:
        async with running(parser) as batcher:
            await hold(batcher, parser)
            short = [await submit(batcher, sentence("short", 5)) for _ in range(20)]
            long = [await submit(batcher, sentence("long", 30)) for _ in range(3)]
            parser.gate.set()
            await asyncio.gather(*short, *long)
            assert [{len(words) for words in batch} for batch in parser.batches] == [{5}, {30}]

    asyncio.run(check())


def test_who_comes_does_not_wait_until_a_whole_batch_is_answered(parser: HeldParser) -> None:
    async def check() -> None:
        answered_before: list[int] = []
        async with running(parser, batch_words=1000) as batcher:
            await hold(batcher, parser)
            tasks = [await submit(batcher, sentence("many")) for _ in range(80)]

            def comes(_: object) -> None:
                answered_before.append(sum(task.done() for task in tasks))

            tasks[0].add_done_callback(comes)
            parser.gate.set()
            await asyncio.gather(*tasks)
        assert len(parser.batches) == 1
        assert answered_before[0] < 40

    asyncio.run(check())


def test_a_full_queue_says_so_at_once(parser: HeldParser) -> None:
    async def check() -> None:
        async with running(parser, queue_words=50) as batcher:
            await hold(batcher, parser)
            waiting = await submit(batcher, sentence("waits", 45))
            batcher.speed = 10.0
            started = time.perf_counter()
            with pytest.raises(QueueFull) as caught:
                await batcher.submit([sentence("late", 6)])
            assert time.perf_counter() - started < 0.05
            assert caught.value.headers == {"Retry-After": "5"}
            fits = await submit(batcher, sentence("fits", 5))
            parser.gate.set()
            assert [parse.words[0] for parse in await waiting + await fits] == ["waits", "fits"]

    asyncio.run(check())


def test_a_queue_is_full_when_it_would_take_too_long(parser: HeldParser) -> None:
    async def check() -> None:
        async with running(parser, batch_words=20, queue_seconds=5.0) as batcher:
            await hold(batcher, parser)
            batcher.speed = 10.0
            long = await submit(batcher, sentence("long", 70))  # nothing waits: it is taken in
            with pytest.raises(QueueFull) as caught:
                await batcher.submit([sentence("late", 11)])
            assert caught.value.headers == {"Retry-After": "7"}
            batcher.speed = 16.3
            fits = await submit(batcher, sentence("fits", 11))
            parser.gate.set()
            assert [parse.words[0] for parse in await long + await fits] == ["long", "fits"]

    asyncio.run(check())


def test_a_queue_that_is_full_of_large_requests_has_room_for_small_ones(
    parser: HeldParser,
) -> None:
    async def check() -> None:
        async with running(parser, batch_words=20, queue_words=100, queue_seconds=5.0) as batcher:
            await hold(batcher, parser)
            batcher.speed = 4.0
            large = await submit(batcher, sentence("large", 90))
            with pytest.raises(QueueFull):
                await batcher.submit([sentence("late", 11)])
            batcher.check_capacity()
            # Half of the 20 words that five seconds are enough for.
            small = [await submit(batcher, sentence("small", 2)) for _ in range(5)]
            with pytest.raises(QueueFull):
                await batcher.submit([sentence("late", 2)])
            with pytest.raises(QueueFull):
                batcher.check_capacity()
            parser.gate.set()
            await asyncio.gather(large, *small)

    asyncio.run(check())


def test_small_requests_take_half_of_the_time_that_may_be_waited(parser: HeldParser) -> None:
    async def check() -> None:
        async with running(parser, batch_words=20, queue_words=1000, queue_seconds=5.0) as batcher:
            await hold(batcher, parser)
            batcher.speed = 4.0
            large = await submit(batcher, sentence("large", 90))
            small = [await submit(batcher, sentence("small", 2)) for _ in range(5)]
            with pytest.raises(QueueFull):
                await batcher.submit([sentence("late", 2)])
            parser.gate.set()
            await asyncio.gather(large, *small)

    asyncio.run(check())


def test_speed_is_that_of_batches_that_are_full(parser: HeldParser) -> None:
    async def check() -> None:
        async with running(parser) as batcher:
            guess = batcher.speed
            for _ in range(20):
                await batcher.submit([sentence("little", 49)])
            assert batcher.speed == guess
            await hold(batcher, parser)
            full = await submit(batcher, sentence("much", 100))
            parser.gate.set()
            await full
            assert batcher.speed != guess

    asyncio.run(check())


def test_a_request_beyond_the_whole_queue_is_never_asked_to_try_again(parser: HeldParser) -> None:
    async def check() -> None:
        async with running(parser, queue_words=50) as batcher:
            with pytest.raises(TooLarge, match="51 words"):
                await batcher.submit([sentence("large", 51)])

    asyncio.run(check())


def test_a_request_that_is_given_up_leaves_the_queue(parser: HeldParser) -> None:
    async def check() -> None:
        async with running(parser) as batcher:
            blocker = await hold(batcher, parser)
            gone = await submit(batcher, *[sentence("gone", 8) for _ in range(30)])
            stays = await submit(batcher, sentence("stays"))
            assert batcher.waiting.words == 241
            gone.cancel()
            await asyncio.wait({gone})
            assert (batcher.waiting.words, batcher.waiting.sentences) == (1, 1)
            parser.gate.set()
            await asyncio.gather(blocker, stays)
            assert parser.batches == [[("stays",)]]

    asyncio.run(check())


def test_a_request_given_up_in_the_middle_is_not_parsed_to_its_end(parser: HeldParser) -> None:
    async def check() -> None:
        async with running(parser, batch_words=10) as batcher:
            parser.hold()
            gone = await submit(batcher, *[sentence("gone", 8) for _ in range(30)])
            await asyncio.to_thread(parser.wait_until_held)
            gone.cancel()
            await asyncio.wait({gone})
            assert (batcher.waiting.words, batcher.waiting.sentences) == (0, 0)
            parser.gate.set()
            [parse] = await batcher.submit([sentence("next")])
            assert parse.words == ("next",)
            assert len(parser.batches) == 2

    asyncio.run(check())


def test_a_parser_that_breaks_down_fails_its_batch_only(
    parser: HeldParser, caplog: pytest.LogCaptureFixture
) -> None:
    async def check() -> None:
        async with running(parser) as batcher:
            await hold(batcher, parser)
            broken = await submit(batcher, sentence("BOOM", 30))
            later = await submit(batcher, sentence("later", 90))
            parser.gate.set()
            with pytest.raises(Failure):
                await broken
            [parse] = await later
            assert parse.words[0] == "later"
            assert batcher.alive

    asyncio.run(check())
    assert "the parser failed" in caplog.text


def test_sentences_with_and_without_tags_go_apart(parser: HeldParser) -> None:
    async def check() -> None:
        async with running(parser) as batcher:
            await hold(batcher, parser)
            plain = await submit(batcher, sentence("plain"))
            tagged = asyncio.ensure_future(batcher.submit([sentence("tagged")], [["VB"]]))
            await asyncio.sleep(0)
            parser.gate.set()
            assert [parse.tags for parse in await plain + await tagged] == [("NN",), ("VB",)]
            # The blocker had none: whoever has tags is next, and does not wait for all the others.
            assert parser.batches == [[("tagged",)], [("plain",)]]

    asyncio.run(check())


def test_whoever_waits_when_it_stops_gets_an_answer(parser: HeldParser) -> None:
    async def check() -> None:
        async with running(parser) as batcher:
            blocker = await hold(batcher, parser)
            waiting = await submit(batcher, sentence("waits"))
            await batcher.stop()
            for task in (blocker, waiting):
                with pytest.raises(NotReady):
                    await task
            assert not batcher.alive
            with pytest.raises(Failure):
                await batcher.submit([sentence("late")])

    asyncio.run(check())


def test_nobody_hangs_when_the_batcher_itself_breaks_down(
    parser: HeldParser, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def check() -> None:
        async with running(parser) as batcher:
            monkeypatch.setattr(batcher, "_send_answers", None)
            with pytest.raises(Failure):
                await batcher.submit([sentence("waits")])
            assert not batcher.alive

    asyncio.run(check())
    assert "broke down" in caplog.text
