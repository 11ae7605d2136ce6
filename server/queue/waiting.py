"""What waits for a model: the sentences of many requests, and whose turn is next.

All of it is touched from the event loop alone.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator, Sequence, Sized
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from bnaparser.server.metrics import WorkMetrics
from bnaparser.server.problems import Problem

Rows = Sequence[Sequence[str]] | None


class HasWords(Protocol):
    """What a queue takes in, a sentence or a text: only the number of its words is asked for."""

    @property
    def words(self) -> Sized:
        """The words that the model is to read."""


Unit = TypeVar("Unit", bound=HasWords)
Result = TypeVar("Result")

# A batch is chosen from the sentences whose turn is next, up to this many times its words: more
# makes batches of more similar length, fewer shares out the parser more evenly.
_WINDOW = 4


@dataclass(eq=False)
class Job(Generic[Unit, Result]):
    """The sentences of one request; to be made in the event loop.

    ``waiting`` are the places of those not begun, longest last; ``answer`` is set when the last of
    the results is there.
    """

    sentences: Sequence[Unit]
    tags: Rows
    answer: asyncio.Future[list[Result]] = field(init=False)
    waiting: list[int] = field(init=False)
    results: list[Result | None] = field(init=False)
    missing: int = field(init=False)

    def __post_init__(self) -> None:
        self.answer = asyncio.get_running_loop().create_future()
        places = range(len(self.sentences))
        self.waiting = sorted(places, key=lambda index: weight(self.sentences[index]))
        self.results = [None for _ in places]
        self.missing = len(places)

    def take_in(self, index: int, result: Result) -> bool:
        """Put a result in its place; return whether that answers the request."""
        self.results[index] = result
        self.missing -= 1
        if self.missing or self.answer.done():
            return False
        self.answer.set_result([one for one in self.results if one is not None])
        return True

    def refuse(self, problem: Problem) -> None:
        """Answer with a problem, unless there is an answer."""
        if not self.answer.done():
            self.answer.set_exception(problem)


@dataclass(frozen=True)
class Queued(Generic[Unit, Result]):
    """One waiting sentence: its request, its place there, and its words."""

    job: Job[Unit, Result]
    index: int
    words: int


class Waiting(Generic[Unit, Result]):
    """The requests of which sentences wait; ``words`` and ``sentences`` count what waits of them.

    Requests take turns: whoever has waited longest begins a batch, and it is filled with waiting
    sentences of similar length, a like number from each request.
    """

    def __init__(self, metrics: WorkMetrics):
        self.words = 0
        self.sentences = 0
        self._metrics = metrics
        self._jobs: deque[Job[Unit, Result]] = deque()

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def add(self, job: Job[Unit, Result]) -> None:
        """Take in a request; it has a sentence or more."""
        self._jobs.append(job)
        self._count(len(job.sentences), sum(map(weight, job.sentences)))

    def remove(self, job: Job[Unit, Result]) -> None:
        """Take out what of a request still waits, if anything."""
        if job.waiting:
            self._jobs.remove(job)
            words = sum(weight(job.sentences[index]) for index in job.waiting)
            self._count(-len(job.waiting), -words)
            job.waiting = []

    def take(self, batch_words: int) -> list[Queued[Unit, Result]]:
        """Take out the next batch: sentences of ``batch_words`` words at most, or one of more."""
        window = list(self._window(_WINDOW * batch_words))
        if not window:
            return []
        head = window[0]
        window.sort(key=lambda queued: abs(queued.words - head.words))
        batch: list[Queued[Unit, Result]] = []
        words = 0
        for queued in window:
            words += queued.words
            if batch and words > batch_words:
                break
            batch.append(queued)
        for queued in batch:
            queued.job.waiting.remove(queued.index)
        self._jobs.rotate(-1)
        self._jobs = deque(job for job in self._jobs if job.waiting)
        self._count(-len(batch), -sum(queued.words for queued in batch))
        return batch

    def _window(self, enough: int) -> Iterator[Queued[Unit, Result]]:
        """Yield the sentences whose turn is next: one of each request, then a second, and so on.

        There are no more once they have ``enough`` words. A batch has tags for all its sentences or
        for none.
        """
        if not self._jobs:
            return
        tagged = self._jobs[0].tags is not None
        jobs = [job for job in self._jobs if (job.tags is not None) == tagged]
        words = turn = 0
        while jobs:
            for job in jobs:
                index = job.waiting[-1 - turn]
                queued = Queued(job, index, weight(job.sentences[index]))
                yield queued
                words += queued.words
                if words >= enough:
                    return
            turn += 1
            jobs = [job for job in jobs if len(job.waiting) > turn]

    def _count(self, sentences: int, words: int) -> None:
        self.sentences += sentences
        self.words += words
        self._metrics.queue_sentences.inc(sentences)
        self._metrics.queue_words.inc(words)


def weight(sentence: HasWords) -> int:
    """Return the words that a sentence counts as; one without words takes a place all the same."""
    return max(1, len(sentence.words))
