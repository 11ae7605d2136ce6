"""One process's service: its models, their queues, whether it takes requests, and the deadline of each request.

A route asks whether there is capacity (``Service.check_capacity``), reads the request's body (``read_body``), has what it
read parsed, classified or searched, and writes the answer (``write_answer``).
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple

from fastapi import Request

from bnaparser import models
from bnaparser.compute.cores import usable_cores
from bnaparser.errors import ModelError
from bnaparser.models.about import About, about
from bnaparser.parsing.options import DEFAULT_OPTIONS, Dependencies, ParseOptions
from bnaparser.parsing.result import Parse
from bnaparser.parsing.startup import compile_rest, loading
from bnaparser.server.limits import check_count
from bnaparser.server.logs import RequestRecord
from bnaparser.server.metrics import Metrics
from bnaparser.server.problems import DeadlinePassed, Failure, NotReady, QueueFull
from bnaparser.server.queue.batcher import QueueLimits, Rows
from bnaparser.server.queue.classification import Classifying, load_classifier
from bnaparser.server.queue.parsing_queue import ParsingQueue, with_options
from bnaparser.server.queue.search import Searching
from bnaparser.server.queue.threads import SMALL, STOPPING, ModelThread, Steps, TextThread
from bnaparser.server.settings import ServerSettings
from bnaparser.text.sentence import Sentence
from bnaparser.text.splitting import tokenize
from bnaparser.text.text_rules import TextRules, match_language

if TYPE_CHECKING:
    from bnaparser.parsing.parser import Parser
    from bnaparser.tasks.classifier import Classification, Classifier, ReadText

log = logging.getLogger(__name__)
Arguments = TypeVarTuple("Arguments")
Result = TypeVar("Result")
Load = Callable[[ServerSettings], "Parser"]
LoadClassifier = Callable[[ServerSettings, "Parser"], "Classifier"]

_CHARACTERS_A_WORD = 6
# A batch counts words, the model subwords: enough space that a batch goes through in one piece.
_PIECES_A_WORD = 2
STARTING = (
    "the service is starting: its model is being loaded and tried out, which takes seconds; the first start on a"
    " machine compiles the parser's loops as well and takes longer"
)
_WARM_UP = "The service is ready , and it answers ."
_WARM_UP_WORDS = _WARM_UP.split()
# Each needs loops that no other needs. The page asks for the first.
_FURTHER_OPTIONS = (
    ParseOptions(n_best=2, probabilities=True),
    ParseOptions(decoder="expected"),
    ParseOptions(decoder="sample"),
    ParseOptions(dependencies=Dependencies(tuple(range(len(_WARM_UP_WORDS))))),
)
# What clients send and read slowly stays in memory. Answers up to _LARGE bytes are always written, bodies up to _SMALL
# always read; bodies between the two may fill _MEDIUM_BODY_BYTES more than large ones.
_SMALL, _LARGE = 4_096, 64_000
_MEDIUM_BODY_BYTES = 32_000_000
_MOST_BODY_BYTES = 64_000_000
_MOST_UNSENT_BYTES = 64_000_000
_RETRY_SECONDS = 5.0

_COLLECTION_SECONDS = 5.0
# As many collections of the middle generation make a full one worth its while, as in Python itself.
_ENOUGH_COLLECTIONS = 10
# While the service is never quiet: cycles then make up some megabytes.
_COLLECTION_AT_LATEST_SECONDS = 600.0
_NEVER = 1_000_000_000


def load_parser(settings: ServerSettings) -> Parser:
    """Load the models with the threads that this worker may use. Raises ModelError, SettingsError."""
    pieces = settings.batch_tokens and _PIECES_A_WORD * settings.batch_tokens
    with loading():
        from bnaparser.parsing.parser import Parser

        parser = Parser.load(
            settings.model,
            settings.device,
            pieces,
            settings.precision,
            settings.max_words,
            backend=settings.backend,
        )
    parser.text = parser.text_rules(settings.language)
    parser.threads = threads_of(settings)
    return parser


def threads_of(settings: ServerSettings) -> int:
    """Return the threads that a worker's models may use."""
    return settings.threads or max(1, usable_cores() // settings.workers)


class Service:
    """What the routes use.

    Attributes:
        model_name, classifier_name: the names in answers; empty without a classifier.
        about, about_classifier: the models' licences.
        texts: the thread in which long bodies are read and long answers are written.
        in_flight: the number of requests whose body was read and whose answer is not yet sent.
        unsent: returns the bytes of answers that the clients have not yet taken.
        complete: True once nothing is left to be loaded or compiled.
    """

    def __init__(
        self,
        settings: ServerSettings,
        load: Load = load_parser,
        load_classifier: LoadClassifier = load_classifier,
    ):
        self.settings = settings
        self.metrics = Metrics()
        self.model_name = _shown_name(settings.model)
        self.classifier_name = _shown_name(settings.classifier) if settings.classifier else ""
        self.about, self.about_classifier = About(self.model_name), About(self.classifier_name)
        self.parser: Parser | None = None
        self.classifying: Classifying | None = None
        self.draining = False
        self.in_flight = 0
        self.unsent: Callable[[], int] = lambda: 0
        self._body_bytes = 0
        self.complete = False
        self._searching = Searching(settings.search_seconds)
        self._load, self._load_classifier = load, load_classifier
        self._queue: ParsingQueue | None = None
        self.texts = TextThread(settings.max_characters)
        # All of torch runs in one thread, loading too: each that computes has helpers of its own, and
        # once these are more than the cores they no longer wait for work but sleep.
        self._model_thread = ModelThread()

    @property
    def loaded(self) -> bool:
        """Whether the models were loaded and tried out."""
        return self._queue is not None

    @property
    def ready(self) -> bool:
        """Whether the service takes requests: the model is loaded, has parsed a sentence, and the
        service is not draining.
        """
        parses = not self.draining and self._queue is not None and self._queue.alive
        return parses and (self.classifying is None or self.classifying.alive)

    async def start(self) -> None:
        """Load the models and try them out. Raises ModelError, in one sentence."""
        begun = time.perf_counter()
        parser = await self._model_thread.run(self._load, self.settings)
        loaded = time.perf_counter()
        batch_words = self.settings.batch_words(str(parser.model.device), threads_of(self.settings))
        limits = QueueLimits(batch_words, self.settings.queue_words, self.settings.queue_seconds)
        queue = ParsingQueue(parser, limits, self.metrics, self._model_thread)
        try:
            warm_up = await queue.try_out(*_warm_up(parser))
        except Failure as failure:
            raise ModelError(f"the model {self.settings.model!r} cannot parse") from failure
        if warm_up.error is not None:
            raise ModelError(f"the model {self.settings.model!r} cannot parse: {warm_up.error}")
        parsed = time.perf_counter()
        classifying = await self._classifying(parser, queue)
        self.about = _about(self.settings.model)
        if self.settings.classifier:
            self.about_classifier = _about(self.settings.classifier)
        queue.start()
        self.parser, self.classifying, self._queue = parser, classifying, queue
        fields = {
            "model": self.model_name,
            "seconds": round(time.perf_counter() - begun, 2),
            "loading_seconds": round(loaded - begun, 2),
            "first_parse_seconds": round(parsed - loaded, 2),
        }
        log.info("ready", extra={"fields": fields})

    async def load_rest(self) -> None:
        """Load, or compile, what requests may need beyond the best tree; to be called once, after `start`."""
        if self._queue is None or self.parser is None:
            raise RuntimeError("nothing is loaded yet")
        begun = time.perf_counter()
        compile_rest()
        try:
            inputs = [_warm_up(self.parser, options) for options in _FURTHER_OPTIONS]
            sentences, tags = zip(*inputs, strict=True)
            await self._queue.load_rest(sentences, tags[0])
        except Failure:
            log.exception("the model cannot compute probabilities or n-best trees")
        self.complete = True
        seconds = round(time.perf_counter() - begun, 2)
        level = logging.INFO if seconds >= 1 else logging.DEBUG
        log.log(level, "ready for all requests", extra={"fields": {"seconds": seconds}})

    async def _classifying(self, parser: Parser, queue: ParsingQueue) -> Classifying | None:
        """Load the classifier, if there is to be one, and classify a text."""
        name = self.settings.classifier
        if name is None:
            return None
        classifier = await self._model_thread.run(self._load_classifier, self.settings, parser)
        classifying = Classifying(classifier, parser, queue, self.metrics)
        await classifying.start(name)
        return classifying

    def drain(self) -> None:
        """Take no more requests; accepted requests are finished."""
        self.draining = True

    async def stop(self) -> None:
        """End: who still waits gets a problem. May be called again."""
        self.draining = True
        if self.classifying is not None:
            await self.classifying.stop()
        if self._queue is not None:
            await self._queue.stop()
        self._model_thread.end()
        self.texts.end()
        self._searching.end()

    @asynccontextmanager
    async def full_collections_when_idle(self) -> AsyncIterator[None]:
        """Context manager: Python's full garbage collections happen only while no request is in flight, or every ten minutes.

        Reference counts free nearly all memory at once; the collector looks for cycles. A full collection goes through
        all objects: with thousands of requests waiting, the whole service pauses for half a second.
        """
        thresholds = gc.get_threshold()
        gc.set_threshold(*thresholds[:2], _NEVER)
        task = asyncio.get_running_loop().create_task(self._collect())
        try:
            yield
        finally:
            task.cancel()
            gc.set_threshold(*thresholds)

    async def _collect(self) -> None:
        last = time.monotonic()
        while True:
            await asyncio.sleep(_COLLECTION_SECONDS)
            due = time.monotonic() - last >= _COLLECTION_AT_LATEST_SECONDS
            idle = self.complete and not self.in_flight
            if due or (idle and gc.get_count()[2] >= _ENOUGH_COLLECTIONS):
                gc.collect()
                last = time.monotonic()

    def text_rules(self, language: str | None) -> TextRules:
        """Return the rules by which text in a language is read; None: the service's language. Raises NotReady.

        In a language that the parser does not know, each sentence will get an error in its place.
        """
        if self.parser is None:
            raise NotReady(STARTING)
        if language is None:
            return self.parser.text
        known = match_language(language, self.parser.languages)
        return (
            self.parser.text.with_language(language)
            if known is None
            else self.parser.text_rules(known)
        )

    def check_capacity(self, record: RequestRecord) -> None:
        """Raise a Problem if a request could not be queued now, before any work is done for it.

        Bodies that are being read count as words that wait, but for a request with a small body.
        """
        if self.draining:
            raise NotReady(STOPPING)
        if self._queue is None:
            raise NotReady(STARTING)
        more = 0 if record.body_bytes <= SMALL else self.texts.characters // _CHARACTERS_A_WORD
        self._queue.check_capacity(more)

    @contextmanager
    def body_memory(self) -> Iterator[Callable[[bytes], None]]:
        """Context manager: a function that counts a part of a request's body, in bytes, until the end of the block.

        The function raises QueueFull for a large body if the bodies of all requests have too many bytes together, and
        for one of medium size if they have even more.
        """
        size = 0

        def count(part: bytes) -> None:
            nonlocal size
            size += len(part)
            self._body_bytes += len(part)
            most = max(_MOST_BODY_BYTES, 2 * self.settings.max_body_bytes)
            if size <= _LARGE:
                most += _MEDIUM_BODY_BYTES
            if size > _SMALL and self._body_bytes > most:
                raise QueueFull(_RETRY_SECONDS, "too many large requests arrive at once")

        try:
            yield count
        finally:
            self._body_bytes -= size

    def check_unsent(self, size: int) -> None:
        """Raise QueueFull for a large answer where clients still have to take too many bytes of others."""
        if size > _LARGE and self.unsent() > _MOST_UNSENT_BYTES:
            raise QueueFull(
                _RETRY_SECONDS, "too many large answers wait for their clients to take them"
            )

    async def read_body(
        self,
        request: Request,
        read: Callable[[bytes, *Arguments], Result],
        *arguments: *Arguments,
        has_words: bool = True,
    ) -> Result:
        """Return ``read(body, *arguments)``; a long body is read beside the event loop.

        A body that ``has_words`` for the queue counts as waiting until it is read. Raises what ``read`` raises, and
        DeadlinePassed.
        """
        body = await request.body()
        beside = self.texts.read if has_words else self.texts.off_loop
        return await self._in_time(request.state.record, beside(len(body), read, body, *arguments))

    async def write_answer(
        self,
        request: Request,
        size: int,
        write: Callable[[*Arguments], Result],
        *arguments: *Arguments,
    ) -> Result:
        """Return ``write(*arguments)``, an answer of about ``size`` characters; a long one is written beside the event loop.

        Raises QueueFull, DeadlinePassed.
        """
        self.check_unsent(size)
        return await self._in_time(
            request.state.record, self.texts.off_loop(size, write, *arguments)
        )

    async def write_in_turns(self, request: Request, size: int, work: Steps[Result]) -> Result:
        """Return the answer that ``work`` writes; other requests come between its steps. Raises QueueFull, DeadlinePassed."""
        self.check_unsent(size)
        return await self._in_time(request.state.record, self.texts.in_turns(size, work))

    async def _in_time(
        self, record: RequestRecord, work: Coroutine[Any, Any, Result], seconds: float | None = None
    ) -> Result:
        """Wait for work until the deadline, which is counted from when the body was read. Raises DeadlinePassed."""
        seconds = self.settings.deadline_seconds if seconds is None else seconds
        try:
            async with asyncio.timeout(seconds - record.seconds_since_body):
                return await work
        except TimeoutError:
            raise DeadlinePassed(seconds) from None

    async def parse(
        self,
        sentences: Sequence[Sentence],
        record: RequestRecord,
        tags: Rows = None,
        *,
        deadline_seconds: float | None = None,
        queue: ParsingQueue | None = None,
    ) -> list[Parse]:
        """Return a Parse a sentence, in order, for an admitted request; noted in its ``record``.

        ``tags`` has a row for each sentence, if given; ``queue`` is the queue of another parser
        than the service's. A sentence with more than ``max_words`` gets an error in its place.
        Raises NotReady, TooLarge, QueueFull, or DeadlinePassed, counted from when the request's
        body was read.
        """
        queue = queue or self._queue
        if queue is None:
            raise NotReady(STARTING)
        check_count(len(sentences), "sentences", self.settings)
        good = [i for i, one in enumerate(sentences) if len(one.words) <= self.settings.max_words]
        chosen = [sentences[index] for index in good]
        rows = None if tags is None else [tags[index] for index in good]
        answers = await self._in_time(record, queue.submit(chosen, rows), deadline_seconds)
        found = dict(zip(good, answers, strict=True))
        parses = [found.get(i) or self._too_long(one) for i, one in enumerate(sentences)]
        self.note(parses, record)
        return parses

    async def classify(
        self, texts: Sequence[ReadText], record: RequestRecord
    ) -> list[Classification]:
        """Return an answer a text, in order; their sentences are parsed as by ``parse``.

        Raises what ``parse`` raises.
        """
        if self.classifying is None:
            raise NotReady(STARTING)
        self.classifying.check_capacity()
        sentences = [sentence for text in texts for sentence in text.sentences]
        parses = iter(await self.parse(sentences, record, queue=self.classifying.parsing))
        for text in texts:
            text.take(parses)
        return await self._in_time(record, self.classifying.answers(texts))

    async def search(
        self, pattern: str, trees: Sequence[str], caller: str, record: RequestRecord
    ) -> bytes:
        """Return what a pattern finds in bracketed trees, as JSON; ``caller`` is the client's address.

        Raises what ``Searching.find`` raises, QueueFull and DeadlinePassed.
        """
        answer = await self._in_time(record, self._searching.find(pattern, trees, caller))
        self.check_unsent(len(answer))
        return answer

    def _too_long(self, sentence: Sentence) -> Parse:
        reason = (
            f"the sentence has {len(sentence.words):,} words, and the limit of"
            f" this service is {self.settings.max_words:,} words: split the text into sentences"
        )
        return Parse.without_tree(sentence, reason)

    def note(self, parses: Sequence[Parse], record: RequestRecord) -> None:
        """Count sentences, words and errors of an answer, in the request's record and in the metrics."""
        errors = sum(parse.error is not None for parse in parses)
        self.metrics.sentence_errors.inc(errors)
        record.sentences += len(parses)
        record.words += sum(len(parse.words) for parse in parses)
        record.errors += errors


def _warm_up(
    parser: Parser, parse_options: ParseOptions = DEFAULT_OPTIONS
) -> tuple[Sentence, list[list[str]] | None]:
    """Return a sentence that any model can parse, and its tags where the model needs them.

    Its words are in the request, and its language is one of the model's.
    """
    sentence = replace(tokenize(_WARM_UP), language=parser.languages[0])
    tags = [["XX"] * len(sentence.words)] if parser.reads_tags else None
    return with_options(sentence, parse_options), tags


def _shown_name(name: str) -> str:
    """Return a model's name: of a folder the last part, for paths are nobody else's business."""
    if "," in name and not Path(name).is_dir():
        return ",".join(_shown_name(part.strip()) for part in name.split(","))
    shipped_or_hub = name in models.shipped() or not Path(name).is_dir()
    return name if shipped_or_hub else Path(os.path.realpath(name)).name


def _about(name: str) -> About:
    """Return the metadata of a loaded model; nothing for several models, or if its folder has none."""
    try:
        return about(models.find(name))
    except ModelError:
        return About(_shown_name(name))
