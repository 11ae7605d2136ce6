"""Japanese sentence ends. What is quoted and goes on with ``と`` is part of its sentence."""

from __future__ import annotations

import re
from collections import Counter

Span = tuple[int, int]

_PAIRS = {"」": "「", "』": "『", "）": "（", ")": "("}
_OPENED = frozenset(_PAIRS.values())
_CLOSING = "」』）】》〉〕”)"
# What begins with と and is no "that", which somebody says or thinks: ところが, とても.
_NO_PARTICLE = "(?:ころ[がで]|ても|っても|にかく|うとう|りあえず|もかく|もあれ|なりの|くに|きどき|つぜん|もだち|んでもな)"
# Behind a bracket a particle goes on, but にいさん and がたがた begin anew.
_GOES_ON = (
    rf"っ|と(?!{_NO_PARTICLE})"
    r"|[、，」』）をの]|[にがはもでへや](?![\u3041-\u309f])|に[はも]|など|なんて|ため(?!息)"
)
# Behind a mark alone what is said goes on, too; behind a full stop only before a word for saying it.
_SAID = rf"(?<=[！？!?])と(?!{_NO_PARTICLE})|と(?!同時)[\u3400-\u9fff]|とい[いえっわ](?!ても)|って(?!いうか)"
# Several quotations within a sentence, the last of which somebody says: 彼は「行く。」「待て。」と叫んだ.
_NEXT_QUOTED = re.compile("(?:「[^「」]{0,100}」){1,4}と")
SENTENCE_END = re.compile(
    # Within what is written in Latin letters a mark ends none: Yahoo!ニュース, 3.5.
    r"(?:(?<![。！？｡])[。！？｡]++|(?<![A-Za-z!?])[!?]++|(?<![!?])[!?]++(?=\s|\Z)|(?<=[\u3040-\u30ff\u3400-\u9fff])(?:\.(?![A-Za-z0-9０-９.])|．(?![0-9０-９．])))"
    rf"[{_CLOSING}\"']*+(?![、，」』）])(?!{_SAID})(?!(?<=[{_CLOSING}])(?:{_GOES_ON}))"
)
_BEHIND = re.compile(_GOES_ON)
# Behind these a sentence begins; what is quoted elsewhere is part of another one.
_BEGINS_BEHIND = frozenset("。！？｡!?―—…」』）】》〉〕”)\"' \t\r\n\u3000")
_LONGEST = 400  # characters in brackets; with more, one may have been forgotten


def whole_spans(block: str) -> list[Span]:
    """Return ``(start, end)`` of what is in brackets and in one sentence, in order and apart.

    It is what goes on behind its brackets, or begins within a sentence: several sentences that somebody
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
                found.append((start, place + goes_on))  # no end behind the bracket, too
    return found


def _closed(block: str, opened: list[int], depth: Counter[str], sign: str) -> int:
    """Return where the last of these brackets was opened; those within it are closed with it."""
    while True:
        start = opened.pop()
        depth[block[start]] -= 1
        if block[start] == sign:
            return start
