"""Portuguese as the Floresta treebank writes it: ``de`` ``o`` for ``do``, ``trata-`` ``se``.

``por_cento`` and ``Fernando_Henrique_Cardoso`` are one word each: a network finds such units. Within
one a contraction stays as it is written, ``Foz_do_Douro``; where a unit ends in it, it is taken apart:
``além_de`` ``o``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bnaparser.text.rules.blank_separated import Spelling
from bnaparser.text.sentence import TextPiece

_ARTICLES = "o a os as"
_DEMONSTRATIVES = """
este esta estes estas isto esse essa esses essas isso aquele aquela aqueles aquelas aquilo
"""
_PRONOUNS = f"ele ela eles elas {_DEMONSTRATIVES}"
_INDEFINITE = "um uma uns umas"


def _contractions() -> dict[str, tuple[str, str]]:
    """Return what each contraction is made of, in small letters."""
    found: dict[str, tuple[str, str]] = {}
    for word in f"{_ARTICLES} {_PRONOUNS} {_INDEFINITE} outro outra outros outras".split():
        found[f"d{word}"] = "de", word
        found[f"n{word}"] = "em", word
    for word in ["aqui", "ali", "aí", "onde", "entre"]:
        found[f"d{word}"] = "de", word
    for word in _ARTICLES.split():
        found[f"pel{word}"] = "por", word
    found |= {"ao": ("a", "o"), "aos": ("a", "os"), "à": ("a", "a"), "às": ("a", "as")}
    for word in ["aquele", "aquela", "aqueles", "aquelas", "aquilo"]:
        found[f"à{word[1:]}"] = "a", word
    return found


CONTRACTIONS = _contractions()
# ``trata-se``, ``tornar-se-ia``; a noun such as ``porta-voz`` has no pronoun after its hyphen.
_ENCLITIC = (
    r"(?:se|me|te|nos|vos|lhes?|[oa]s?|[ln][oa]s?|mos?|mas?|lh[oa]s?|ia|iam|íamos|á|ás|ão|ei|emos)"
)
_WITH_ENCLITICS = re.compile(
    rf"(?P<verb>\w+-)(?P<clitics>{_ENCLITIC}(?:-{_ENCLITIC})*)", re.IGNORECASE
)


def _cut(text: str, start: int, end: int) -> list[TextPiece]:
    parts = CONTRACTIONS.get(text[start:end].lower())
    if parts is not None:
        return _contracted(text, start, end, parts)
    match = _WITH_ENCLITICS.fullmatch(text, start, end)
    if match is None:
        return [TextPiece(start, end, text[start:end])]
    found = [TextPiece(start, match.end("verb"), match["verb"])]
    for part in re.finditer(r"[^-]+-?", match["clitics"]):
        begin, stop = (match.start("clitics") + place for place in part.span())
        found.append(TextPiece(begin, stop, part.group(), joint=""))
    return found


def _contracted(text: str, start: int, end: int, parts: tuple[str, str]) -> list[TextPiece]:
    first, second = parts
    if text[start].isupper():
        capitals = end - start > 1 and text[start:end].isupper()
        first = first.upper() if capitals else first.capitalize()
        second = second.upper() if capitals else second
    alone = end - start == 1  # "à" is two words at one place
    cut = end if alone else min(max(start + 1, end - len(second)), end - 1)
    begin = start if alone else cut
    return [TextPiece(start, cut, first), TextPiece(begin, end, second, contracted=True)]


_QUOTES = frozenset(['"', "“", "”", "''", "``"])
_BRACKETS = {"(": "{", ")": "}", "-LRB-": "{", "-RRB-": "}"}

_ABBREVIATIONS = """
sr sra srs sras dr dra drs d prof profa eng gen cel cap st sto sta av r pág págs p pp n nº art tel
ed vol fig etc jr inc seg qua qui sex sáb séc sécs cf exmo exma ilmo ilma ex Pe Fr mons gov cia rev
arq telef ten maj sgt alm brig dep desemb des jd pç rod edif cond ten-cel
"""
_BEFORE_NUMBERS = """
arts v vv jan fev abr mai jun jul ago out nov ap apto bl fls fl cap caps t vols figs Km inc núm nºs
op tít ed lt qd
"""

PORTUGUESE = Spelling(
    frozenset(_ABBREVIATIONS.split()),
    _cut,
    glued=lambda before, _: before.endswith("-") and before[0].isalpha(),
    before_numbers=frozenset(_BEFORE_NUMBERS.split()),
)


def with_marks(words: Sequence[str], _cased: bool) -> list[str]:
    """Return words with the treebank's marks in the place of others: ``{`` for ``(``, ``«`` for ``"``."""
    read, opened = [], False
    for word in words:
        if word in _QUOTES:
            opened = not opened
            word = "«" if opened else "»"
        read.append(_BRACKETS.get(word, word))
    return read
