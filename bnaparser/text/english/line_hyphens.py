"""Words that a hyphen divides at the end of a line: ``infor-`` and ``mation`` are ``information``.

Both halves are one word. Its hyphen goes, unless it seems to be the word's own: ``well-known``, ``DNA-based``.
A common word is written without it (``high`` and ``way``). Else lists of compounds, of first and of second parts decide.
"""

from __future__ import annotations

import re

from bnaparser.text.english.vocabulary import is_common_word

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
blue green black white single double triple large small mid anti semi pseudo quasi cross near state multi
"""
_COMPOUND_SECOND = """
based year years month months week weeks day days hour hours old known level levels free wide owned made related
specific driven dependent induced mediated associated type style size sized scale class quality backed led bound
speaking looking minded headed handed eyed haired colored coloured range risk income cost costs profile law laws
elect general friendly sensitive resistant oriented orientated shaped centered centred focused controlled funded sponsored
winning making
"""
# Compounds that are more often written with a hyphen than as one word.
_COMPOUNDS = """
add-on all-time anti-climactic auto-complete awe-inspiring b-movie best-seller best-selling big-budget big-screen
big-time box-office built-in check-in check-out close-up close-ups co-author co-chairman co-founder co-star co-stars
co-worker co-workers computer-generated cost-effective dead-on dim-witted drive-by drop-down dvd-rom e-mail e-mails
easy-going ex-boyfriend ex-wife far-fetched fast-paced film-making first-time follow-up forty-five foul-mouthed
four-star full-blown full-length full-time goings-on good-looking grown-up grown-ups gung-ho half-hearted hands-on
hard-earned hard-pressed heavy-handed high-profile high-quality high-school high-strung high-tech hip-hop ill-fated
know-how late-night live-action long-term low-key mild-mannered mind-numbing modern-day must-see no-brainer non-existent
non-fiction non-profit non-stop old-fashioned on-screen on-site one-dimensional one-liner one-liners one-note one-off
one-third part-time passer-by pop-up pre-existing pull-down pull-tab r-rated re-elect re-election re-enter read-only
real-life real-time right-click right-clicking rip-off runner-up sci-fi science-fiction second-rate self-esteem set-up
sit-com slow-motion so-called so-so soft-spoken stand-out stand-up story-line sub-par sub-plot sub-plots t-shirt
third-party thought-provoking three-dimensional three-way time-consuming top-notch trade-off tri-band two-hour
two-thirds u-turn user-friendly vice-president vice-versa voice-over warm-up well-balanced well-defined well-known
well-made well-written wide-angle wide-eyed would-be writer-director x-files x-ray x-rays year-old
"""
# Before or after a common word.
_FIRST_OF_WORDS = """
all best better big bottom co cost double dual easy empty ex far fast finely first five four full fully good
great grown half hand hard heavy high higher highest ill kind late life live long longer lower lowest main
mass middle mind money most much multiple must narrow never newly next non now old on once one open own part partly
poor poorly price pro quick rapid rate real recently record red right same science seven silver six slow so soft
tax ten third tight time top two ultra user vice voice water week whole wide wider widely world would year years zero
"""
_SECOND_OF_WORDS = """
about after ahead all around away bound by clad class conscious deep down end esque ever face fetched fiction foot
forward free fold good grade half heavy held home hungry in income inch innings intensive into level life line lived
long looking loving made middle mile minded minute natured new night odd off old on one only oriented out over
owner page paid paced part party person plus point pound proof provoking quarter rate rated ready rich right room run
run savvy second seeking service set sex share shot side sided star state still stop story strong term then third thirds
through time to together token tone top up ups value way wheel white wife wing winner word work worker
worth worthy year
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
_COMPOUND_SET = frozenset(_COMPOUNDS.split())
_FIRSTS_OF_WORDS = frozenset(_FIRST_OF_WORDS.split())
_SECONDS_OF_WORDS = frozenset(_SECOND_OF_WORDS.split())
_PARTICIPLE = re.compile(r"[a-z]{3,}(?:ed|ing)")
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
    if not first or (second in _NO_SECOND and _is_word_of_its_own(first.lower(), second)):
        return None
    if first[-1].isdigit() and (second in _COMPOUND_SECONDS or (first + second).isdigit()):
        return hyphen  # a 10-year plan, 1990-1995
    if not second[0].islower():
        is_name = first[0].isupper() or first.lower() in _BEFORE_NAMES
        return hyphen if is_name and not first[-1].isdigit() else None
    if first[-1].isdigit():
        return None
    is_plain = first.isalpha() and (first.islower() or first.istitle())
    is_plain = is_plain and text[max(0, end - len(first) - 1)] not in _OF_ADDRESS
    return "" if is_plain and not _is_compound(first.lower(), second) else hyphen


def _is_word_of_its_own(first: str, second: str) -> bool:
    """Return whether ``first`` is a whole word before ``second``: ``two-`` before ``or``, not ``col-``."""
    return not first.isalpha() or (is_common_word(first) and not is_common_word(first + second))


def _is_compound(first: str, second: str) -> bool:
    """Return whether a hyphen between two parts of a word is the word's own."""
    if f"{first}-{second}" in _COMPOUND_SET:
        return True
    if is_common_word(first + second):
        return False
    if len(first) == 1:
        return True  # t-shirt
    if second in _ENDING_SET or first in _PREFIXES:
        return False
    if first in _COMPOUND_FIRSTS or second in _COMPOUND_SECONDS:
        return True
    if not (is_common_word(second) if first in _FIRSTS_OF_WORDS else is_common_word(first)):
        return False
    if first in _FIRSTS_OF_WORDS or second in _SECONDS_OF_WORDS:
        return True
    return _PARTICIPLE.fullmatch(second) is not None and is_common_word(second)
