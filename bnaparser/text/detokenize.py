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
class DetokenizedSentence(Sentence):
    """A sentence of detokenized words; ``spaces`` tell whether a space follows each, the last one too."""

    spaces: tuple[bool, ...]


class DetokenizedWords(tuple[str, ...]):
    """Detokenized words; ``spaces`` tell whether a space follows each, the last one too."""

    spaces: Sequence[bool]

    @classmethod
    def of(cls, words: Iterable[str], spaces: Sequence[bool]) -> DetokenizedWords:
        """Return words that these spaces follow."""
        found = cls(words)
        found.spaces = spaces
        return found


def detokenize(sentence: Sentence, spacing: Spacing) -> DetokenizedWords:
    """Return the words of a sentence as its text has them.

    The offsets tell where spaces are. If the text is just the words with a space between them, they may be a
    treebank's words, and spaces are restored as ``spacing`` says.
    """
    if isinstance(sentence, DetokenizedSentence):
        return DetokenizedWords.of(sentence.words, sentence.spaces)
    words = detokenize_words(sentence.words)
    if sentence.text == " ".join(sentence.words):
        return DetokenizedWords.of(words, spaces_after(words, spacing))
    between = [after > end for (_, end), (after, _) in pairwise(sentence.offsets)]
    return DetokenizedWords.of(words, [*between, True])


def words_and_spaces(
    words: Sequence[str], spacing: Spacing
) -> tuple[Sequence[str], Sequence[bool]]:
    """Return detokenized words, and whether a space follows each; for a treebank's words it is guessed."""
    if isinstance(words, DetokenizedWords):
        return words, words.spaces
    plain = detokenize_words(words)
    return plain, spaces_after(plain, spacing)


def detokenize_words(words: Iterable[str]) -> list[str]:
    """Return words without a treebank's escapes: ``-LRB-`` is ``(``, curly quotes and dashes are plain."""
    return list(map(_detokenize_word, words))


def spaces_after(words: Sequence[str], spacing: Spacing) -> list[bool]:
    """Return whether a space follows each of the detokenized words, the last one too.

    Guessed: none before marks and clitics (``n't``, ``'s``), after opening brackets and such.
    """
    if spacing != "guess":
        return [spacing == "spaces"] * len(words)
    known = list(map(_glued, words))
    found = [not after for _, after, _ in known]
    for place, ((_, _, small), (before, _, next_small)) in enumerate(pairwise(known)):
        if before or (next_small == "not" and small == "can"):
            found[place] = False
    return found


# A text has few words that are not there again and again: each is looked at once.
@lru_cache(maxsize=16384)
def _detokenize_word(word: str) -> str:
    word = _SIGNS.get(word, word)
    if _ESCAPED.search(word):
        for escape, sign in _WITHIN.items():
            word = word.replace(escape, sign)
    return word


@lru_cache(maxsize=16384)
def _glued(word: str) -> tuple[bool, bool, str]:
    """Return whether a word is joined to any before it, and to any after it; and the word in lower case."""
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


def language_of_labels(labels: Container[str]) -> str | None:
    """Return a language's code, such as ``"en"``, or None if no language's labels are there."""
    found = (code for code, of in _LABELS.items() if all(label in labels for label in of))
    return next(found, None)


def spacing(language: str | None) -> Spacing:
    """Return how words of a treebank in that language become text."""
    return _SPACING.get(language, "guess")
