"""From what a JSON request asks to sentences, each with its question: n best trees, constraints and so on.

Whatever is wrong with a question is the error of its sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bnaparser.parsing.markup import under_constraints
from bnaparser.parsing.named_constraints import Constraint, in_words
from bnaparser.parsing.options import Dependencies, Question
from bnaparser.server.bounds import check_count
from bnaparser.server.queue.asked import asking
from bnaparser.server.rest.request_schemas import (
    ConstraintBody,
    DependenciesBody,
    Options,
    SentencesRequest,
    TextRequest,
    TokensRequest,
)
from bnaparser.server.service_settings import ServerSettings
from bnaparser.text.sentence import Sentence, Split, from_words
from bnaparser.text.splitting import read_sentences
from bnaparser.text.text_rules import ENGLISH, TextRules

Known = list[Constraint] | str
"""What is known of a sentence, or why that cannot be used."""

# Constraints of a sentence, and labels in them: of each word so many, and some more in any sentence. A
# whole tree with its tags has about five a word.
_KNOWN_A_WORD = 20
_KNOWN_OF_ANY = 100


def question_of(request: Options, settings: ServerSettings) -> Question:
    """Return what is asked of every sentence."""
    question = Question(
        min(request.n_best, settings.max_n_best),
        request.probabilities,
        request.decoder,
        request.temperature,
        request.seed,
    )
    if request.n_best <= settings.max_n_best:
        return question
    most = f"this service gives {settings.max_n_best:,} trees of a sentence at most"
    return replace(question, n_best=1, problem=f"n_best is {request.n_best:,}: {most}")


def asked_of_text(
    request: TextRequest, question: Question, split: Split, rules: TextRules = ENGLISH
) -> list[Sentence]:
    """Return the sentences of a text."""
    given = _constraints(request.constraints)
    try:
        constraints = [] if isinstance(given, str) else given
        sentences, each = under_constraints(request.text, split, constraints, request.markup, rules)
    except ValueError as error:
        sentences, given = read_sentences(request.text, split, rules), str(error)
        each = []
    if isinstance(given, str):
        each = [given] * len(sentences)
    return _under(sentences, question, each)


def asked_of_sentences(
    request: SentencesRequest, question: Question, rules: TextRules = ENGLISH
) -> list[Sentence]:
    """Return the sentences that were given."""
    sentences = [rules.sentence(text) for text in request.sentences]
    each = [
        row if isinstance(row, str) else in_words(row, [one])[0]
        for row, one in zip(_rows(request.constraints, len(sentences)), sentences, strict=True)
    ]
    return _under(sentences, question, each)


def asked_of_tokens(
    request: TokensRequest, question: Question, rules: TextRules = ENGLISH
) -> list[Sentence]:
    """Return the sentences whose words were given."""
    sentences = [rules.of_words(from_words(words)) for words in request.tokens]
    trees = request.dependencies
    questions = [question] * len(sentences)
    if trees is not None and len(trees) != len(sentences):
        problem = f"there are {len(trees)} dependencies for {len(sentences)} sentences"
        questions = [replace(question, problem=f"{problem}: give one for each")] * len(sentences)
    elif trees is not None:
        questions = [replace(question, dependencies=_dependencies(tree)) for tree in trees]
    rows = _rows(request.constraints, len(sentences))
    return [
        asking(sentence, asked.under(_bounded(row, sentence)))
        for sentence, asked, row in zip(sentences, questions, rows, strict=True)
    ]


def check_trees(sentences: int, question: Question, settings: ServerSettings) -> None:
    """Raise TooLarge for more trees altogether than a request may have sentences."""
    if question.n_best > 1:
        check_count(sentences * question.n_best, "trees", settings)


def _under(
    sentences: Sequence[Sentence], question: Question, each: Sequence[Known]
) -> list[Sentence]:
    return [
        asking(sentence, question.under(_bounded(known, sentence)))
        for sentence, known in zip(sentences, each, strict=True)
    ]


def _bounded(known: Known, sentence: Sentence) -> Known:
    """Return what is known of a sentence, or that it is too much: others wait while it is looked through."""
    if isinstance(known, str):
        return known
    count = sum(1 + len(one.labels) for one in known)
    most = _KNOWN_OF_ANY + _KNOWN_A_WORD * len(sentence.words)
    if count <= most:
        return known
    return (
        f"there are {count:,} constraints and labels of them, more than the {most:,} that this"
        f" service takes of a sentence of {len(sentence.words):,} words"
    )


def _rows(given: Sequence[Sequence[ConstraintBody]] | None, count: int) -> list[Known]:
    if given is None:
        return [[]] * count
    if len(given) != count:
        problem = f"there are {len(given)} lists of constraints for {count} sentences"
        return [f"{problem}: give one for each"] * count
    return list(map(_constraints, given))


def _constraints(given: Sequence[ConstraintBody]) -> Known:
    found = []
    for number, one in enumerate(given, 1):
        try:
            labels = tuple(one.labels)
            found.append(Constraint(one.kind, one.start, one.end, labels, one.amount, one.tag))
        except ValueError as error:
            return f"constraint {number}: {error}"
    return found


def _dependencies(given: DependenciesBody | None) -> Dependencies | None:
    if given is None:
        return None
    marks = None if given.punctuation is None else tuple(given.punctuation)
    return Dependencies(tuple(given.heads), marks, given.malus)
