"""A sentence of words, each with its place in the input."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TypeVar

from bnaparser.text.text_pieces import TextPiece

Item = TypeVar("Item")

# As in trees, only ASCII blanks separate: a no-break space may stand inside a word.
_SPACED_WORD = re.compile(r"\S+", re.ASCII)

MAX_WORDS = 2000
"""How many words a sentence may have: more of them are no sentence, and cost time and memory."""


@dataclass(frozen=True)
class Sentence:
    """One sentence of an input text.

    ``text`` is the input from the first word to the end of the last one. ``offsets[i]`` are the
    start and end of ``words[i]``, half-open, in code points of the whole input: for every English word
    ``input[start:end] == word``, but for one that a hyphen divides at the end of a line: ``information`` has
    the place of ``infor-\\nmation``. Words are in order, do not overlap, and none is empty or holds a blank.

    In languages besides English words are as their treebank writes them: ``a_pesar_de`` for ``a pesar
    de``, ``de`` and ``o`` for ``do``. Each has the place of what it is written for; two parts of a
    single letter, ``à``, have the same. ``language`` is the text's, None where nobody asked. Where
    words are still to be found, they are the forms of ``pieces``, whose places count in ``text``.
    """

    text: str
    words: tuple[str, ...]
    offsets: tuple[tuple[int, int], ...]
    language: str | None = field(default=None, kw_only=True)
    pieces: tuple[TextPiece, ...] = field(default=(), kw_only=True)


def from_words(words: Iterable[str]) -> Sentence:
    """Make a sentence of given words; its text is the words joined by blanks.

    Raises TypeError for a string, whose letters would be the words.
    """
    given = tuple(not_one_string(words, "words"))
    lengths = list(map(len, given))
    starts = accumulate([length + 1 for length in lengths], initial=0)
    offsets = [(start, start + length) for start, length in zip(starts, lengths, strict=False)]
    return Sentence(" ".join(given), given, tuple(offsets))


def from_spaced_words(text: str) -> Sentence:
    """Make a sentence of a text whose words have ASCII blanks between them; it may have none."""
    words = list(_SPACED_WORD.finditer(text))
    inside = text[words[0].start() : words[-1].end()] if words else ""
    return Sentence(inside, tuple(w.group() for w in words), tuple(w.span() for w in words))


def not_one_string(strings: Iterable[Item], what: str) -> Iterable[Item]:
    """Return what was given; TypeError for a string, a dictionary, a data frame or a set.

    The parts of these are something else, or have no order.
    """
    if isinstance(strings, str):
        raise TypeError(f"give a list of {what}, not a string: {strings[:40]!r}")
    if isinstance(strings, Mapping) or hasattr(strings, "columns"):
        kind = type(strings).__name__
        raise TypeError(
            f"give a list of {what}, not a {kind}: of a data frame a column, such as frame['text']"
        )
    if isinstance(strings, set | frozenset):
        raise TypeError(f"give a list of {what}, not a set: it has no order")
    return strings
