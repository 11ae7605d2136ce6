"""From what a JSON request asks to sentences, each with its question: n best trees, constraints and so on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bnaparser.errors import SentenceError
from bnaparser.parsing.constraints import Constraint, in_words
from bnaparser.parsing.markup import unmark
from bnaparser.parsing.question import Dependencies, Question
from bnaparser.server.bounds import check_count
from bnaparser.server.problems import Unprocessable
from bnaparser.server.queue.asked import asking
from bnaparser.server.rest.schemas import (
    ConstraintBody,
    DependenciesBody,
    Options,
    SentencesRequest,
    TextRequest,
    TokensRequest,
)
from bnaparser.server.service_settings import ServerSettings
from bnaparser.text.sentence import Sentence, from_words
from bnaparser.text.split_names import Split
from bnaparser.text.splitting import read_sentences, tokenize


def question_of(request: Options, settings: ServerSettings) -> Question:
    """Return what is asked of every sentence. Raises Unprocessable for more trees than are allowed."""
    if request.n_best > settings.max_n_best:
        raise Unprocessable(
            f"n_best is {request.n_best:,}: this service gives {settings.max_n_best:,} trees of a"
            " sentence at most"
        )
    return Question(
        request.n_best, request.probabilities, request.decoder, request.temperature, request.seed
    )


def asked_of_text(request: TextRequest, question: Question, split: Split) -> list[Sentence]:
    """Return the sentences of a text. Raises Unprocessable for markup that cannot be read."""
    text, constraints = request.text, _constraints(request.constraints, "constraints")
    if request.markup:
        try:
            text, marked = unmark(text)
        except SentenceError as error:
            raise Unprocessable(f"text: {error}") from None
        if constraints:
            raise Unprocessable(
                "give constraints or markup, not both: places would be of two texts"
            )
        constraints = marked
    sentences = read_sentences(text, split)
    if constraints and split in ("line", "token") and len(sentences) > 1:
        raise Unprocessable(
            f"with split {split} places count in a line, which constraints and markup do not name:"
            " give sentences or tokens"
        )
    return _under(sentences, question, in_words(constraints, sentences))


def asked_of_sentences(request: SentencesRequest, question: Question) -> list[Sentence]:
    """Return the sentences that were given. Raises Unprocessable where lists do not fit."""
    sentences = [tokenize(text) for text in request.sentences]
    rows = _rows(request.constraints, len(sentences))
    each = [in_words(row, [one])[0] for row, one in zip(rows, sentences, strict=True)]
    return _under(sentences, question, each)


def asked_of_tokens(request: TokensRequest, question: Question) -> list[Sentence]:
    """Return the sentences whose words were given. Raises Unprocessable where lists do not fit."""
    sentences = [from_words(words) for words in request.tokens]
    trees = request.dependencies
    if trees is not None and len(trees) != len(sentences):
        raise Unprocessable(
            f"there are {len(trees)} dependencies for {len(sentences)} sentences: give one for each"
        )
    questions = [question] * len(sentences)
    if trees is not None:
        questions = [replace(question, dependencies=_dependencies(tree)) for tree in trees]
    rows = _rows(request.constraints, len(sentences))
    return [
        asking(sentence, asked.under(row))
        for sentence, asked, row in zip(sentences, questions, rows, strict=True)
    ]


def check_trees(sentences: int, question: Question, settings: ServerSettings) -> None:
    """Raise TooLarge for more trees altogether than a request may have sentences."""
    if question.n_best > 1:
        check_count(sentences * question.n_best, "trees", settings)


def _under(
    sentences: Sequence[Sentence], question: Question, each: Sequence[list[Constraint] | str]
) -> list[Sentence]:
    return [
        asking(sentence, question.under(row)) for sentence, row in zip(sentences, each, strict=True)
    ]


def _rows(given: Sequence[Sequence[ConstraintBody]] | None, count: int) -> list[list[Constraint]]:
    if given is None:
        return [[]] * count
    if len(given) != count:
        raise Unprocessable(
            f"there are {len(given)} lists of constraints for {count} sentences: give one for each"
        )
    return [_constraints(row, f"constraints[{number}]") for number, row in enumerate(given)]


def _constraints(given: Sequence[ConstraintBody], place: str) -> list[Constraint]:
    found = []
    for number, one in enumerate(given):
        try:
            labels = tuple(one.labels)
            found.append(Constraint(one.kind, one.start, one.end, labels, one.amount, one.tag))
        except ValueError as error:
            raise Unprocessable(f"{place}[{number}]: {error}") from None
    return found


def _dependencies(given: DependenciesBody | None) -> Dependencies | None:
    if given is None:
        return None
    marks = None if given.punctuation is None else tuple(given.punctuation)
    return Dependencies(tuple(given.heads), marks, given.malus)
