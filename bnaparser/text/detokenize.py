"""Detokenization of treebank words, as benepar does it: what its models were trained on.

It restores a sentence's text from its words: plain signs, and spaces guessed by the language of the treebank.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from bnaparser.text.sentence import Sentence

# How words of a treebank become text: blanks guessed, always, never.
Spacing = Literal["guess", "spaces", "no_spaces"]

# Whole words that are other signs on a keyboard.
_SIGNS = {
    **dict.fromkeys("«»“”„", '"'),
    **dict.fromkeys("‹›‘’", "'"),  # noqa: RUF001
    **dict.fromkeys("–—", "--"),  # noqa: RUF001
}
_WITHIN = {
    "\\/": "/",
    "\\*": "*",
    "-LSB-": "[",
    "-RSB-": "]",
    "-LRB-": "(",
    "-RRB-": ")",
    "-LCB-": "{",
    "-RCB-": "}",
    "``": '"',
    "`": "'",
    "''": '"',
}
_ESCAPED = re.compile(r"[`\\]|''|-[LR][RCS]B-")
_CLITICS = {"n't", "'", "'s", "'ll", "'re", "'d", "'m", "'ve"}
_GLUED_BEFORE = re.compile(r"-(?!-|[LR][RCS]B-)|-R[RCS]B-|''|[%.,!?:;]")
_GLUED_AFTER = re.compile(r"(?:(?<!-)(?<!-[LR][RCS]B)-|-L[RCS]B-|[`$#])\Z")


@dataclass(frozen=True)
class TypedSentence(Sentence):
    """A sentence whose words are as typed; ``blanks`` say whether one follows each, the last one too."""

    blanks: tuple[bool, ...]


class TypedWords(tuple[str, ...]):
    """Words as typed; ``blanks`` say whether one follows each, the last one too."""

    blanks: tuple[bool, ...]


def as_typed(sentence: Sentence, kind: Spacing) -> TypedWords:
    """Return a sentence as typed. Where blanks are its offsets say, unless all words have one between.

    Then they may be a treebank's words, and ``kind`` says where blanks were.
    """
    if isinstance(sentence, TypedSentence):
        return _typed_words(sentence.words, sentence.blanks)
    words = typed(sentence.words)
    if sentence.text == " ".join(sentence.words):
        return _typed_words(words, blanks_after(words, kind))
    between = [after > end for (_, end), (after, _) in pairwise(sentence.offsets)]
    return _typed_words(words, [*between, True])


def words_and_blanks(words: Sequence[str], kind: Spacing) -> tuple[Sequence[str], Sequence[bool]]:
    """Return words as typed, and whether a blank follows each; of a treebank's words it is guessed."""
    if isinstance(words, TypedWords):
        return words, words.blanks
    plain = typed(words)
    return plain, blanks_after(plain, kind)


def _typed_words(words: Iterable[str], blanks: Iterable[bool]) -> TypedWords:
    found = TypedWords(words)
    found.blanks = tuple(blanks)
    return found


def typed(words: Sequence[str]) -> list[str]:
    """Return words as they would be typed: ``-LRB-`` is ``(``, curly quotes and dashes are plain."""
    return list(map(_typed_word, words))


def blanks_after(words: Sequence[str], kind: Spacing) -> list[bool]:
    """Say of typed words whether a blank follows each, the last one too.

    Guessed: none before marks and clitics (``n't``, ``'s``), after opening brackets and such.
    """
    if kind != "guess":
        return [kind == "spaces"] * len(words)
    known = list(map(_glued, words))
    found = [not after for _, after, _ in known]
    for place, ((_, _, small), (before, _, next_small)) in enumerate(pairwise(known)):
        if before or (next_small == "not" and small == "can"):
            found[place] = False
    return found


# A text has few words that are not there again and again: each is looked at once.
@lru_cache(maxsize=16384)
def _typed_word(word: str) -> str:
    word = _SIGNS.get(word, word)
    if _ESCAPED.search(word):
        for escape, sign in _WITHIN.items():
            word = word.replace(escape, sign)
    return word


@lru_cache(maxsize=16384)
def _glued(word: str) -> tuple[bool, bool, str]:
    """Say of a typed word whether it is joined to any before it, and to any after it; and in small letters."""
    small = word.lower()
    before = small in _CLITICS or _GLUED_BEFORE.match(word) is not None
    return before, _GLUED_AFTER.search(word) is not None, small


# The first language counts all of whose labels are known.
_LABELS = {
    "ar": ("X", "XP", "WHADVP", "WHNP", "WHPP"),
    "zh": ("VSB", "VRD", "VPT", "VNV"),
    "en": ("WHNP", "WHADJP", "SINV", "SQ"),
    "de": ("AA", "AP", "CCP", "CH", "CNP", "VZ"),
    "fr": ("P+", "P+D+", "PRO+", "PROREL+"),
    "he": ("PREDP", "SYN_REL", "SYN_yyDOT"),
    "pl": ("formaczas", "znakkonca"),
    "sv": ("PSEUDO", "AVP", "XP"),
}
_SPACING: dict[str | None, Spacing] = {"ar": "spaces", "he": "spaces", "zh": "no_spaces"}


def guess_language(labels: Container[str]) -> str | None:
    """Return a language's code, such as ``"en"``, or None where no language's labels are there."""
    found = (code for code, of in _LABELS.items() if all(label in labels for label in of))
    return next(found, None)


def spacing(language: str | None) -> Spacing:
    """Return how words of a treebank in that language become text."""
    return _SPACING.get(language, "guess")
