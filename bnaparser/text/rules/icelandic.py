"""Icelandic as IcePaHC writes it: ``maður$`` ``$inn`` for ``maðurinn``, ``þarf$`` ``$tu`` for ``þarftu``.

Rules cut wherever an article or a pronoun could begin; a network says where one does.
"""

from __future__ import annotations

from bnaparser.text.rules.blank_separated import Spelling
from bnaparser.text.sentence import TextPiece
from bnaparser.trees.escapes import unescape

_ENDINGS = [
    "inn",
    "ið",
    "num",
    "in",
    "inu",
    "ina",
    "na",
    "nar",
    "inni",
    "nni",
    "nn",
    "ins",
    "n",
    "inum",
    "nir",
    "innar",
    "nna",
    "ns",
    "nu",
    "ð",
    "nnar",
    "tu",
    "ðu",
    "du",
    "ði",
]
_PARTICLES = [
    "á",
    "af",
    "upp",
    "út",
    "fyrir",
    "inn",
    "frá",
    "við",
    "yfir",
    "undir",
    "fram",
    "til",
    "niður",
    "saman",
]
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
    """Tell whether a particle of one letter leaves enough of a word."""
    return cut == start + 1 and end - cut > _SHORTEST


def _without_marks(word: str) -> str:
    word = unescape(word)
    return word.strip("$") or word


_ABBREVIATIONS = """
t d s frv o m a b bls nr kap kapít hr sr dr próf kr þ e f gal tít kl skv sbr frk jóh
"""
_BEFORE_NUMBERS = """
gr kt tbl árg tölubl bls jan feb mar apr jún júl ág ágú sept okt nóv des ca nr mán þri mið fim fös
lau sun
"""

ICELANDIC = Spelling(
    frozenset(_ABBREVIATIONS.split()),
    _cut,
    units=False,
    glued=lambda before, after: before.endswith("$") and after.startswith("$"),
    written=_without_marks,
    ordinals=True,
    before_numbers=frozenset(_BEFORE_NUMBERS.split()),
)
