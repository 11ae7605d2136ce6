"""Examples on their way: as a file has them, and as a model reads them."""

from __future__ import annotations

from dataclasses import dataclass, field

from bnaparser.errors import DataError
from bnaparser.syntax.sources.tree_source import Text, Words
from bnaparser.syntax.structure import Structure
from bnaparser.text.sentence import Sentence
from bnaparser.text.splitting import split

Span = tuple[int, int]
"""Where a part of a text begins and ends, half-open, in characters."""

Gold = int | float | str | tuple[int, ...] | tuple[str, ...]
"""What is to be predicted: a class, a score, a class of each word, or the right answers."""


@dataclass(frozen=True)
class TaskExample:
    """One text, or two, and what is to be predicted.

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
    example's file and line, for what is to be said of it.
    """

    structures: tuple[Structure, ...]
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

    ``read`` are its sentences, where their words had to be found. Raises DataError where the words are
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
                " trees of this task are to have the words as the text writes them"
            )
        places.append((position, position + len(word)))
        position += len(word)
    return Written(text, tuple(places), words)
