"""Languages that put no blanks between words: every character is a piece, and a network finds words.

Letters and digits of the West that stand together are one piece, in half width or in full.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence

from bnaparser.text.english.token_rules import BLANK
from bnaparser.text.rules.emoji import EMOJI_GOES_ON, WHOLE_EMOJI
from bnaparser.text.text_pieces import TextPiece

Span = tuple[int, int]

_LATIN = r"A-Za-z\xc0-\u024f\uff21-\uff3a\uff41-\uff5a"
_DIGIT = r"0-9\uff10-\uff19"
_ADDRESS = re.compile(
    r"https?://[!-~]*(?<![.,;:!?)\]\"'])|www\.[!-~]*(?<![.,;:!?)\]\"'])"
    r"|[A-Za-z0-9._+-]{1,64}@[A-Za-z0-9-]{1,64}(?:\.[A-Za-z0-9-]{1,64})+"
)
_PIECE = re.compile(
    rf"{_ADDRESS.pattern} | {WHOLE_EMOJI} | [{_LATIN}]+(?:['’&.-][{_LATIN}]+)* | [{_DIGIT}]+(?:[.,．，][{_DIGIT}]+)*"
    r" | (?P<mark>[.…‥・･―—–-])(?P=mark)+ | [^"
    rf"{BLANK}](?:[\u0300-\u036f\u3099\u309a\U000e0100-\U000e01ef]|{EMOJI_GOES_ON})*",
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


def no_spans(_block: str) -> list[Span]:
    """Return no spans: marks end sentences everywhere."""
    return []


def sentence_spans(
    block: str, ends: re.Pattern[str], whole_spans: Callable[[str], list[Span]] = no_spans
) -> Iterator[Span]:
    """Yield ``(start, end)`` of each sentence in a block; ``ends`` matches the marks at their ends.

    Within an address none ends, nor within a whole span; these are in order and apart. A straight
    quotation mark behind the end belongs to the sentence if it closes one there, and else to the next.
    """
    addresses = [match.span() for match in _ADDRESS.finditer(block)]
    wholes = whole_spans(block)
    start = 0
    for match in ends.finditer(block):
        end = match.end()
        if _within(addresses, end) or _within(wholes, end):
            continue
        quote = block[end - 1]
        if quote in _STRAIGHT and block.count(quote, start, end - 1) % 2 == 0:
            end -= 1
        yield from _stripped(block, start, end)
        start = end
    yield from _stripped(block, start, len(block))


def _within(spans: Sequence[Span], end: int) -> bool:
    before = bisect_left(spans, (end, 0)) - 1  # the last one that begins before
    return before >= 0 and end <= spans[before][1]


_STRAIGHT = frozenset("\"'")
_VISIBLE = re.compile(rf"[^{BLANK}]")


def _stripped(text: str, start: int, end: int) -> Iterator[Span]:
    first = _VISIBLE.search(text, start, end)
    if first is not None:
        while not _VISIBLE.match(text, end - 1):
            end -= 1
        yield first.start(), end
