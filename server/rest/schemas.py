"""The wire types of the REST interface: what a request may hold, and what an answer holds."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag

from bnaparser.parsing.named_constraints import Kind
from bnaparser.parsing.question import MALUS, TEMPERATURES, Decoder
from bnaparser.text.split_names import Split

Format = Literal["json", "bracket", "svg"]
Word = Annotated[str, Field(pattern=r"^[^\x00]*$")]


def _whole(value: object) -> object:
    """JSON knows one kind of number: 2.0 is a whole one."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Whole = Annotated[int, BeforeValidator(_whole)]

TEXT_EXAMPLE = "The cat sat on the mat. It rained."
TREE_EXAMPLE = (
    "(TOP (S (NP (DT The) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN mat)))) (. .)))"
)


LONGEST_LANGUAGE = 40
"""Characters that the code of a language may have."""


class Options(BaseModel):
    """What to answer; each request may say it."""

    model_config = ConfigDict(extra="forbid", strict=True)

    format: Format = Field(
        default="json",
        description="json: tree, words and constituents with their places; bracket: the bracketed"
        " tree only; svg: that and a drawing",
    )
    scores: bool = Field(default=True, description="whether the answer holds scores")
    n_best: Whole = Field(default=1, ge=1, description="the best trees of each sentence, so many")
    probabilities: bool = Field(
        default=False,
        description="whether the answer holds how sure the model is of each constituent",
    )
    decoder: Decoder = Field(
        default="best",
        description="the tree of the highest score, of the most constituents that are expected to be"
        " right, or drawn at random by its probability",
    )
    temperature: float | None = Field(
        default=None,
        ge=TEMPERATURES[0],
        le=TEMPERATURES[1],
        description="what scores are divided by to become probabilities; default: the model's",
    )
    seed: Whole = Field(default=0, ge=0, description="of the decoder that draws at random")
    language: str | None = Field(
        default=None, max_length=LONGEST_LANGUAGE, description="of the text, such as en; or guessed"
    )


class ConstraintBody(BaseModel):
    """What is known of the words from `start` to `end`, half-open."""

    model_config = ConfigDict(extra="forbid", strict=True)

    kind: Kind = Field(
        description="must: a constituent, with one of the labels if there are some; not: none with"
        " such a label, or none at all; only: if one, with no other labels; uncrossed: no constituent"
        " crosses the words; bonus: a constituent with one of the labels, or any, scores `amount` more;"
        " tag: the one word's part of speech"
    )
    start: Whole = Field(description="in code points of the text; in words where tokens are given")
    end: Whole
    labels: list[str] = Field(default=[], description="such as NP; a chain is written S::VP")
    amount: float | None = Field(default=None, description="of a bonus; below 0 a malus")
    tag: str | None = None


class DependenciesBody(BaseModel):
    """A dependency tree that the constituents should fit."""

    model_config = ConfigDict(extra="forbid", strict=True)

    heads: list[Whole] = Field(description="of each word the number of its head, from 1; 0: none")
    punctuation: list[bool] | None = Field(
        default=None, description="words that do not count, such as commas"
    )
    malus: float = Field(
        default=MALUS,
        description="what each word that speaks against a constituent takes off its score",
    )


SPLIT_DESCRIBED = (
    "what a line is. paragraph: its end ends a sentence, and sentences are found within it; text:"
    " hard-wrapped running text; line: one sentence; token: that, and its words stand between blanks"
)


class TextRequest(Options):
    """A text, which is split into sentences; places count in the whole text.

    With split line and token they count in the line, and an empty line has its error.
    """

    text: str = Field(description="a text of one line or several", examples=[TEXT_EXAMPLE])
    split: Split | None = Field(
        default=None, description=f"{SPLIT_DESCRIBED}; default: the query's, or paragraph"
    )
    constraints: list[ConstraintBody] = Field(
        default=[], description="in code points of the text; with split paragraph or text"
    )
    markup: bool = Field(
        default=False,
        description="whether brackets in the text say what is known, as in I saw [NP the old man].",
    )


class SentencesRequest(Options):
    """Sentences, each split into words; places count in that sentence."""

    sentences: list[str] = Field(
        description="a sentence each", examples=[["The cat sat on the mat.", "It rained."]]
    )
    constraints: list[list[ConstraintBody]] | None = Field(
        default=None, description="a list for each sentence, in code points of it"
    )


class TokensRequest(Options):
    """Sentences of given words; places count in the sentence's words joined by blanks."""

    tokens: list[list[Word]] = Field(
        description="the words of each sentence", examples=[[["It", "rained", "."]]]
    )
    tags: list[list[Word]] | None = Field(
        default=None,
        description="a part of speech for each word; they stand in the tree, and guide a model that"
        " takes them",
        examples=[[["PRP", "VBD", "."]]],
    )
    constraints: list[list[ConstraintBody]] | None = Field(
        default=None, description="a list for each sentence, in words"
    )
    dependencies: list[DependenciesBody | None] | None = Field(
        default=None,
        description="of each sentence a dependency tree that its constituents should fit",
    )


REQUESTS: dict[str, type[TextRequest | SentencesRequest | TokensRequest]] = {
    "text": TextRequest,
    "sentences": SentencesRequest,
    "tokens": TokensRequest,
}


def _text_or_pair(value: object) -> str:
    return "pair" if isinstance(value, list) else "text"


TextOrPair = Annotated[
    Annotated[str, Tag("text")]
    | Annotated[list[str], Field(min_length=2, max_length=2), Tag("pair")],
    Discriminator(_text_or_pair),
]


class ClassifyRequest(BaseModel):
    """Texts, of one sentence or several; two a piece for a model of pairs."""

    model_config = ConfigDict(extra="forbid", strict=True)


class ClassifyTextRequest(ClassifyRequest):
    """One text, or one pair."""

    text: TextOrPair = Field(
        description="running text; for a model of pairs two of them, or one with a tab between",
        examples=["A gripping, funny film."],
    )


class ClassifyTextsRequest(ClassifyRequest):
    """Texts, or pairs."""

    texts: list[TextOrPair] = Field(
        description="running texts, each as `text`",
        examples=[["A gripping, funny film.", "It bored me."]],
    )


CLASSIFY_REQUESTS: dict[str, type[ClassifyTextRequest | ClassifyTextsRequest]] = {
    "text": ClassifyTextRequest,
    "texts": ClassifyTextsRequest,
}


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
