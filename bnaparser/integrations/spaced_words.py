"""Sentences of words that another library found, with the blanks that it knows of."""

from __future__ import annotations

from collections.abc import Iterable

from bnaparser.text.detokenize import DetokenizedSentence


def spaced_sentence(words: Iterable[tuple[str, bool]]) -> DetokenizedSentence:
    """Make a sentence of words, each with whether a blank follows it. Offsets count in the
    sentence.

    Blanks inside a word, as in words that were merged, become no-break spaces (`unbroken`).
    """
    parts, offsets, blanks, end = [], [], [], 0
    for text, blank in words:
        word = unbroken(text)
        offsets.append((end, end + len(word)))
        parts.append((word, " " if blank else ""))
        blanks.append(blank)
        end += len(word) + blank
    text = "".join(word + blank for word, blank in parts).rstrip(" ")
    return DetokenizedSentence(
        text, tuple(word for word, _ in parts), tuple(offsets), tuple(blanks)
    )


def unbroken(word: str) -> str:
    """Return a word with no-break spaces in place of the blanks inside it: words of bnaparser have no blanks."""
    return "\xa0".join(word.split())
