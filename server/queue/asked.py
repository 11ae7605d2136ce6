"""Sentences in the queue of which more is wanted than the best tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bnaparser.parsing.question import PLAIN, Question
from bnaparser.parsing.result import Parse
from bnaparser.server.queue.batcher import Work
from bnaparser.server.queue.waiting import Rows
from bnaparser.text.sentence import Sentence

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
