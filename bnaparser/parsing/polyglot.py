"""Several parsers, one for each language, that parse as one: each sentence by that of its language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Unpack

from bnaparser import models
from bnaparser.errors import SettingsError
from bnaparser.network.parsing_network import ParsingNetwork
from bnaparser.network.precision import Precision, load_network
from bnaparser.parsing.found_words import unknown_language
from bnaparser.parsing.given import check_text
from bnaparser.parsing.markup import under_constraints
from bnaparser.parsing.named_constraints import Constraint
from bnaparser.parsing.parser import Parser
from bnaparser.parsing.question import PLAIN, Question, QuestionOptions
from bnaparser.parsing.result import Parse, Parses
from bnaparser.text.sentence import MAX_WORDS, Sentence
from bnaparser.text.split_names import Split
from bnaparser.text.text_rules import TextRules, guessing, in_language, known_as, rules_of


def model_names(names: str) -> list[str]:
    """Return names of models that stand in one text with commas between them."""
    if Path(names).exists():
        return [names]
    return [name.strip() for name in names.split(",") if name.strip()] or [names]


def in_one_language(network: ParsingNetwork, language: str) -> ParsingNetwork:
    """Return a network, or of one for several languages its view in this one."""
    return network.for_language(language) if network.by_language else network


class Polyglot:
    """Parsers by their languages. ``Polyglot.load("en,runs/es/model")("It rained. Ha llovido.")``.

    The language of each sentence is guessed from its text, unless one is given for all. A sentence in
    one that no parser knows gets an ``error``; so does no other. Given words are read by the first
    parser, unless their sentence has a language. ``languages`` are in the order of their parsers.
    """

    def __init__(self, parsers: Mapping[str, Parser]):
        if not parsers:
            raise SettingsError("a polyglot parser needs a parser: there is none")
        self.parsers = dict(parsers)
        self.languages = tuple(self.parsers)
        self.text = self.text_in(None)

    @classmethod
    def load(
        cls,
        names: str,
        device: str | None = None,
        batch_tokens: int | None = None,
        precision: Precision = "auto",
        max_words: int = MAX_WORDS,
    ) -> Polyglot:
        """Load models by their names, with commas between them, each as `Parser.load` does.

        A model may have several languages. Raises ModelError as `Parser.load` does, and SettingsError
        where two models have the same language.
        """
        parsers: dict[str, Parser] = {}
        for name in model_names(names):
            network = load_network(models.find(name), device, precision)
            for language in network.settings.text.languages:
                if language in parsers:
                    other = parsers[language].name
                    raise SettingsError(f"two models for {language!r}: {other} and {name}")
                parser = Parser(in_one_language(network, language), batch_tokens, max_words)
                parser.name = name
                parsers[language] = parser
        return cls(parsers)

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

    def text_in(self, language: str | None) -> TextRules:
        """Return how text is read: in a language, or in those that are guessed where it is None.

        Raises SettingsError for a language that no parser knows.
        """
        if language is None:
            return guessing(self.languages)
        known = known_as(language, self.languages)
        if known is None:
            raise SettingsError(unknown_language(language, self.languages))
        return in_language(rules_of(known))

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
        rules = self.text_in(language)
        sentences, each = under_constraints(text, split, constraints, markup, rules)
        questions = list(map(Question(**asked).under, each))
        return Parses(self.parse_sentences(sentences, questions=questions))

    def parse_sentences(
        self,
        sentences: Sequence[Sentence],
        tags: Sequence[Sequence[str]] | None = None,
        batch_tokens: int | None = None,
        questions: Question | Sequence[Question] = PLAIN,
    ) -> list[Parse]:
        """Parse sentences as `Parser.parse_sentences` does, each by the parser of its language."""
        if isinstance(questions, Question):
            questions = [questions] * len(sentences)
        asked = list(questions)
        groups: dict[str, list[int]] = {}
        for place, sentence in enumerate(sentences):
            language = sentence.language or self.languages[0]
            known = known_as(language, self.languages)
            if known is None:
                asked[place] = asked[place].under(unknown_language(language, self.languages))
            groups.setdefault(known or self.languages[0], []).append(place)
        found: dict[int, Parse] = {}
        for language, places in groups.items():
            rows = None if tags is None else [tags[place] for place in places]
            parses = self.parsers[language].parse_sentences(
                [sentences[place] for place in places],
                rows,
                batch_tokens,
                [asked[place] for place in places],
            )
            found.update(zip(places, parses, strict=True))
        return [found[place] for place in range(len(sentences))]
