"""One process's service: its models, their queues, and whether it takes requests."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from bnaparser import models
from bnaparser.compute.cores import usable_cores
from bnaparser.errors import ModelError
from bnaparser.models.about import About, about
from bnaparser.parsing.options import PLAIN, Question
from bnaparser.parsing.result import Parse
from bnaparser.parsing.startup import loading
from bnaparser.server.bounds import check_count
from bnaparser.server.metrics import Metrics
from bnaparser.server.problems import DeadlinePassed, Failure, NotReady
from bnaparser.server.queue.asked import asking, read_in
from bnaparser.server.queue.batcher import QueueLimits
from bnaparser.server.queue.classifying import Classifying, load_classifier
from bnaparser.server.queue.lanes import ParsingQueue
from bnaparser.server.queue.model_thread import ModelThread
from bnaparser.server.queue.searching import Searching
from bnaparser.server.queue.text_thread import SMALL, STOPPING, TextThread
from bnaparser.server.queue.waiting import Rows
from bnaparser.server.record import Record
from bnaparser.server.service_settings import ServerSettings
from bnaparser.text.sentence import Sentence
from bnaparser.text.splitting import tokenize
from bnaparser.text.text_rules import TextRules

if TYPE_CHECKING:
    from bnaparser.parsing.parser import Parser
    from bnaparser.tasks.classifier import Classification, Classifier, ReadText

log = logging.getLogger(__name__)
Result = TypeVar("Result")
Load = Callable[[ServerSettings], "Parser"]
LoadClassifier = Callable[[ServerSettings, "Parser"], "Classifier"]

_CHARACTERS_A_WORD = 6
# A batch counts words, the model word pieces: room enough that a batch goes through in one piece.
_PIECES_A_WORD = 2
STARTING = (
    "the service is starting: its model is being loaded and tried out, which takes seconds; the first start on a"
    " machine compiles the parser's loops as well and takes longer"
)
_WARM_UP = "The service is ready , and it answers ."
_PAGE_ASKS = Question(n_best=2, probabilities=True)


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
    """What the routes use: ``parse``, ``classify``, and how the service is.

    ``model_name`` and ``classifier_name`` (empty without one) are for the answers, ``about`` and
    ``about_classifier`` tell what is known of them; ``texts`` is where bodies are read and answers
    written; ``in_flight`` counts the requests whose body was read and whose answer is not yet sent;
    ``complete`` tells whether nothing is left to be loaded or compiled.
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
        self.complete = False
        self._searching = Searching(settings.search_seconds)
        self._load, self._load_classifier = load, load_classifier
        self._batcher: ParsingQueue | None = None
        self.texts = TextThread(settings.max_characters)
        # All of torch runs in one thread, loading too: each that computes has helpers of its own, and
        # once these are more than the cores they no longer wait for work but sleep.
        self._model_thread = ModelThread()

    @property
    def loaded(self) -> bool:
        """Whether the models were loaded and tried out."""
        return self._batcher is not None

    @property
    def ready(self) -> bool:
        """Whether it takes requests: the model is loaded, it has parsed, and it is not draining."""
        parses = not self.draining and self._batcher is not None and self._batcher.alive
        return parses and (self.classifying is None or self.classifying.alive)

    async def start(self) -> None:
        """Load the models and try them out. Raises ModelError, in one sentence."""
        begun = time.perf_counter()
        parser = await self._model_thread.run(self._load, self.settings)
        loaded = time.perf_counter()
        batch_words = self.settings.batch_words(str(parser.model.device), threads_of(self.settings))
        limits = QueueLimits(batch_words, self.settings.queue_words, self.settings.queue_seconds)
        batcher = ParsingQueue(parser, limits, self.metrics, self._model_thread)
        try:
            warm_up = await batcher.try_out(*_warm_up(parser))
        except Failure as failure:
            raise ModelError(f"the model {self.settings.model!r} cannot parse") from failure
        if warm_up.error is not None:
            raise ModelError(f"the model {self.settings.model!r} cannot parse: {warm_up.error}")
        parsed = time.perf_counter()
        classifying = await self._classifying(parser, batcher)
        self.about = _about(self.settings.model)
        if self.settings.classifier:
            self.about_classifier = _about(self.settings.classifier)
        batcher.start()
        self.parser, self.classifying, self._batcher = parser, classifying, batcher
        fields = {
            "model": self.model_name,
            "seconds": round(time.perf_counter() - begun, 2),
            "loading_seconds": round(loaded - begun, 2),
            "first_parse_seconds": round(parsed - loaded, 2),
        }
        log.info("ready", extra={"fields": fields})

    async def load_rest(self) -> None:
        """Load, or compile, what requests may need beyond the best tree; to be called once, after `start`."""
        if self._batcher is None or self.parser is None:
            raise RuntimeError("nothing is loaded yet")
        begun = time.perf_counter()
        try:
            await self._batcher.load_rest(*_warm_up(self.parser, _PAGE_ASKS))
        except Failure:
            log.exception("the model cannot tell probabilities, or several trees")
        self.complete = True
        seconds = round(time.perf_counter() - begun, 2)
        level = logging.INFO if seconds >= 1 else logging.DEBUG
        log.log(level, "ready for all requests", extra={"fields": {"seconds": seconds}})

    async def _classifying(self, parser: Parser, batcher: ParsingQueue) -> Classifying | None:
        """Load the classifier, if there is to be one, and classify a text."""
        name = self.settings.classifier
        if name is None:
            return None
        classifier = await self._model_thread.run(self._load_classifier, self.settings, parser)
        classifying = Classifying(classifier, parser, batcher, self.metrics)
        await classifying.start(name)
        return classifying

    def drain(self) -> None:
        """Take no more requests; what was taken in is finished."""
        self.draining = True

    async def stop(self) -> None:
        """End: who still waits gets a problem. May be called again."""
        self.draining = True
        if self.classifying is not None:
            await self.classifying.stop()
        if self._batcher is not None:
            await self._batcher.stop()
        self._model_thread.end()
        self.texts.end()
        self._searching.end()

    def text_in(self, language: str | None) -> TextRules:
        """Return how text is read in a language, as `read_in` does. Raises NotReady."""
        if self.parser is None:
            raise NotReady(STARTING)
        return read_in(self.parser, language)

    def admit(self, record: Record) -> None:
        """Raise a Problem if a request could not be taken in now, before any work is done for it.

        Bodies that are being read count as words that wait, but for a request with a small body.
        """
        if self.draining:
            raise NotReady(STOPPING)
        if self._batcher is None:
            raise NotReady(STARTING)
        more = 0 if record.body_bytes <= SMALL else self.texts.characters // _CHARACTERS_A_WORD
        self._batcher.check_room(more)

    async def parse(
        self,
        sentences: Sequence[Sentence],
        record: Record,
        tags: Rows = None,
        *,
        deadline_seconds: float | None = None,
        batcher: ParsingQueue | None = None,
    ) -> list[Parse]:
        """Return a Parse a sentence, in order, for an admitted request; noted in its ``record``.

        ``tags`` has a row for each sentence, if given; ``batcher`` is the queue of another parser
        than the service's. A sentence with more than ``max_words`` gets an error in its place.
        Raises NotReady, TooLarge, QueueFull, or DeadlinePassed, counted from when the request's
        body was read.
        """
        batcher = batcher or self._batcher
        if batcher is None:
            raise NotReady(STARTING)
        check_count(len(sentences), "sentences", self.settings)
        good = [i for i, one in enumerate(sentences) if len(one.words) <= self.settings.max_words]
        chosen = [sentences[index] for index in good]
        rows = None if tags is None else [tags[index] for index in good]
        seconds = self.settings.deadline_seconds if deadline_seconds is None else deadline_seconds
        answers = await before(seconds, record, batcher.submit(chosen, rows))
        found = dict(zip(good, answers, strict=True))
        parses = [found.get(i) or self._too_long(one) for i, one in enumerate(sentences)]
        self.note(parses, record)
        return parses

    async def classify(self, texts: Sequence[ReadText], record: Record) -> list[Classification]:
        """Return an answer a text, in order; their sentences are parsed as by ``parse``.

        Raises what ``parse`` raises.
        """
        if self.classifying is None:
            raise NotReady(STARTING)
        self.classifying.check_room()
        sentences = [sentence for text in texts for sentence in text.sentences]
        parses = iter(await self.parse(sentences, record, batcher=self.classifying.parsing))
        for text in texts:
            text.take(parses)
        work = self.classifying.answers(texts)
        return await before(self.settings.deadline_seconds, record, work)

    async def search(
        self, pattern: str, trees: Sequence[str], caller: str, record: Record
    ) -> bytes:
        """Return what a pattern finds in bracketed trees, as JSON; ``caller`` is the client's address.

        Raises what ``Searching.find`` raises, and DeadlinePassed.
        """
        work = self._searching.find(pattern, trees, caller)
        return await before(self.settings.deadline_seconds, record, work)

    def _too_long(self, sentence: Sentence) -> Parse:
        reason = (
            f"the sentence has {len(sentence.words):,} words, more than the"
            f" {self.settings.max_words:,} that this service takes: split it into sentences"
        )
        return Parse.without_tree(sentence, reason)

    def note(self, parses: Sequence[Parse], record: Record) -> None:
        """Count sentences, words and errors of an answer, in the request's record and in the metrics."""
        errors = sum(parse.error is not None for parse in parses)
        self.metrics.sentence_errors.inc(errors)
        record.sentences += len(parses)
        record.words += sum(len(parse.words) for parse in parses)
        record.errors += errors


def _warm_up(parser: Parser, question: Question = PLAIN) -> tuple[Sentence, list[list[str]] | None]:
    """Return a sentence that any model can parse, and its tags where the model needs them.

    Its words are given, and said to be in a language of the model's.
    """
    sentence = replace(tokenize(_WARM_UP), language=parser.languages[0])
    tags = [["XX"] * len(sentence.words)] if parser.reads_tags else None
    return asking(sentence, question), tags


def _shown_name(name: str) -> str:
    """Return a model's name: of a folder the last part, for paths are nobody else's business."""
    if "," in name and not Path(name).is_dir():
        return ",".join(_shown_name(part.strip()) for part in name.split(","))
    shipped_or_hub = name in models.shipped() or not Path(name).is_dir()
    return name if shipped_or_hub else Path(os.path.realpath(name)).name


def _about(name: str) -> About:
    """Return what is known of a model that was loaded; nothing of several, or where its folder does not tell."""
    try:
        return about(models.find(name))
    except ModelError:
        return About(_shown_name(name))


async def before(seconds: float, record: Record, work: Coroutine[Any, Any, Result]) -> Result:
    """Wait for work so many seconds from when the request's body was read; then DeadlinePassed."""
    try:
        async with asyncio.timeout(seconds - record.seconds_since_body):
            return await work
    except TimeoutError:
        raise DeadlinePassed(seconds) from None
