"""Sentences of words that another library found, with the blanks that it knows of."""

from __future__ import annotations

from collections.abc import Iterable

from bnaparser.text.sentence import Sentence


def spaced_sentence(words: Iterable[tuple[str, bool]]) -> Sentence:
    """Make a sentence of words, each with whether a blank comes after it; offsets count in it.

    Blanks inside a word, as in words that were merged, become no-break spaces: ours have no others.
    """
    parts, offsets, end = [], [], 0
    for text, blank in words:
        word = "\xa0".join(text.split())
        offsets.append((end, end + len(word)))
        parts.append((word, " " if blank else ""))
        end += len(word) + blank
    text = "".join(word + blank for word, blank in parts).rstrip(" ")
    return Sentence(text, tuple(word for word, _ in parts), tuple(offsets))
