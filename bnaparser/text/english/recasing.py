"""Sentences in CAPITALS or in Title Case as they would be written otherwise, for encoders that know case.

An encoder has seen few capitals: it takes ``THE CAT SAT`` for letters without a sense. So such a
sentence is read in lower case but for its first letter and what rules know to have capitals.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from bnaparser.text.english.abbreviations import STARTERS, is_abbreviation
from bnaparser.trees.escapes import unescape

# Words that nobody capitalises within a sentence.
_PLAIN = frozenset(word.lower() for word in STARTERS if len(word) > 1)
_SMALL_WORDS = "a an the and or nor but of in on to for by with at from as into over vs not is its"
_SMALL = frozenset(_SMALL_WORDS.split())  # a headline leaves them as they are
_CALENDAR = """
January February March April June July August September October November December
Monday Tuesday Wednesday Thursday Friday Saturday Sunday
"""
_CAPITALISED = {word.lower(): word for word in ["I", *_CALENDAR.split()]}
_ALMOST_ALL = 0.9  # of the words with letters
_TITLE_WORDS = 3
_LONG_WORD = 4  # letters: two such words in capitals are hardly names of proteins
_CLITIC = re.compile(r"n?['\u2019][a-z]+", re.IGNORECASE)
_INITIALS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]?")  # U.S., D.C without its period
_PLAIN_INITIALS = frozenset(["a.m", "p.m", "e.g", "i.e"])
_ROMAN = re.compile(r"X{0,3}(?:IX|IV|V?I{0,3})")
_ORDINAL = re.compile(r"\d[\d,]*(?:'?s|st|nd|rd|th)")  # 19th, 1990s
_PARTS = re.compile(r"([-/])")


def recased(words: Sequence[str]) -> list[str] | None:
    """Return the words with case as in other sentences; None if the sentence has that already."""
    written = [unescape(word) for word in words]
    case = _case_of([word for word in written if _has_letter(word)])
    if case is None:
        return None
    result = [_recased_word(word, case) if _has_letter(word) else word for word in written]
    first = next(place for place, word in enumerate(result) if _has_letter(word))
    result[first] = result[first][0].upper() + result[first][1:]
    return result


def _case_of(words: Sequence[str]) -> Literal["capitals", "title"] | None:
    """Tell how the words of a sentence, those with letters, are written; None is the usual way."""
    whole = [word for word in words if not word[0].isdigit() and not _CLITIC.fullmatch(word)]
    if not whole:
        return None
    enough = _ALMOST_ALL * len(whole)
    if sum(word[0].isupper() or word.lower() in _SMALL for word in whole) < enough:
        return None
    if sum(word == word.upper() for word in whole) >= enough:
        plain = any(word.lower() in _PLAIN for word in whole)
        long = sum(len(word) >= _LONG_WORD and word.isalpha() for word in whole)
        return "capitals" if plain or long >= 2 else None
    if len(whole) < _TITLE_WORDS:
        return None
    inside = (word for word in whole[1:] if word[0].isupper())
    return "title" if any(word.lower() in _PLAIN for word in inside) else None


def _recased_word(word: str, case: str) -> str:
    """Return a word with letters as it would stand within a sentence."""
    lower = word.lower()
    if lower in _CAPITALISED:
        return _CAPITALISED[lower]
    if _CLITIC.fullmatch(word):
        return lower
    if _INITIALS.fullmatch(word):
        return lower if lower.rstrip(".") in _PLAIN_INITIALS else word.upper()
    if lower.endswith(".") and is_abbreviation(word[:-1].capitalize()):
        return word.capitalize()
    if _ORDINAL.fullmatch(lower):
        return lower
    if word[-1].isdigit():
        return word  # IL-2
    return "".join(part.lower() if _is_plain(part, case) else part for part in _PARTS.split(word))


def _is_plain(part: str, case: str) -> bool:
    """Tell whether a part of a word has its capitals from the sentence only: no code, no numeral."""
    if len(part) == 1:
        return part == "A"
    if any(map(str.isdigit, part)) or _ROMAN.fullmatch(part):
        return False
    # NASA and iPod, where others are written Title
    return case == "capitals" or part[1:] == part[1:].lower()


def _has_letter(word: str) -> bool:
    return word.isalpha() or any(map(str.isalpha, word))
