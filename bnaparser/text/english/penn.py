"""Words as the Penn Treebank writes them."""

from __future__ import annotations

from collections.abc import Sequence

from bnaparser.trees.escapes import escape_brackets

# Curly and angular marks say themselves which side they stand on.
_PENN = {
    **dict.fromkeys("\u201c\u201e\u201f\xab", "``"),
    **dict.fromkeys("\u201d\xbb", "''"),
    **dict.fromkeys("\u2018\u201a\u201b\u2039", "`"),
    **dict.fromkeys("\u2019\u203a", "'"),
    **dict.fromkeys(("\u2013", "\u2014", "\u2015"), "--"),
    "\u2026": "...",
}

_SPEAKING_WORDS = """
said says say asked asks added adds replied cried answered thought explained explains noted told
wrote continued
"""

_SPEAKING = frozenset(_SPEAKING_WORDS.split())

_QUOTED = 20  # words: a single quote opened longer ago was none

_CLOSES_AFTER = frozenset([",", ".", "?", "!"])

_OPENS_AFTER = frozenset(["``", "(", "[", "{", ",", ":", ";", "--", "\u2014"])


def penn_words(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words of one sentence as the Penn Treebank writes them, one for one.

    Round brackets become ``-LRB-`` and ``-RRB-``, double quotes ``` `` ``` and ``''``, an opening
    single quote a backquote, curly apostrophes straight ones, long dashes ``--``, an ellipsis
    three periods. Whether a straight quote opens or closes is decided from the words around it.
    """
    penn: list[str] = []
    inside = False  # of double quotes
    last = max((i for i, word in enumerate(words) if any(map(str.isalnum, word))), default=-1)
    doubles, singles = words.count('"'), words.count("'")  # still to come
    for place, word in enumerate(words):
        if word == '"':
            doubles -= 1
            unpaired = not inside and place > 0 and doubles % 2 == 0
            closes = inside or last < place or (unpaired and _ends_speech(words, place))
            word = "''" if closes and place > 0 else "``"
        elif word == "'":
            singles -= 1
            word = "`" if place < last and _opens(words, penn, place, singles > 0) else "'"
        else:
            word = _PENN.get(word) or escape_brackets(word.replace("\u2019", "'"))
        if word in ("``", "''"):
            inside = word == "``"
        penn.append(word)
    return tuple(penn)


def _ends_speech(words: Sequence[str], place: int) -> bool:
    """Tell whether what surrounds a ``"`` is a quotation and who spoke it: ``old , " she said``."""
    after = words[place + 1 : place + 5]
    return words[place - 1] in _CLOSES_AFTER and not _SPEAKING.isdisjoint(after)


def _opens(words: Sequence[str], penn: list[str], place: int, more: bool) -> bool:
    """Tell whether a ``'`` opens a quotation; after a word it is most often a genitive.

    ``more`` is whether another one follows in the sentence.
    """
    if not words[place + 1][0].isalnum():
        return False
    if place == 0 or penn[-1] in _OPENS_AFTER:
        return True
    return more and not words[place - 1].endswith(("s", "S")) and "`" not in penn[-_QUOTED:]
