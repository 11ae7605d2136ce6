"""The wire types of the REST interface: what an answer holds."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field


class Token(BaseModel):
    """A word; ``start`` and ``end`` are its place in code points, half-open."""

    text: str
    tag: str
    start: int
    end: int


class Constituent(BaseModel):
    """A constituent: ``start`` and ``end`` in words, half-open, and its place in code points."""

    label: str
    start: int
    end: int
    char_start: int
    char_end: int
    score: float | None = Field(default=None, description="absent where scores are not wanted")
    probability: float | None = Field(
        default=None,
        description="where asked for; of a chain over the same words the whole chain's",
    )


class Alternative(BaseModel):
    """One of the next trees of a sentence."""

    tree: str
    score: float | None = Field(default=None, description="absent where scores are not wanted")
    probability: float | None = None
    confidence: float | None = None
    entropy: float | None = None
    constituents: list[Constituent] | None = Field(default=None, description="with format json")
    svg: str | None = Field(default=None, description="with format svg")


class Entry(BaseModel):
    """One sentence: its tree, or the reason why it has none in ``error``."""

    text: str = Field(description="the sentence as it stood in the request")
    tree: str | None = Field(description="the bracketed tree; null after an error")
    error: str | None = Field(description="why there is no tree; null where there is one")
    score: float | None = Field(default=None, description="absent where scores are not wanted")
    tokens: list[Token] | None = Field(default=None, description="with format json")
    constituents: list[Constituent] | None = Field(
        default=None, description="with format json: in pre-order"
    )
    svg: str | None = Field(default=None, description="with format svg; null after an error")
    language: str | None = Field(
        default=None, description="where it was guessed or given, such as en"
    )
    probability: float | None = Field(default=None, description="of the tree, where asked for")
    confidence: float | None = Field(
        default=None, description="the mean probability of its constituents, where asked for"
    )
    entropy: float | None = Field(
        default=None, description="of all trees of the sentence, in nats, where asked for"
    )
    alternatives: list[Alternative] | None = Field(
        default=None, description="the next trees, in order, where n_best is more than 1"
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
    probability: float = Field(description="its share among the answers that are given")


class ClassifyEntry(BaseModel):
    """What the classifier says of one text, or the reason why it says nothing in ``error``."""

    label: str | None = Field(description="the likeliest class")
    probabilities: dict[str, float] = Field(description="of each class")
    trees: list[str | None] = Field(
        description="the bracketed tree of each sentence; null where it could not be parsed"
    )
    error: str | None = Field(
        description="why there is no answer, or which sentence has no tree: then the plain encoder"
        " has served the text, and the label is there"
    )
    score: float | None = Field(default=None, description="from models that give scores only")
    tags: list[str] | None = Field(
        default=None, description="from models that label words only: one a word"
    )
    answer: str | None = Field(
        default=None,
        description="from models of answers only: the best one, empty where the passage has none",
    )
    answers: list[AnswerSpan] | None = Field(
        default=None, description="from models of answers only: the best ones, best first"
    )


class ClassifyAnswer(BaseModel):
    """The texts of a request, in order, each with what the classifier says."""

    model: str
    answers: list[ClassifyEntry]


class Limits(BaseModel):
    """What a request may hold at most."""

    body_bytes: int
    characters: int
    sentences: int
    words_a_sentence: int
    words: int = Field(description="words of all its sentences")
    n_best: int = Field(description="trees of a sentence")
    json_depth: int
    deadline_seconds: float


class Model(BaseModel):
    """A model that the service parses with."""

    name: str
    license: str = Field(description="of the model; empty where its folder does not tell")
    license_note: str = Field(description="why, in a sentence")
    version: str = Field(description="of bnaparser")
    device: str
    languages: list[str] = Field(description="codes such as en")
    predicts_tags: bool = Field(description="if not, every tag is XX unless tags are given")
    labels: list[str] = Field(description="of constituents")
    limits: Limits


class ClassifierModel(BaseModel):
    """A model that the service classifies with."""

    name: str
    license: str = Field(description="of the model; empty where its folder does not tell")
    license_note: str = Field(description="why, in a sentence")
    version: str = Field(description="of bnaparser")
    device: str
    kind: Literal["classification", "regression", "tagging", "relations", "answers"]
    language: str = Field(description="of texts, a code such as en")
    pairs: bool = Field(
        description="whether a text is two texts, as a question and its passage are"
    )
    labels: list[str] = Field(description="of texts, or of words; none of scores")


class ModelList(BaseModel):
    """The models that are loaded; `classifiers` is empty where the service has none."""

    models: list[Model]
    classifiers: list[ClassifierModel]


class State(BaseModel):
    """How the process is."""

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
