"""Long sentences have a queue of their own: short ones are parsed while a long one is in work."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

from bnaparser.parsing.named_constraints import Constraint
from bnaparser.parsing.options import ParseOptions
from bnaparser.server.metrics import Metrics
from bnaparser.server.problems import QueueFull, TooLarge
from bnaparser.server.queue.batcher import QueueLimits
from bnaparser.server.queue.parsing_queue import LONG, ParsingQueue, cost_of, with_options
from bnaparser.server.queue.threads import ModelThread
from bnaparser.text.sentence import from_words

if TYPE_CHECKING:
    from bnaparser.parsing.result import Parse
    from bnaparser.text.sentence import Sentence
    from tests.server.conftest import HeldParser


class HeldWhereLong:
    """Parses plain short sentences at once; long ones, and those that ask for more, when a parser's gate opens."""

    def __init__(self, parser: HeldParser) -> None:
        self._parser = parser
        self.languages, self.model = parser.languages, parser.model
        self.networks = parser.networks

    def parse_sentences(
        self,
        sentences: Sequence[Sentence],
        tags: Sequence[Sequence[str]] | None = None,
        options: Sequence[ParseOptions] = (),
    ) -> list[Parse]:
        if options or max(map(cost_of, sentences)) > LONG:
            return self._parser.parse_sentences(sentences, tags)
        rows = [None] * len(sentences) if tags is None else tags
        return [self._parser._parse(one, row) for one, row in zip(sentences, rows, strict=True)]


def sentence(name: str, words: int) -> Sentence:
    return from_words([name] * words)


async def started(parser: HeldParser, queue_words: int = 100_000) -> ParsingQueue:
    limits = QueueLimits(400, queue_words, 1000.0)
    queue = ParsingQueue(HeldWhereLong(parser), limits, Metrics(), ModelThread())  # type: ignore[arg-type]
    queue.start()
    return queue


def test_a_short_sentence_does_not_wait_for_long_ones(parser: HeldParser) -> None:
    async def check() -> None:
        queue = await started(parser)
        parser.hold()
        long = [asyncio.ensure_future(queue.submit([sentence("long", 500)])) for _ in range(8)]
        await asyncio.sleep(0)
        await asyncio.to_thread(parser.wait_until_held)
        [parse] = await queue.submit([sentence("short", 7)])
        assert parse.words == ("short",) * 7
        assert not any(one.done() for one in long)
        parser.gate.set()
        assert [len(one[0].words) for one in await asyncio.gather(*long)] == [500] * 8
        await queue.stop()

    asyncio.run(check())


def test_a_request_with_both_has_its_answers_in_order(parser: HeldParser) -> None:
    async def check() -> None:
        queue = await started(parser)
        lengths = [3, 500, 7, 300, 1, 0]
        asked = [sentence(f"s{number}", length) for number, length in enumerate(lengths)]
        for rows in (None, [["NN"] * length for length in lengths]):
            found = await queue.submit(asked, rows)
            assert [parse.words for parse in found] == [one.words for one in asked]
        await queue.stop()

    asyncio.run(check())


def test_a_request_that_one_of_the_queues_refuses_leaves_nothing_in_the_other(
    parser: HeldParser,
) -> None:
    async def check() -> None:
        queue = await started(parser, queue_words=1000)
        parser.hold()
        first = asyncio.ensure_future(queue.submit([sentence("long", 900)]))
        await asyncio.sleep(0)
        await asyncio.to_thread(parser.wait_until_held)
        waits = asyncio.ensure_future(queue.submit([sentence("long", 500)]))
        await asyncio.sleep(0)
        with pytest.raises(QueueFull):
            await queue.submit([sentence("long", 600), sentence("short", 3)])
        assert (queue.short.waiting.words, queue.long.waiting.words) == (0, 500)
        with pytest.raises(TooLarge, match="1,003 words"):
            await queue.submit([sentence("long", 1000), sentence("short", 3)])
        parser.gate.set()
        await asyncio.gather(first, waits)
        await queue.stop()

    asyncio.run(check())


def test_what_asks_for_more_waits_with_the_long_ones_until_its_loops_are_compiled(
    parser: HeldParser,
) -> None:
    async def check() -> None:
        queue = await started(parser)
        more = [with_options(sentence("more", 3), ParseOptions(n_best=2))]
        parser.hold()
        compiling = asyncio.ensure_future(queue.load_rest(more))
        await asyncio.sleep(0)
        await asyncio.to_thread(parser.wait_until_held)
        waits = asyncio.ensure_future(queue.submit(more))
        await asyncio.sleep(0)
        assert (queue.short.waiting.words, queue.long.waiting.words) == (0, 3)
        [parse] = await queue.submit([sentence("short", 7)])
        assert parse.words == ("short",) * 7
        assert not waits.done()
        parser.gate.set()
        await asyncio.gather(compiling, waits)
        again = asyncio.ensure_future(queue.submit(more))
        await asyncio.sleep(0)
        assert (queue.short.waiting.words, queue.long.waiting.words) == (3, 0)
        await again
        await queue.stop()

    asyncio.run(check())


def test_a_sentence_costs_more_the_more_is_asked_of_it() -> None:
    plain = sentence("word", 100)
    costs = [
        cost_of(plain),
        cost_of(with_options(plain, ParseOptions(n_best=10))),
        cost_of(with_options(plain, ParseOptions(probabilities=True))),
        cost_of(with_options(plain, ParseOptions(constraints=(Constraint("not", 0, 2),) * 100))),
    ]
    assert costs == sorted(costs)
    assert len(set(costs)) == 4
    assert cost_of(sentence("word", 500)) > 5 * cost_of(plain)
    assert cost_of(sentence("", 0)) >= 1


def test_words_of_many_subwords_cost_more() -> None:
    for word in ("x" * 300, "e" + "\u0301" * 200, "\U0001f600" * 40):
        assert cost_of(sentence(word, 10)) > 8 * cost_of(sentence("word", 10))
    typed = from_words(
        [
            "“",
            "It",
            "was",
            "the",
            "café",
            ",",
            "”",
            "he",
            "said",
            ",",
            "“",
            "that",
            "I",
            "liked",
            ".",
            "”",
        ]
    )
    assert cost_of(typed) < 1.3 * len(typed.words)
