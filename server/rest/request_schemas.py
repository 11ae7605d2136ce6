"""The wire types of the REST interface: what a request may hold."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, ConfigDict, Discriminator, Field, Tag

from bnaparser.parsing.named_constraints import Kind
from bnaparser.parsing.options import MALUS, TEMPERATURES, Decoder
from bnaparser.settings import Checked
from bnaparser.text.sentence import Split

Format = Literal["json", "bracket", "svg"]
_LARGEST = 2**63
Word = Annotated[str, Field(pattern=r"^[^\x00]*$")]


def _whole(value: object) -> object:
    """JSON knows one kind of number: 2.0 is a whole one. Raises ValueError for a number of very many digits."""
    if isinstance(value, int | float) and not abs(value) < _LARGEST:
        raise ValueError("the number is too large")
    return int(value) if isinstance(value, float) and value.is_integer() else value


Whole = Annotated[int, BeforeValidator(_whole)]

TEXT_EXAMPLE = "The cat sat on the mat. It rained."
TREE_EXAMPLE = (
    "(TOP (S (NP (DT The) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN mat)))) (. .)))"
)


LONGEST_LANGUAGE = 40
"""Characters that the code of a language may have."""


class Options(Checked):
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


class ConstraintBody(Checked):
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


class DependenciesBody(Checked):
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


class ClassifyRequest(Checked):
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
