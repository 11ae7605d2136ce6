"""Words of an English sentence as an encoder reads them, where the words as written would mislead it.

An encoder has seen few capitals: it takes ``THE CAT SAT`` for letters without a sense. So a sentence in
CAPITALS or in Title Case is read in lower case but for its first letter and what rules know to have capitals.
Smileys, short forms, other scripts: see `as_read`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal
from unicodedata import normalize

from bnaparser.text.characters import compose_accents
from bnaparser.text.english.abbreviations import STARTERS, is_abbreviation, is_acronym
from bnaparser.text.english.tokens import EMOTICON, PICTURE
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
    """Return the words in normal case; None if the sentence is already in normal case."""
    written = [unescape(word) for word in words]
    case = _case_of([word for word in written if _has_letter(word)])
    if case is None:
        return None
    result = [_recased_word(word, case) if _has_letter(word) else word for word in written]
    first = next(place for place, word in enumerate(result) if _has_letter(word))
    result[first] = result[first][0].upper() + result[first][1:]
    return result


def _case_of(words: Sequence[str]) -> Literal["capitals", "title"] | None:
    """Return how the words of a sentence, those with letters, are written; None is the usual way."""
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
    """Return whether a part of a word has its capitals from the sentence only: no code, no numeral."""
    if len(part) == 1:
        return part == "A"
    if any(map(str.isdigit, part)) or _ROMAN.fullmatch(part):
        return False
    # NASA and iPod, where others are written Title
    return case == "capitals" or part[1:] == part[1:].lower()


def _has_letter(word: str) -> bool:
    return word.isalpha() or any(map(str.isalpha, word))


_FACE = re.compile(EMOTICON, re.VERBOSE)
_PICTURE = re.compile(PICTURE, re.VERBOSE)
# Treebanks of 1995 have no smiley. This is tagged as a mark, and takes part in nothing.
_MARK = ";"
# Latin letters in another dress: ligatures as PDF files have them, full width, bold of mathematics.
_DRESSED = re.compile("[\ufb00-\ufb06\uff01-\uff5e\U0001d400-\U0001d7ff]")
# A word of another script, of which English encoders know no letter: in a sentence, a name. Single
# letters of Greek are symbols.
_FOREIGN = re.compile(
    "[\u0400-\u1cff\u2e80-\u2fdf\u3005-\u3007\u3041-\u318f\u31a0-\u31ff\u3400-\u9fff\uac00-\ud7ff"
    "\uf900-\ufaff\ufb1d-\ufdff\ufe70-\ufefc\uff66-\uffdc\U00020000-\U0003ffff]+"
    "|[\u0386-\u03ab][\u03ac-\u03ce]{2,}"
)
_NAME = "Tokyo"
# Short forms, and the words that they stand for: encoders take their apostrophe for a quotation mark.
_IN_FULL = {
    "'t": "it",
    "'n": "and",
    "'n'": "and",
    "an'": "and",
    "o'": "of",
    "ol'": "old",
    "lil'": "little",
    "th'": "the",
    "jus'": "just",
    "wi'": "with",
    "fo'": "for",
    "po'": "poor",
    "mo'": "more",
    "yo'": "your",
    "sho'": "sure",
    "'neath": "beneath",
    "'nother": "another",
    "'bout": "about",
    "'cause": "because",
    "'round": "around",
    "'til": "until",
}
_DROPPED_G = re.compile("[A-Za-z]{2,}(?:in|IN)'")  # walkin', nothin'
_ONE_OR_MORE = re.compile(r"([A-Za-z]{2,})\((e?s)\)")  # student(s)
_IN_ANGLES = re.compile(r"</?([^<>\s]*[A-Za-z][^<>\s]*?)/?>")  # <bob@x.org>, <br>
_STRAIGHT = str.maketrans("\u2018\u2019", "''")


def as_read(words: Sequence[str], cased: bool) -> list[str]:
    """Return what stands for each word of a sentence where an encoder reads it.

    ``cased`` says that the encoder knows capitals: a sentence in CAPITALS or Title Case is read in
    lower case. The sentence's period is given to an abbreviation that lent it (``p.m`` ``.`` is
    read ``p.m.`` ``.``), smileys are read as a mark, and so are pictures after the last word. A word of
    another script is read as a name, and Latin letters in another dress (ligatures) as plain ones.
    Short forms are read in full: ``walkin'``, ``an'``, ``'n'``, ``student(s)`` and the ``'t`` of ``'tis``.
    Of ``<br>`` the inside is read.
    """
    plain = [_undressed(word) if _DRESSED.search(word) else word for word in words]
    read = (recased(plain) if cased else None) or plain
    following = ""
    is_last = True  # no word comes after this one
    for place in range(len(words) - 1, -1, -1):
        word = unescape(words[place])
        if not word.isascii() and _FOREIGN.fullmatch(word) and any(map(str.isalpha, word)):
            read[place] = _NAME
        if not word.isalnum():
            read[place] = _plainly(word, read[place])
        if _FACE.fullmatch(word) or (is_last and _PICTURE.fullmatch(word)):
            read[place] = _MARK
        elif any(map(str.isalnum, word)):
            if is_last and following == "." and is_acronym(word):
                read[place] += "."
            is_last = False
        following = word
    return read


def _plainly(word: str, read: str) -> str:
    """Return what is read in the place of a word that ends or begins with a mark, as if it were punctuation.

    ``walkin'`` is read ``walking``, ``an'`` ``and``, ``student(s)`` ``students``, ``<br>`` ``br``.
    """
    plain = read.translate(_STRAIGHT)
    if "'" in (plain[0], plain[-1]):
        if _DROPPED_G.fullmatch(plain):
            return plain[:-1] + ("G" if plain.isupper() else "g")
        full = _IN_FULL.get(plain.lower())
        if full is not None:
            letters = plain.replace("'", "")
            if len(letters) > 1 and letters.isupper():
                return full.upper()
            return full.capitalize() if letters[0].isupper() else full
    elif word[-1] in ")>":
        found = _ONE_OR_MORE.fullmatch(word) or _IN_ANGLES.fullmatch(word)
        if found is not None:
            return "".join(found.groups())
    return read


def _undressed(word: str) -> str:
    """Return a word in plain Latin letters, each with its accents."""
    return compose_accents(_DRESSED.sub(lambda match: normalize("NFKC", match.group()), word))
