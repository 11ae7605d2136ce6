"""Chinese and Japanese, which put no blanks between words: every character is a piece, and a network finds words.

Letters and digits of the West that stand together are one piece, in half width or in full.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from bnaparser.text.characters import Span
from bnaparser.text.english.sentences import strip_span
from bnaparser.text.english.tokens import BLANK, EMOJI_GOES_ON, WHOLE_EMOJI
from bnaparser.text.sentence import TextPiece

_LATIN = r"A-Za-z\xc0-\u024f\uff21-\uff3a\uff41-\uff5a"
_DIGIT = r"0-9\uff10-\uff19"
_STRAIGHT = frozenset("\"'")
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

    After a blank a word always begins, but not after the end of a line.
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
    quotation mark after the end belongs to the sentence if it closes one there, and else to the next.
    """
    addresses = [match.span() for match in _ADDRESS.finditer(block)]
    wholes = whole_spans(block)
    cuts = [0]
    for match in ends.finditer(block):
        end = match.end()
        if _within(addresses, end) or _within(wholes, end):
            continue
        quote = block[end - 1]
        if quote in _STRAIGHT and block.count(quote, cuts[-1], end - 1) % 2 == 0:
            end -= 1
        cuts.append(end)
    for start, end in pairwise([*cuts, len(block)]):
        span = strip_span(block, start, end)
        if span[0] < span[1]:
            yield span


def _within(spans: Sequence[Span], end: int) -> bool:
    before = bisect_left(spans, (end, 0)) - 1  # the last one that begins before
    return before >= 0 and end <= spans[before][1]


# Chinese. The Sinica Treebank takes each clause for a sentence, the Chinese Treebank none.
_CHINESE_CLOSING = "[」』）】》〉〕\"'’”)\\]]*+"
# A half-width period ends a sentence after a Chinese character only: 3.5, U.S.A.
_CHINESE_FINAL = r"(?:(?<![。！？!?｡])[。！？!?｡]++|(?<!…)…++(?![，。！？])|(?<=[\u3400-\u9fff])(?:\.(?![A-Za-z0-9０-９.])|．(?![0-9０-９．])))"
# Between digits a mark is a number's, or a time's: 1,000, 12:30.
_PAUSE = r"(?:(?<![0-9０-９])[，；：;:,]|[，；：;:,](?![0-9０-９]))"
# With a comma after its quotation marks a sentence continues, and a clause has it.
CHINESE_SENTENCE_END = re.compile(f"{_CHINESE_FINAL}{_CHINESE_CLOSING}(?![，、；：,;])")
CHINESE_CLAUSE_END = re.compile(f"(?:{_CHINESE_FINAL}|{_PAUSE}){_CHINESE_CLOSING}(?:、|{_PAUSE})*+")

# Japanese
_PAIRS = {"」": "「", "』": "『", "）": "（", ")": "("}
_OPENED = frozenset(_PAIRS.values())
_CLOSING = "」』）】》〉〕”)"
# What begins with と and is no "that", which somebody says or thinks: ところが, とても.
_NO_PARTICLE = "(?:ころ[がで]|ても|っても|にかく|うとう|りあえず|もかく|もあれ|なりの|くに|きどき|つぜん|もだち|んでもな)"
# After a bracket a particle continues, but にいさん and がたがた begin anew.
_GOES_ON = (
    rf"っ|と(?!{_NO_PARTICLE})"
    r"|[、，」』）をの]|[にがはもでへや](?![\u3041-\u309f])|に[はも]|など|なんて|ため(?!息)"
)
# After a mark alone the quotation continues, too; after a full stop only before a word for saying it.
_SAID = rf"(?<=[！？!?])と(?!{_NO_PARTICLE})|と(?!同時)[\u3400-\u9fff]|とい[いえっわ](?!ても)|って(?!いうか)"
# Several quotations within a sentence, the last of which somebody says: 彼は「行く。」「待て。」と叫んだ.
_NEXT_QUOTED = re.compile("(?:「[^「」]{0,100}」){1,4}と")
JAPANESE_SENTENCE_END = re.compile(
    # Within what is written in Latin letters a mark ends none: Yahoo!ニュース, 3.5.
    r"(?:(?<![。！？｡])[。！？｡]++|(?<![A-Za-z!?])[!?]++|(?<![!?])[!?]++(?=\s|\Z)|(?<=[\u3040-\u30ff\u3400-\u9fff])(?:\.(?![A-Za-z0-9０-９.])|．(?![0-9０-９．])))"
    rf"[{_CLOSING}\"']*+(?![、，」』）])(?!{_SAID})(?!(?<=[{_CLOSING}])(?:{_GOES_ON}))"
)
_BEHIND = re.compile(_GOES_ON)
# Behind these a sentence begins; what is quoted elsewhere is part of another one.
_BEGINS_BEHIND = frozenset("。！？｡!?―—…」』）】》〉〕”)\"' \t\r\n\u3000")
_LONGEST = 400  # characters in brackets; with more, one may have been forgotten


def japanese_quotations(block: str) -> list[Span]:
    """Return ``(start, end)`` of what is in brackets and in one sentence, in order and apart.

    It is what continues after its brackets, or begins within a sentence: several sentences that somebody
    says by themselves are several.
    """
    found: list[Span] = []
    opened: list[int] = []
    depth: Counter[str] = Counter()
    for place, sign in enumerate(block):
        if sign in _OPENED:
            opened.append(place)
            depth[sign] += 1
        elif depth[_PAIRS.get(sign, "")]:
            start = _closed(block, opened, depth, _PAIRS[sign])
            inner = start > 0 and block[start - 1] not in _BEGINS_BEHIND
            if place - start <= _LONGEST and (inner or _BEHIND.match(block, place + 1)):
                while found and found[-1][0] > start:
                    found.pop()
                goes_on = inner and _NEXT_QUOTED.match(block, place + 1) is not None
                found.append((start, place + goes_on))  # no end after the bracket, too
    return found


def _closed(block: str, opened: list[int], depth: Counter[str], sign: str) -> int:
    """Return where the last of these brackets was opened; those within it are closed with it."""
    while True:
        start = opened.pop()
        depth[block[start]] -= 1
        if block[start] == sign:
            return start
