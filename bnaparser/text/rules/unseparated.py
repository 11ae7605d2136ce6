"""Languages that put no blanks between words: every character is a piece, and a network finds words.

Letters and digits of the West that stand together are one piece, in half width or in full.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bnaparser.text.english.token_rules import BLANK
from bnaparser.text.text_pieces import TextPiece

Span = tuple[int, int]

_LATIN = r"A-Za-z\xc0-\u024f\uff21-\uff3a\uff41-\uff5a"
_DIGIT = r"0-9\uff10-\uff19"
_PIECE = re.compile(
    rf"[{_LATIN}]+(?:['’&.-][{_LATIN}]+)* | [{_DIGIT}]+(?:[.,．，][{_DIGIT}]+)*"
    r" | (?P<mark>[.…‥・･―—–-])(?P=mark)+ | [^"
    rf"{BLANK}][\u0300-\u036f\u3099\u309a\ufe00-\ufe0f\U000e0100-\U000e01ef]*",
    re.VERBOSE,
)


def pieces(text: str) -> list[TextPiece]:
    """Return the pieces of one sentence; every character but blanks is in one of them, in order.

    Behind a blank a word begins for sure, but not behind the end of a line.
    """
    found: list[TextPiece] = []
    for match in _PIECE.finditer(text):
        start, end = match.span()
        blank = not found or any(sign in " \t\u3000" for sign in text[found[-1].end : start])
        found.append(TextPiece(start, end, match.group(), sure=blank, joint=""))
    return found


def sentence_spans(block: str, ends: re.Pattern[str]) -> Iterator[Span]:
    """Yield ``(start, end)`` of each sentence in a block; ``ends`` matches the marks at their ends."""
    start = 0
    for match in ends.finditer(block):
        yield from _stripped(block, start, match.end())
        start = match.end()
    yield from _stripped(block, start, len(block))


_VISIBLE = re.compile(rf"[^{BLANK}]")


def _stripped(text: str, start: int, end: int) -> Iterator[Span]:
    first = _VISIBLE.search(text, start, end)
    if first is not None:
        while not _VISIBLE.match(text, end - 1):
            end -= 1
        yield first.start(), end
