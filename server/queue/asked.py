"""Sentences in the queue of which more is wanted than the best tree, and how their text is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bnaparser.parsing.options import PLAIN, Question
from bnaparser.parsing.result import Parse
from bnaparser.server.queue.batcher import Work
from bnaparser.server.queue.waiting import Rows
from bnaparser.text.sentence import Sentence
from bnaparser.text.text_rules import TextRules, match_language

if TYPE_CHECKING:
    from bnaparser.parsing.parser import Parser


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


# What a sentence costs: the time that it takes on a core, in that of a word of an ordinary sentence (0.55 ms with `en`).
# Measured in batches of sentences of 1 to 500 words. The chart takes a part that grows with the square of the words,
# and so do probabilities. A sentence of 24 words costs 24.
_OF_A_SENTENCE, _OF_A_WORD = 2.0, 0.9
_WORDS_SQUARED, _SQUARED_FOR_PROBABILITIES = 800, 600
_OF_A_CONSTRAINT, _OF_A_TREE_MORE = 0.5, 1 / 400
# The encoder reads subwords: in ASCII some six letters (with the blank) each, in other scripts as many as there
# are bytes above one a letter, in half; of one word at most so many.
_LETTERS_OF_A_SUBWORD, _OF_A_FURTHER_BYTE, _MOST_SUBWORDS = 6, 0.5, 64


def cost_of(sentence: Sentence) -> float:
    """Return about how long a sentence takes, in the time that a word of an ordinary sentence takes."""
    words, text = max(1, len(sentence.words)), sentence.text
    further = 0 if text.isascii() else len(text.encode(errors="replace")) - len(text)
    subwords = len(text) / _LETTERS_OF_A_SUBWORD + further * _OF_A_FURTHER_BYTE
    cost = _OF_A_SENTENCE + _OF_A_WORD * max(words, min(subwords, _MOST_SUBWORDS * words))
    cost += words * words / _WORDS_SQUARED
    if isinstance(sentence, AskedSentence):
        question = sentence.question
        if question.probabilities or question.decoder != "best":
            cost += words * words / _SQUARED_FOR_PROBABILITIES
        cost += _OF_A_CONSTRAINT * len(question.constraints)
        cost += _OF_A_TREE_MORE * words * (question.n_best - 1)
    return cost


def parsing_by(parser: Parser) -> Work[Sentence, Parse]:
    """Return what parses a batch of such sentences and of others."""

    def work(sentences: Sequence[Sentence], tags: Rows) -> list[Parse]:
        questions = [one.question if isinstance(one, AskedSentence) else PLAIN for one in sentences]
        if all(question.plain for question in questions):
            return parser.parse_sentences(sentences, tags)
        return parser.parse_sentences(sentences, tags, questions=questions)

    return work


def read_in(parser: Parser, language: str | None) -> TextRules:
    """Return how text is read in a language, by default in what the parser was loaded for.

    In one that it does not know each sentence will get an error in its place.
    """
    if language is None:
        return parser.text
    known = match_language(language, parser.languages)
    return parser.text.with_language(language) if known is None else parser.text_rules(known)
