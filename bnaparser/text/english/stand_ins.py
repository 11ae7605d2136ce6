"""What an encoder is given to read of a sentence, where the words as they are written mislead it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bnaparser.text.english.abbreviations import is_acronym
from bnaparser.text.english.recasing import recased
from bnaparser.text.english.token_rules import EMOTICON, PICTURE
from bnaparser.trees.escapes import unescape

_FACE = re.compile(EMOTICON, re.VERBOSE)
_PICTURE = re.compile(PICTURE, re.VERBOSE)
# Treebanks of 1995 have no smiley. This is tagged as a mark, and takes part in nothing.
_MARK = ";"


def as_read(words: Sequence[str], cased: bool) -> list[str]:
    """Return what stands for each word of a sentence where an encoder reads it.

    ``cased`` says that the encoder knows capitals: a sentence in CAPITALS or Title Case is read in
    lower case. The sentence's period is given to an abbreviation that lent it (``p.m`` ``.`` is
    read ``p.m.`` ``.``), smileys are read as a mark, and so are pictures after the last word.
    """
    read = (recased(words) if cased else None) or list(words)
    following = ""
    is_last = True  # no word comes after this one
    for place in range(len(words) - 1, -1, -1):
        word = unescape(words[place])
        if _FACE.fullmatch(word) or (is_last and _PICTURE.fullmatch(word)):
            read[place] = _MARK
        elif any(map(str.isalnum, word)):
            if is_last and following == "." and is_acronym(word):
                read[place] += "."
            is_last = False
        following = word
    return read
