"""The answers of the REST interface, as pydantic models."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from fastapi import Response
from pydantic import BaseModel, Field

from bnaparser.errors import shortened
from bnaparser.parsing.result import Parse
from bnaparser.server.problems import MOST_CHARACTERS
from bnaparser.server.queue.search_process import MOST_SHOWN
from bnaparser.server.queue.threads import Steps
from bnaparser.server.rest.requests import JSON, PLAIN, Format
from bnaparser.trees.clauses.partition import Kind

if TYPE_CHECKING:
    from bnaparser.tasks.classifier import Classification


class Token(BaseModel):
    """A word; ``start`` and ``end`` are its offsets in code points, end-exclusive."""

    text: str
    tag: str
    start: int
    end: int


class Constituent(BaseModel):
    """A constituent: ``start`` and ``end`` are word numbers, end-exclusive, the others code points."""

    label: str
    start: int
    end: int
    char_start: int
    char_end: int
    score: float | None = Field(default=None, description="absent with scores false")
    probability: float | None = Field(
        default=None,
        description="with probabilities true; constituents of a chain have the probability of the chain",
    )


class Segment(BaseModel):
    """Consecutive words: word numbers and offsets in code points, end-exclusive."""

    start: int
    end: int
    char_start: int
    char_end: int
    text: str


class Clause(BaseModel):
    """A clause of a sentence."""

    kind: Kind
    text: str = Field(description="the words of the clause, with a blank between segments")
    label: str = Field(description="the label of its node in the tree")
    head: int | None = Field(
        description="number of the clause on which it depends, from 0; null for the main clause"
    )
    marker: Segment | None = Field(
        description="words that introduce the clause, such as because, who, and"
    )
    verb: Segment | None = Field(description="its main verb")
    segments: list[Segment] = Field(
        description="the words of the clause, without clauses inside it"
    )


class Alternative(BaseModel):
    """A further tree of a sentence."""

    tree: str
    score: float | None = Field(default=None, description="absent with scores false")
    probability: float | None = None
    confidence: float | None = None
    entropy: float | None = None
    constituents: list[Constituent] | None = Field(default=None, description="with format json")
    svg: str | None = Field(default=None, description="with format svg")
    clauses: list[Clause] | None = Field(default=None, description="with format clauses")


class Entry(BaseModel):
    """One sentence: its tree, or the reason why it has none in ``error``."""

    text: str = Field(description="the sentence, as in the request")
    tree: str | None = Field(description="the bracketed tree; null after an error")
    error: str | None = Field(description="why there is no tree; null where there is one")
    score: float | None = Field(default=None, description="absent with scores false")
    tokens: list[Token] | None = Field(default=None, description="with format json")
    constituents: list[Constituent] | None = Field(
        default=None, description="with format json: in pre-order"
    )
    svg: str | None = Field(default=None, description="with format svg; null after an error")
    clauses: list[Clause] | None = Field(
        default=None, description="with format clauses; null after an error"
    )
    language: str | None = Field(
        default=None, description="language of the sentence, detected or set, such as en"
    )
    probability: float | None = Field(
        default=None, description="probability of the tree, with probabilities true"
    )
    confidence: float | None = Field(
        default=None, description="mean probability of the constituents, with probabilities true"
    )
    entropy: float | None = Field(
        default=None,
        description="entropy over all trees of the sentence in nats, with probabilities true",
    )
    alternatives: list[Alternative] | None = Field(
        default=None, description="the further trees, in order, with n_best above 1"
    )


class Answer(BaseModel):
    """The sentences of a request, in order, each with its tree or its error."""

    model: str
    parses: list[Entry]


class AnswerSpan(BaseModel):
    """A part of the passage that may answer the question."""

    text: str
    start: int = Field(description="its first character in the passage, from 0")
    end: int = Field(description="the character after its last one")
    probability: float = Field(description="probability among the listed answers and no answer")


class ClassifyEntry(BaseModel):
    """The prediction for one text, or the reason in ``error`` why there is none."""

    label: str | None = Field(description="most probable class")
    probabilities: dict[str, float] = Field(description="probability of each class")
    trees: list[str | None] = Field(
        description="the bracketed tree of each sentence; null if it could not be parsed"
    )
    error: str | None = Field(
        description="why there is no answer, or which sentence has no tree; a text with such a sentence is"
        " classified by the plain encoder, and has a label"
    )
    score: float | None = Field(default=None, description="for regression models")
    tags: list[str] | None = Field(
        default=None, description="for tagging models: one tag for each word"
    )
    answer: str | None = Field(
        default=None,
        description="for question answering models: the best answer, empty if the passage has none",
    )
    answers: list[AnswerSpan] | None = Field(
        default=None, description="for question answering models: the best answers, best first"
    )


class ClassifyAnswer(BaseModel):
    """The predictions for the texts of a request, in order."""

    model: str
    answers: list[ClassifyEntry]


class FoundNode(BaseModel):
    """A node or word, with its label; ``start`` and ``end`` are word numbers, end-exclusive."""

    label: str
    start: int
    end: int


class FoundMatch(FoundNode):
    """A node that the pattern matches, with the first way in which it matches."""

    number: int = Field(
        description="number of the node among all nodes and words of the tree, in pre-order, from 1"
    )
    names: dict[str, FoundNode] = Field(description="the nodes that the pattern names")
    strings: dict[str, str] = Field(description="texts that regular expressions captured")


class SearchedTree(BaseModel):
    """The matches in one tree, or the reason in ``error`` why the tree cannot be read."""

    count: int
    matches: list[FoundMatch]
    error: str | None


class SearchAnswer(BaseModel):
    """The matches in the trees of a request, in order, or what is wrong with the pattern."""

    count: int = Field(description="number of matching nodes in all trees")
    hits: int = Field(description="number of trees with a match")
    trees: list[SearchedTree] = Field(
        description=f"in order; at most {MOST_SHOWN:,} matches are listed, and all are counted"
    )
    notes: list[str] = Field(
        description="a sentence for each label or word of the pattern that is in none of the trees"
    )
    error: str | None = Field(description="what is wrong with the pattern; null if it is correct")
    column: int | None = Field(
        description="place of the mistake in the pattern, from 1; null without an error"
    )


class Limits(BaseModel):
    """The limits on a request."""

    body_bytes: int
    characters: int
    sentences: int
    words_a_sentence: int
    words: int = Field(description="words of all sentences")
    n_best: int = Field(description="trees for each sentence")
    json_depth: int
    deadline_seconds: float


class Model(BaseModel):
    """A model that the service parses with."""

    name: str
    license: str = Field(description="licence of the model; empty if its folder does not name one")
    license_note: str = Field(description="reason for the licence, in a sentence")
    version: str = Field(description="version of bnaparser")
    device: str
    languages: list[str] = Field(description="language codes such as en")
    predicts_tags: bool = Field(description="if false, every tag is XX, unless a request has tags")
    labels: list[str] = Field(description="labels of constituents")
    limits: Limits


class ClassifierModel(BaseModel):
    """A model that the service classifies with."""

    name: str
    license: str = Field(description="licence of the model; empty if its folder does not name one")
    license_note: str = Field(description="reason for the licence, in a sentence")
    version: str = Field(description="version of bnaparser")
    device: str
    kind: Literal["classification", "regression", "tagging", "relations", "answers"]
    language: str = Field(description="language of the texts, a code such as en")
    pairs: bool = Field(
        description="true if a text is a pair of texts, such as a question and its passage"
    )
    labels: list[str] = Field(
        description="classes of texts, or tags of words; empty for regression"
    )


class ModelList(BaseModel):
    """The models that are loaded; `classifiers` is empty if the service has none."""

    models: list[Model]
    classifiers: list[ClassifierModel]


class State(BaseModel):
    """The state of the process."""

    status: Literal["live", "ready"]


class ProblemBody(BaseModel):
    """What every error looks like (RFC 9457)."""

    type: str = Field(description="names the kind of problem, for programs")
    title: str
    status: int
    detail: str = Field(description="what is wrong, and where, in one sentence")
    request_id: str | None = Field(description="names this request in the service's log")


def words_example(with_scores: bool) -> dict[str, Any]:
    """Return the example of an answer with format json."""
    score = {"score": 9.5} if with_scores else {}
    return {
        "text": "It rained.",
        "tree": "(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))",
        **score,
        "tokens": [
            {"text": "It", "tag": "PRP", "start": 0, "end": 2},
            {"text": "rained", "tag": "VBD", "start": 3, "end": 9},
            {"text": ".", "tag": ".", "start": 9, "end": 10},
        ],
        "constituents": [
            {"label": label, "start": start, "end": end, "char_start": first, "char_end": last}
            | ({"score": part} if with_scores else {})
            for label, start, end, first, last, part in (
                ("S", 0, 3, 0, 10, 4.0),
                ("NP", 0, 1, 0, 2, 3.0),
                ("VP", 1, 2, 3, 9, 2.5),
            )
        ],
        "error": None,
    }


Result = TypeVar("Result")

ERRORS_HEADER = "X-Sentence-Errors"
ERRORS_HEADER_DESCRIBED = {
    "description": "plain text only: the lines of the answer that stayed empty, and why",
    "schema": {"type": "string"},
}
# Proxies refuse headers of more than some kilobytes.
_HEADER_CHARACTERS = 2_000
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]+")


def write_json(model: str, parses: Sequence[Parse], form: Format, scores: bool) -> Steps[Response]:
    """Return the parses as JSON, ``Answer``, with a pause after each tree."""
    parts = [f'{{"model": {_json(model)}, "parses": ['.encode()]
    for number, one in enumerate(parses):
        parts += [b", "] if number else []
        yield from _write_parse(parts, one, form, scores)
    parts.append(b"]}")
    content = b"".join(parts)
    parts.clear()
    return Response(content, media_type=JSON)


def write_plain(parses: Sequence[Parse | None]) -> Response:
    """Return a tree a line; empty lines for None, an empty line, and for a sentence with an error."""
    trees = ["" if parse is None or parse.tree is None else str(parse.tree) for parse in parses]
    return plain_response(trees, [None if parse is None else parse.error for parse in parses])


def write_classified(model: str, answers: Sequence[Classification]) -> Response:
    """Return the answers as JSON: ``ClassifyAnswer``."""
    entries = [answer.to_dict() for answer in answers]
    for entry in entries:
        if entry["error"] is not None:
            entry["error"] = shortened(entry["error"], MOST_CHARACTERS)
    return json_response({"model": model, "answers": entries})


def write_classified_lines(answers: Sequence[Classification | None]) -> Response:
    """Return an answer a line, an empty line for None."""
    lines = ["" if answer is None else answer.to_text() for answer in answers]
    errors = [None if answer is None else answer.error for answer in answers]
    return plain_response(lines, errors)


def json_response(answer: dict[str, Any]) -> Response:
    """Return an answer as JSON, UTF-8."""
    return Response(_json(answer).encode(), media_type=JSON)


def plain_response(lines: Sequence[str], errors: Sequence[str | None]) -> Response:
    """Return lines as plain text, UTF-8; the header X-Sentence-Errors has the lines' errors."""
    header = errors_header(errors)
    headers = {ERRORS_HEADER: header} if header else None
    content = "".join(f"{line}\n" for line in lines).encode()
    return Response(content, media_type=PLAIN, headers=headers)


def in_place(lines: Sequence[object | None], found: Iterable[Result]) -> list[Result | None]:
    """Return what was found for each line that is not empty, in order; None for an empty one."""
    remaining = iter(found)
    return [None if line is None else next(remaining) for line in lines]


def errors_header(found: Sequence[str | None]) -> str | None:
    """Return the header with the errors, each with its line, as far as they fit."""
    errors = [f"{number}: {error}" for number, error in enumerate(found, 1) if error is not None]
    shown: list[str] = []
    room = _HEADER_CHARACTERS
    for error in errors:
        written = _CONTROLS.sub(" ", error).encode("ascii", errors="backslashreplace").decode()
        room -= len(written) + 2
        if room < 0:
            break
        shown.append(written)
    if len(shown) < len(errors):
        shown.append(f"and {len(errors) - len(shown)} more")
    return "; ".join(shown) or None


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _write_parse(parts: list[bytes], parse: Parse, form: Format, scores: bool) -> Steps[None]:
    """Append the JSON of a parse. Each tree is written before the next one's dictionaries are made: they take far more."""
    entry = replace(parse, alternatives=()).to_dict()
    if parse.error is not None:
        entry["error"] = shortened(parse.error, MOST_CHARACTERS)
    written = _json(_fitted(entry, parse, form, scores)).encode()
    yield
    if not parse.alternatives:
        parts.append(written)
        return
    parts += [written.removesuffix(b"}"), b', "alternatives": [']
    for number, one in enumerate(parse.alternatives):
        parts += [b", "] if number else []
        parts.append(_json(_fitted(one.to_alternative(), one, form, scores)).encode())
        yield
    parts.append(b"]}")


def _fitted(entry: dict[str, Any], parse: Parse, form: Format, scores: bool) -> dict[str, Any]:
    """Return which fields of a tree's entry a request needs."""
    if form != "json":
        entry.pop("tokens", None)
        del entry["constituents"]
    if form == "svg":
        entry["svg"] = parse.to_svg() if parse.error is None else None
    if form == "clauses":
        entry["clauses"] = parse.clauses_to_dict()["clauses"]
    if not scores:
        del entry["score"]
        for constituent in entry.get("constituents", ()):
            del constituent["score"]
    return entry
