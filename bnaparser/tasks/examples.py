"""Examples: as files have them, read from lines, tables and JSON, and as a model reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import Field, model_validator

from bnaparser.errors import DataError
from bnaparser.files.tables import parse_json, replace_all_surrogates
from bnaparser.files.text_files import open_text
from bnaparser.settings import Settings
from bnaparser.syntax.sources.tree_source import Text, Words
from bnaparser.syntax.syntax_trees import SyntaxTrees
from bnaparser.text.sentence import Sentence
from bnaparser.text.splitting import split

Span = tuple[int, int]
"""Start and end of a part of a text, in characters, end-exclusive."""

Gold = int | float | str | tuple[int, ...] | tuple[str, ...]
"""What is to be predicted: a class, a score, a class of each word, or the right answers."""


@dataclass(frozen=True)
class TaskExample:
    """One text, or two, and the target.

    That is a class, a score, a class of each word, or the answers that are right, none where the
    passage has none. A text is running text, or the words that it was given as. ``marks`` are the
    two marked parts of a text for relations, ``answer`` is where the first right answer stands in
    the passage. ``place`` is its file and line, or those of its first word.
    """

    texts: tuple[str | Words, ...]
    gold: str | float | tuple[str, ...]
    place: str = field(default="", compare=False)
    marks: tuple[Span, Span] | None = None
    answer: Span | None = None


@dataclass(frozen=True)
class Written:
    """A text as it was written, its words, and where each of them stands in it.

    In languages besides English a word may be written otherwise than in its place.
    """

    text: str
    places: tuple[Span, ...]
    words: Words


@dataclass(frozen=True)
class PreparedExample:
    """One text, or a pair of them, with its words and their syntax; ``gold`` where it is known.

    ``written`` is the passage of a question, or the text of a relation, whose ``marks`` are its two
    marked parts. ``answer`` is where the first right answer stands, for training; ``place`` is the
    example's file and line, for messages.
    """

    structures: tuple[SyntaxTrees, ...]
    gold: Gold | None = None
    written: Written | None = None
    marks: tuple[Span, Span] | None = None
    answer: Span | None = None
    place: str = field(default="", compare=False)

    @property
    def size(self) -> int:
        """How many words it has."""
        return sum(len(structure.words) for structure in self.structures)


def written(text: str, words: Words, read: Text = "") -> Written:
    """Return a text with the places of its words, which are its own or those of a tree's.

    ``read`` are its sentences, where their words had to be found. Raises DataError if the words are
    not in the text, one after another with blanks between.
    """
    found = [part for part in read if isinstance(part, Sentence)]
    sentences = found or split(text)
    if words == tuple(word for sentence in sentences for word in sentence.words):
        of_words = tuple(span for sentence in sentences for span in sentence.offsets)
        return Written(text, of_words, words)
    places: list[Span] = []
    position = 0
    for word in words:
        while text[position : position + 1].isspace():
            position += 1
        if not text.startswith(word, position):
            raise DataError(
                f"the word {word!r} of a tree is not at character {position} of {text[:60]!r}: the"
                " words of the trees must be the words of the text"
            )
        places.append((position, position + len(word)))
        position += len(word)
    return Written(text, tuple(places), words)


NOT_A_TABLE = (".csv", ".json", ".jsonl")
"""Endings of files that are neither tables with tabs nor text."""


class TaskFile(Settings):
    """One file of examples, plain or compressed (.gz, .xz).

    A file ``.tsv`` is a table with a header line, unless the task is tagging. A file ``.jsonl``
    holds relations or answers, one object a line. A file ``.json`` holds answers in SQuAD's own
    format. Any other file holds trees with classes as labels, ``(3 (2 It) ...)``.
    """

    path: str = Field(examples=["train.tsv"])
    """The file."""
    labels: dict[str, str] = Field({})
    """Renames classes: the file's labels and what they become. Then each label must be here or in ``drop``."""
    drop: tuple[str, ...] = ()
    """Leave examples with these labels out."""
    phrases: int | None = Field(None, gt=0)
    """In files of trees: take every phrase of at least N words as an example, too, and the whole sentence whatever its
    length. Left out: whole sentences only.
    """
    part: tuple[float, float] | None = None
    """Take this part of the examples, in a random order that is always the same, as in [0.0, 0.9]. Phrases of a tree,
    and questions on a passage, stay together.
    """
    limit: int | None = Field(None, gt=0)
    """Draw at most N examples, the same examples each time."""

    @model_validator(mode="after")
    def _within(self) -> TaskFile:
        if self.part is not None and not 0 <= self.part[0] < self.part[1] <= 1:
            raise ValueError("part must be two rising numbers from 0 to 1, such as [0.9, 1.0]")
        return self


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines of a file, plain or packed, without their ends.

    Raises DataError if it is missing, damaged or not text in UTF-8.
    """
    with open_text(path) as lines:
        for number, line in enumerate(lines, 1):
            yield number, line.rstrip("\r\n")


def class_of(label: str, file: TaskFile, place: str) -> str | None:
    """Return the class that a file's label stands for; None if it leaves the example out.

    Raises DataError if the label is empty, or none that the recipe names.
    """
    label = label.strip()
    if label in file.drop:
        return None
    if not file.labels:
        if not label:
            raise DataError(f"{place}: the label is empty")
        return label
    if label not in file.labels:
        known = ", ".join([*file.labels, *file.drop])
        raise DataError(
            f"{place}: the label {label!r} is not in the recipe, whose labels are {known}"
        )
    return file.labels[label]


def read_table(
    path: Path, file: TaskFile, columns_of_texts: Sequence[str], label_column: str
) -> Iterator[TaskExample]:
    """Yield the rows of a table, with their classes: a header line, fields separated by one tab, no quoting."""
    lines = read_lines(path)
    header = next(lines, (1, ""))[1].split("\t")
    for column in (label_column, *columns_of_texts):
        if column not in header:
            raise DataError(
                f"{path}:1: there is no column {column!r}: there are {', '.join(header)}"
            )
    label = header.index(label_column)
    columns = [header.index(column) for column in columns_of_texts]
    for number, line in lines:
        if not line.strip():
            continue
        fields = line.split("\t")
        if len(fields) != len(header):
            raise DataError(
                f"{path}:{number}: {len(fields)} fields, but the header has {len(header)}"
            )
        texts = tuple(fields[column] for column in columns)
        for column, text in zip(columns_of_texts, texts, strict=True):
            if not text.strip():
                raise DataError(f"{path}:{number}: the column {column!r} is empty")
        name = class_of(fields[label], file, f"{path}:{number}")
        if name is not None:
            yield TaskExample(texts, name, f"{path}:{number}")


def read_objects(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the objects of a ``.jsonl`` file, one a line, each with its file and line."""
    for number, line in read_lines(path):
        if not line.strip():
            continue
        place = f"{path}:{number}"
        try:
            found = parse_json(line)
        except ValueError as error:
            raise DataError(f"{place}: not JSON: {error}") from error
        if not isinstance(found, dict):
            raise DataError(f"{place}: not an object {{...}}: {line[:40]!r}")
        yield place, found


def text_of(found: Any, key: str, place: str, what: str) -> str:
    """Return the text under a key; DataError if there is none, or it is blank."""
    text = found.get(key) if isinstance(found, dict) else None
    if not isinstance(text, str):
        raise DataError(f"{place}: there is no {what}, a text under {key!r}")
    if not text.strip():
        raise DataError(f"{place}: the {what} is empty")
    whole: str = replace_all_surrogates(text)
    return whole


def is_number(value: Any) -> bool:
    """Return whether a value of JSON is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)
