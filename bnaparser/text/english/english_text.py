"""English text to sentences of Penn Treebank words."""

from __future__ import annotations

from collections.abc import Iterator

from bnaparser.text.english.line_hyphens import has_line_hyphens, with_whole_words
from bnaparser.text.english.sentences import sentence_spans
from bnaparser.text.english.tokens import word_spans
from bnaparser.text.sentence import Sentence


def tokenize(text: str, start: int = 0) -> Sentence:
    """Return the words of one sentence; ``start`` is where ``text`` begins in the input.

    A word that a hyphen divides at the end of a line is whole, and has the place of both its parts. Text
    without a word (blanks, characters without width) gives a sentence without words.
    """
    whole, places = with_whole_words(text) if has_line_hyphens(text) else (text, None)
    spans = word_spans(whole)
    if not spans:
        return Sentence("", (), ())
    words = tuple([whole[begin:end] for begin, end in spans])
    if places is not None:
        spans = [(places[begin], places[end - 1] + 1) for begin, end in spans]
    return Sentence(
        text[spans[0][0] : spans[-1][1]],
        words,
        tuple([(begin + start, end + start) for begin, end in spans]),
    )


def sentences(block: str, start: int) -> Iterator[Sentence]:
    """Yield the sentences of a block that begins at ``start`` in the input."""
    for begin, end in sentence_spans(block):
        sentence = tokenize(block[begin:end], start + begin)
        if sentence.words:
            yield sentence
