"""The parser that users hold: text or words in, trees out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Unpack, overload

from bnaparser import models
from bnaparser.compute.cores import usable_threads
from bnaparser.encoders.batching import PARSING_TOKENS, READ_AHEAD, default_tokens
from bnaparser.errors import SettingsError, check_flag, type_name
from bnaparser.network.decoding import Prediction, predict_batch, predicted_tags
from bnaparser.network.language_view import in_one_language
from bnaparser.network.parsing_network import ParsingNetwork
from bnaparser.network.precision import Backend, Precision, load_network
from bnaparser.network.prepared import PreparedSentence
from bnaparser.parsing.answering import answers, chart_of
from bnaparser.parsing.each_sentence import Given, ParsingLimits, all_given, parse_each
from bnaparser.parsing.found_words import unknown_language, with_words
from bnaparser.parsing.given import (
    check_at_least_1,
    check_language,
    check_name,
    check_sentences,
    check_text,
    device_name,
    each_labelled_text,
    each_pair,
    each_sentence,
    each_text,
    sentence_of,
)
from bnaparser.parsing.markup import under_constraints
from bnaparser.parsing.named_constraints import Constraint, in_words
from bnaparser.parsing.question import PLAIN, Question, QuestionOptions, asked_question
from bnaparser.parsing.result import Parse, Parses
from bnaparser.parsing.sentence_languages import parse_by_language
from bnaparser.parsing.threads import on_one_thread
from bnaparser.text.sentence import MAX_WORDS, Sentence
from bnaparser.text.split_names import Split
from bnaparser.text.splitting import read_sentences
from bnaparser.text.text_rules import TextRules, in_language, known_as, reading, rules_of
from bnaparser.text.typed import as_typed

if TYPE_CHECKING:
    import torch

Context = TypeVar("Context")
Item = TypeVar("Item")

NO_TEXT = "the text is missing"
_MANY = "parser.pipe takes many texts, parser.parse_words the words of a sentence"

__all__ = ["MAX_WORDS", "Parse", "Parser", "Parses"]


class Parser:
    """A loaded model. ``Parser.load("en")("It rained.")`` gives one Parse a sentence.

    A sentence that cannot be parsed gives a Parse with ``error`` set, in its place; the others are
    parsed all the same. A Parser may be used from one thread at a time. A process that is forked
    may use it, too, and computes with one thread. Pickled, it is the name and the device that it
    was loaded by, and is loaded anew.
    """

    def __init__(
        self,
        model: ParsingNetwork,
        batch_tokens: int | None = None,
        max_words: int = MAX_WORDS,
    ):
        if not hasattr(model, "best_labels"):
            raise TypeError(
                f"give a loaded model, not {type_name(model)}: Parser.load takes a name or a folder, as"
                ' in Parser.load("en")'
            )
        check_at_least_1("batch_tokens", batch_tokens)
        check_at_least_1("max_words", max_words)
        model.eval()
        self.model = model
        self.cased = model.reads_case
        self.languages = model.settings.text.languages
        self.text = reading(self.languages)  # how text becomes sentences
        self.batch_tokens = batch_tokens or default_tokens(PARSING_TOKENS, str(model.device))
        self.max_words = max_words  # of a sentence; one with more gets an error
        self.threads: int | None = None  # that compute at most; by default what PyTorch would take
        self.name: str | None = None  # what it was loaded by
        self._asked: Precision = "auto"  # the precision, when it was loaded
        self._asked_device: str | None = None
        self._asked_backend: Backend = "auto"
        self.of_several: str | None = None  # the language, where the model has others
        self._labels: frozenset[str] | None = None  # those of that language
        self._views: dict[str, Parser] = {}  # of each language, where it has several

    @property
    def predicts_tags(self) -> bool:
        """Whether the model tags words itself; if not, it names every tag XX unless tags are given."""
        return self.model.settings.tags.predict

    @property
    def labels(self) -> frozenset[str]:
        """The labels of constituents that it knows, chains among them."""
        return (self._labels or frozenset(self.model.labels.names)) - {""}

    @property
    def precision(self) -> str:
        """The numbers that it computes in: "float32", "bfloat16" or "int8"."""
        return self.model.precision

    @property
    def backend(self) -> str:
        """What computes: "compiled" loops or "torch"."""
        return self.model.backend

    @property
    def reads_tags(self) -> bool:
        """Whether the model reads part-of-speech tags: a sentence without them gets an ``error``."""
        return self.model.settings.tags.given

    @classmethod
    def load(
        cls,
        model: str | Path = "en",
        device: str | torch.device | None = None,
        batch_tokens: int | None = None,
        precision: Precision = "auto",
        max_words: int = MAX_WORDS,
        language: str | None = None,
        backend: Backend = "auto",
    ) -> Parser:
        """Load a model that ships, a model folder or its zip, or ``org/name`` of a model hub.

        A folder may be one of benepar's.
        ``device`` is a torch device; by default the first GPU, or the CPU where there is none.
        ``batch_tokens`` bounds the word pieces of a batch, by default to what suits the device.
        ``precision`` is "float32", "bfloat16", "int8" (on a CPU), or "auto": on a CPU int8 where the
        model's weights are stored so, else float32; on a GPU bfloat16 where it has that. ``backend`` is
        what computes: "compiled" loops, "torch" (PyTorch), or "auto", the faster that is installed and
        can. ``max_words`` of a sentence: one with more gets an ``error``. Of a
        model of several languages, ``language`` is the one to parse; else each sentence is in that
        which it seems to be in. Raises ModelError when there is no such model, or it is damaged, or
        the device is not there or cannot compute so, MissingExtraError where PyTorch is needed, and SettingsError where it does not know the
        language.
        """
        check_name(model, 'Parser.load("en")')
        asked_device = device_name(device)
        folder = models.find(model)
        network = load_network(folder, asked_device, precision, backend)
        parser = cls(network, batch_tokens, max_words)
        parser._asked, parser._asked_device = precision, asked_device
        parser._asked_backend = backend
        parser.name = models.lasting_name(model, folder)
        return parser if language is None else parser.in_language(language)

    def in_language(self, language: str) -> Parser:
        """Return a parser of one of the model's languages: all weights are shared, and labels its own.

        It is this one where the model has no other. Raises SettingsError for a language that it
        does not know.
        """
        check_language(language)
        known = known_as(language, self.languages)
        if known is None:
            raise SettingsError(unknown_language(language, self.languages))
        if not self.model.by_language:
            return self
        own = Parser(in_one_language(self.model, known), self.batch_tokens, self.max_words)
        own.name, own.threads, own.cased = self.name, self.threads, self.cased
        own._asked, own._asked_device, own.of_several = self._asked, self._asked_device, known
        own._asked_backend = self._asked_backend
        own._labels = self.model.by_language[known].labels | {""}
        own.text = in_language(own.text, known)
        return own

    def __call__(
        self,
        text: str,
        split: Split = "paragraph",
        constraints: Sequence[Constraint] = (),
        markup: bool = False,
        **asked: Unpack[QuestionOptions],
    ) -> Parses:
        """Parse a text, a Parse each sentence; ``split`` says what a line of it is.

        ``"paragraph"``: a line ends a sentence, and sentences are found within it. ``"text"``:
        hard-wrapped running text. ``"line"``: one sentence a line. ``"token"``: that, with words
        separated by blanks. Offsets count in the whole text, with ``line`` and ``token`` in the
        line; an empty line there gives a Parse with ``error`` set. ``constraints`` count as offsets
        do; with ``markup`` the text holds them (`bnaparser.parsing.markup`), and offsets count in it
        without. ``asked``, here and below, are the keywords of `Question`: ``n_best=10`` and the like.
        Raises ValueError for another ``split``, and for constraints that cannot be told apart.
        """
        check_text(text, _MANY)
        sentences, each = under_constraints(text, split, constraints, markup, self.text)
        questions = list(map(asked_question(asked).under, each))
        return Parses(self.parse_sentences(sentences, questions=questions))

    def parse_sentence(
        self, text: str, constraints: Sequence[Constraint] = (), **asked: Unpack[QuestionOptions]
    ) -> Parse:
        """Parse a text that is one sentence; ``constraints`` count code points of it."""
        check_text(text, _MANY)
        sentences = [self.text.sentence(text)]
        each = map(asked_question(asked).under, in_words(constraints, sentences))
        return self.parse_sentences(sentences, questions=list(each))[0]

    def parse_words(
        self,
        words: Iterable[str],
        tags: Sequence[str] | None = None,
        constraints: Sequence[Constraint] = (),
        **asked: Unpack[QuestionOptions],
    ) -> Parse:
        """Parse a sentence of given words; ``tags`` stand in the tree, and guide a model that reads them.

        ``constraints`` count words. Raises TypeError for a string: ``parse_sentence`` takes text.
        """
        question = asked_question(asked).under(constraints)
        rows = None if tags is None else [tags]
        return self.parse_sentences([sentence_of(words)], rows, questions=question)[0]

    def parse_many(
        self,
        sentences: Iterable[Iterable[str]],
        tags: Sequence[Sequence[str]] | None = None,
        constraints: Sequence[Sequence[Constraint]] | None = None,
        **asked: Unpack[QuestionOptions],
    ) -> Parses:
        """Parse sentences of given words, in batches; a Parse each, in order.

        Offsets count in the words joined by blanks. ``tags`` gives one tag a word, ``constraints`` a
        row for each sentence, which count words.
        """
        given = list(each_sentence(sentences))
        question = asked_question(asked)
        if constraints is None:
            return Parses(self.parse_sentences(given, tags, questions=question))
        return Parses(
            self.parse_sentences(given, tags, questions=list(map(question.under, constraints)))
        )

    def stream(
        self,
        lines: Iterable[str],
        batch_tokens: int | None = None,
        **asked: Unpack[QuestionOptions],
    ) -> Iterator[Parse]:
        """Parse lines, a sentence each, in constant memory; a Parse each, in order.

        A line is one sentence whatever is in it, as with ``split="line"``, and offsets count in it.
        ``batch_tokens`` takes the place of the parser's own. Where ``lines`` raises an error, the lines
        before the error are parsed first.
        """
        question = asked_question(asked)
        for ahead in _read_ahead(each_text(lines, "lines"), lambda line: 1):
            sentences = [self.text.sentence(line) for line in ahead]
            yield from self.parse_sentences(sentences, None, batch_tokens, question)

    @overload
    def pipe(
        self,
        texts: Iterable[str],
        as_tuples: Literal[False] = False,
        **asked: Unpack[QuestionOptions],
    ) -> Iterator[Parses]: ...
    @overload
    def pipe(
        self,
        texts: Iterable[tuple[str, Context]],
        as_tuples: Literal[True],
        **asked: Unpack[QuestionOptions],
    ) -> Iterator[tuple[Parses, Context]]: ...
    def pipe(
        self, texts: Iterable[Any], as_tuples: bool = False, **asked: Unpack[QuestionOptions]
    ) -> Iterator[Any]:
        """Parse running texts, in constant memory; what ``parser(text)`` gives for each, in order.

        Batches are filled across texts. ``as_tuples``: pairs of a text and anything at all come
        in, pairs of its parses and the same thing go out. Where ``texts`` raises an error, the texts
        before the error are parsed first.

        ``texts`` may be a Series of pandas or Polars: a missing text (None, NaN) gives one Parse with
        ``error``. The parses of a text of pandas keep its index label in ``label``, from which
        `bnaparser.integrations.pandas.constituents` takes the column ``document``.
        """
        check_flag("as_tuples", as_tuples)
        question = asked_question(asked)
        source = each_pair(texts) if as_tuples else each_labelled_text(texts)
        read = ((None if t is None else read_sentences(t, rules=self.text), c) for t, c in source)
        # An empty text counts, too: there may be any number of them.
        for ahead in _read_ahead(read, lambda one: max(1, len(one[0] or ()))):
            given = [sentence for sentences, _ in ahead for sentence in sentences or ()]
            parses = iter(self.parse_sentences(given, questions=question))
            for sentences, context in ahead:
                if sentences is None:
                    of_text = Parses([Parse("", error=NO_TEXT)])
                else:
                    of_text = Parses(islice(parses, len(sentences)))
                if as_tuples:
                    yield of_text, context
                else:
                    of_text.label = context
                    yield of_text

    def parse_sentences(
        self,
        sentences: Sequence[Sentence],
        tags: Sequence[Sequence[str]] | None = None,
        batch_tokens: int | None = None,
        questions: Question | Sequence[Question] = PLAIN,
    ) -> list[Parse]:
        """Parse tokenized sentences, in length-sorted batches; a Parse each, in order.

        ``questions`` say what is wanted: one of all sentences, or one of each.
        """
        check_sentences(sentences)
        check_at_least_1("batch_tokens", batch_tokens)
        if self.model.by_language:
            return parse_by_language(self._apart(), sentences, tags, batch_tokens, questions)
        size = self.at_once(batch_tokens)
        threads = self.usable_threads()
        alone = [(self.model, 1.0)]
        sentences, questions = with_words(
            alone, sentences, questions, size, threads, self.max_words
        )
        turns = self.model.takes_turns
        limits = ParsingLimits(self.reads_tags, self.max_words, size, threads, turns)
        given = all_given(sentences, tags, questions)
        return parse_each(given, self.prepare, lambda one: one.size, self._predict, limits)

    def __repr__(self) -> str:
        name = "a model in memory" if self.name is None else repr(self.name)
        known = f"{len(self.model.labels) - 1} labels"
        if self.predicts_tags:
            known += f", {len(self.model.tags)} tags"
        batch = f"batches of {self.batch_tokens:,} word pieces"
        return f"<Parser of {name} on {self.model.device}: {known}, {batch}>"

    def __reduce__(self) -> tuple[Any, ...]:
        if self.name is None:
            raise TypeError(
                "a Parser of a model in memory cannot be pickled: save the model"
                ' (bnaparser.network.storage.save(model, folder, "float32", {})) and load it with'
                " Parser.load(folder)"
            )
        # Where none was asked for, another machine may have a better device.
        usual = default_tokens(PARSING_TOKENS, str(self.model.device))
        batch_tokens = None if self.batch_tokens == usual else self.batch_tokens
        given = (self.name, self._asked_device, batch_tokens, self._asked, self.max_words)
        state = {"cased": self.cased, "threads": self.threads, "named": self.text.named}
        return type(self).load, (*given, self.of_several, self._asked_backend), state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.cased, self.threads = state["cased"], state["threads"]
        if (named := state["named"]) is not None:
            self.text = in_language(rules_of(named), named)

    def prepare(self, given: Sequence[Given]) -> list[PreparedSentence]:
        """Return good sentences, with their tags where the model reads them, as it takes them."""
        tags = [one.tags for one in given if one.tags is not None]
        rows = None if len(tags) < len(given) else tags
        joined = self.model.settings.encoder.detokenize
        if joined is None:
            read = [
                self._rules(one.sentence).as_read(one.sentence.words, self.cased) for one in given
            ]
        else:
            read = [as_typed(one.sentence, joined) for one in given]
        return self.model.prepare(read, rows, [one.sentence.words for one in given])

    def _apart(self) -> dict[str, Parser]:
        """Return a parser for each language, as this one is set now."""
        self._views = self._views or {one: self.in_language(one) for one in self.languages}
        for view in self._views.values():
            view.threads, view.cased = self.threads, self.cased
            view.batch_tokens, view.max_words = self.batch_tokens, self.max_words
        return self._views

    def _rules(self, sentence: Sentence) -> TextRules:
        """Return how the language of a sentence is read, by default the network's."""
        return self.text if sentence.language is None else rules_of(sentence.language)

    def _predict(
        self, batch: Sequence[tuple[PreparedSentence, Question]]
    ) -> Sequence[Prediction | str]:
        prepared = [one for one, _ in batch]
        with on_one_thread():
            if all(question.plain for _, question in batch):
                return predict_batch(self.model, prepared)
            with self.model.inference():
                encoded = self.model.encode(prepared)
                scores = self.model.all_scores(encoded)
                tags = predicted_tags(self.model, encoded, prepared)
        questions = [question for _, question in batch]
        return answers(scores, encoded.lengths, questions, chart_of(self.model), tags)

    def at_once(self, batch_tokens: int | None = None) -> int:
        """Return how many word pieces a batch may hold: by default as many as the parser takes.

        One, so that each sentence is alone, where what it gets would depend on the others.
        """
        return 1 if self.model.reads_alone else batch_tokens or self.batch_tokens

    def usable_threads(self) -> int:
        """Return how many batches may be computed at once."""
        if not str(self.model.device).startswith("cpu"):
            return 1
        check_at_least_1("threads", self.threads or None)
        return self.threads or usable_threads()


def _read_ahead(items: Iterable[Item], size: Callable[[Item], int]) -> Iterator[list[Item]]:
    """Yield lists of items that have READ_AHEAD sentences or more; the last items may have fewer.

    Where ``items`` raises an error, the items before the error are yielded first.
    """
    ahead: list[Item] = []
    count = 0
    try:
        for item in items:
            ahead.append(item)
            count += size(item)
            if count >= READ_AHEAD:
                yield ahead
                ahead, count = [], 0
    except Exception:
        if ahead:
            yield ahead
        raise
    if ahead:
        yield ahead
