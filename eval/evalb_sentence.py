"""What EVALB knows of a line: words, brackets and quotation marks, which comparing changes in place."""

from __future__ import annotations

from dataclasses import dataclass

UNSET = 9
"""State of a word or bracket that was not compared."""


@dataclass(slots=True)
class Word:
    """A terminal. ``state``: 1 the tags agree, 0 they do not, 9 not compared."""

    text: bytes
    tag: bytes
    state: int = UNSET


@dataclass(slots=True)
class Bracket:
    """A constituent over the words from ``start`` up to ``end``; -1 if it was never closed.

    ``state``: 0 unmatched, 1 matched, 5 deleted, 9 not compared. ``text_start`` and ``text_end``
    are where its inside stands in the line.
    """

    label: bytes
    start: int
    end: int
    text_start: int
    text_end: int
    state: int = UNSET


@dataclass(slots=True)
class Quote:
    """A quotation mark that quote repair may put back: where it stood, and inside which brackets.

    ``index`` words and ``bracket`` brackets came before it; ``inside`` are the open ones' numbers.
    """

    word: bytes
    tag: bytes
    index: int
    bracket: int
    inside: tuple[int, ...]


@dataclass(slots=True)
class EvalbSentence:
    """A line after reading. ``length`` counts the words that count for the length."""

    line: bytes
    words: list[Word]
    brackets: list[Bracket]
    quotes: list[Quote]
    length: int
