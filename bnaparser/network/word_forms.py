"""Which part-of-speech tags a word can have by its form: no punctuation tag for ``walkin'``, one tag for emoji.

A tagger scores words by their subwords, and the last subword of ``walkin'``, ``sin(x)`` and ``<br>`` is a
punctuation mark. Each decoder of tags takes the best of the tags that `allowed_tags` allows.

In every tag set, the tags of punctuation are only for words without a letter or digit, and emoji and
emoticons have one tag. In the Penn Treebank's, each punctuation tag is for its own marks alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from enum import IntEnum
from functools import lru_cache
from unicodedata import category

import numpy as np
from numpy.typing import NDArray

from bnaparser.text.english.tokens import EMOTICON
from bnaparser.trees.escapes import unescape
from bnaparser.trees.heads.dependencies import is_punctuation


class WordForm(IntEnum):
    """The characters of a word, as far as its tag depends on them."""

    WORD = 0
    """Letters or digits are in it."""
    GENITIVE = 1
    """``'s``, which is a verb as well."""
    PICTURE = 2
    """Emoji, emoticons and other pictographs."""
    APOSTROPHE = 3
    """``'``, a quotation mark or the genitive of a plural."""
    CLOSING_APOSTROPHE = 4
    QUOTE = 5
    """A quotation mark that opens or closes."""
    OPENING_QUOTE = 6
    CLOSING_QUOTE = 7
    OPENING_BRACKET = 8
    CLOSING_BRACKET = 9
    COMMA = 10
    STOP = 11
    """``.``, ``?``, ``!``, or several of them."""
    ELLIPSIS = 12
    """``...``, and ``/``, which ends turns in transcripts: within a sentence or at its end."""
    MARK = 13
    """A colon, semicolon or dash."""
    SYMBOL = 14
    """One sign that is read out: ``%``, ``&``, ``=``."""
    LESS = 15
    """``<``, which is a bracket as well."""
    GREATER = 16
    OTHER = 17
    """Other signs, and several kinds of them in one word."""
    MARKED = 18
    """Letters or digits, and at an end a sign that ends no word: ``two-``, ``foo=``."""
    MIXED = 19
    """Letters or digits beside brackets and other signs: ``sin(x)``, ``<br>``."""
    CURRENCY = 20
    """The sign of a currency: ``$``, ``\u20ac``."""


_ALL = frozenset(WordForm)
_WITH_LETTERS = frozenset(
    {WordForm.WORD, WordForm.GENITIVE, WordForm.PICTURE, WordForm.MARKED, WordForm.MIXED}
)
_SYMBOLS = frozenset({WordForm.SYMBOL, WordForm.LESS, WordForm.GREATER, WordForm.OTHER})
_PENN: dict[str, frozenset[WordForm]] = {
    "POS": frozenset({WordForm.GENITIVE, WordForm.APOSTROPHE, WordForm.CLOSING_APOSTROPHE}),
    "``": frozenset({WordForm.APOSTROPHE, WordForm.QUOTE, WordForm.OPENING_QUOTE}),
    "''": frozenset(
        {WordForm.APOSTROPHE, WordForm.CLOSING_APOSTROPHE, WordForm.QUOTE, WordForm.CLOSING_QUOTE}
    ),
    "NNS": _WITH_LETTERS | _SYMBOLS | {WordForm.APOSTROPHE, WordForm.QUOTE},  # feet, inches
    "CD": _WITH_LETTERS,
    "$": _WITH_LETTERS | _SYMBOLS | {WordForm.CURRENCY},
    "#": _WITH_LETTERS | _SYMBOLS | {WordForm.CURRENCY},
    "HYPH": _SYMBOLS | {WordForm.MARK, WordForm.ELLIPSIS, WordForm.STOP},
    ",": frozenset({WordForm.COMMA}),
    ".": frozenset({WordForm.STOP, WordForm.ELLIPSIS, WordForm.OTHER}),
    ":": frozenset({WordForm.MARK, WordForm.ELLIPSIS, WordForm.OTHER}),
}
# SYM is a minus, a prime or a slash as well, LS a bullet. A word with a mark at its end is neither.
_PENN_SIGNS = frozenset({"SYM", "LS"})
_NO_SIGNS = frozenset(
    {
        WordForm.MARKED,
        WordForm.COMMA,
        WordForm.STOP,
        WordForm.OPENING_BRACKET,
        WordForm.CLOSING_BRACKET,
        WordForm.QUOTE,
        WordForm.OPENING_QUOTE,
        WordForm.CLOSING_QUOTE,
    }
)
_PENN_MARKS = _ALL - _WITH_LETTERS - _SYMBOLS
_BRACKET_TAGS = {
    **dict.fromkeys(
        ("-LRB-", "-LSB-", "-LCB-"), frozenset({WordForm.OPENING_BRACKET, WordForm.LESS})
    ),
    **dict.fromkeys(
        ("-RRB-", "-RSB-", "-RCB-"), frozenset({WordForm.CLOSING_BRACKET, WordForm.GREATER})
    ),
}
# The first of them that a tag set has is the tag of pictures; the last four are of other languages.
_PICTURE_TAGS = ("NFP", "SYM", ":", "Fz", "PONCT", "PU", "PUN")
# CESS-ESP gives them to etc. and to the letters of a list as well.
_ALSO_OF_WORDS = frozenset({"Fs", "Fz"})

_QUOTES = {
    **dict.fromkeys(("``", "`", "\u2018", "\u201c", "\u201a", "\u201e"), WordForm.OPENING_QUOTE),
    **dict.fromkeys(("''", "\u201d"), WordForm.CLOSING_QUOTE),
    "'": WordForm.APOSTROPHE,
    "\u2019": WordForm.CLOSING_APOSTROPHE,
}
_MARKS = (
    (re.compile("[\"'`\xb4\u2018-\u201f\xab\xbb\u2039\u203a\u301d-\u301f\uff02]+"), WordForm.QUOTE),
    (re.compile("[,\u060c\u3001\uff0c\uff64]"), WordForm.COMMA),
    (re.compile(r"\.{2,}|[.\u2026]*\u2026[.\u2026]*|/-?"), WordForm.ELLIPSIS),
    (
        re.compile("[.?!\xa1\xbf\u061f\u203c\u203d\u2047-\u2049\u3002\uff01\uff0e\uff1f\uff61]+"),
        WordForm.STOP,
    ),
    (re.compile("[:;\uff1a\uff1b]|[-\u2010-\u2015]+"), WordForm.MARK),
    (re.compile("[<\uff1c]"), WordForm.LESS),
    (re.compile("[>\uff1e]"), WordForm.GREATER),
)
_GENITIVE = re.compile("['\u2018\u2019\u02bc\u2032`\xb4][sS]|s")
_MARKED = re.compile(r"^[-_=+*/~^\\|\u2010-\u2015\u2212]|[-_=+*/~^\\|\u2010-\u2015\u2212]$")
_PLAIN_WORD = re.compile("[\\w.'\u2019\xb7-]+")
_FACE = re.compile(rf"{EMOTICON}|</?3+", re.VERBOSE)
_SIGNS = frozenset("#%&*@\xb0\xa7\xb6\u2020\u2021")
# How a picture is shown, and what joins several to one.
_PICTURE_PARTS = re.compile("[\ufe0e\ufe0f\u200d\u20e3\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")
_AS_PICTURE = re.compile("[\ufe0f\u20e3]")
_PICTOGRAPH = re.compile(
    "[\xa9\xae\u2122\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)


def word_forms(words: Sequence[str]) -> NDArray[np.int8]:
    """Return the `WordForm` of each word, as text or as trees write it: int8 (words,)."""
    return np.fromiter(map(_form, words), np.int8, len(words))


def allowed_tags(names: Sequence[str], known: Collection[str] | None = None) -> NDArray[np.bool_]:
    """Return for each form which tags a word of that form can have: bool (forms, tags).

    Args:
        names: The tags of a tag set.
        known: Those of them that the text's language has; by default all of them.
    """
    known = frozenset(names if known is None else known)
    forms_of_tag = _penn_forms if {"``", "''"} <= known else _forms
    table = np.zeros((len(WordForm), len(names)), np.bool_)
    for column, tag in enumerate(names):
        if tag in known:
            table[list(forms_of_tag(tag)), column] = True
    of_pictures = next((tag for tag in _PICTURE_TAGS if tag in known), None)
    if of_pictures is not None:
        table[WordForm.PICTURE] = [tag == of_pictures for tag in names]
    for form in np.flatnonzero(~table.any(axis=1)):  # as in a set of punctuation tags alone
        table[form] = [tag in known for tag in names]
    return table


def _forms(tag: str) -> Collection[WordForm]:
    """Return the forms of the words that can have a tag in any tag set."""
    if tag in _BRACKET_TAGS:
        return _BRACKET_TAGS[tag]
    if tag in _ALSO_OF_WORDS:
        return _ALL - {WordForm.MARKED, WordForm.MIXED}
    if is_punctuation(tag):
        return _ALL - _WITH_LETTERS
    return _ALL


def _penn_forms(tag: str) -> Collection[WordForm]:
    """Return the forms of the words that can have a tag of the Penn Treebank."""
    if tag in _PENN:
        return _PENN[tag]
    if tag in _PENN_SIGNS:
        return _ALL - _NO_SIGNS
    if is_punctuation(tag):
        return _forms(tag)
    return _ALL - _PENN_MARKS - (_SYMBOLS if tag in ("NNP", "NNPS") else frozenset())


def best_tags(scores: NDArray[np.float32], allowed: NDArray[np.bool_]) -> list[int]:
    """Return the number of the best tag of every word; both arrays are (words, tags)."""
    numbers: list[int] = np.where(allowed, scores, -np.inf).argmax(axis=1).tolist()
    return numbers


# A text has few words that are not there again and again: each is looked at once.
@lru_cache(maxsize=16384)
def _form(word: str) -> WordForm:
    quote = _QUOTES.get(word)  # before Penn's marks are undone
    if quote is not None:
        return quote
    word = unescape(word)
    if _FACE.fullmatch(word) or _is_picture(word):
        return WordForm.PICTURE
    if any(map(str.isalnum, word)):
        if _GENITIVE.fullmatch(word):
            return WordForm.GENITIVE
        if _MARKED.search(word):
            return WordForm.MARKED
        return WordForm.WORD if _PLAIN_WORD.fullmatch(word) else WordForm.MIXED
    return _form_of_marks(word)


def _form_of_marks(word: str) -> WordForm:
    """Return the form of a word without a letter or digit."""
    for pattern, form in _MARKS:
        if pattern.fullmatch(word):
            return form
    kinds = set(map(category, word))
    if kinds == {"Ps"}:
        return WordForm.OPENING_BRACKET
    if kinds == {"Pe"}:
        return WordForm.CLOSING_BRACKET
    if kinds == {"Sc"}:
        return WordForm.CURRENCY
    is_sign = len(word) == 1 and (word in _SIGNS or kinds <= {"Sk", "Sm", "So"})
    return WordForm.SYMBOL if is_sign else WordForm.OTHER


def _is_picture(word: str) -> bool:
    """Return whether a word is emoji or other pictographs: ``\U0001f525``, ``\u2605``, keycaps, flags."""
    if word.isascii():
        return False
    if _AS_PICTURE.search(word):
        return not any(map(str.isalpha, word))
    # Arrows and operators are symbols of mathematics; what has no category is newer than Python.
    return any(map(_PICTOGRAPH.match, word)) and all(
        _PICTOGRAPH.match(sign) and category(sign) in ("So", "Cn")
        for sign in _PICTURE_PARTS.sub("", word)
    )


# Words of fewer letters may be small in a title ("The Cat in the Hat"); a title has at least this many other words.
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
    if _is_uniform([unescape(words[int(place)]) for place in cased], shapes[cased]):
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


def _is_uniform(words: Sequence[str], shapes: NDArray[np.int64]) -> bool:
    """Return whether words with case are all in capitals, all in small letters, or a title."""
    kinds = set(shapes.tolist())
    if kinds == {WordShape.LOWER} or kinds <= {WordShape.UPPER, WordShape.CAPITAL}:
        return True
    long = [word for word in words if sum(map(str.isalpha, word)) >= LONG_WORD]
    return len(long) >= TITLE_WORDS and not any(word[0].islower() for word in long)
