"""Characters that are written as several: letters with separate accents, and HTML's entities.

``e`` and a combining accent are ``é``; ``AT&amp;T`` has the words of ``AT&T``, ``don&#39;t`` those of ``don't``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from unicodedata import normalize

from bnaparser.trees.escapes import ENTITY, character_of

Span = tuple[int, int]

# With more accents it is no letter, and to sort very many takes Unicode long.
_DECOMPOSED = re.compile("[^\u0300-\u036f][\u0300-\u036f]{1,8}")


def compose_accents(text: str) -> str:
    """Return a text in which a letter and its accents are one character, where there is such a one."""
    return _DECOMPOSED.sub(_composed, text)


def places_of_composed(text: str) -> list[int]:
    """Return where in a text each character of its composed form begins; one more is the text's end."""
    return _replaced(text, _DECOMPOSED, _composed)[1]


def has_entities(text: str) -> bool:
    """Return whether there is an entity, such as ``&amp;``, in the text."""
    return "&" in text and ENTITY.search(text) is not None


def decode_entities(text: str) -> tuple[str, list[int]]:
    """Return the text with each entity as the one character that it stands for, and their places.

    ``places[i]`` is where character ``i`` begins in the text as it is written; one more is its end.
    """
    return _replaced(text, ENTITY, character_of)


def spans_in_source(spans: Iterable[Span], places: list[int]) -> Iterator[Span]:
    """Yield spans of the decoded text as spans of the text as it is written."""
    return ((places[start], places[end]) for start, end in spans)


def _composed(match: re.Match[str]) -> str:
    """Return a letter and its accents composed, or as they are where that would be longer."""
    written = match.group()
    found = normalize("NFC", written)
    return found if len(found) <= len(written) else written


def _replaced(
    text: str, pattern: re.Pattern[str], replacement: Callable[[re.Match[str]], str]
) -> tuple[str, list[int]]:
    """Return the text with all matches replaced, and where each of its characters was; one more is the end."""
    parts: list[str] = []
    places: list[int] = []
    start = 0
    for match in pattern.finditer(text):
        parts += [text[start : match.start()], replacement(match)]
        places += range(start, match.start() + len(parts[-1]))
        start = match.end()
    places += range(start, len(text) + 1)
    return "".join([*parts, text[start:]]), places
