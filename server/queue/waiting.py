"""What waits for a model: the sentences of many requests, and whose turn is next.

All of it is touched from the event loop alone.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Callable, Sequence, Sized
from dataclasses import dataclass, field
from heapq import heapify, heappop, heapreplace
from math import inf
from typing import Generic, Protocol, TypeVar

from bnaparser.server.metrics import WorkMetrics
from bnaparser.server.problems import Problem

Rows = Sequence[Sequence[str]] | None


class HasWords(Protocol):
    """What a queue takes in: a sentence, or a text to be classified."""

    @property
    def words(self) -> Sized:
        """The words that the model is to read."""


Unit = TypeVar("Unit", bound=HasWords)
Result = TypeVar("Result")

Cost = Callable[[Unit], float]
"""From a sentence to the time that it takes, in the time that a word of an ordinary sentence takes."""

# The part of a batch that goes to the requests of which least was begun; the rest goes to those that
# have waited longest.
_FOR_THE_LEAST = 0.5
# How many requests without a sentence that still fits are passed over while a batch is filled.
_MOST_PASSED_OVER = 32


def words_of(unit: HasWords) -> int:
    """Return the words that a sentence counts as; a sentence without words takes a place all the same."""
    return max(1, len(unit.words))


@dataclass(eq=False)
class Job(Generic[Unit, Result]):
    """The sentences of one request; to be made in the event loop.

    ``costs`` are those of its sentences. ``waiting`` are the places of those not begun, the most costly last;
    ``begun`` is the cost of the others. ``answer`` is set when the last of the results is there.
    """

    sentences: Sequence[Unit]
    tags: Rows
    costs: Sequence[float]
    answer: asyncio.Future[list[Result]] = field(init=False)
    waiting: list[int] = field(init=False)
    results: list[Result | None] = field(init=False)
    missing: int = field(init=False)
    cost: float = field(init=False)
    begun: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        self.answer = asyncio.get_running_loop().create_future()
        places = range(len(self.sentences))
        self.waiting = sorted(places, key=self.costs.__getitem__)
        self.results = [None for _ in places]
        self.missing = len(places)
        self.cost = sum(self.costs)

    @property
    def least(self) -> float:
        """The cost of the cheapest sentence that waits."""
        return self.costs[self.waiting[0]]

    def begin(self, like: float, most: float) -> Queued[Unit, Result] | None:
        """Take out a waiting sentence that costs ``most`` at most; None where none is so cheap.

        It is the most costly of up to ``like``, or else the cheapest.
        """
        up_to = bisect_right(self.waiting, min(like, most), key=self.costs.__getitem__)
        place = max(0, up_to - 1)
        if not self.waiting or self.costs[self.waiting[place]] > most:
            return None
        index = self.waiting.pop(place)
        queued = Queued(self, index, words_of(self.sentences[index]), self.costs[index])
        self.begun += queued.cost
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


@dataclass(frozen=True)
class Queued(Generic[Unit, Result]):
    """One sentence that waited: its request, its place there, its words and its cost."""

    job: Job[Unit, Result]
    index: int
    words: int
    cost: float


class _Filling(Generic[Unit, Result]):
    """A batch that is being filled, up to a cost."""

    def __init__(self) -> None:
        self.queued: list[Queued[Unit, Result]] = []
        self.cost = 0.0

    def fill_from_the_least(self, jobs: Sequence[Job[Unit, Result]], most: float) -> None:
        """Take sentences up to a cost of ``most``, or one that costs more: always of whom least was begun.

        Of requests that are equal in this the one with the cheapest sentence is first, then who came first.
        With many who have a choice, cheap sentences are chosen, so that there is room for one of each.
        """
        like = most / len(jobs)
        order = [(job.begun, job.least, number) for number, job in enumerate(jobs)]
        heapify(order)
        passed_over = 0
        while order and self.cost < most and passed_over < _MOST_PASSED_OVER:
            number = order[0][2]
            job = jobs[number]
            if not self._add(job, like, most if self.queued else inf):
                passed_over += 1
                heappop(order)
            elif job.waiting:
                heapreplace(order, (job.begun, job.least, number))
            else:
                heappop(order)

    def fill_from_the_oldest(self, jobs: Sequence[Job[Unit, Result]], most: float) -> None:
        """Fill up to a cost of ``most`` from who came first, then from the next: costly sentences first.

        One sentence at least is that of who came first, however full the batch is.
        """
        oldest = jobs[0]
        has_none = all(queued.job is not oldest for queued in self.queued)
        if has_none and not self._add(oldest, inf, most):
            self._add(oldest, 0, inf)
        passed_over = 0
        for job in jobs:
            while self._add(job, inf, most):
                pass
            passed_over += bool(job.waiting)
            if passed_over > _MOST_PASSED_OVER:
                break

    def _add(self, job: Job[Unit, Result], like: float, most: float) -> bool:
        """Add a request's next sentence if the batch then costs ``most`` at most."""
        queued = job.begin(like, most - self.cost)
        if queued is None:
            return False
        self.queued.append(queued)
        self.cost += queued.cost
        return True


class Waiting(Generic[Unit, Result]):
    """The requests of which sentences wait; ``words``, ``sentences`` and ``cost`` sum up what waits of them.

    One half of each batch goes to the requests of which the least cost was begun, the cheapest sentence
    first: so who has just come with a short sentence waits for the batch that is being parsed, and for no other.
    The other half goes to the request that has waited longest: so none waits without end while others keep coming.
    ``small_cost`` is the part of requests that cost at most ``small``.
    """

    def __init__(self, metrics: WorkMetrics, small: float = 0.0):
        self.words = 0
        self.sentences = 0
        self.cost = self.small_cost = 0.0
        self.small = small
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
        self._count(job, 1, job.waiting)

    def remove(self, job: Job[Unit, Result]) -> None:
        """Take out what of a request still waits, if anything."""
        if job.waiting:
            self._queue_of(job).remove(job)
            self._count(job, -1, job.waiting)
            job.waiting = []

    def take(self, batch_cost: float) -> list[Queued[Unit, Result]]:
        """Take out the next batch, sentences that cost ``batch_cost`` at most.

        It costs more where the first, or the first of who has waited longest, costs more than its part;
        and half as much while one is new and another has had more than a whole batch.
        """
        jobs = self._next_queue()
        if not jobs:
            return []
        if _some_just_came(jobs, batch_cost):
            batch_cost /= 2
        batch: _Filling[Unit, Result] = _Filling()
        batch.fill_from_the_least(jobs, _FOR_THE_LEAST * batch_cost)
        batch.fill_from_the_oldest(jobs, batch_cost)
        jobs[:] = [job for job in jobs if job.waiting]
        for queued in batch.queued:
            self._count(queued.job, -1, (queued.index,))
        return batch.queued

    def _queue_of(self, job: Job[Unit, Result]) -> list[Job[Unit, Result]]:
        return self._plain if job.tags is None else self._tagged

    def _next_queue(self) -> list[Job[Unit, Result]]:
        other = self._plain if self._last is self._tagged else self._tagged
        self._last = other or self._last
        return self._last

    def _count(self, job: Job[Unit, Result], sign: int, places: Sequence[int]) -> None:
        words = sign * sum(words_of(job.sentences[index]) for index in places)
        cost = sign * sum(job.costs[index] for index in places)
        self.words += words
        self.sentences += sign * len(places)
        # Of nothing the sum is nothing, however the last digits were rounded.
        self.cost = self.cost + cost if self.sentences else 0.0
        if job.cost <= self.small:
            self.small_cost = self.small_cost + cost if self.sentences else 0.0
        self._metrics.queue_sentences.inc(sign * len(places))
        self._metrics.queue_words.inc(words)


def _some_just_came(jobs: Sequence[Job[Unit, Result]], batch_cost: float) -> bool:
    """Whether someone has just come to whom the sentences of long requests would only be in the way."""
    begun = [job.begun for job in jobs]
    return min(begun) == 0 and max(begun) > batch_cost
