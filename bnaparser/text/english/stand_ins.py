"""What an encoder is given to read of a sentence, where the words as they are written mislead it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from unicodedata import normalize

from bnaparser.text.composed import composed
from bnaparser.text.english.abbreviations import is_acronym
from bnaparser.text.english.recasing import recased
from bnaparser.text.english.token_rules import EMOTICON, PICTURE
from bnaparser.trees.escapes import unescape

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
    return composed(_DRESSED.sub(lambda match: normalize("NFKC", match.group()), word))
