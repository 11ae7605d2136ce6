"""French as the Sequoia treebank writes it: ``l'`` and ``-t-il`` stand apart, ``du`` is one word.

``aujourd'_hui``, ``d'_autres`` and ``en_effet`` are one word each: a network finds such units.
"""

from __future__ import annotations

import re

from bnaparser.text.rules.blank_separated import Spelling
from bnaparser.text.sentence import TextPiece
from bnaparser.trees.escapes import unescape

_ELIDED_BEFORE_ANY = "(?i:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu)"
_ELIDED = re.compile(rf"(?:{_ELIDED_BEFORE_ANY}|(?i:quelqu|presqu|parce\s+qu|aujourd))['’]")
_ELIDED_END = re.compile(r"(?:(?<![^\W_])[cdjlmnst]|qu|aujourd)['’]\Z", re.IGNORECASE)
# Pronouns after their verb; ``rendez-vous`` and ``celui-ci`` look like it.
_INVERTED = re.compile(
    r"-(?:t-)?(?:je|tu|il|elle|on|nous|vous|ils|elles|ce|le|la|les|lui|leur|moi|toi|en|y|là)\Z",
    re.IGNORECASE,
)
_PREFIX = re.compile(r"(?:[^\W\d_]+o|ex|anti|non|pseudo|auto|vice|arrière)-(?=\w)", re.IGNORECASE)


def _cut(text: str, start: int, end: int) -> list[TextPiece]:
    found: list[TextPiece] = []
    while (match := _ELIDED.match(text, start, end)) is not None and match.end() < end:
        found.append(TextPiece(start, match.end(), match.group()))
        start = match.end()
    match = _PREFIX.match(text, start, end)
    if match is not None:
        found.append(TextPiece(start, match.end(), match.group()))
        # As a rule there is no cut after it: mezzo-soprano.
        return [
            *found,
            TextPiece(match.end(), end, text[match.end() : end], begins=False, joint=""),
        ]
    match = _INVERTED.search(text[start:end])
    cut = end if match is None or match.start() == 0 else start + match.start()
    found.append(TextPiece(start, cut, text[start:cut]))
    if cut < end:
        found.append(TextPiece(cut, end, text[cut:end], joint=""))
    return found


def _glued(before: str, after: str) -> bool:
    if _ELIDED_END.search(before) or (after.startswith("-") and after[1:2].isalpha()):
        return True
    return before.endswith("-") and len(before) > 1


def _written(word: str) -> str:
    return unescape(word).replace("'_", "'").replace("_", " ")


_ABBREVIATIONS = """
m mm mme mmes mlle mlles dr pr me st ste av bd etc vol pp p fig cf Ph chap env tél réf éd c-à-d
c.-à-d mgr mgrs boul apr gén ets vve sté cdt lt sgt dép J.-C Prof
"""
_BEFORE_NUMBERS = """
art no sept janv févr fév avr juil oct nov déc t tt ch fasc vol vols fol p pp n nos arts v chap tel
ann suppl
"""

FRENCH = Spelling(
    frozenset(_ABBREVIATIONS.split()),
    _cut,
    before_numbers=frozenset(_BEFORE_NUMBERS.split()),
    elided=_ELIDED_BEFORE_ANY,
    glued=_glued,
    written=_written,
)
