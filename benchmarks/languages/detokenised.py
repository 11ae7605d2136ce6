"""Words of a treebank as running text: where blanks stand, contractions, units without their ``_``.

Where the treebank does not tell it, as people of the language type: a quotation mark glued to what it
quotes, French colons after a blank.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from bnaparser.text.rules.portuguese import CONTRACTIONS
from bnaparser.text.text_rules import rules_of
from bnaparser.trees.escapes import unescape

CONTRACTED = {parts: whole for whole, parts in CONTRACTIONS.items()}
GLUED_BEFORE = frozenset([*",.;:!?)]}»%…", "...", "».", '»"'])
BLANK_IN_FRENCH = frozenset(":;?!»%")
OPENING = frozenset("([{«¿¡")
QUOTES = ('"', "'")


class Detokenised(NamedTuple):
    """A text, and of each word of the treebank how it is written and where: half-open."""

    text: str
    words: list[str]
    places: list[tuple[int, int]]


def detokenised(words: Sequence[str], language: str) -> Detokenised:
    """Return the text that a sentence's words stand for, and their places in it.

    Of a contraction the second part has its own last letters, the first one those before: ``d`` and
    ``o`` of ``do``; both have the only letter of ``à``.
    """
    plain = [unescape(word) for word in words]
    glued = [True] * len(plain) if rules_of(language).needs_words else _glued(plain, language)
    text = ""
    places: list[tuple[int, int]] = []
    for place, word in enumerate(plain):
        before = plain[place - 1] if place else ""
        whole = _contraction(before, word) if language == "pt" else None
        if whole is not None:
            head = places[-1][1] - len(before.rpartition("_")[2])
            written = whole + word.partition("_")[1].replace("_", " ") + _surface(word, 1)
            text = text[:head] + written
            end, size = head + len(whole), len(word.partition("_")[0])
            cut = min(max(head + 1, end - size), end - 1) if len(whole) > 1 else end
            places[-1] = (places[-1][0], cut)
            places.append((cut if len(whole) > 1 else head, len(text)))
            continue
        text += "" if glued[place] or not place else " "
        start = len(text)
        text += _written(word, language)
        places.append((start, len(text)))
    return Detokenised(text, plain, places)


def _surface(word: str, after: int) -> str:
    return word.split("_", after)[after].replace("_", " ") if "_" in word else ""


def _written(word: str, language: str) -> str:
    if language == "is":
        return word.strip("$") or word
    if language == "fr":
        word = word.replace("'_", "'")
    return word.replace("_", " ") if language in ("de", "es", "fr", "pt") else word


def _contraction(before: str, word: str) -> str | None:
    """Return what the end of one word and the beginning of the next are contracted to, if they are."""
    last, first = before.rpartition("_")[2], word.partition("_")[0]
    if not first.islower():
        return None
    whole = CONTRACTED.get((last.lower(), first))
    return whole.capitalize() if whole and last[:1].isupper() else whole


def _glued(words: Sequence[str], language: str) -> list[bool]:
    """Tell of each word whether no blank stands before it."""
    opened = dict.fromkeys(QUOTES, False)
    found = []
    for before, word in zip(["", *words], words, strict=False):
        glued = _by_marks(before, word, language) or _by_language(before, word, language)
        if before in QUOTES and opened[before]:
            glued = True
        if word in QUOTES:
            opened[word] = not opened[word]
            glued = glued or not opened[word]
        found.append(glued)
    return found


def _by_marks(before: str, word: str, language: str) -> bool:
    if before in OPENING:
        return True
    return word in GLUED_BEFORE and not (language == "fr" and word in BLANK_IN_FRENCH)


def _by_language(before: str, word: str, language: str) -> bool:
    if language == "fr" and re.search(r"(?i)(?:(?<![^\W_])[cdjlmnst]|qu|aujourd)'\Z", before):
        return True
    if language in ("fr", "pt") and re.search(r"\w-\Z", before):
        return True
    if language == "de":
        return word in ("'s", "\u2019s")
    if language == "fr":
        return re.match(r"-\w", word) is not None
    if language == "is":
        return before.endswith("$") and word.startswith("$")
    if language == "id":
        marks = {before, word} & {"-", "/"}
        return (word == "nya" and before.isalpha()) or (bool(marks) and before not in (",", '"'))
    return False
