"""Languages that put blanks between words, in Latin letters: sentence ends, and the pieces of words.

What differs from one to the next is a `Spelling`: its abbreviations, and how a run of letters is cut.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from bnaparser.text.characters import Span, compose_accents, places_of_composed
from bnaparser.text.english.sentences import segments, strip_span
from bnaparser.text.english.tokens import BLANK, EMOJI_GOES_ON, NO_WIDTH, PICTURE, WHOLE_EMOJI
from bnaparser.text.sentence import TextPiece
from bnaparser.trees.escapes import unescape

# Accents and vowels that stand alone.
_MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0966-\u0df3\u0e31-\u0e4e\u0eb1-\u0ece\u0f71-\u0f84\u102b-\u103e\u17b4-\u17d3"
# Letters, these marks, and what has no width within a word.
_LETTER = rf"(?:[^\W\d_]|[{_MARKS}\xad\u200c\u200d\u2060]|(?<=\w)[{NO_WIDTH}]++(?=\w))"
# Before an amount, with no blank: Rp1.000.000
_CURRENCY = "Rp|IDR|USD|EUR|GBP|JPY|CNY|SGD|MYR|AUD"


@cache
def _token_pattern(spelling: Spelling) -> re.Pattern[str]:
    """Compile the expression for a token of a language."""
    compounds, open_hyphens = spelling.compounds, spelling.open_hyphens
    hyphen = r"| [-\u2010\u2011](?=\w)" if spelling.hyphens else ""
    first = r"(?<![\w-])-(?=[^\W\d_]{3}) |" if open_hyphens else ""
    last = r"(?: (?<=[^\W\d_])-(?=[\s,;)/]) )?" if open_hyphens else ""
    hyphen += r"| /-?(?=[^\W\d_]) | [*:](?=innen?\b)" if compounds else ""
    numbered = r"\d+ (?:[.,:-]\d+)* (?:er|\.)? (?:-[^\W\d_]+)+ (?!\w)" if compounds else r"(?!)"
    score = r"(?:[-\u2013]\d+ (?:[.,:]\d+)*)+" if spelling.hyphens else r"(?!)"
    return re.compile(
        rf"""
        (?P<emoji> {WHOLE_EMOJI} )
      | (?P<elided> (?<!\w) (?: {spelling.elided} ) ['’] (?=[\w"«“‘]) )
      | (?P<numbered> {numbered} )
      | (?P<score> \d+ (?:[.,:]\d+)* {score} (?!\w) )
      | (?P<whole>
            (?:https?://|www\.) (?: [^{BLANK}<>"]* (?<![.,;:!?)\]»”']) )?
          | [\w.+-]{{1,64}}@[\w-]{{1,64}}(?:\.[\w-]{{1,64}})+
          | [@\#][^\W\d]\w*
          | [Cc]\.-à-d\. | (?:o\.s\.)?frv\.
          | (?:{_LETTER}{{1,2}}\.) (?:-?{_LETTER}{{1,2}}\.)+ | °[CF]\b
          | [A-Z]{{1,3}}\$ | (?:{_CURRENCY})(?=\.?\d)
          | \d+\.[ºª°](?!\w) | [Nn]\.[ºª°]
          | \d+ (?:[.,:/]\d+)* (?: (?!-) (?:{_LETTER}|°)++ \d* )? (?!\w)
        )
      | (?P<word> (?: {first} \w|{_LETTER}) (?: (?:\w|{_LETTER})+ | ['’](?=\w) {hyphen} | [ºª°] )* {last} )
      | (?P<mark> \.{{2,}} | …+ | -{{2,}} | [—–]+ | [^{BLANK}] (?: {EMOJI_GOES_ON} )* )
        """,
        re.VERBOSE,
    )


# An emoji after its sentence is part of it; the marks of China and Japan end one without a blank.
_STOP = re.compile(
    rf"""
    (?:
        (?P<mark> (?<![.!?…])[.!?…]++ )
        (?P<close> (?: ["'’”“‘»›«‹)\]] | [{BLANK}]+ (?: [»”›] | "(?=[{BLANK}]) ) )* )
        (?: [{BLANK}]* (?:{PICTURE}) )* (?=[{BLANK}]|\Z)
      | [。！？｡]++ [」』】〕）"'’”]*+
    )
    (?P<blank> [{BLANK}]*+ )
    """,
    re.VERBOSE,
)
# What continues with the sentence, after its quotation or interjection: ``!", she said``, ``? -- he asked``
_GOES_ON = frozenset(".,;:!?…\u3001\uff0c\u3002\uff01\uff1f")
_QUOTE_GOES_ON = re.compile(r"[\"'][,;:]")
_ENDS_SMALL = re.compile(r"\.|[!?]+")  # and no quotation, which may continue
_DASH_GOES_ON = re.compile(rf"[-–—]+[{BLANK}]*[a-zà-ÿ,]")
# A.M., J.-P., M.H.: of a name, which continues; others may stand last in a sentence.
_INITIALS = re.compile(r"(?:[^\W\d_]\.-?){1,3}[^\W\d_]")
_NO_INITIAL_WORDS = (
    "A.C A.D B.C C.V D.C D.F E.U E.U.A L.P N.V P.S R.U S.A S.L U.E U.S U.S.A U.K S.P.A"
)
_NO_INITIALS = frozenset(_NO_INITIAL_WORDS.split())
_NEXT_WORD = re.compile(r"[^\W\d_]+")
_LAST_WORD = re.compile(r"[\w.'’ºª-]*\Z")
_LONGEST_WORD = 40
# Abbreviations after which a list ends, and often the sentence.
_ENDS_LIST = frozenset({"etc", "usw", "dll", "dsb", "dkk", "frv", "o.s.frv", "o.fl", "a.m", "p.m"})
# Units of measurement and money, after which a sentence often ends: ``5 kr.``, ``71,39 m.``
_UNITS = frozenset(
    ["kr", "mín", "sek", "klst", "m", "g", "km", "cm", "mm", "kg", "gr", "mgr", "umr"]
)
_AMOUNT = re.compile(rf"\d\.?[{BLANK}]*+(?:[^\W\d_]++\.?[{BLANK}]++)?\Z")
_NO_ORDINAL = re.compile(r"\d[:,–-]\d+\Z")  # um 17:00, 3-2
# m.a., P.ej., þ.e.a.s., but not mbl.is
_SHORT_PARTS = re.compile(r"(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,3}")
_DOUBLED = re.compile(r"([A-Z])\1")  # of a plural in Spanish: CC. OO.
_DOUBLED_NEXT = re.compile(rf"{_DOUBLED.pattern}\.")
_COMPOUND = re.compile(r"-[^\W\d_]+")
_BEFORE_CHRIST = re.compile(rf"\b[vn]\.[{BLANK}]*\Z")
_ROMAN = re.compile(r"[IVXLC]{2,}")
_NUMBER = re.compile(r"\d|[IVXL]+(?![\w'’])")
_LONGEST_NUMBER = 8
_OPENING = frozenset("\"'«‹»›“‘„‚([{¿¡-–—•*$€£§@#")
_ADDRESS_OR_EMOJI = re.compile(rf"https?://|www\.|{PICTURE}", re.VERBOSE)
_ITEM_NUMBER = re.compile(rf"[{BLANK}]*+\(?(?:\d{{1,3}}|[^\W\d_])")
_VISIBLE = re.compile(rf"[^{BLANK}]")
_FIRST_LETTER = re.compile(r"[^\W\d_](?![A-Z])")  # not that of iPhone
_LINK = re.compile(r"(?:https?://|www\.|[@#])\S+")
_LONGEST_LINK = 300


@dataclass(frozen=True)
class Spelling:
    """The spelling rules of a language whose words stand between blanks.

    Args:
        abbreviations: keep their period, which ends no sentence. An abbreviation with a capital is one only with it.
        cut: splits a run of letters into words, from the text, start and end of the run.
        before_numbers: abbreviations only before a number.
        before_names: words whose period is a token but ends no sentence.
        elided: expression for what an apostrophe separates from the next word.
        hyphens: a hyphen may stand within a word.
        units: a word may have blanks.
        ordinals: ``15.`` may be an ordinal number; it ends a sentence before one of the ``starters``.
        ordinal_words: the period of an ordinal number is part of the word.
        open_hyphens: a hyphen may begin or end a word.
        compounds: a slash may stand within a word and a number begin it: ``SPD/FDP-Gruppe``, ``10-jährige``, ``Leser*innen``.
        cut_other: splits a token that is no run of letters, such as ``16:45``.
        starters: words that begin a sentence after a number.
        glued: whether no blank stands between two words of the treebank.
        written: the word of a text for a word of the treebank.
    """

    abbreviations: frozenset[str]
    cut: Callable[[str, int, int], list[TextPiece]]
    before_numbers: frozenset[str] = frozenset()
    before_names: frozenset[str] = frozenset()
    elided: str = r"(?!)"
    hyphens: bool = True
    units: bool = True
    ordinals: bool = False
    ordinal_words: bool = False
    open_hyphens: bool = False
    compounds: bool = False
    cut_other: Callable[[str, int, int], list[TextPiece]] | None = None
    starters: frozenset[str] = frozenset()
    glued: Callable[[str, str], bool] = lambda before, after: False
    written: Callable[[str], str] = lambda word: unescape(word).replace("_", " ")


def pieces(text: str, spelling: Spelling) -> list[TextPiece]:
    """Return the pieces of one sentence; every character but blanks is in one of them, in order."""
    plain = compose_accents(text)
    if plain == text:
        return _composed_pieces(text, spelling)
    places = places_of_composed(text)
    return [
        _as_written(piece, plain, text, places[piece.start], places[piece.end])
        for piece in _composed_pieces(plain, spelling)
    ]


def _as_written(piece: TextPiece, plain: str, text: str, start: int, end: int) -> TextPiece:
    """Return a piece of the composed text at its place in the text as it is written."""
    is_slice = piece.form == plain[piece.start : piece.end]
    return piece._replace(start=start, end=end, form=text[start:end] if is_slice else piece.form)


def _composed_pieces(text: str, spelling: Spelling) -> list[TextPiece]:
    """Return the pieces of a sentence in which letters and accents are one character, if there is one."""
    found: list[TextPiece] = []
    place = 0
    token = _token_pattern(spelling)
    while (match := token.search(text, place)) is not None:
        start, end = match.span()
        if match.lastgroup == "word":
            end = _with_period(text, start, end, spelling)
            found += spelling.cut(text, start, end)
        else:
            if spelling.ordinal_words and _is_ordinal(text, start, end):
                end += 1
            if spelling.cut_other is not None:
                found += spelling.cut_other(text, start, end)
            else:
                found.append(TextPiece(start, end, text[start:end], sure=not spelling.units))
        place = end
    return [_joined(piece, before) for before, piece in zip([None, *found], found, strict=False)]


def _joined(piece: TextPiece, before: TextPiece | None) -> TextPiece:
    """Return a piece with nothing between it and the one before, where no blank is; but ``d'_autres``."""
    apart = before is None or piece.start > before.end or before.form.endswith(("'", "’"))
    return piece if apart else piece._replace(joint="")


def uncut(text: str, start: int, end: int) -> list[TextPiece]:
    """Return a run of letters as one piece."""
    return [TextPiece(start, end, text[start:end])]


def sentence_spans(block: str, spelling: Spelling) -> Iterator[Span]:
    """Yield ``(start, end)`` of each sentence in a block of text, without the blanks around it."""
    lower_case = _is_in_small_letters(block)
    for begin, end in segments(block):
        start, may_be_item, is_item = begin, True, False
        for stop in _STOP.finditer(block, begin, end):
            if stop.end() == end:
                continue
            number = may_be_item and _ITEM_NUMBER.fullmatch(block, start, stop.start())
            if number and stop["mark"] == ".":
                is_item = True  # 1. The first of a list
            elif _ends(block, start, stop, spelling, lower_case):
                yield strip_span(block, start, stop.start("blank"))
                start = stop.end()
                may_be_item, is_item = is_item or "\n" in stop["blank"], False
        span = strip_span(block, start, end)
        if span[0] < span[1]:
            yield span


def _is_in_small_letters(block: str) -> bool:
    """Return whether sentences begin with small letters: the first does, and no other begins with a capital."""
    letter = _FIRST_LETTER.search(_LINK.sub(" ", block[:_LONGEST_LINK]))
    if letter is None or not letter[0].islower():
        return False
    return not any(block[stop.end() : stop.end() + 1].isupper() for stop in _STOP.finditer(block))


def _with_period(text: str, start: int, end: int, spelling: Spelling) -> int:
    """Return where a word ends, its period included where it is an abbreviation or an initial."""
    if text[end : end + 1] != ".":
        return end
    following = _VISIBLE.search(text, end + 1)
    if following is None:
        return end
    word = text[start:end]
    is_ordinal = spelling.ordinal_words and _ROMAN.fullmatch(word)  # Ludwig XIV. war
    if not (is_ordinal or _is_short(word, text, following.start(), spelling)):
        return end
    rest = _COMPOUND.match(text, end + 1) if spelling.compounds else None  # Dipl.-Ing. Berg
    return end + 1 if rest is None else _with_period(text, rest.start() + 1, rest.end(), spelling)


def _is_ordinal(text: str, start: int, end: int) -> bool:
    """Return whether a number has a period that does not end the sentence."""
    is_number = end - start < 4 and text[start:end].isdigit() and text[end : end + 1] == "."
    return is_number and any(sign.isalnum() for sign in text[end + 1 :])


def _is_short(word: str, text: str, following: int, spelling: Spelling) -> bool:
    """Return whether a word that a period follows is an abbreviation or an initial, given where the text continues."""
    word = _behind_elision(word)  # l'art.
    if len(word) == 1 and word.isupper():
        return True
    if _DOUBLED.fullmatch(word) and _DOUBLED_NEXT.match(text, following):
        return True
    if word in ("a", "d") and text.startswith("C.", following):  # before or after Christ
        return True
    forms = {word, word.lower()}
    if spelling.compounds and word.endswith("str"):
        forms.add("Str")  # Hauptstr. 5
    if not forms.isdisjoint(spelling.abbreviations):
        return True
    number = _NUMBER.match(text[following : following + _LONGEST_NUMBER])
    return number is not None and not forms.isdisjoint(spelling.before_numbers)


def _behind_elision(word: str) -> str:
    return word.replace("’", "'").rpartition("'")[2]


def _ends(text: str, start: int, stop: re.Match[str], spelling: Spelling, lower_case: bool) -> bool:
    """Return whether a sentence ends with these marks; ``lower_case``: in this text they begin with small letters."""
    following = text[stop.end()]
    if following in _GOES_ON or _QUOTE_GOES_ON.match(text, stop.end()):
        return False
    if stop["mark"] is None:
        return not following.islower()
    if stop["mark"] != "." and _DASH_GOES_ON.match(text, stop.end()):
        return False
    if not _may_begin(text, stop, lower_case):
        return False
    if stop["mark"] != "." or stop["close"] not in ("", ")"):
        return True
    before = compose_accents(text[max(start, stop.start() - _LONGEST_WORD) : stop.start()])
    match = _LAST_WORD.search(before)
    whole = match.group() if match is not None else ""
    word = _behind_elision(whole)
    word = word.rpartition(".-")[2] if spelling.compounds else word  # Dipl.-Ing.
    if len(word) == 1 and following.islower():
        return False  # a las 5 p. m. salió
    ends_list = word.lower() in _ENDS_LIST and following.isupper()
    earlier = before[: len(before) - len(whole)]
    if following.isupper():
        ends_list |= word in _UNITS and _AMOUNT.search(earlier) is not None
        ends_list |= word == "Chr" and _BEFORE_CHRIST.search(earlier) is not None
        ends_list |= word == "h" and earlier.endswith("/")  # 50 km/h
    if _is_short(word, text, stop.end(), spelling) and not ends_list:
        return False
    if _SHORT_PARTS.fullmatch(word) and word[1:].islower() and not ends_list:
        return False
    is_name = word == whole or "-" in word  # l'O.N.U. is none, d'A.-M. Dupont is
    if _INITIALS.fullmatch(word) and word.isupper() and word not in _NO_INITIALS and is_name:
        return False
    if word.lower() in spelling.before_names:
        return False
    is_number = word.isdigit() and len(word) < 3  # more are a year
    is_number |= spelling.ordinal_words and _ROMAN.fullmatch(word) is not None
    if not (spelling.ordinals and is_number):
        return True
    if _NO_ORDINAL.search(before):
        return True
    next_word = _NEXT_WORD.match(text, stop.end())
    return next_word is not None and next_word[0] in spelling.starters


def _may_begin(text: str, stop: re.Match[str], lower_case: bool) -> bool:
    """Return whether what follows these marks may begin a sentence."""
    following = text[stop.end()]
    if _ADDRESS_OR_EMOJI.match(text, stop.end()):
        return True
    if following.islower():
        return lower_case and _ENDS_SMALL.fullmatch(stop["mark"] + stop["close"]) is not None
    return following.isalpha() or following.isdigit() or following in _OPENING
