"""Sentences in the queue of which more is wanted than the best tree, and how their text is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bnaparser.parsing.question import PLAIN, Question
from bnaparser.parsing.result import Parse
from bnaparser.server.queue.batcher import Work
from bnaparser.server.queue.waiting import Rows
from bnaparser.text.sentence import Sentence
from bnaparser.text.text_rules import TextRules, in_language, known_as

if TYPE_CHECKING:
    from bnaparser.parsing.parser import Parser
    from bnaparser.parsing.polyglot import Polyglot


@dataclass(frozen=True)
class AskedSentence(Sentence):
    """A sentence, and what is wanted of it."""

    question: Question = PLAIN


def asking(sentence: Sentence, question: Question) -> Sentence:
    """Return the sentence with its question."""
    if question.plain:
        return sentence
    return AskedSentence(
        sentence.text,
        sentence.words,
        sentence.offsets,
        question,
        language=sentence.language,
        pieces=sentence.pieces,
    )


def parsing_by(parser: Parser | Polyglot) -> Work[Sentence, Parse]:
    """Return what parses a batch of such sentences and of others."""

    def work(sentences: Sequence[Sentence], tags: Rows) -> list[Parse]:
        questions = [one.question if isinstance(one, AskedSentence) else PLAIN for one in sentences]
        if all(question.plain for question in questions):
            return parser.parse_sentences(sentences, tags)
        return parser.parse_sentences(sentences, tags, questions=questions)

    return work


def each_of(parser: Parser | Polyglot) -> list[Parser]:
    """Return a parser, or each of several."""
    from bnaparser.parsing.polyglot import Polyglot

    return list(parser.parsers.values()) if isinstance(parser, Polyglot) else [parser]


def first_of(parser: Parser | Polyglot) -> Parser:
    """Return a parser; of several the first, which reads sentences that do not say their language."""
    return each_of(parser)[0]


def read_in(parser: Parser | Polyglot, language: str | None) -> TextRules:
    """Return how text is read in a language, by default in what the parser was loaded for.

    In one that it does not know each sentence will get an error in its place.
    """
    if language is None:
        return parser.text
    if known_as(language, parser.languages) is None:
        return in_language(parser.text, language)
    from bnaparser.parsing.polyglot import text_in

    return text_in(parser, language)
