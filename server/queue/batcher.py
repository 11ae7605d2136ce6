"""What waits for a model: the sentences of many requests, and whose turn is next.

All of it is touched from the event loop alone.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from bisect import bisect_right
from collections.abc import Callable, Sequence, Sized
from dataclasses import dataclass, field
from heapq import heapify, heappop, heapreplace
from math import inf
from typing import Generic, NamedTuple, Protocol, TypeVar

from bnaparser.server.metrics import WorkMetrics
from bnaparser.server.problems import Failure, NotReady, Problem, QueueFull, TooLarge
from bnaparser.server.queue.threads import ModelThread

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
        """Take out a waiting sentence that costs ``most`` at most; None if none is so cheap.

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
        With many who have a choice, cheap sentences are chosen, so that there is space for one of each.
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
    """The requests with waiting sentences; ``words``, ``sentences`` and ``cost`` are sums over these sentences.

    One half of each batch is for the requests with the smallest cost begun so far, the cheapest sentence
    first. So a new request with a short sentence waits only for the batch that is being parsed.
    The other half is for the request that has waited longest. So no request waits forever while others arrive.
    An example::

        requests, by arrival   waiting           next batch
        A (80 sentences)       A41 A42 ... A80   half for the least begun:  B1 B2 C1
        B (2 sentences)        B1 B2             half for the oldest:       A41 A42 A43 ...
        C (1 sentence)         C1

    ``small_cost`` is the cost of the requests that cost at most ``small``.
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


log = logging.getLogger(__name__)

Work = Callable[[Sequence[Unit], Rows], list[Result]]

# The speed is measured over about so long: of a batch that took a second, a fifth of it.
_SPEED_SECONDS = 5.0
# A batch counts for that if it has this part of the cost allowed: with little to do, small batches
# go through slowly, and say nothing about how long a full queue takes.
_FULL = 0.5
# A request is small if it costs at most this part of a batch. The queue keeps space for small requests.
_SMALL = 0.5
_CAPACITY_FOR_SMALL = 0.1  # of the words that may wait
_FIRST_GUESS = 1000.0

_Batch = Sequence[Queued[Unit, Result]]


class _Outcome(NamedTuple, Generic[Result]):
    """What came of a batch: a result a sentence, or what was raised; and how long it took."""

    found: list[Result] | BaseException
    work_seconds: float


_Done = tuple[_Batch[Unit, Result], _Outcome[Result]]


@dataclass(frozen=True)
class QueueLimits:
    """How much a batch and a queue may hold.

    ``batch_cost`` bounds a batch, unless a sentence or two cost more. ``queue_words`` bounds the
    words that wait, and ``queue_seconds`` the time that they will take at the speed of late.
    """

    batch_cost: float
    queue_words: int
    queue_seconds: float


class Batcher(Generic[Unit, Result]):
    """Takes the sentences of many requests, and parses them in batches in one thread.

    What it does with them is ``work``, the parser's; a second Batcher, for texts that another model
    reads, is given the same ``thread``: their batches take turns. ``name`` is the model's in errors, and ``cost``
    tells what a sentence costs, by default its words.
    A request that finds nothing waiting is taken in however long it will take. ``speed`` is that of
    late, in cost a second.
    """

    def __init__(
        self,
        work: Work[Unit, Result],
        limits: QueueLimits,
        metrics: WorkMetrics,
        name: str = "parser",
        thread: ModelThread | None = None,
        cost: Cost[Unit] = words_of,
    ):
        self._do, self._name, self._cost = work, name, cost
        self.limits = limits
        self.metrics = metrics
        self.speed = _FIRST_GUESS
        self.waiting: Waiting[Unit, Result] = Waiting(metrics, _SMALL * limits.batch_cost)
        self._unanswered: set[Job[Unit, Result]] = set()
        self._work = asyncio.Event()
        self.thread = thread or ModelThread()
        self._task: asyncio.Task[None] | None = None

    @property
    def alive(self) -> bool:
        """Whether the batcher takes requests: it was started, was not stopped and has not failed."""
        return self._task is not None and not self._task.done()

    async def try_out(self, sentence: Unit, tags: Rows = None) -> Result:
        """Parse a sentence past the queue, before it is started. Raises Failure."""
        outcome = await self.thread.run(_guarded, self._do, [sentence], tags)
        if isinstance(outcome.found, BaseException):
            raise Failure(
                f"the {self._name} failed: the log of the service has the reason"
            ) from outcome.found
        return outcome.found[0]

    def start(self) -> None:
        """Begin to work; to be called in the event loop."""
        self._task = asyncio.get_running_loop().create_task(self._run())
        self._task.add_done_callback(self._ended)

    async def stop(self) -> None:
        """Give up all that waits, and end; a batch that the thread is at is left to itself."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
        self.thread.end()

    def check_capacity(self, more: int = 0) -> None:
        """Raise QueueFull if nothing can be taken in.

        ``more`` words are perhaps on their way: their time is estimated once they are known.
        """
        self._check_fits(1, 1.0)
        if self.waiting.words + more >= self.limits.queue_words:
            raise QueueFull(self.waiting.cost / self.speed)

    async def submit(self, sentences: Sequence[Unit], tags: Rows = None) -> list[Result]:
        """Return a Parse a sentence, in order.

        Raises QueueFull or TooLarge at once, Failure if the parser broke down. A task that is
        cancelled while it waits here takes its sentences out of the queue.
        """
        words = check_words(sentences, self.limits.queue_words)
        if not self.alive:
            raise Failure(f"the {self._name} is not running")
        if not sentences:
            return []
        costs = list(map(self._cost, sentences))
        self._check_fits(words, sum(costs))
        job: Job[Unit, Result] = Job(sentences, tags, costs)
        self.waiting.add(job)
        self._unanswered.add(job)
        self._work.set()
        try:
            return await job.answer
        finally:
            self._forget(job)

    def _check_fits(self, words: int, cost: float) -> None:
        """Raise QueueFull if this amount of work does not fit into the queue.

        The last of the words that may wait, and half of the time, are for small requests: these get half of each
        batch, and do not wait for large ones.
        """
        waiting, limits = self.waiting, self.limits
        small = cost <= waiting.small
        most_words = limits.queue_words * (
            1.0 if small or not waiting else 1.0 - _CAPACITY_FOR_SMALL
        )
        at_once = self.speed * limits.queue_seconds
        too_long = waiting.cost > 0 and waiting.cost + cost > at_once
        if small and waiting.small_cost + cost <= at_once / 2:
            too_long = False
        if too_long or waiting.words + words > most_words:
            raise QueueFull(waiting.cost / self.speed)

    def _forget(self, job: Job[Unit, Result]) -> None:
        """Take a request out, with what of it still waits."""
        self._unanswered.discard(job)
        self.waiting.remove(job)

    async def _run(self) -> None:
        """Keep the thread at work: while it is at a batch, the answers of the last are returned."""
        done: _Done[Unit, Result] | None = None
        while True:
            if done is None:
                await self._work.wait()
            following = asyncio.ensure_future(self._next_batch())
            try:
                if done is not None:
                    await self._send_answers(*done)
                done = await following
            finally:
                following.cancel()
            if done is None and not self.waiting:
                self._work.clear()

    async def _next_batch(self) -> _Done[Unit, Result] | None:
        """Work off what waits when the thread is free, or return None if nothing does."""
        begun = time.perf_counter()
        async with self.thread.turn:
            batch = self.waiting.take(self.limits.batch_cost)
            if not batch:
                return None
            sentences = [queued.job.sentences[queued.index] for queued in batch]
            rows = [
                queued.job.tags[queued.index] for queued in batch if queued.job.tags is not None
            ]
            outcome = await self.thread.run(_guarded, self._do, sentences, rows or None)
        self._measure(batch, outcome, time.perf_counter() - begun)
        return batch, outcome

    def _measure(
        self, batch: _Batch[Unit, Result], outcome: _Outcome[Result], seconds: float
    ) -> None:
        """Note a batch done ``seconds`` after it could begin: other work may have come before it."""
        cost = sum(queued.cost for queued in batch)
        if cost >= _FULL * self.limits.batch_cost:
            newest = 1.0 - math.exp(-seconds / _SPEED_SECONDS)
            self.speed += newest * (cost / max(seconds, 1e-6) - self.speed)
        words = sum(queued.words for queued in batch)
        self.metrics.batch_sentences.observe(len(batch))
        self.metrics.batch_words.observe(words)
        self.metrics.words.inc(words)
        self.metrics.sentences.inc(len(batch))
        self.metrics.work_seconds.inc(outcome.work_seconds)

    async def _send_answers(self, batch: _Batch[Unit, Result], outcome: _Outcome[Result]) -> None:
        """Answer, one at a time: who comes in the meantime, perhaps to be refused, is not to wait."""
        if isinstance(outcome.found, BaseException):
            self._fail(batch, outcome.found)
            return
        for queued, parse in zip(batch, outcome.found, strict=True):
            if queued.job.take_in(queued.index, parse):
                await asyncio.sleep(0)

    def _fail(self, batch: _Batch[Unit, Result], error: BaseException) -> None:
        log.error("the %s failed on a batch", self._name, exc_info=error)
        for job in {queued.job for queued in batch}:
            reason = (
                f"the {self._name} failed on this request: the log of the service has the reason"
            )
            job.refuse(Failure(reason))
            self._forget(job)

    def _ended(self, task: asyncio.Task[None]) -> None:
        """Answer all who wait, whatever ended the work: nobody is to hang."""
        problem: Problem = NotReady("the service is stopping")
        if not task.cancelled():
            log.critical("the batcher broke down", exc_info=task.exception())
            problem = Failure("the batcher broke down; see the service's log")
        for job in self._unanswered:
            job.refuse(problem)


def check_words(sentences: Sequence[HasWords], most: int) -> int:
    """Return how many words sentences have. Raises TooLarge for more than may ever wait."""
    words = sum(map(words_of, sentences))
    if words > most:
        raise TooLarge(
            f"the request has {words:,} words, more than the {most:,} that the queue of this"
            " service holds: split the request"
        )
    return words


def _guarded(work: Work[Unit, Result], sentences: Sequence[Unit], tags: Rows) -> _Outcome[Result]:
    """Work in the thread. What is raised comes back as a value, so that nothing can end the loop."""
    started = time.perf_counter()
    found: list[Result] | BaseException
    try:
        found = work(sentences, tags)
        if len(found) != len(sentences):
            found = RuntimeError(f"{len(found)} results of {len(sentences)} sentences")
    except BaseException as error:  # noqa: BLE001 (it is reported by the event loop)
        found = error
    return _Outcome(found, time.perf_counter() - started)
