"""Sentences of words with their places in the input, how a text is split into them, and pieces of words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Literal, NamedTuple, TypeVar, get_args

from bnaparser.trees.escapes import ENTITY, character_of


class TextPiece(NamedTuple):
    """A word or a part of a word, at ``start`` to ``end`` of a text, end-exclusive.

    ``form`` is how a treebank writes it. ``begins``: whether it begins a word, as far as rules can
    tell; if they are ``sure``, the network is not used. ``joint`` stands between it and the piece
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


def join_pieces(
    text: str, pieces: Sequence[TextPiece], begins: Sequence[bool] | None = None
) -> list[FoundWord]:
    """Return the words of a sentence's pieces.

    ``begins`` says for each piece whether it begins a word; it is used where the rules cannot decide. The
    first piece always begins one.
    """
    starts_of_words = [piece.begins for piece in pieces] if begins is None else begins
    firsts = [
        place
        for place, piece in enumerate(pieces)
        if place == 0 or (piece.begins if piece.sure else starts_of_words[place])
    ]
    found = []
    for first, end in zip(firsts, [*firsts[1:], len(pieces)], strict=True):
        before = pieces[first].mark if first else ""
        after = pieces[end].mark if end < len(pieces) else ""
        form = before + _form(text, pieces[first:end]) + after
        found.append(FoundWord(form, pieces[first].start, pieces[end - 1].end, first))
    return found


def _form(text: str, pieces: Sequence[TextPiece]) -> str:
    """Return the word that pieces make. A contraction all of which is in it stands as in the text."""
    if len(pieces) == 1:
        return pieces[0].form
    form = ""
    for place, piece in enumerate(pieces):
        whole = place + 1 < len(pieces) and pieces[place + 1].contracted
        if place and piece.contracted:
            continue
        written = piece.form
        if whole:
            written = ENTITY.sub(character_of, text[piece.start : pieces[place + 1].end])
        form += written if place == 0 else piece.joint + written
    return form


Item = TypeVar("Item")

# As in trees, only ASCII blanks separate: a no-break space may stand inside a word.
_SPACED_WORD = re.compile(r"\S+", re.ASCII)

MAX_WORDS = 2000
"""How many words a sentence may have: more of them are no sentence, and cost time and memory."""


@dataclass(frozen=True)
class Sentence:
    """One sentence of an input text.

    ``text`` is the input from the first word to the end of the last one. ``offsets[i]`` are the
    start and end of ``words[i]``, half-open, in code points of the whole input: for every English word
    ``input[start:end] == word``, but for one that a hyphen divides at the end of a line: ``information`` has
    the place of ``infor-\\nmation``. Words are in order, do not overlap, and none is empty or holds a blank.

    In languages besides English words are as their treebank writes them: ``a_pesar_de`` for ``a pesar
    de``, ``de`` and ``o`` for ``do``. Each has the place of what it is written for; two parts of a
    single letter, ``à``, have the same. ``language`` is the text's, None if it was not determined. Where
    words are still to be found, they are the forms of ``pieces``, whose places count in ``text``.
    """

    text: str
    words: tuple[str, ...]
    offsets: tuple[tuple[int, int], ...]
    language: str | None = field(default=None, kw_only=True)
    pieces: tuple[TextPiece, ...] = field(default=(), kw_only=True)


def from_words(words: Iterable[str]) -> Sentence:
    """Make a sentence of tokens; its text is the words joined by blanks.

    Raises TypeError for a string, whose letters would be the words.
    """
    given = tuple(not_one_string(words, "words"))
    lengths = list(map(len, given))
    starts = accumulate([length + 1 for length in lengths], initial=0)
    offsets = [(start, start + length) for start, length in zip(starts, lengths, strict=False)]
    return Sentence(" ".join(given), given, tuple(offsets))


def from_spaced_words(text: str) -> Sentence:
    """Make a sentence of a text whose words have ASCII blanks between them; it may have none."""
    words = list(_SPACED_WORD.finditer(text))
    inside = text[words[0].start() : words[-1].end()] if words else ""
    return Sentence(inside, tuple(w.group() for w in words), tuple(w.span() for w in words))


def not_one_string(strings: Iterable[Item], what: str) -> Iterable[Item]:
    """Return the value unchanged; TypeError for a string, a dictionary, a data frame or a set.

    The parts of these are something else, or have no order.
    """
    if isinstance(strings, str):
        raise TypeError(f"give a list of {what}, not a string: {strings[:40]!r}")
    if isinstance(strings, Mapping) or hasattr(strings, "columns"):
        kind = type(strings).__name__
        raise TypeError(
            f"give a list of {what}, not a {kind}: give a column of a data frame, such as frame['text']"
        )
    if isinstance(strings, set | frozenset):
        raise TypeError(f"give a list of {what}, not a set: a set has no order")
    return strings


Split = Literal["paragraph", "text", "line", "token"]
"""``paragraph``, the default: a line has one sentence or several; ``text``: the lines are hard-wrapped text,
in which a sentence may continue in the next line; ``line``: a line is one sentence; ``token``: a line is one
sentence, with blanks between its words."""

SPLITS: tuple[Split, ...] = get_args(Split)
