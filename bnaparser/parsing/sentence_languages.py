"""Sentences of several languages, each parsed by the parser of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from bnaparser.parsing.found_words import unknown_language
from bnaparser.parsing.given import rows_of_tags
from bnaparser.parsing.question import Question
from bnaparser.parsing.result import Parse
from bnaparser.text.sentence import Sentence
from bnaparser.text.text_rules import known_as, seeming_language


class ParsesSentences(Protocol):
    """What a `Parser` is here."""

    def parse_sentences(
        self,
        sentences: Sequence[Sentence],
        tags: Sequence[Sequence[str]] | None = None,
        batch_tokens: int | None = None,
        questions: Question | Sequence[Question] = ...,
    ) -> list[Parse]:
        """Return a Parse of each sentence."""
        ...


def parse_by_language(
    parsers: Mapping[str, ParsesSentences],
    sentences: Sequence[Sentence],
    tags: Sequence[Sequence[str]] | None,
    batch_tokens: int | None,
    questions: Question | Sequence[Question],
) -> list[Parse]:
    """Parse sentences as `Parser.parse_sentences` does; a Parse each, in order.

    A sentence of no language, of words that were given, is in the one that it seems to be in, or the
    first. One in a language that no parser knows has an ``error``.
    """
    if isinstance(questions, Question):
        questions = [questions] * len(sentences)
    asked, known = list(questions), tuple(parsers)
    if len(asked) != len(sentences):
        raise ValueError(f"{len(asked)} questions for {len(sentences)} sentences")
    given = None if tags is None else rows_of_tags(tags)
    if given is not None and len(given) != len(sentences):
        raise ValueError(f"{len(given)} lists of tags for {len(sentences)} sentences")
    groups: dict[str, list[int]] = {}
    told = list(sentences)
    for place, sentence in enumerate(sentences):
        language = sentence.language or seeming_language(sentence.text, known)
        own = known_as(language, known)
        if own is None:
            asked[place] = asked[place].under(unknown_language(language, known))
        elif sentence.language is None:
            told[place] = replace(sentence, language=own)
        groups.setdefault(own or known[0], []).append(place)
    found: dict[int, Parse] = {}
    for language, places in groups.items():
        rows = None if given is None else [given[place] for place in places]
        parses = parsers[language].parse_sentences(
            [told[place] for place in places],
            rows,
            batch_tokens,
            [asked[place] for place in places],
        )
        found.update(zip(places, parses, strict=True))
    return [found[place] for place in range(len(sentences))]
