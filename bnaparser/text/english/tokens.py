"""Penn Treebank words of one sentence, as character spans: splitting only, nothing is rewritten.

One regular expression, made of the rows of `token_rules`, finds the candidates; what needs more
context (periods, clitics) follows in Python. The time is linear in the text.
"""

from __future__ import annotations

import re

from bnaparser.text.english.abbreviations import Period, period_at
from bnaparser.text.english.entities import as_written, decoded, has_entities
from bnaparser.text.english.token_rules import APOSTROPHE, TOKEN_RULES, token_pattern

_TOKEN = token_pattern(TOKEN_RULES)
# No width, but part of the word they stand in: soft hyphen, joiners, variation selectors, tags.
_UNSEEN = r"\xad\u034f\u200c\u200d\u2060\ufe00-\ufe0f\U000e0000-\U000e0fff"
_UNSEEN_ONLY = re.compile(rf"[{_UNSEEN}]+")
_CLITIC = re.compile(rf"(?:n{APOSTROPHE}t|{APOSTROPHE}(?:s|re|ve|ll|d|m))\Z", re.IGNORECASE)
_LONGEST_CLITIC = 3
_STRAIGHT = str.maketrans("\u2018\u2019\u02bc`\xb4", "'" * 5)
# Where the treebank splits words that are written as one: the length of the first part.
_FUSED = {
    "cannot": 3,
    "gonna": 3,
    "gotta": 3,
    "wanna": 3,
    "gimme": 3,
    "lemme": 3,
    "'tis": 2,
    "'tisn't": 2,
    "'twas": 2,
    "'twasn't": 2,
    "'twere": 2,
    "'twill": 2,
    "'twould": 2,
    "d'ye": 2,
    "more'n": 4,
}
# Contractions whose apostrophe was left out, where hardly another word is meant: not ``ill``, ``its``, ``were``.
_NO_APOSTROPHE = """
ai|nt are|nt ca|nt could|nt did|nt do|nt does|nt had|nt has|nt have|nt is|nt must|nt should|nt was|nt
were|nt wo|nt would|nt
i|m i|ve he|s she|s you|re you|ve you|ll they|re they|ve they|ll we|ve that|s there|s here|s what|s where|s who|s
"""
_FUSED |= {row.replace("|", ""): row.index("|") for row in _NO_APOSTROPHE.split()}
_SHORT_FORMS = frozenset(["IM", "IVE", "HES"])  # no contractions
_NAMES = frozenset(
    ["Im", "Ive", "Hes"]
)  # after another, ``Jony Ive``, or before one, ``Im Kwon-taek``
_NAME_AFTER = re.compile(r"\s[A-Z]")
_TO_AFTER = re.compile(r"\sto\b")  # she was wont to
# An hour: 7pm, 10:30AM. Not 5pM, which is a concentration.
_HOUR = re.compile(r"(?:0?[1-9]|1[0-2])(?:[:.][0-5]\d)?(?=(?:[ap]\.?m|[AP]\.?M)\Z)")
_GOES_ON = frozenset(",;:")
_APOSTROPHES = frozenset("'\u2019")
# They end in -in, and not for -ing.
_NO_DROPPED_G_WORDS = """
again bargain begin berlin brain britain bulletin cabin captain certain chain chin coin contain cousin
curtain darwin domain drain dublin entertain explain fountain gain grain grin in insulin join kevin latin login
main maintain margin martin mountain napkin obtain origin pain penguin pin plain plugin protein pumpkin rain
remain robin ruin sin skin spain spin stain strain sustain terrain tin train twin vein villain violin virgin
vitamin win within
"""
_NO_DROPPED_G = frozenset(_NO_DROPPED_G_WORDS.split())
_SINGLE_QUOTES = frozenset("'\u2018\u2019")
_TOKENS_OF_QUOTE = 60  # that a quotation in single marks has at most
_BESIDE_WORD = re.compile(r"[\w.,!?]")
_CLOSED_LATER = re.compile(
    r"[^'\u2018\u2019]{0,300}(?:\w['\u2019]\w[^'\u2018\u2019]{0,300}){0,9}(?<=[\w.,!?])['\u2019](?!\w)"
)
_OPENING, _CLOSING = frozenset("(["), frozenset(")]")
_MORE = re.compile(r"[^\w.!?\u2026]*+[\w.!?\u2026]")  # the sentence does not end here
_REACH = 200  # of a bracket that is open
_ITEM_AFTER = re.compile(r"\s+[A-Z]")  # b. Remove the cover.
_FUSED_LONGEST = max(map(len, _FUSED))


def word_spans(text: str) -> list[tuple[int, int]]:
    """Return ``(start, end)`` of every word of one sentence, in order and without overlap.

    No word is empty or holds a blank, and what lies between words is blank or without width.
    """
    if has_entities(text):
        plain, places = decoded(text)
        return list(as_written(_plain_spans(plain), places))
    return _plain_spans(text)


def _plain_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of the words of a text without entities."""
    spans: list[tuple[int, int]] = []
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        kind = match.lastgroup
        if kind == "word" or kind == "elided":
            _add_word(text, start, end, spans)
        elif kind == "stop" and _belongs_to_word(text, start, spans):
            spans[-1] = (spans[-1][0], end)
        elif _could_close(match) and _in_brackets(text, start):
            spans += [(start, end - 1), (end - 1, end)]
        elif end - start == 2 and match.group() == ".." and _abbreviated(text, start, spans):
            spans[-1] = (spans[-1][0], start + 1)
            spans.append((start + 1, end))
        else:
            spans.append((start, end))
    return spans


def _add_word(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> None:
    """Append a word, its clitics and a closing quotation mark apart."""
    if (
        text[end - 1] in _APOSTROPHES
        and text[start] not in _APOSTROPHES
        and (text[start : end - 1].lower() in _NO_DROPPED_G or _closes_quote(text, end - 1, spans))
    ):
        _add_word(text, start, end - 1, spans)
        spans.append((end - 1, end))
        return
    word = text[start:end]
    if word.isascii():
        if word.isalpha() and (
            len(word) > _FUSED_LONGEST
            or word.lower() not in _FUSED
            or _is_another(text, start, end, spans)
        ):
            spans.append((start, end))
            return
    elif _UNSEEN_ONLY.fullmatch(word):
        return
    cut = _FUSED.get(word.lower().translate(_STRAIGHT))
    if cut is None and (hour := _HOUR.match(word)):
        cut = hour.end()
    if cut is not None:
        spans.append((start, start + cut))
        _add_word(text, start + cut, end, spans)
        return
    clitics = []
    while match := _CLITIC.search(text, max(start + 1, end - _LONGEST_CLITIC), end):
        clitics.append(match.span())
        end = match.start()
    spans.append((start, end))
    spans.extend(reversed(clitics))


def _closes_quote(text: str, place: int, spans: list[tuple[int, int]]) -> bool:
    """Tell whether the apostrophe of ``goin'`` or ``ol'`` is a quotation mark: one was opened, and no other closes it."""
    for start, end in spans[: -_TOKENS_OF_QUOTE - 1 : -1]:
        if end - start == 1 and text[start] in _SINGLE_QUOTES:
            opens = text[start] == "\u2018" or (
                not _BESIDE_WORD.match(text, start - 1) and _BESIDE_WORD.match(text, end)
            )
            return bool(opens) and _CLOSED_LATER.match(text, place + 1) is None
    return False


def _is_another(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> bool:
    """Tell whether what is spelled like a contraction without its apostrophe is a name or another word."""
    word = text[start:end]
    if word in _NAMES:
        after_name = bool(spans) and text[spans[-1][0]].isupper()
        return after_name or _NAME_AFTER.match(text, end) is not None
    is_wont = word.lower() == "wont" and _TO_AFTER.match(text, end) is not None
    return is_wont or word in _SHORT_FORMS


def _could_close(match: re.Match[str]) -> bool:
    """Tell whether the last character of a smiley may be a bracket's end: ``so:)``, ``so :))``."""
    return match.lastgroup == "smile" or (
        match.lastgroup == "whole" and match.group().endswith("))")
    )


def _in_brackets(text: str, place: int) -> bool:
    """Tell whether a round bracket was opened a little before and not closed."""
    reach = max(0, place - _REACH)
    return text.rfind("(", reach, place) > text.rfind(")", reach, place)


def _abbreviated(text: str, dot: int, spans: list[tuple[int, int]]) -> bool:
    """Tell whether the two periods from ``dot`` on are an abbreviation's and the sentence's."""
    if not spans or spans[-1][1] != dot:
        return False
    return period_at(text, spans[-1][0], dot) in (Period.MAYBE, Period.NEVER)


def _belongs_to_word(text: str, dot: int, spans: list[tuple[int, int]]) -> bool:
    """Tell whether the period at ``dot`` is part of the word before it.

    The last period of a sentence is not, whatever the word (``Inc`` ``.``), except in ``U.S.``,
    to which the treebank gives its period even there.
    """
    if not spans or spans[-1][1] != dot:
        return False
    word = text[spans[-1][0] : dot]
    if len(spans) == len(word) == 1 and word.islower() and _ITEM_AFTER.match(text, dot + 1):
        return False
    following = text[dot + 1 : dot + 2]
    kind = period_at(text, spans[-1][0], dot)
    if kind is Period.STOP:
        return following in _GOES_ON and word.isalpha()
    if following in _CLOSING and text[spans[0][0]] not in _OPENING:
        return True  # (Detroit, Mich.)
    return word == "U.S" or _MORE.match(text, dot + 1) is not None
