"""What a text can be cut into by rules alone: pieces, one or several of which are a word.

Where a treebank's words are not what stands between blanks (Chinese; ``sin embargo``, which is one
word in Spanish; ``auminginn``, which is two in Icelandic), rules cut as finely as may be, and a network
says which pieces begin a word. Without one the rules' own guess is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from bnaparser.trees.escapes import ENTITY, character_of


class TextPiece(NamedTuple):
    """A word or a part of one, at ``start`` to ``end`` of a text, half-open.

    ``form`` is how a treebank writes it. ``begins``: whether it begins a word, as far as rules can
    tell; where they are ``sure``, nobody else is asked. ``joint`` stands between it and the piece
    before it where both are in one word, ``mark`` is put on both sides of a cut that is no blank.
    ``contracted``: with the piece before it, it is one contraction, such as ``de`` and ``o`` in ``do``.
    """

    start: int
    end: int
    form: str
    begins: bool = True
    sure: bool = False
    joint: str = "_"
    mark: str = ""
    contracted: bool = False


class FoundWord(NamedTuple):
    """A word as a treebank writes it, its place in the text, and the number of its first piece."""

    form: str
    start: int
    end: int
    piece: int


def put_together(
    text: str, pieces: Sequence[TextPiece], begins: Sequence[bool] | None = None
) -> list[FoundWord]:
    """Return the words of a sentence's pieces.

    ``begins`` says of each piece whether it begins a word; it counts where the rules are not sure. The
    first piece always begins one.
    """
    asked = [piece.begins for piece in pieces] if begins is None else begins
    firsts = [
        place
        for place, piece in enumerate(pieces)
        if place == 0 or (piece.begins if piece.sure else asked[place])
    ]
    found = []
    for first, end in zip(firsts, [*firsts[1:], len(pieces)], strict=True):
        before = pieces[first].mark if first else ""
        after = pieces[end].mark if end < len(pieces) else ""
        form = before + _form(text, pieces[first:end]) + after
        found.append(FoundWord(form, pieces[first].start, pieces[end - 1].end, first))
    return found


def _as_read(text: str) -> str:
    return ENTITY.sub(character_of, text) if "&" in text else text


def _form(text: str, pieces: Sequence[TextPiece]) -> str:
    """Return the word that pieces make. A contraction all of which is in it stands as in the text."""
    if len(pieces) == 1:
        return pieces[0].form
    form = ""
    for place, piece in enumerate(pieces):
        whole = place + 1 < len(pieces) and pieces[place + 1].contracted
        if place and piece.contracted:
            continue
        written = _as_read(text[piece.start : pieces[place + 1].end]) if whole else piece.form
        form += written if place == 0 else piece.joint + written
    return form
