"""The queue between the requests and the one thread of the models: bounded, fair, in batches.

All of it is touched from the event loop alone; only the models' work runs in the thread.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple

from bnaparser.server.metrics import WorkMetrics
from bnaparser.server.problems import Failure, NotReady, Problem, QueueFull, TooLarge
from bnaparser.server.queue.model_thread import ModelThread
from bnaparser.server.queue.waiting import (
    Cost,
    HasWords,
    Job,
    Queued,
    Result,
    Rows,
    Unit,
    Waiting,
    words_of,
)

log = logging.getLogger(__name__)

Work = Callable[[Sequence[Unit], Rows], list[Result]]

# The speed is measured over about so long: of a batch that took a second, a fifth of it.
_SPEED_SECONDS = 5.0
# A batch counts for that if it has this part of the cost allowed: with little to do, small batches
# go through slowly, and say nothing about how long a full queue takes.
_FULL = 0.5
# A request is small if it costs at most this part of a batch. The queue keeps room for small requests.
_SMALL = 0.5
_ROOM_FOR_SMALL = 0.1  # of the words that may wait
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
        """Whether it takes requests: it was started, and neither stopped nor did it fail."""
        return self._task is not None and not self._task.done()

    async def try_out(self, sentence: Unit, tags: Rows = None) -> Result:
        """Parse a sentence past the queue, before it is started. Raises Failure."""
        outcome = await self.thread.run(_guarded, self._do, [sentence], tags)
        if isinstance(outcome.found, BaseException):
            raise Failure(f"the {self._name} broke down") from outcome.found
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

    def check_room(self, more: int = 0) -> None:
        """Raise QueueFull where nothing can be taken in.

        ``more`` words are perhaps on their way: how long they would take is asked once they are known.
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
        """Raise QueueFull where so much more cannot be taken in.

        The last of the words that may wait, and half of the time, are for small requests: these get half of each
        batch, and do not wait for large ones.
        """
        waiting, limits = self.waiting, self.limits
        small = cost <= waiting.small
        most_words = limits.queue_words * (1.0 if small or not waiting else 1.0 - _ROOM_FOR_SMALL)
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
        """Keep the thread at work: while it is at a batch, the answers of the last are given out."""
        done: _Done[Unit, Result] | None = None
        while True:
            if done is None:
                await self._work.wait()
            following = asyncio.ensure_future(self._next_batch())
            try:
                if done is not None:
                    await self._give_out(*done)
                done = await following
            finally:
                following.cancel()
            if done is None and not self.waiting:
                self._work.clear()

    async def _next_batch(self) -> _Done[Unit, Result] | None:
        """Work off what waits when the thread is free, or return None where nothing does."""
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

    async def _give_out(self, batch: _Batch[Unit, Result], outcome: _Outcome[Result]) -> None:
        """Answer, one at a time: who comes meanwhile, perhaps to be refused, is not to wait."""
        if isinstance(outcome.found, BaseException):
            self._fail(batch, outcome.found)
            return
        for queued, parse in zip(batch, outcome.found, strict=True):
            if queued.job.take_in(queued.index, parse):
                await asyncio.sleep(0)

    def _fail(self, batch: _Batch[Unit, Result], error: BaseException) -> None:
        log.error("the %s failed on a batch", self._name, exc_info=error)
        for job in {queued.job for queued in batch}:
            reason = f"the {self._name} broke down over this request; see the service's log"
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
            f"the request has {words:,} words, more than the {most:,} that this service keeps"
            " waiting: send it in parts"
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
