"""Parse and classify: text in; label, probabilities and trees out, or answers to a question."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from bnaparser import models
from bnaparser.errors import DataError, ModelError, type_name
from bnaparser.files.ahead import read_ahead
from bnaparser.parsing.batches import each_or_reason, on_one_thread
from bnaparser.parsing.default_model import name_in
from bnaparser.parsing.parser import Parser
from bnaparser.parsing.result import Parse
from bnaparser.parsing.segmentation import check_finds_words
from bnaparser.parsing.validation import check_name, check_text, not_text
from bnaparser.syntax.syntax_trees import SyntaxTrees
from bnaparser.tasks.examples import PreparedExample, Written
from bnaparser.tasks.model import TaskModel, load_model, to_device
from bnaparser.tasks.result import Classification, FoundAnswer, ReadText
from bnaparser.tasks.settings import TaskModelSettings
from bnaparser.tasks.trees import tree_source
from bnaparser.text.sentence import Sentence, not_one_string
from bnaparser.text.splitting import split_stream
from bnaparser.text.text_rules import DEFAULT_LANGUAGE, ENGLISH

log = logging.getLogger(__name__)
# Texts that a stream reads ahead, so that batches of similar length can be formed.
READ_AHEAD = 256

__all__ = ["Classification", "Classifier", "FoundAnswer", "ReadText"]


class Classifier:
    """Classify texts with a task's model and the trees of a parser.

    A text may have several sentences. A text for a model of pairs is a tuple of two texts, or two texts with a tab between
    them; for a model of answers these are question and passage. A model of relations takes a text with marks:
    ``[E1]Mira[/E1] has a [E2]dog[/E2].`` A text that is longer than the encoder reads is cut off at the end (except passages); its
    trees are complete.

    A Classifier may be used from one thread at a time. A forked process may use the classifier of its parent, and computes with one
    thread. Pickling stores the names of model and parser; unpickling loads both again.

    Args:
        model: the loaded task model.
        parser: the parser whose trees the model reads.

    Example:
        >>> from bnaparser.tasks.classifier import Classifier
        >>> Classifier.load("sst2")("A funny film.").label
        'positive'
    """

    def __init__(self, model: TaskModel, parser: Parser):
        if not isinstance(model, TaskModel) or not isinstance(parser, Parser):
            raise TypeError(
                f"give a loaded model and a Parser, not {type_name(model)} and {type_name(parser)}:"
                ' Classifier.load takes names and folders, as in Classifier.load("sst2")'
            )
        language = model.settings.task.language
        self.model, self.parser = model, parser.in_language(language)
        self._text = ENGLISH if language == DEFAULT_LANGUAGE else self.parser.text_rules(language)
        check_finds_words(self.parser.model, self._text)
        self.name: str | None = None  # what it was loaded by
        self.model.network.eval()
        syntax = model.settings.syntax
        # If the source is bnaparser's parser, its trees are shown: no other source is used.
        ours = not syntax.needs_trees or syntax.trees in ("parser", "files")
        self._source = None if ours else tree_source(syntax)

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the model's classes."""
        return self.model.labels

    @property
    def sample(self) -> str | tuple[str, str]:
        """A text that the model takes, to try it with."""
        return self.model.kind.sample

    @classmethod
    def load(
        cls,
        model: str | Path = "sst2",
        parser: str | Path | Parser | None = None,
        device: str | None = None,
        *,
        open_parser: Callable[[str | Path], Parser] | None = None,
    ) -> Classifier:
        """Load a model that ships, a model folder, or ``org/name`` of a model hub.

        Args:
            model: a shipped model's name, a model folder, or ``org/name``.
            parser: a parser's name or folder, or a loaded parser (default: the parser that the model was trained with).
            device: a PyTorch device (default: the first GPU, otherwise the CPU).
            open_parser: loads the parser in place of `Parser.load`.

        Returns:
            The classifier.

        Raises:
            ModelError: the model or the device does not exist, the model is damaged, or the trees that
                it was trained with cannot be found.
            SettingsError: the parser does not know the language of the task.

        Example:
            >>> from bnaparser.tasks.classifier import Classifier
            >>> Classifier.load("sst2")("A gripping, funny film.").label
            'positive'
        """
        check_name(model, 'Classifier.load("sst2")')
        folder = models.find(model)
        loaded = to_device(load_model(folder), device)
        if not isinstance(parser, Parser):
            name = parser or trained_with(str(model), loaded.settings)
            parser = Parser.load(name, device) if open_parser is None else open_parser(name)
        classifier = cls(loaded, parser)
        classifier.name = models.resolvable_name(model, folder)
        return classifier

    def __repr__(self) -> str:
        name = "a model in memory" if self.name is None else repr(self.name)
        classes = ", ".join(self.labels) or "a score"
        return f"<Classifier of {name} on {self.model.device}: {classes}; {self.parser!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        if self.name is None:
            raise TypeError(
                "a Classifier of a model in memory cannot be pickled: save the model"
                " (bnaparser.tasks.model.save_model) and load it with Classifier.load(folder)"
            )
        return type(self).load, (self.name, self.parser, str(self.model.device))

    def __call__(self, text: str | tuple[str, str]) -> Classification:
        """Classify one text, or answer one question.

        Args:
            text: a text; for a model of text pairs two texts; for a model of answers question and passage.

        Returns:
            The answer, with label and probabilities, or with an ``error``.

        Raises:
            TypeError: ``text`` has another type. Use `classify_many` for several texts.
        """
        if not self.model.settings.task.pair:
            check_text(text, "classifier.classify_many takes several texts")
        return self.classify_many([text])[0]

    def stream(self, texts: Iterable[str | tuple[str, str]]) -> Iterator[Classification]:
        """Classify any number of texts in constant memory.

        Args:
            texts: the texts, as for a call.

        Yields:
            The answer for each text, in order.

        Raises:
            TypeError: ``texts`` is one string, or an element is not a text.
        """
        source = iter(not_one_string(texts, "texts"))
        for ahead in read_ahead(source, READ_AHEAD):
            yield from self.classify_many(ahead)

    def classify_many(self, texts: Iterable[str | tuple[str, str]]) -> list[Classification]:
        """Classify texts in batches.

        Args:
            texts: the texts, as for a call.

        Returns:
            The answer for each text, in order.

        Raises:
            TypeError: ``texts`` is one string, or an element is not a text.

        Example:
            >>> from bnaparser.tasks.classifier import Classifier
            >>> [one.label for one in Classifier.load("sst2").classify_many(["A funny film.", "A dull film."])]
            ['positive', 'negative']
        """
        given = [self.read(text) for text in not_one_string(texts, "texts")]
        sentences = [sentence for one in given for sentence in one.sentences]
        # Several questions are about one passage.
        different = list(dict.fromkeys(sentences))
        parses = dict(zip(different, self.parser.parse_sentences(different), strict=True))
        following = iter([parses[sentence] for sentence in sentences])
        for one in given:
            one.take(following)
        return self.answer(given)

    def read(self, text: str | Sequence[str]) -> ReadText:
        """Split a text into its parts, and each part into sentences.

        Args:
            text: a text, or a pair of texts.

        Returns:
            The text with its sentences, for `answer`.

        Raises:
            TypeError: ``text`` is neither a text nor a list of texts.
        """
        kind, pair = self.model.kind, self.model.settings.task.pair
        if isinstance(text, str):
            written = text.split("\t") if pair else [text]
        elif not isinstance(text, list | tuple) or not all(isinstance(t, str) for t in text):
            raise TypeError(f"give text, or two texts for a model of pairs, not {type_name(text)}")
        else:
            written, text = list(text), "\t".join(text)
        if pair and len(written) != 2:
            return ReadText(text, [], kind.not_a_pair)
        if not pair and len(written) != 1:
            return ReadText(text, [], "this model takes one text at a time, no pairs")
        if (found := not_text("".join(written))) is not None:
            return ReadText(text, [], f"the text has {found}: this is not text")
        try:
            written[0], marks = kind.unmark(written[0])
        except DataError as error:
            return ReadText(text, [], str(error))
        parts = [list(split_stream([part], 0, self._text)) for part in written]
        if not all(parts):
            blank = kind.pair_names[[bool(part) for part in parts].index(False)]
            return ReadText(text, [], f"the {blank} has no words")
        return ReadText(text, parts, written=tuple(written), marks=marks)

    def answer(self, given: Sequence[ReadText]) -> list[Classification]:
        """Classify texts whose sentences are parsed, in batches.

        Args:
            given: the texts, as `read` returns them, with a parse for each sentence.

        Returns:
            The answer for each text, in order. If the model fails on a text, its answer has the reason in ``error``.
        """
        good = [one for one in given if one.error is None]
        scores = iter(each_or_reason(self._scores, good, "the model failed on this text"))
        return [
            Classification(one.text, error=one.error)
            if one.error is not None
            else self._answer(one, next(scores))
            for one in given
        ]

    def _scores(self, given: Sequence[ReadText]) -> Sequence[Any]:
        """Return what the model says of each text."""
        examples = [self._example(one) for one in given]
        with on_one_thread():
            return self.model.scores(examples)

    def _example(self, given: ReadText) -> PreparedExample:
        places = tuple(span for sentence in given.parts[-1] for span in sentence.offsets)
        words = tuple(word for sentence in given.parts[-1] for word in sentence.words)
        written = Written(given.written[-1], places, words)
        return PreparedExample(self._structures(given), written=written, marks=given.marks)

    def _structures(self, given: ReadText) -> tuple[SyntaxTrees, ...]:
        """Return the structure of each part, as far as the encoder reads."""
        limit = self.model.max_pieces
        found = []
        for sentences, parses in zip(given.parts, given.parses, strict=True):
            words = 0
            kept = 0
            while kept < len(sentences) and (words < limit or self.model.kind.uncut):
                words += len(sentences[kept].words)
                kept += 1
            if kept < len(sentences):
                log.warning("a text of %d sentences is cut off after %d", len(sentences), kept)
            found.append(self._structure(sentences[:kept], parses[:kept]))
        return tuple(found)

    def _structure(self, sentences: Sequence[Sentence], parses: Sequence[Parse]) -> SyntaxTrees:
        if self._source is not None:
            return self._source([list(sentences)])[0]
        words = tuple(word for sentence in sentences for word in sentence.words)
        trees = [parse.tree for parse in parses if parse.tree is not None]
        if len(trees) < len(parses):
            return SyntaxTrees(words, None, error="a sentence has no tree")
        return SyntaxTrees.of_trees(words, trees, self.model.settings.syntax.rules)

    def _answer(self, given: ReadText, found: Any) -> Classification:
        """Return the answer for the scores ``found``, or the reason in ``found`` why the model failed."""
        parses = tuple(parse for part in given.parses for parse in part)
        if isinstance(found, str):
            return Classification(given.text, parses=parses, error=found)
        model = self.model
        failed = [
            f"sentence {number}: {parse.error}"
            for number, parse in enumerate(parses, 1)
            if parse.error is not None
        ]
        if failed:
            plain = model.settings.syntax.needs_trees and self._source is None
            failed += ["the plain encoder served the text"] * plain
        failed += model.kind.unread(model.text_inputs, given, model.labels)
        answer = model.kind.answer(found, model.labels, model.threshold)
        error = "; ".join(failed) or None
        return Classification(given.text, parses=parses, **{"error": error, **answer})


def trained_with(model: str, settings: TaskModelSettings) -> str:
    """Return the name of the parser whose trees a model was trained with, for new texts.

    Raises ModelError, saying what is missing, where the parser is not there, or the trees came from
    files, which have none for new texts.
    """
    syntax, language = settings.syntax, settings.task.language
    name = name_in(syntax.parser, language)
    instead = "choose another parser for the trees (--parser, parser=...)"
    if syntax.needs_trees and syntax.trees == "files":
        raise ModelError(
            f"{model} was trained with trees from {', '.join(syntax.files)}, which have no trees for"
            f" new texts: {instead}"
        )
    if language != DEFAULT_LANGUAGE or (syntax.needs_trees and syntax.trees == "parser"):
        try:
            models.find(name)
        except ModelError as error:
            raise ModelError(
                f"{model} was trained with the trees of the parser {name}, which is "
                f"missing: restore this parser, or {instead}"
            ) from error
    return name
