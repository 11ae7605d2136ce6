"""Several parsers that decide together: of every span and every word, the mean of their scores.

Words are what they share. Each reads them with an encoder and a vocabulary of its own and scores all
labels of all spans; the best tree is looked for once, in the mean of these scores. It is slower than
all of its parsers together, and made to write trees that a single parser learns from.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from bnaparser.errors import SettingsError
from bnaparser.network.averaging import normalised_shares
from bnaparser.network.best_labels import packed_best
from bnaparser.network.committee import Committee
from bnaparser.network.decoding import Prediction, best_trees
from bnaparser.network.prepared import PreparedSentence, forms_of
from bnaparser.network.tag_forms import best_tags
from bnaparser.parsing.answering import ChartModel, answers
from bnaparser.parsing.each_sentence import Given, ParsingLimits, all_given, parse_each
from bnaparser.parsing.found_words import with_words
from bnaparser.parsing.given import check_sentences, each_sentence
from bnaparser.parsing.parser import Parser
from bnaparser.parsing.question import PLAIN, Question, QuestionOptions, asked_question
from bnaparser.parsing.result import Parse, Parses
from bnaparser.parsing.threads import on_one_thread
from bnaparser.text.sentence import Sentence
from bnaparser.text.text_rules import reading

Prepared = tuple[PreparedSentence, ...]
"""A sentence as each of the networks takes it."""


class Ensemble:
    """Loaded parsers that parse as one. ``Ensemble.load(["en", "runs/mine/model"])``.

    ``shares`` say how much each counts: positive numbers of any sum, equal ones where none are
    given. The parsers may know different labels and tags: a label that one does not know scores
    there as the worst that it knows. The temperature is the mean of theirs. Words have tags where all
    parsers predict them. All parsers are for one language, and ``text`` says how its text is read; its
    words are found by those that find words, together. Raises SettingsError where shares are wrong or
    there is no second parser, one of them reads tags, or they are not for one language.
    """

    reads_tags = False

    def __init__(self, parsers: Sequence[Parser], shares: Sequence[float] | None = None):
        self.parsers, self._given_shares = list(parsers), shares
        self.shares = normalised_shares(len(parsers), shares, "an ensemble")
        for parser in parsers:
            if parser.reads_tags:
                raise SettingsError(f"{parser.name} reads tags: it cannot be part of an ensemble")
        self.languages = _same_language(parsers)
        self.text = reading(self.languages)
        self.committee = Committee([parser.model for parser in parsers], self.shares)
        self.labels, self.tags = self.committee.labels, self.committee.tags
        self.predicts_tags = self.committee.predicts_tags

    @classmethod
    def load(
        cls,
        names: Sequence[str | Path],
        shares: Sequence[float] | None = None,
        device: str | None = None,
        language: str | None = None,
    ) -> Ensemble:
        """Load models by their names or folders; of those for several languages the ``language`` is taken.

        Raises as `Parser.load` and the constructor do, and SettingsError where one does not know the
        language.
        """
        if isinstance(names, str | Path):
            raise TypeError(f"give a list of names of models, not one: {str(names)!r}")
        normalised_shares(len(names), shares, "an ensemble")  # before models are loaded
        return cls([Parser.load(name, device, language=language) for name in names], shares)

    def parse_many(
        self,
        sentences: Iterable[Iterable[str]],
        tags: Sequence[Sequence[str]] | None = None,
        **asked: Unpack[QuestionOptions],
    ) -> Parses:
        """Parse sentences of given words as `Parser.parse_many` does; ``tags`` stand in the trees."""
        given = list(each_sentence(sentences))
        return Parses(self.parse_sentences(given, tags, asked_question(asked)))

    def parse_sentences(
        self,
        sentences: Sequence[Sentence],
        tags: Sequence[Sequence[str]] | None = None,
        questions: Question | Sequence[Question] = PLAIN,
    ) -> list[Parse]:
        """Parse tokenized sentences as `Parser.parse_sentences` does."""
        check_sentences(sentences)
        parsers = self.parsers
        voters = [(one.model, share) for one, share in zip(parsers, self.shares, strict=True)]
        limits = ParsingLimits(
            self.reads_tags,
            min(parser.max_words for parser in parsers),
            min(parser.at_once() for parser in parsers),
            min(parser.usable_threads() for parser in parsers),
        )
        sentences, questions = with_words(
            voters, sentences, questions, limits.batch_tokens, limits.threads, limits.max_words
        )
        given = all_given(sentences, tags, questions)
        return parse_each(given, self._prepare, _size, self._predict, limits)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.parsers, self._given_shares)

    def _prepare(self, given: Sequence[Given]) -> list[Prepared]:
        untagged = [one._replace(tags=None) for one in given]
        return list(zip(*(parser.prepare(untagged) for parser in self.parsers), strict=True))

    def _predict(self, batch: Sequence[tuple[Prepared, Question]]) -> Sequence[Prediction | str]:
        """Parse one batch of sentences, each prepared by every parser."""
        committee = self.committee
        with ExitStack() as stack:
            for model in committee.networks:
                stack.enter_context(model.inference())
            stack.enter_context(on_one_thread())
            of_each = zip(*(one for one, _ in batch), strict=True)
            encoded = [
                model.encode(prepared)
                for model, prepared in zip(committee.networks, of_each, strict=True)
            ]
            scores = committee.mean_scores(encoded)
            tags = self._tags(encoded, [prepared[0] for prepared, _ in batch])
        lengths, empty_root = encoded[0].lengths, committee.allow_empty_root
        if not all(question.plain for _, question in batch):
            known = ChartModel(self.labels, empty_root, committee.temperature)
            return answers(scores, lengths, [question for _, question in batch], known, tags)
        labels = scores[:, 1:].argmax(axis=1).astype(np.int32) + 1
        best = np.take_along_axis(scores, labels[:, None], axis=1)[:, 0]
        packed = packed_best(best, labels, lengths, empty_root)
        return best_trees(packed, lengths, self.labels, tags)

    def _tags(
        self, encoded: Sequence[Any], batch: Sequence[PreparedSentence]
    ) -> list[list[str] | None]:
        """Return the tag of most mean probability of every word that its form allows; None where none are predicted."""
        lengths, committee = encoded[0].lengths, self.committee
        if not self.predicts_tags:
            return [None] * len(lengths)
        allowed = committee.allowed_tags[forms_of(batch)]
        numbers = iter(best_tags(committee.mean_tags(encoded), allowed))
        return [[self.tags.names[next(numbers)] for _ in range(n)] for n in lengths]


def _same_language(parsers: Sequence[Parser]) -> tuple[str, ...]:
    """Return the language that all parsers are for; SettingsError where there is no such one."""
    known = [parser.languages for parser in parsers]
    if len(known[0]) == 1 and all(languages == known[0] for languages in known):
        return known[0]
    told = "; ".join(
        f"{one.name or 'a model in memory'} is for {', '.join(one.languages)}" for one in parsers
    )
    raise SettingsError(f"an ensemble is for one language: {told}; say which, or leave one out")


def _size(prepared: Prepared) -> int:
    return max(one.size for one in prepared)
