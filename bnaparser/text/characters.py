"""Characters that are written as several: letters with separate accents, and HTML's entities.

``e`` and a combining accent are ``é``; ``AT&amp;T`` has the words of ``AT&T``, ``don&#39;t`` those of ``don't``.
Each function that changes a text has a partner that says where its characters stood in the text as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from unicodedata import normalize

from bnaparser.trees.escapes import ENTITY, character_of

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


Span = tuple[int, int]


def has_entities(text: str) -> bool:
    """Tell whether there is an entity, such as ``&amp;``, in the text."""
    return "&" in text and ENTITY.search(text) is not None


def decoded(text: str) -> tuple[str, list[int]]:
    """Return the text with each entity as the one character that it stands for, and their places.

    ``places[i]`` is where character ``i`` begins in the text as it is written; one more is its end.
    """
    characters: list[str] = []
    places: list[int] = []
    start = 0
    for match in ENTITY.finditer(text):
        characters += [text[start : match.start()], character_of(match)]
        places += range(start, match.start())
        start = match.end()
        # An unknown name stays as it is, character by character.
        places += [match.start()] if len(characters[-1]) == 1 else range(*match.span())
    characters.append(text[start:])
    places += range(start, len(text) + 1)
    return "".join(characters), places


def as_written(spans: Iterable[Span], places: list[int]) -> Iterator[Span]:
    """Yield spans of the decoded text as spans of the text as it is written."""
    return ((places[start], places[end]) for start, end in spans)
