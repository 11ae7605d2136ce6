"""How wide text will be, without a browser or a terminal, and text that XML can hold."""

from __future__ import annotations

import re
import unicodedata

# Advance widths of the characters from blank to "~" in hundredths of the font size: those of
# DejaVu Serif, the widest of the fonts that browsers fall back to, so that words do not touch.
# fmt: off
_ASCII = (
    32, 40, 46, 84, 64, 95, 89, 27, 39, 39, 50, 84, 32, 34, 32, 34, 64, 64, 64, 64,
    64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 54, 100, 72, 73, 77, 80, 73, 69, 80,
    87, 40, 40, 75, 66, 102, 88, 82, 67, 82, 75, 69, 67, 84, 72, 103, 71, 66, 69, 39,
    34, 39, 84, 50, 50, 60, 64, 56, 64, 59, 37, 64, 64, 32, 31, 61, 32, 95, 64, 60,
    64, 64, 48, 51, 40, 64, 56, 86, 56, 56, 53, 64, 34, 64, 84,
)
# fmt: on
_WIDE, _UPPER, _OTHER = 104, 100, 78
_PICTURE = 138  # emoji are wider than the square that East Asian characters fill

_NOT_XML = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


def text_width(text: str, size: float) -> float:
    """Return about how wide ``text`` is at the font size ``size``, rather too wide than too small.

    Marks that join the character before them have no width; East Asian characters and emoji have
    theirs.
    """
    return sum(map(_advance, text)) * size / 100


def cells(text: str) -> int:
    """Return how many columns of a terminal ``text`` takes, as far as terminals agree."""
    return sum(map(_columns, text))


def visible(text: str) -> str:
    """Return the text with each character that XML forbids or that nobody sees made visible.

    Control characters become their pictures (``\\x07`` is ``␇``); lone surrogates, and other code
    points that are no characters, become ``�``.
    """
    return _NOT_XML.sub(_picture, text)


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"


def _advance(character: str) -> int:
    code = ord(character)
    if 32 <= code < 127:
        return _ASCII[code - 32]
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    if unicodedata.east_asian_width(character) in "WF":
        return _PICTURE if 0x1F000 <= code < 0x20000 else _WIDE
    base = ord(unicodedata.normalize("NFD", character)[0])
    if base < 127:
        return _ASCII[base - 32]
    return _UPPER if character.isupper() or not character.isalnum() else _OTHER


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
