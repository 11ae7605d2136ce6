"""Icelandic as IcePaHC writes it: ``maður$`` ``$inn`` for ``maðurinn``, ``þarf$`` ``$tu`` for ``þarftu``.

Rules cut wherever an article or a pronoun could begin; a network says where one does.
"""

from __future__ import annotations

import itertools
import re

from bnaparser.text.rules.blank_separated import Spelling
from bnaparser.text.sentence import TextPiece
from bnaparser.trees.escapes import unescape

_ENDINGS = [
    "inn", "ið", "num", "in", "inu", "ina", "na", "nar", "inni", "nni", "nn", "ins", "n", "inum", "nir",
    "innar", "nna", "ns", "nu", "ð", "nnar", "tu", "ðu", "du", "ði",
]  # fmt: skip
_PARTICLES = [
    "á", "af", "upp", "út", "fyrir", "inn", "frá", "við", "yfir", "undir", "fram", "til", "niður", "saman",
]  # fmt: skip
_SHORTEST = 2  # letters of what is left of the word


def _cut(text: str, start: int, end: int) -> list[TextPiece]:
    word = text[start:end].lower()
    cuts = {end - len(one) for one in _ENDINGS if word.endswith(one)}
    cuts |= {start + len(one) for one in _PARTICLES if word.startswith(one)}
    first = [
        start,
        *sorted(cut for cut in cuts if start + _SHORTEST <= cut < end or _leaves(cut, start, end)),
    ]
    return [
        TextPiece(a, b, text[a:b], sure=True)
        if a == start
        else TextPiece(a, b, text[a:b], begins=False, joint="", mark="$")
        for a, b in zip(first, [*first[1:], end], strict=True)
    ]


def _leaves(cut: int, start: int, end: int) -> bool:
    """Return whether a particle of one letter leaves enough of a word."""
    return cut == start + 1 and end - cut > _SHORTEST


def _without_marks(word: str) -> str:
    word = unescape(word)
    return word.strip("$") or word


_PARTS = re.compile(r"[a-záðéíóúýþæö][^\W\d_]?\.(?:[^\W\d_]{1,2}\.)+|(?:o\.s\.)?frv\.")
_PART = re.compile(r"[^.]+\.")
_CLOCK = re.compile(r"(\d{1,2})(:)(\d\d)")


def _cut_other(text: str, start: int, end: int) -> list[TextPiece]:
    """Cut ``t.d.`` and ``16:45`` into their parts, and ``%`` off its number."""
    token = text[start:end]
    places = [start, end]
    if _PARTS.fullmatch(token):
        places = [start, *(start + part.end() for part in _PART.finditer(token))]
    elif clock := _CLOCK.fullmatch(token):
        places = [start + clock.start(1), start + clock.start(2), start + clock.start(3), end]
    mark = "$" if token == "%" and text[:start][-1:].isdigit() else ""
    return [
        TextPiece(a, b, text[a:b], sure=True, joint="", mark=mark if a == start else "$")
        for a, b in itertools.pairwise(places)
    ]


_ABBREVIATIONS = """
t d s frv o m a b bls nr kap kapít hr sr dr próf kr þ e f gal tít kl skv sbr frk jóh hv hæstv þm þús millj
mgr gr sl sek umr fv þáv nk klst ath St
"""
_BEFORE_NUMBERS = """
kt tbl árg tölubl bls jan feb mar apr jún júl ág ágú sept okt nóv des ca nr mán þri mið fim fös
lau sun
"""

# Words that begin a sentence after a number: ``vann leikinn 20. Hann``.
_STARTERS = """
Það Þetta Þessi Þessir Hann Hún Ég Við Þið Þeir Þær Þau En Og Í Á Um Með Frá Að Af Ef Þegar Svo Þá Þar Þannig Hér
Nú Síðan Einnig Hins Hvað Hver Hvernig Sá Sú Eftir Fyrir Til Var Er Eru Voru Ekki Allir Enginn Samt
"""

ICELANDIC = Spelling(
    frozenset(_ABBREVIATIONS.split()),
    _cut,
    units=False,
    glued=lambda before, after: before.endswith("$") and after.startswith("$"),
    written=_without_marks,
    ordinals=True,
    ordinal_words=True,
    open_hyphens=True,
    cut_other=_cut_other,
    starters=frozenset(_STARTERS.split()),
    before_numbers=frozenset(_BEFORE_NUMBERS.split()),
)
