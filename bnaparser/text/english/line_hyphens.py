"""Words that a hyphen divides at the end of a line: ``infor-`` and ``mation`` are ``information``.

Both halves are one word. Its hyphen goes, unless it seems to be the word's own: ``well-known``, ``DNA-based``.
There is no dictionary: short lists of first and second parts decide.
"""

from __future__ import annotations

import re

_BLANK = r"[ \t]*"
_LINE_HYPHEN = re.compile(
    rf"(?<=\w)(?P<hyphen>[-\u2010\xad]){_BLANK}(?:\r\n|[\n\r]){_BLANK}(?P<second>[^\W_]+)"
)
_FIRST = re.compile(r"[\w\u2010-]*\Z")
_LONGEST_FIRST = 40
_NO_SECOND = frozenset(["and", "or", "nor", "to", "but"])  # two-\nand three-year
_LINK = re.compile(
    "(?:in|of|to|on|up|and|the|by|for|off|out|at|a)[-\u2010][^\\W_]"
)  # mother-\nin-law
# No syllable at which a longer word is divided, or before an ending alone.
_COMPOUND_FIRST = """
well self non high low long short full half first second third two three four five six seven eight nine twenty
thirty forty fifty sixty seventy eighty ninety hard soft left right middle upper lower north south east west
blue red green black white single double triple large small mid anti semi pseudo quasi cross far near state multi
"""
_COMPOUND_SECOND = """
based year years month months week weeks day days hour hours old known level levels free wide owned made related
specific driven dependent induced mediated associated type style size sized scale class quality backed led bound
speaking looking minded headed handed eyed haired colored coloured range risk income cost costs profile law laws
elect general friendly sensitive resistant oriented orientated shaped centered centred focused controlled funded sponsored
winning making
"""
_ENDINGS = """
able age al an ance ant ary ate cial ed eer el en ence ent er ers es est ette ful fully ian ible ic ical ies ing ings
ion ious ish ism ist ists ity ive ize ized izing less let like ling lings ly ment ments ness or ous ry ship sion some
teen teenth th ties tieth tion tional tions ty ual ure ward wards ways wise ware y ier iest ily ble bly dle gle ple tle
dling que quity cipate cipated cipation nar nars ness pher rophone ple plied plier plies ply plication tude titude
"""
_PREFIXES = frozenset(
    ["un", "re", "in", "im", "dis", "mis", "over", "under", "out", "inter", "sub", "super", "trans"]
)
_COMPOUND_FIRSTS = frozenset(_COMPOUND_FIRST.split())
_COMPOUND_SECONDS = frozenset(_COMPOUND_SECOND.split())
_ENDING_SET = frozenset(_ENDINGS.split())
_OF_ADDRESS = frozenset("/.@\\_")
# Before a capital or a digit: mid-1990s, non-English.
_BEFORE_NAMES = frozenset(
    ["mid", "pre", "post", "non", "anti", "pro", "trans", "ex", "all", "pan", "un"]
)


def has_line_hyphens(text: str) -> bool:
    """Return whether a word of the text may continue in the next line."""
    return "\n" in text and _LINE_HYPHEN.search(text) is not None


def with_whole_words(text: str) -> tuple[str, list[int]]:
    """Return the text with divided words in one piece, and the place of each character in ``text``.

    ``places[i]`` is where character ``i`` begins; one more is the end of the text.
    """
    parts: list[str] = []
    places: list[int] = []
    start = 0
    for match in _LINE_HYPHEN.finditer(text):
        hyphen = _hyphen_of(text, match)
        if hyphen is None:
            continue
        end = match.start("hyphen") + len(hyphen)
        parts.append(text[start:end])
        places += range(start, end)
        start = match.start("second")
    parts.append(text[start:])
    places += range(start, len(text) + 1)
    return "".join(parts), places


def _hyphen_of(text: str, match: re.Match[str]) -> str | None:
    """Return the hyphen that a divided word has when it is whole, empty if it has none; None if it is no word."""
    end = match.start("hyphen")
    found = _FIRST.search(text, max(0, end - _LONGEST_FIRST), end)
    first, second = found.group() if found else "", match["second"]
    hyphen = match["hyphen"]
    if hyphen == "\xad":
        return ""
    if text.isupper():  # a heading: the PRESI-\nDENT
        first, second = first.lower(), second.lower()
    if first and _LINK.match(text, match.start("second")):
        return hyphen
    if second in _NO_SECOND or not first:
        return None
    if first[-1].isdigit() and (second in _COMPOUND_SECONDS or (first + second).isdigit()):
        return hyphen  # a 10-year plan, 1990-1995
    if not second[0].islower():
        is_name = first[0].isupper() or first.lower() in _BEFORE_NAMES
        return hyphen if is_name and not first[-1].isdigit() else None
    if first[-1].isdigit():
        return None
    is_plain = first.isalpha() and len(first) > 1 and (first.islower() or first.istitle())
    is_plain = is_plain and text[max(0, end - len(first) - 1)] not in _OF_ADDRESS
    return "" if is_plain and not _is_compound(first.lower(), second) else hyphen


def _is_compound(first: str, second: str) -> bool:
    """Return whether a hyphen between two parts of a word is the word's own."""
    if second in _ENDING_SET or first in _PREFIXES:
        return False
    return first in _COMPOUND_FIRSTS or second in _COMPOUND_SECONDS
