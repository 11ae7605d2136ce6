"""Text as HTML writes it: ``AT&amp;T`` has the words of ``AT&T``, ``don&#39;t`` those of ``don't``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bnaparser.trees.escapes import ENTITY, character_of

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
