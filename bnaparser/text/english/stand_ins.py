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
# Short forms that encoders take for quotation marks.
_IN_FULL = {"'t": "it", "'T": "It", "'n'": "and", "'N'": "AND"}
_STRAIGHT = str.maketrans("\u2018\u2019", "''")


def as_read(words: Sequence[str], cased: bool) -> list[str]:
    """Return what stands for each word of a sentence where an encoder reads it.

    ``cased`` says that the encoder knows capitals: a sentence in CAPITALS or Title Case is read in
    lower case. The sentence's period is given to an abbreviation that lent it (``p.m`` ``.`` is
    read ``p.m.`` ``.``), smileys are read as a mark, and so are pictures after the last word. A word of
    another script is read as a name, and Latin letters in another dress (ligatures) as plain ones;
    ``'n'`` and the ``'t`` of ``'tis`` are read in full.
    """
    plain = [_undressed(word) if _DRESSED.search(word) else word for word in words]
    read = (recased(plain) if cased else None) or plain
    following = ""
    is_last = True  # no word comes after this one
    for place in range(len(words) - 1, -1, -1):
        word = unescape(words[place])
        if not word.isascii() and _FOREIGN.fullmatch(word) and any(map(str.isalpha, word)):
            read[place] = _NAME
        if word[:1] in "'\u2018\u2019":
            read[place] = _IN_FULL.get(read[place].translate(_STRAIGHT), read[place])
        if _FACE.fullmatch(word) or (is_last and _PICTURE.fullmatch(word)):
            read[place] = _MARK
        elif any(map(str.isalnum, word)):
            if is_last and following == "." and is_acronym(word):
                read[place] += "."
            is_last = False
        following = word
    return read


def _undressed(word: str) -> str:
    """Return a word in plain Latin letters, each with its accents."""
    return composed(_DRESSED.sub(lambda match: normalize("NFKC", match.group()), word))
