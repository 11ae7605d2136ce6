"""Several parsers, one for each language, that parse as one: each sentence by that of its language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Unpack

from bnaparser.errors import ModelError, SettingsError
from bnaparser.models import SHIPPED, model_names, shipped
from bnaparser.models.about import languages
from bnaparser.network.parsing_network import ParsingNetwork
from bnaparser.network.precision import Backend, Precision
from bnaparser.parsing.found_words import unknown_language
from bnaparser.parsing.given import check_language, check_sentences, check_text
from bnaparser.parsing.markup import under_constraints
from bnaparser.parsing.named_constraints import Constraint
from bnaparser.parsing.parser import Parser
from bnaparser.parsing.question import PLAIN, Question, QuestionOptions, asked_question
from bnaparser.parsing.result import Parse, Parses
from bnaparser.parsing.sentence_languages import parse_by_language
from bnaparser.text.sentence import MAX_WORDS, Sentence
from bnaparser.text.split_names import Split
from bnaparser.text.text_rules import (
    TextRules,
    guessing,
    in_language,
    known_as,
    reading,
    rules_of,
)

ENGLISH = "en"
"""The language of the model that ships, and its name."""


def by_language(parsers: Iterable[Parser]) -> dict[str, Parser]:
    """Return parsers by their languages; one of several languages is taken apart, its weights shared.

    Raises SettingsError where two have the same language.
    """
    found: dict[str, Parser] = {}
    for parser in parsers:
        for language in parser.languages:
            if language in found:
                names = f"{found[language].name} and {parser.name}"
                raise SettingsError(f"there are two models for {language!r}, {names}: give one")
            found[language] = parser.in_language(language)
    return found


class Polyglot:
    """Parsers by their languages. ``Polyglot.load("en,runs/es/model")("It rained. Ha llovido.")``.

    The language of each sentence is guessed from its text, unless one is given for all. A sentence in
    one that no parser knows gets an ``error``; so does no other. The language of given words is guessed,
    too, unless their sentence has one; where they tell too little it is the first. ``languages`` are in the order of their parsers;
    ``text`` says how text is read.
    """

    def __init__(self, parsers: Mapping[str, Parser]):
        if not parsers:
            raise SettingsError("a polyglot parser needs a parser: there is none")
        self.parsers = dict(parsers)
        self.languages = tuple(self.parsers)
        self.text = text_in(self, None)

    @classmethod
    def load(
        cls,
        names: str | Sequence[str],
        device: str | None = None,
        batch_tokens: int | None = None,
        precision: Precision = "auto",
        max_words: int = MAX_WORDS,
        backend: Backend = "auto",
    ) -> Polyglot:
        """Load models by their names, a list or with commas between them, each as `Parser.load` does.

        A model may have several languages. Raises ModelError as `Parser.load` does, and SettingsError
        where two models have the same language.
        """
        loaded = [
            Parser.load(name, device, batch_tokens, precision, max_words, backend=backend)
            for name in (model_names(names) if isinstance(names, str) else names)
        ]
        return cls(by_language(loaded))

    @property
    def first(self) -> Parser:
        """The first parser."""
        return self.parsers[self.languages[0]]

    @property
    def reads_tags(self) -> bool:
        """Whether one of the models reads part-of-speech tags."""
        return any(parser.reads_tags for parser in self.parsers.values())

    @property
    def predicts_tags(self) -> bool:
        """Whether all models tag words."""
        return all(parser.predicts_tags for parser in self.parsers.values())

    @property
    def model(self) -> ParsingNetwork:
        """The network of the first parser."""
        return self.first.model

    @property
    def labels(self) -> frozenset[str]:
        """The labels of all parsers, chains among them."""
        return frozenset().union(*(parser.labels for parser in self.parsers.values()))

    @property
    def threads(self) -> int | None:
        """How many threads compute at most, as of `Parser`."""
        return self.first.threads

    @threads.setter
    def threads(self, threads: int | None) -> None:
        for parser in self.parsers.values():
            parser.threads = threads

    def __call__(
        self,
        text: str,
        split: Split = "paragraph",
        constraints: Sequence[Constraint] = (),
        markup: bool = False,
        language: str | None = None,
        **asked: Unpack[QuestionOptions],
    ) -> Parses:
        """Parse a text as `Parser` does; ``language`` is that of all of it, by default guessed."""
        check_text(text, "polyglot.parse_sentences takes sentences")
        rules = self.text if language is None else text_in(self, language)
        sentences, each = under_constraints(text, split, constraints, markup, rules)
        questions = list(map(asked_question(asked).under, each))
        return Parses(self.parse_sentences(sentences, questions=questions))

    def parse_sentences(
        self,
        sentences: Sequence[Sentence],
        tags: Sequence[Sequence[str]] | None = None,
        batch_tokens: int | None = None,
        questions: Question | Sequence[Question] = PLAIN,
    ) -> list[Parse]:
        """Parse sentences as `Parser.parse_sentences` does, each by the parser of its language."""
        check_sentences(sentences)
        return parse_by_language(self.parsers, sentences, tags, batch_tokens, questions)

    def __reduce__(self) -> tuple[Any, ...]:
        parsers = {one: parser.__reduce__()[1:] for one, parser in self.parsers.items()}
        return _loaded_again, (parsers, self.text.named)


def _loaded_again(
    parsers: Mapping[str, tuple[tuple[Any, ...], dict[str, Any]]], named: str | None
) -> Polyglot:
    """Load what was pickled, each model once; each parser is what `Parser.load` takes, and its state."""
    models: dict[tuple[Any, ...], Parser] = {}
    found = {}
    for code, (given, state) in parsers.items():
        *first, of_several, backend = given
        how = (*first, None, backend)  # in no one language
        if how not in models:
            models[how] = Parser.load(*how)
        found[code] = models[how] if of_several is None else models[how].in_language(of_several)
        found[code].__setstate__(state)
    polyglot = Polyglot(found)
    polyglot.text = text_in(polyglot, named)
    return polyglot


def name_for(language: str | None) -> str:
    """Return the model to take where none is named: ``en``, or one that is here for another language.

    Raises SettingsError where none is, and names the languages that there are.
    """
    if language is None or known_as(language, [ENGLISH]):
        return ENGLISH
    from bnaparser.models.packages import installed

    folders = {name: SHIPPED / name for name in shipped()}
    folders |= {one.name: one.folder for one in installed() if not one.problem}
    here: list[str] = []
    for name, folder in folders.items():
        with suppress(ModelError):  # of a damaged one, which keeps nobody from the others
            if known_as(language, known := languages(folder)):
                return name
            here += known
    raise SettingsError(unknown_language(language, sorted(set(here))))


def name_in(name: str, language: str) -> str:
    """Return the model to take for a language where a setting names one: ``en`` is for English alone."""
    return name_for(language) if name == ENGLISH else name


def load_parser(
    names: str,
    language: str | None = None,
    device: str | None = None,
    batch_tokens: int | None = None,
    precision: Precision = "auto",
    max_words: int = MAX_WORDS,
    backend: Backend = "auto",
) -> Parser | Polyglot:
    """Load a parser, or several by names with commas between them, to read text in a ``language``.

    By default it is guessed where there are several. Raises as `Polyglot.load` does, and SettingsError
    for a language that no model knows.
    """
    given = model_names(names)
    loaded = [
        Parser.load(name, device, batch_tokens, precision, max_words, backend=backend)
        for name in given
    ]
    if len(loaded) == 1 and len(loaded[0].languages) == 1:
        parser: Parser | Polyglot = loaded[0]
    else:
        parser = Polyglot(by_language(loaded))
    parser.text = text_in(parser, language)
    return parser


def parser_of(parser: Parser | Polyglot, language: str) -> Parser:
    """Return the parser for one language: that of several, or a model's view of it; else the same.

    Raises SettingsError for a language that the parser does not know.
    """
    if isinstance(parser, Parser):
        return parser.in_language(language)
    check_language(language)
    known = known_as(language, parser.languages)
    if known is None:
        raise SettingsError(unknown_language(language, parser.languages))
    return parser.parsers[known]


def text_in(parser: Parser | Polyglot, language: str | None) -> TextRules:
    """Return how text is read: in a language, or where it is None in those of the parser.

    Raises SettingsError for a language that the parser does not know.
    """
    if language is None:
        return (
            reading(parser.languages) if isinstance(parser, Parser) else guessing(parser.languages)
        )
    check_language(language)
    known = known_as(language, parser.languages)
    if known is None:
        raise SettingsError(unknown_language(language, parser.languages))
    return in_language(rules_of(known), known)
