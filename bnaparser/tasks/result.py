"""What a model of a task says of one text, and the text on its way to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from bnaparser.files.tables import json_line
from bnaparser.parsing.result import Parse
from bnaparser.tasks.examples import Span
from bnaparser.text.sentence import Sentence
from bnaparser.trees.tree import Tree


@dataclass(frozen=True)
class FoundAnswer:
    """A part of the passage that may answer the question, from ``start`` to ``end`` in characters.

    ``probability`` is its probability among the listed answers, and no answer where the model
    may say that there is none.
    """

    text: str
    start: int
    end: int
    probability: float

    def to_dict(self) -> dict[str, Any]:
        """Return text, start, end and probability."""
        return dict(vars(self))


@dataclass(frozen=True)
class Classification:
    """The output of a model for one text.

    ``label`` is the likeliest class, ``probabilities`` has each class's, in the model's order;
    ``parses`` are the text's sentences with their trees. A model of scores gives ``score``, one
    that labels words ``tags``, one a word; one of answers ``answer``, empty if the passage has
    none, and ``answers``, the best ones, best first; they have no label. ``error`` says why a text
    has no answer, or that a sentence has no tree: then the plain encoder has served the text, and
    ``label`` is there.
    """

    text: str
    label: str | None = None
    probabilities: dict[str, float] | None = None
    parses: tuple[Parse, ...] = ()
    score: float | None = None
    tags: tuple[str, ...] = ()
    error: str | None = None
    answer: str | None = None
    answers: tuple[FoundAnswer, ...] = ()

    @property
    def trees(self) -> tuple[Tree | None, ...]:
        """The tree of each sentence, None if it could not be parsed."""
        return tuple(parse.tree for parse in self.parses)

    @property
    def answered(self) -> bool:
        """Whether there is an answer for the text."""
        said = (self.label, self.score, self.answer)
        return any(one is not None for one in said) or bool(self.tags)

    def to_dict(self) -> dict[str, Any]:
        """Return the one JSON form: label, probabilities, trees in brackets, error.

        Models of scores have ``score``, those that label words ``tags`` besides, those of answers
        ``answer`` and ``answers``.
        """
        answer: dict[str, Any] = {
            "label": self.label,
            "probabilities": self.probabilities or {},
            "trees": [None if tree is None else str(tree) for tree in self.trees],
            "error": self.error,
        }
        if self.score is not None:
            answer["score"] = self.score
        if self.tags:
            answer["tags"] = list(self.tags)
        if self.answer is not None:
            answer["answer"] = self.answer
            answer["answers"] = [one.to_dict() for one in self.answers]
        return answer

    def to_json(self) -> str:
        """Return ``to_dict`` as one line of JSON."""
        return json_line(self.to_dict())

    def to_text(self) -> str:
        """Return label, probabilities and trees with tabs between; nothing without an answer.

        Of answers the best one, then each with its place and probability.
        """
        if not self.answered:
            return ""
        trees = " ".join(str(tree) for tree in self.trees if tree is not None)
        if self.score is not None:
            return f"{self.score:.4f}\t{trees}"
        if self.tags:
            return f"{' '.join(self.tags)}\t{trees}"
        if self.answer is not None:
            found = (f"{a.start}-{a.end} {a.probability:.4f}" for a in self.answers)
            return f"{' '.join(self.answer.split())}\t{', '.join(found)}\t{trees}"
        shares = (self.probabilities or {}).items()
        shown = ", ".join(f"{name} {share:.4f}" for name, share in shares)
        return f"{self.label}\t{shown}\t{trees}"


@dataclass
class ReadText:
    """A text on its way: its parts (two of a pair) as sentences, and these with their parses.

    ``written`` are the parts as they were written, without marks; ``marks`` are the two marked parts
    of a relation. ``error`` says why the text can have no answer.
    """

    text: str
    parts: list[list[Sentence]]
    error: str | None = None
    parses: tuple[tuple[Parse, ...], ...] = ()
    written: tuple[str, ...] = ()
    marks: tuple[Span, Span] | None = None

    @property
    def sentences(self) -> list[Sentence]:
        """The sentences of all parts, in order."""
        return [sentence for part in self.parts for sentence in part]

    def take(self, parses: Iterator[Parse]) -> None:
        """Take a parse for each sentence, in order; words that had to be found are the parse's."""
        self.parses = tuple(tuple(next(parses) for _ in part) for part in self.parts)
        self.parts = [
            list(map(_with_words_of, parses, part))
            for parses, part in zip(self.parses, self.parts, strict=True)
        ]


def _with_words_of(parse: Parse, sentence: Sentence) -> Sentence:
    if not sentence.pieces:
        return sentence
    return replace(sentence, words=parse.words, offsets=parse.offsets, pieces=())
