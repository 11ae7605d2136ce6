"""Letters with their accents as one character each: some systems write ``é`` as ``e`` and an accent."""

from __future__ import annotations

import re
from unicodedata import normalize

# With more accents it is no letter, and to sort very many takes Unicode long.
_DECOMPOSED = re.compile("[^\u0300-\u036f][\u0300-\u036f]{1,8}")


def composed(text: str) -> str:
    """Return a text in which a letter and its accents are one character, where there is such a one."""
    return _DECOMPOSED.sub(_one_letter, text)


def places_of_composed(text: str) -> list[int]:
    """Return where in a text each character of its composed form begins; one more is the text's end."""
    places: list[int] = []
    start = 0
    for match in _DECOMPOSED.finditer(text):
        places += range(start, match.start() + len(_one_letter(match)))
        start = match.end()
    places += range(start, len(text) + 1)
    return places


def _one_letter(match: re.Match[str]) -> str:
    """Return a letter and its accents composed, or as they are where that would be longer."""
    written = match.group()
    found = normalize("NFC", written)
    return found if len(found) <= len(written) else written
