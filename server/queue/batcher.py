"""The queue between the requests and the one thread of the models: bounded, fair, in batches.

All of it is touched from the event loop alone; only the models' work runs in the thread.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence, Sized
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, Protocol, TypeVar, TypeVarTuple

from bnaparser.server.metrics import WorkMetrics
from bnaparser.server.problems import Failure, NotReady, Problem, QueueFull, TooLarge

log = logging.getLogger(__name__)

Rows = Sequence[Sequence[str]] | None


class HasWords(Protocol):
    """What a queue takes in, a sentence or a text: only the number of its words is asked for."""

    @property
    def words(self) -> Sized:
        """The words that the model is to read."""


Unit = TypeVar("Unit", bound=HasWords)
Result = TypeVar("Result")
Returned = TypeVar("Returned")
Given = TypeVarTuple("Given")
Work = Callable[[Sequence[Unit], Rows], list[Result]]

# A batch is chosen from the sentences whose turn is next, up to this many times its words: more
# makes batches of more similar length, fewer shares out the parser more evenly.
_WINDOW = 4
# How much of the measured speed the last batch decides.
_NEWEST = 0.2
# A batch counts for that if it has this share of the words allowed: with little to do, small batches
# go through slowly, and say nothing about how long a full queue takes.
_FULL = 0.5
_FIRST_GUESS = 1000.0


@dataclass(eq=False)
class _Job(Generic[Unit, Result]):
    """The sentences of one request; ``waiting`` are the places of those not begun, longest last."""

    sentences: Sequence[Unit]
    tags: Rows
    answer: asyncio.Future[list[Result]]
    waiting: list[int]
    parses: list[Result | None]
    missing: int = field(init=False)

    def __post_init__(self) -> None:
        self.missing = len(self.sentences)


@dataclass(frozen=True)
class _Place(Generic[Unit, Result]):
    """One waiting sentence: its request, its place there, and its words."""

    job: _Job[Unit, Result]
    index: int
    words: int


_Batch = Sequence[_Place[Unit, Result]]


class _Outcome(NamedTuple, Generic[Result]):
    """What came of a batch: a result a sentence, or what was raised; and how long it took."""

    found: list[Result] | BaseException
    work_seconds: float


_Done = tuple[_Batch[Unit, Result], _Outcome[Result]]


class ModelThread:
    """The one thread that all models run in, and whose ``turn`` it is of those who give it batches.

    A batch is chosen once it is its turn, from all that waits by then.
    """

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="bnaparser-models")
        self.turn = asyncio.Lock()

    async def run(self, function: Callable[[*Given], Returned], *arguments: *Given) -> Returned:
        """Return ``function(*arguments)``, done in the thread after what was given it before."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, function, *arguments)

    def end(self) -> None:
        """Take no more work; what the thread is at is left to itself."""
        self._executor.shutdown(wait=False, cancel_futures=True)


class Batcher(Generic[Unit, Result]):
    """Takes the sentences of many requests, and parses them in batches in one thread.

    What it does with them is ``work``, the parser's; a second Batcher, for texts that another model
    reads, is given the same ``thread``: their batches take turns. ``name`` is the model's in errors.

    ``batch_words`` bounds a batch, unless it is one sentence; ``queue_words`` bounds the words that
    wait, and so does ``queue_seconds``, the time that they will take at the speed of late. A request
    that finds nothing waiting is taken in however long it will take. Requests take turns: whoever has
    waited longest begins a batch, and it is filled with waiting sentences of similar length, a like
    number from each request.
    """

    def __init__(
        self,
        work: Work[Unit, Result],
        batch_words: int,
        queue_words: int,
        queue_seconds: float,
        metrics: WorkMetrics,
        name: str = "parser",
        thread: ModelThread | None = None,
    ):
        self._do, self._name = work, name
        self.batch_words = batch_words
        self.queue_words = queue_words
        self.queue_seconds = queue_seconds
        self.metrics = metrics
        self.words = 0
        self.sentences = 0
        self.speed = _FIRST_GUESS
        self._waiting: deque[_Job[Unit, Result]] = deque()
        self._unanswered: set[_Job[Unit, Result]] = set()
        self._work = asyncio.Event()
        self.thread = thread or ModelThread()
        self._task: asyncio.Task[None] | None = None

    @property
    def alive(self) -> bool:
        """Whether it takes requests: it was started, and neither stopped nor did it fail."""
        return self._task is not None and not self._task.done()

    async def try_out(self, sentence: Unit) -> Result:
        """Parse a sentence past the queue, before it is started. Raises Failure."""
        outcome = await self.thread.run(_guarded, self._do, [sentence], None)
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
        """Raise QueueFull where nothing can be taken in; ``more`` words are still on their way."""
        self._check_fits(more + 1)

    async def submit(self, sentences: Sequence[Unit], tags: Rows = None) -> list[Result]:
        """Return a Parse a sentence, in order.

        Raises QueueFull or TooLarge at once, Failure if the parser broke down. A task that is
        cancelled while it waits here takes its sentences out of the queue.
        """
        words = sum(map(_weight, sentences))
        if words > self.queue_words:
            raise TooLarge(
                f"the request has {words:,} words, more than the {self.queue_words:,} that this"
                " service keeps waiting: send it in parts"
            )
        if not self.alive:
            raise Failure(f"the {self._name} is not running")
        if not sentences:
            return []
        self._check_fits(words)
        job: _Job[Unit, Result] = _Job(
            sentences,
            tags,
            asyncio.get_running_loop().create_future(),
            sorted(range(len(sentences)), key=lambda index: _weight(sentences[index])),
            [None] * len(sentences),
        )
        self._waiting.append(job)
        self._unanswered.add(job)
        self._count(len(sentences), words)
        self._work.set()
        try:
            return await job.answer
        finally:
            self._forget(job)

    def _check_fits(self, words: int) -> None:
        total = self.words + words
        too_long = self.words > 0 and total > self.speed * self.queue_seconds
        if too_long or total > self.queue_words:
            raise QueueFull(self.words / self.speed)

    def _count(self, sentences: int, words: int) -> None:
        self.sentences += sentences
        self.words += words
        self.metrics.queue_sentences.inc(sentences)
        self.metrics.queue_words.inc(words)

    def _forget(self, job: _Job[Unit, Result]) -> None:
        """Take a request out, with what of it still waits."""
        self._unanswered.discard(job)
        if job.waiting:
            self._waiting.remove(job)
            words = sum(_weight(job.sentences[index]) for index in job.waiting)
            self._count(-len(job.waiting), -words)
            job.waiting = []

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
            if done is None and not self._waiting:
                self._work.clear()

    async def _next_batch(self) -> _Done[Unit, Result] | None:
        """Work off what waits when the thread is free, or return None where nothing does."""
        begun = time.perf_counter()
        async with self.thread.turn:
            batch = self._take()
            if not batch:
                return None
            sentences = [place.job.sentences[place.index] for place in batch]
            rows = [place.job.tags[place.index] for place in batch if place.job.tags is not None]
            outcome = await self.thread.run(_guarded, self._do, sentences, rows or None)
        self._measure(batch, outcome, time.perf_counter() - begun)
        return batch, outcome

    def _take(self) -> list[_Place[Unit, Result]]:
        """Take the sentences of the next batch out of the queue."""
        window = list(self._window())
        if not window:
            return []
        head = window[0]
        window.sort(key=lambda place: abs(place.words - head.words))
        batch: list[_Place[Unit, Result]] = []
        words = 0
        for place in window:
            words += place.words
            if batch and words > self.batch_words:
                break
            batch.append(place)
        for place in batch:
            place.job.waiting.remove(place.index)
        self._waiting.rotate(-1)
        self._waiting = deque(job for job in self._waiting if job.waiting)
        self._count(-len(batch), -sum(place.words for place in batch))
        return batch

    def _window(self) -> Iterator[_Place[Unit, Result]]:
        """Yield the sentences whose turn is next: one of each request, then a second, and so on.

        A batch has tags for all its sentences or for none.
        """
        if not self._waiting:
            return
        tagged = self._waiting[0].tags is not None
        jobs = [job for job in self._waiting if (job.tags is not None) == tagged]
        words = turn = 0
        while jobs:
            for job in jobs:
                index = job.waiting[-1 - turn]
                place = _Place(job, index, _weight(job.sentences[index]))
                yield place
                words += place.words
                if words >= _WINDOW * self.batch_words:
                    return
            turn += 1
            jobs = [job for job in jobs if len(job.waiting) > turn]

    def _measure(
        self, batch: _Batch[Unit, Result], outcome: _Outcome[Result], seconds: float
    ) -> None:
        """Note a batch done ``seconds`` after it could begin: other work may have come before it."""
        words = sum(place.words for place in batch)
        if words >= _FULL * self.batch_words:
            self.speed += _NEWEST * (words / max(seconds, 1e-6) - self.speed)
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
        for place, parse in zip(batch, outcome.found, strict=True):
            job = place.job
            job.parses[place.index] = parse
            job.missing -= 1
            if not job.missing and not job.answer.done():
                job.answer.set_result([one for one in job.parses if one is not None])
                await asyncio.sleep(0)

    def _fail(self, batch: _Batch[Unit, Result], error: BaseException) -> None:
        log.error("the %s failed on a batch", self._name, exc_info=error)
        for job in {place.job for place in batch}:
            reason = f"the {self._name} broke down over this request; see the service's log"
            _refuse(job, Failure(reason))
            self._forget(job)

    def _ended(self, task: asyncio.Task[None]) -> None:
        """Answer all who wait, whatever ended the work: nobody is to hang."""
        problem: Problem = NotReady("the service is stopping")
        if not task.cancelled():
            log.critical("the batcher broke down", exc_info=task.exception())
            problem = Failure("the batcher broke down; see the service's log")
        for job in self._unanswered:
            _refuse(job, problem)


def _weight(sentence: HasWords) -> int:
    """Words that a sentence counts as; one without words takes a place all the same."""
    return max(1, len(sentence.words))


def _refuse(job: _Job[Unit, Result], problem: Problem) -> None:
    if not job.answer.done():
        job.answer.set_exception(problem)


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
