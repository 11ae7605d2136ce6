"""The shape of a word as it is written: what an encoder that reads in lower case does not see.

A sentence that is all in capitals, all in small letters or in Title Case tells nothing of its words
by their case, so their shape is unknown there: such a sentence is read as an encoder without case
reads it.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bnaparser.trees.escapes import unescape

# Words of fewer letters may be small in a title ("The Cat in the Hat"); so many others make one.
LONG_WORD = 4
TITLE_WORDS = 3


class WordShape(IntEnum):
    """How a word is written; the numbers are stored models' own and stay."""

    UNKNOWN = 0
    """START, STOP, padding, letters without case, and sentences whose case tells nothing."""
    MARKS = 1
    """Neither letters nor digits."""
    DIGITS = 2
    """Digits, and no letters."""
    LOWER = 3
    TITLE = 4
    FIRST_TITLE = 5
    """A capital, then small letters, in the sentence's first word with letters."""
    UPPER = 6
    """Two capitals or more, no small letter."""
    CAPITAL = 7
    """One capital, no small letter."""
    MIXED = 8
    """A capital after a small letter, or two of them before one."""


def word_shapes(words: Sequence[str]) -> NDArray[np.int64]:
    """Return the `WordShape` of each word of a sentence, int64 (words,)."""
    shapes = np.fromiter(map(_shape, words), np.int64, len(words))
    cased = np.flatnonzero(shapes >= WordShape.LOWER)
    if len(cased) == 0:
        return shapes
    if _tells_nothing([unescape(words[int(place)]) for place in cased], shapes[cased]):
        shapes[cased] = WordShape.UNKNOWN
    elif shapes[cased[0]] == WordShape.TITLE:
        shapes[cased[0]] = WordShape.FIRST_TITLE
    return shapes


# A text has few words that are not there again and again: each is looked at once.
@lru_cache(maxsize=16384)
def _shape(word: str) -> WordShape:
    word = unescape(word)
    small = sum(map(str.islower, word))
    capitals = sum(char.isupper() or char.istitle() for char in word)
    if not small and not capitals:
        if any(map(str.isalpha, word)):
            return WordShape.UNKNOWN
        return WordShape.DIGITS if any(map(str.isdigit, word)) else WordShape.MARKS
    if not capitals:
        return WordShape.LOWER
    if not small:
        return WordShape.CAPITAL if capitals == 1 else WordShape.UPPER
    # Roman numerals and letters in circles have case, and are no letters to Unicode.
    letters = [char for char in word if char.isalpha() or char.islower() or char.isupper()]
    first_alone = capitals == 1 and not letters[0].islower()
    return WordShape.TITLE if first_alone else WordShape.MIXED


def _tells_nothing(words: Sequence[str], shapes: NDArray[np.int64]) -> bool:
    """Tell whether words with case are all in capitals, all in small letters, or a title."""
    kinds = set(shapes.tolist())
    if kinds == {WordShape.LOWER} or kinds <= {WordShape.UPPER, WordShape.CAPITAL}:
        return True
    long = [word for word in words if sum(map(str.isalpha, word)) >= LONG_WORD]
    return len(long) >= TITLE_WORDS and not any(word[0].islower() for word in long)
