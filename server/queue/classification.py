"""Classification in the service: sentences wait with all others, then texts for the classifier.

The two queues share the one thread of the models, and their batches take turns in it. So a long
text holds up no short one while it is parsed, and texts of many requests go through the classifier
together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from bnaparser import models
from bnaparser.errors import ModelError, require_extra
from bnaparser.parsing.startup import loading
from bnaparser.server.metrics import Metrics
from bnaparser.server.problems import Failure
from bnaparser.server.queue.batcher import Batcher, Rows
from bnaparser.server.queue.parsing_queue import ParsingQueue
from bnaparser.server.settings import ServerSettings
from bnaparser.text.text_rules import DEFAULT_LANGUAGE

if TYPE_CHECKING:
    from bnaparser.parsing.parser import Parser
    from bnaparser.tasks.classifier import Classification, Classifier, ReadText


def load_classifier(settings: ServerSettings, parser: Parser) -> Classifier:
    """Load the classifier; its parser is the service's where that is the one it was trained with.

    Raises ModelError, and SettingsError if its parser does not know the language of its task.
    """
    require_extra("torch")
    with loading():
        from bnaparser.parsing.parser import Parser
        from bnaparser.tasks.classifier import Classifier

    def open_parser(name: str | Path) -> Parser:
        folder = models.find(name)
        names = models.model_names(parser.name or settings.model)
        if any(folder.samefile(models.find(one)) for one in names):
            return parser
        opened = Parser.load(
            name,
            settings.device,
            parser.batch_tokens,
            settings.precision,
            backend=settings.backend,
        )
        opened.threads = parser.threads
        return opened

    assert settings.classifier is not None
    with loading():
        return Classifier.load(settings.classifier, device=settings.device, open_parser=open_parser)


@dataclass(frozen=True)
class _Unit:
    """A text in the classifier's queue; ``words`` are those that the encoder may read."""

    text: ReadText
    words: Sequence[str]


class Classifying:
    """A classifier, its queue, and the queue of the sentences that it needs trees of.

    ``parsing`` is the service's own queue, or another one on the same thread where the classifier
    has a parser of its own.
    """

    def __init__(
        self,
        classifier: Classifier,
        parser: Parser,
        parsing: ParsingQueue,
        metrics: Metrics,
    ):
        self.classifier = classifier
        self._shared = _parses_for_classifier(parser, classifier)
        self.parsing = parsing
        if not self._shared:
            self.parsing = ParsingQueue(classifier.parser, parsing.limits, metrics, parsing.thread)
        self._queue: Batcher[_Unit, Classification] = Batcher(
            self._answer, parsing.limits, metrics.classifying, "classifier", parsing.thread
        )

    @property
    def alive(self) -> bool:
        """Whether it takes texts."""
        return self._queue.alive and self.parsing.alive

    async def start(self, name: str) -> None:
        """Classify a text, then start to work. Raises a ModelError of one sentence with the model's
        name.
        """
        text = self.classifier.read(self.classifier.sample)
        try:
            text.take(iter([await self.parsing.try_out(one) for one in text.sentences]))
            answer = await self._queue.try_out(self._unit(text))
        except Failure as failure:
            raise ModelError(f"the classifier {name!r} cannot classify") from failure
        if answer.error is not None:
            raise ModelError(f"the classifier {name!r} cannot classify: {answer.error}")
        self._queue.start()
        if not self._shared:
            self.parsing.start()

    async def stop(self) -> None:
        """Give up all that waits; the service stops its own queue itself, after this."""
        await self._queue.stop()
        if not self._shared:
            await self.parsing.stop()

    def check_capacity(self) -> None:
        """Raise QueueFull if nothing can be taken in."""
        self.parsing.check_capacity()
        self._queue.check_capacity()

    async def answers(self, texts: Sequence[ReadText]) -> list[Classification]:
        """Return an answer for each text, in order; their sentences have been parsed.

        Raises as ``Batcher.submit`` does.
        """
        good = [text for text in texts if text.error is None]
        found = iter(await self._queue.submit([self._unit(text) for text in good]))
        bad = iter(self.classifier.answer([text for text in texts if text.error is not None]))
        return [next(found) if text.error is None else next(bad) for text in texts]

    def _answer(self, units: Sequence[_Unit], rows: Rows) -> list[Classification]:
        return self.classifier.answer([unit.text for unit in units])

    def _unit(self, text: ReadText) -> _Unit:
        words = chain.from_iterable(sentence.words for sentence in text.sentences)
        model = self.classifier.model
        most = None if model.kind.passages else model.max_pieces  # passages are read whole
        return _Unit(text, tuple(islice(words, most)))


def _parses_for_classifier(parser: Parser, classifier: Classifier) -> bool:
    """Return whether the service's parser asks the classifier's for the sentences of its texts.

    English ones do not say their language, and are read by the first parser.
    """
    first, *others = parser.networks.values()
    if classifier.parser.model is first:
        return True
    english = classifier.model.settings.task.language == DEFAULT_LANGUAGE
    return not english and any(classifier.parser.model is one for one in others)
