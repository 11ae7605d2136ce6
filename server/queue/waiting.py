"""What waits for a model: the sentences of many requests, and whose turn is next.

All of it is touched from the event loop alone.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Sequence, Sized
from dataclasses import dataclass, field
from heapq import heapify, heappop, heapreplace
from math import inf
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

# The part of a batch that goes to the requests of which least was begun; the rest goes to those that
# have waited longest.
_FOR_THE_LEAST = 0.5
# How many of these are asked whether they have a sentence that still fits.
_MOST_PASSED_OVER = 32


@dataclass(eq=False)
class Job(Generic[Unit, Result]):
    """The sentences of one request; to be made in the event loop.

    ``waiting`` are the places of those not begun, longest last, and ``begun`` counts the words of the
    others; ``answer`` is set when the last of the results is there.
    """

    sentences: Sequence[Unit]
    tags: Rows
    answer: asyncio.Future[list[Result]] = field(init=False)
    waiting: list[int] = field(init=False)
    results: list[Result | None] = field(init=False)
    missing: int = field(init=False)
    begun: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.answer = asyncio.get_running_loop().create_future()
        places = range(len(self.sentences))
        self.waiting = sorted(places, key=self._weight)
        self.results = [None for _ in places]
        self.missing = len(places)

    def begin(self, like: float, most: float) -> Queued[Unit, Result] | None:
        """Take out a waiting sentence of ``most`` words at most; None where none is so short.

        It is the longest of up to ``like`` words, or else the shortest.
        """
        up_to = bisect_right(self.waiting, min(like, most), key=self._weight)
        place = max(0, up_to - 1)
        if not self.waiting or self._weight(self.waiting[place]) > most:
            return None
        index = self.waiting.pop(place)
        queued = Queued(self, index, self._weight(index))
        self.begun += queued.words
        return queued

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

    def _weight(self, index: int) -> int:
        return weight(self.sentences[index])


@dataclass(frozen=True)
class Queued(Generic[Unit, Result]):
    """One sentence that waited: its request, its place there, and its words."""

    job: Job[Unit, Result]
    index: int
    words: int


class _Filling(Generic[Unit, Result]):
    """A batch that is being filled, up to so many words."""

    def __init__(self) -> None:
        self.queued: list[Queued[Unit, Result]] = []
        self.words = 0

    def fill_from_the_least(self, jobs: Sequence[Job[Unit, Result]], most: int) -> None:
        """Take sentences of ``most`` words, or one of more: always of whom least was begun so far.

        Of two who are equal, who came first is first. With many who have a choice, short sentences
        are chosen, so that there is room for one of each.
        """
        like = most / len(jobs)
        order = [(job.begun, number) for number, job in enumerate(jobs)]
        heapify(order)
        passed_over = 0
        while order and self.words < most and passed_over < _MOST_PASSED_OVER:
            number = order[0][1]
            job = jobs[number]
            if not self._add(job, like, most if self.queued else inf):
                passed_over += 1
                heappop(order)
            elif job.waiting:
                heapreplace(order, (job.begun, number))
            else:
                heappop(order)

    def fill_from_the_oldest(self, jobs: Sequence[Job[Unit, Result]], most: int) -> None:
        """Fill up to ``most`` words from who came first, then from the next: longest sentences first.

        One sentence at least is that of who came first, however full the batch is.
        """
        oldest = jobs[0]
        has_none = all(queued.job is not oldest for queued in self.queued)
        if has_none and not self._add(oldest, inf, most):
            self._add(oldest, 0, inf)
        for job in jobs:
            while self._add(job, inf, most):
                pass
            if job.waiting:
                break

    def _add(self, job: Job[Unit, Result], like: float, most: float) -> bool:
        """Add a request's next sentence if the batch then has ``most`` words at most."""
        queued = job.begin(like, most - self.words)
        if queued is None:
            return False
        self.queued.append(queued)
        self.words += queued.words
        return True


class Waiting(Generic[Unit, Result]):
    """The requests of which sentences wait; ``words`` and ``sentences`` count what waits of them.

    One half of each batch goes to the requests of which the fewest words were begun: so who has just
    come with a sentence waits for the batch that is being parsed, and for no other. The other half
    goes to the request that has waited longest: so none waits without end while others keep coming.
    """

    def __init__(self, metrics: WorkMetrics):
        self.words = 0
        self.sentences = 0
        self._metrics = metrics
        # In the order in which they came. A batch has tags for all its sentences or for none: these
        # are two queues, whose batches take turns.
        self._plain: list[Job[Unit, Result]] = []
        self._tagged: list[Job[Unit, Result]] = []
        self._last = self._tagged

    def __bool__(self) -> bool:
        return bool(self._plain or self._tagged)

    def add(self, job: Job[Unit, Result]) -> None:
        """Take in a request; it has a sentence or more."""
        self._queue_of(job).append(job)
        self._count(len(job.sentences), sum(map(weight, job.sentences)))

    def remove(self, job: Job[Unit, Result]) -> None:
        """Take out what of a request still waits, if anything."""
        if job.waiting:
            self._queue_of(job).remove(job)
            words = sum(weight(job.sentences[index]) for index in job.waiting)
            self._count(-len(job.waiting), -words)
            job.waiting = []

    def take(self, batch_words: int) -> list[Queued[Unit, Result]]:
        """Take out the next batch, sentences of ``batch_words`` words at most.

        It has more where the first, or the first of who has waited longest, is longer than its part;
        and half as many while one is new and another has had more than a whole batch.
        """
        jobs = self._next_queue()
        if not jobs:
            return []
        if _some_just_came(jobs, batch_words):
            batch_words //= 2
        batch: _Filling[Unit, Result] = _Filling()
        batch.fill_from_the_least(jobs, int(_FOR_THE_LEAST * batch_words))
        batch.fill_from_the_oldest(jobs, batch_words)
        jobs[:] = [job for job in jobs if job.waiting]
        self._count(-len(batch.queued), -batch.words)
        return batch.queued

    def _queue_of(self, job: Job[Unit, Result]) -> list[Job[Unit, Result]]:
        return self._plain if job.tags is None else self._tagged

    def _next_queue(self) -> list[Job[Unit, Result]]:
        other = self._plain if self._last is self._tagged else self._tagged
        self._last = other or self._last
        return self._last

    def _count(self, sentences: int, words: int) -> None:
        self.sentences += sentences
        self.words += words
        self._metrics.queue_sentences.inc(sentences)
        self._metrics.queue_words.inc(words)


def weight(sentence: HasWords) -> int:
    """Return the words that a sentence counts as; one without words takes a place all the same."""
    return max(1, len(sentence.words))


def _some_just_came(jobs: Sequence[Job[Unit, Result]], batch_words: int) -> bool:
    """Whether someone has just come to whom the words of long requests would only be in the way."""
    begun = [job.begun for job in jobs]
    return min(begun) == 0 and max(begun) > batch_words
