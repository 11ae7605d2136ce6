"""Words as trees write them: ``-LRB-`` for ``(``, ``\\/`` for ``/``, two backquotes for a quote.

And as HTML does: ``&amp;`` for ``&``.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

BRACKET_ESCAPES = {
    "(": "-LRB-",
    ")": "-RRB-",
    "[": "-LSB-",
    "]": "-RSB-",
    "{": "-LCB-",
    "}": "-RCB-",
}
# The last three are those of CESS-ESP.
_BRACKETS = {escape: bracket for bracket, escape in BRACKET_ESCAPES.items()} | {
    "-Fpa-": "(",
    "-Fpt-": ")",
    "-fe-": '"',
}
_ROUND = str.maketrans({"(": "-LRB-", ")": "-RRB-"})
_ALL_BRACKETS = str.maketrans(BRACKET_ESCAPES)

_PENN_QUOTES = ("``", "''")
_INCH_TAGS = ("NN", "NNS", "SYM")
# Which way a double quotation mark points by itself; None: either.
_DOUBLE_QUOTES = {'"': None, "\u201c": "``", "\u201d": "''", "``": "``", "''": "''"}
_SINGLE_QUOTES = ("'", "`", "\u2018", "\u2019")
_UNESCAPED = re.compile(r"(?<!\\)[/*]")

ENTITY = re.compile(r"&(?:\#\d{1,7}|\#[xX][\dA-Fa-f]{1,6}|[A-Za-z][A-Za-z\d]{1,31});")
# No width: soft hyphens, marks of direction, zero-width blanks and the like. Joiners have a meaning
# in some scripts and in pictures, but not between Latin letters.
_UNSEEN = re.compile(
    "[\xad\u034f\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]++"
    "|(?<=[A-Za-z])[\u200c\u200d]++(?=[A-Za-z])"
)
# Half a character, as of text that was not UTF-8: no encoder's tokenizer takes one.
_HALF = re.compile("[\ud800-\udfff]")


def unescape(word: str) -> str:
    """Return the word as running text would write it: ``-LRB-`` is ``(``, `` `` `` is ``"``.

    Round, square and curly brackets, ``\\/``, ``\\*`` and both Penn quotes are undone, brackets
    also inside a longer word; entities (``&amp;``) become characters, what has no width (soft
    hyphens) goes, unless nothing else is there, and half a character is U+FFFD. What is left is what
    a pre-trained encoder saw in its own training.
    """
    if word in ("``", "''"):
        return '"'
    if "&" in word:
        word = ENTITY.sub(character_of, word)
    if not word.isascii():
        word = replace_surrogates(_UNSEEN.sub("", word) or word)
    if "-" in word:
        for escape, bracket in _BRACKETS.items():
            word = word.replace(escape, bracket)
    return word.replace("\\/", "/").replace("\\*", "*") if "\\" in word else word


def replace_surrogates(text: str) -> str:
    """Return the text with U+FFFD for each half of a character, a lone surrogate."""
    return _HALF.sub("\ufffd", text)


def character_of(entity: re.Match[str]) -> str:
    """Return the one character that a match of ``ENTITY`` stands for; an unknown name as it is."""
    character = html.unescape(entity.group())
    return character if len(character) == 1 else entity.group()


def penn_words(words: Sequence[str], tags: Sequence[str]) -> list[str]:
    """Return the words of a sentence as the Penn Treebank spells them: ``1\\/2``, ``\\*``, ``-LRB-``.

    A quotation mark is two backquotes or two apostrophes: as its form says, else its tag; else opening
    and closing marks take turns. A mark with the tag of a noun or symbol stands for inches.

    Example:
        >>> penn_words(['"', "1/2", "(", "x", ")", '"'], ["``", "CD", "-LRB-", "NN", "-RRB-", "''"])
        ['``', '1\\\\/2', '-LRB-', 'x', '-RRB-', "''"]
    """
    spelled = []
    is_open = False
    for word, tag in zip(words, tags, strict=True):
        if word == '"' and tag in _INCH_TAGS:
            spelled.append("''")
        elif word in _DOUBLE_QUOTES:
            known = _DOUBLE_QUOTES[word] or (tag if tag in _PENN_QUOTES else None)
            closes = is_open if known is None else known == "''"
            spelled.append("''" if closes else "``")
            is_open = not closes
        elif word in _SINGLE_QUOTES and tag in _PENN_QUOTES:
            spelled.append("'" if tag == "''" else "`")
        else:
            spelled.append(_UNESCAPED.sub(r"\\\g<0>", word.translate(_ALL_BRACKETS)))
    return spelled


def escape_brackets(word: str) -> str:
    """Return the word with ``(`` and ``)`` written ``-LRB-`` and ``-RRB-``, safe inside a tree."""
    return word.translate(_ROUND) if "(" in word or ")" in word else word
