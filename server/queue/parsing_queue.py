"""Two queues of sentences: a long sentence takes seconds, and short ones do not wait for it.

Each queue has a thread of its own where the parser can be used from two, and the system shares the cores out
between them. So a short sentence waits for a batch of short ones at most, whatever others send.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bnaparser.parsing.options import DEFAULT_OPTIONS, ParseOptions
from bnaparser.parsing.result import Parse
from bnaparser.server.metrics import WorkMetrics
from bnaparser.server.queue.batcher import Batcher, QueueLimits, Rows, check_words
from bnaparser.server.queue.threads import ModelThread
from bnaparser.text.sentence import Sentence

if TYPE_CHECKING:
    from bnaparser.parsing.parser import Parser

LONG = 200.0
"""A sentence that costs more is long: a core takes some tenths of a second for it."""


@dataclass(frozen=True)
class SentenceWithOptions(Sentence):
    """A sentence with its options: number of trees, constraints and so on."""

    parse_options: ParseOptions = DEFAULT_OPTIONS


def with_options(sentence: Sentence, parse_options: ParseOptions) -> Sentence:
    """Return the sentence with options; the sentence itself where they are the defaults."""
    if parse_options.plain:
        return sentence
    return SentenceWithOptions(
        sentence.text,
        sentence.words,
        sentence.offsets,
        parse_options,
        language=sentence.language,
        pieces=sentence.pieces,
    )


# What a sentence costs: the time that it takes on a core, in that of a word of an ordinary sentence (0.55 ms with `en`).
# Measured in batches of sentences of 1 to 500 words. The chart takes a part that grows with the square of the words,
# and so do probabilities. A sentence of 24 words costs 24.
_OF_A_SENTENCE, _OF_A_WORD = 2.0, 0.9
_WORDS_SQUARED, _SQUARED_FOR_PROBABILITIES = 800, 600
_OF_A_CONSTRAINT, _OF_A_TREE_MORE = 0.5, 1 / 400
# The encoder reads subwords: in ASCII some six letters (with the blank) each, in other scripts as many as there
# are bytes above one a letter, in half; a word has at most this many.
_LETTERS_OF_A_SUBWORD, _OF_A_FURTHER_BYTE, _MOST_SUBWORDS = 6, 0.5, 64


def cost_of(sentence: Sentence) -> float:
    """Return about how long a sentence takes, in the time that a word of an ordinary sentence takes."""
    words, text = max(1, len(sentence.words)), sentence.text
    further = 0 if text.isascii() else len(text.encode(errors="replace")) - len(text)
    subwords = len(text) / _LETTERS_OF_A_SUBWORD + further * _OF_A_FURTHER_BYTE
    cost = _OF_A_SENTENCE + _OF_A_WORD * max(words, min(subwords, _MOST_SUBWORDS * words))
    cost += words * words / _WORDS_SQUARED
    if isinstance(sentence, SentenceWithOptions):
        parse_options = sentence.parse_options
        if parse_options.probabilities or parse_options.decoder != "best":
            cost += words * words / _SQUARED_FOR_PROBABILITIES
        cost += _OF_A_CONSTRAINT * len(parse_options.constraints)
        cost += _OF_A_TREE_MORE * words * (parse_options.n_best - 1)
    return cost


class ParsingQueue:
    """The queue of a parser's sentences: ``short`` and ``long`` sentences, each in separate
    batches.

    It is used like a `Batcher`. ``thread`` is that of the short ones.
    """

    def __init__(
        self,
        parser: Parser,
        limits: QueueLimits,
        metrics: WorkMetrics,
        thread: ModelThread,
    ):
        self.limits, self.thread = limits, thread
        self._parser = parser
        own = None if _is_for_threads(parser) else thread
        # Whether nothing is left to be compiled: until then what asks for more than the best tree may wait long.
        self._all_loaded = False
        self.short = Batcher(self._parse, limits, metrics, thread=thread, cost=cost_of)
        self.long = Batcher(self._parse, limits, metrics, thread=own, cost=cost_of)

    @property
    def alive(self) -> bool:
        """Whether it takes requests."""
        return self.short.alive and self.long.alive

    async def try_out(self, sentence: Sentence, tags: Rows = None) -> Parse:
        """Parse a sentence past the queue, before it is started. Raises Failure."""
        return await self.short.try_out(sentence, tags)

    async def load_rest(self, sentences: Sequence[Sentence], tags: Rows = None) -> None:
        """Parse sentences, one after another, that ask for more than the best tree; others are parsed in the meantime.

        The first ones on a machine take long, since their loops are compiled. Until they are parsed all sentences that
        ask for more wait with the long ones. ``tags`` are those of each of them. Raises Failure.
        """
        try:
            for sentence in sentences:
                await self.long.try_out(sentence, tags)
        finally:
            self._all_loaded = True

    def start(self) -> None:
        """Begin to work; to be called in the event loop."""
        self.short.start()
        self.long.start()

    async def stop(self) -> None:
        """Give up all that waits, and end."""
        await self.short.stop()
        await self.long.stop()

    def check_capacity(self, more: int = 0) -> None:
        """Raise QueueFull if not even a short sentence can be taken in; ``more`` as in `Batcher`."""
        self.short.check_capacity(more)

    async def submit(self, sentences: Sequence[Sentence], tags: Rows = None) -> list[Parse]:
        """Return a Parse a sentence, in order; raises as `Batcher.submit` does."""
        long = [self._is_long(sentence) for sentence in sentences]
        if not any(long):
            return await self.short.submit(sentences, tags)
        if all(long):
            return await self.long.submit(sentences, tags)
        check_words(sentences, self.limits.queue_words)
        places = [
            [place for place, is_long in enumerate(long) if is_long == kind]
            for kind in (False, True)
        ]
        tasks = [
            asyncio.ensure_future(
                queue.submit(
                    [sentences[place] for place in chosen],
                    None if tags is None else [tags[place] for place in chosen],
                )
            )
            for queue, chosen in zip((self.short, self.long), places, strict=True)
        ]
        try:
            found = await asyncio.gather(*tasks)
        finally:
            # Where one queue refuses its part, the other's is taken out again.
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        shorts, longs = map(iter, found)
        return [next(longs if is_long else shorts) for is_long in long]

    def _parse(self, sentences: Sequence[Sentence], tags: Rows) -> list[Parse]:
        options = [
            one.parse_options if isinstance(one, SentenceWithOptions) else DEFAULT_OPTIONS
            for one in sentences
        ]
        if all(parse_options.plain for parse_options in options):
            return self._parser.parse_sentences(sentences, tags)
        return self._parser.parse_sentences(sentences, tags, options=options)

    def _is_long(self, sentence: Sentence) -> bool:
        waits = not self._all_loaded and isinstance(sentence, SentenceWithOptions)
        return waits or cost_of(sentence) > LONG


def _is_for_threads(parser: Parser) -> bool:
    """Whether a parser computes as quickly when two threads use it at once."""
    networks = parser.networks.values()
    return all(
        str(one.device).startswith("cpu") and not one.prefer_single_thread for one in networks
    )
