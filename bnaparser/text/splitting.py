"""From running text to sentences of Penn Treebank words, each with its place in the input.

Nothing is downloaded and nothing heavy imported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from bnaparser.text.english.sentences import sentence_spans
from bnaparser.text.english.token_rules import BLANK
from bnaparser.text.english.tokens import word_spans
from bnaparser.text.sentence import Sentence

# A text without blank lines is cut where a sentence probably ends once this many characters have
# come together, and at any line end after ten times as many.
_BLOCK = 20_000

_BLANK_LINE = re.compile(f"[{BLANK}]*+\\Z")

_FULL_STOP = re.compile(rf"[.!?][\"'\u2019\u201d)\]]*+[{BLANK}]*+\Z")

_PARAGRAPH_SEPARATOR = "\u2029"


def tokenize(text: str, start: int = 0) -> Sentence:
    """Return the words of one sentence; ``start`` is where ``text`` begins in the input.

    Text without a word (blanks, characters without width) gives a sentence without words.
    """
    spans = word_spans(text)
    if not spans:
        return Sentence("", (), ())
    return Sentence(
        text[spans[0][0] : spans[-1][1]],
        tuple([text[begin:end] for begin, end in spans]),
        tuple([(begin + start, end + start) for begin, end in spans]),
    )


def split(text: str) -> list[Sentence]:
    """Return the sentences of running text, each with at least one word, in order.

    A blank line always ends a sentence. A single line break counts as a blank, unless a list, or a
    line that ends long before the margin and without a full stop, shows otherwise.
    """
    return list(split_stream([text]))


def split_stream(lines: Iterable[str]) -> Iterator[Sentence]:
    """Yield the sentences of a text that comes in lines, as an open file gives them.

    They are those of ``split("".join(lines))``, offsets too, with one paragraph in memory at a
    time; a longer run of lines without a blank one is taken in parts.
    """
    for start, block in _blocks(lines):
        for begin, end in sentence_spans(block):
            sentence = tokenize(block[begin:end], start + begin)
            if sentence.words:
                yield sentence


def _blocks(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the runs of lines without a blank one, each with its place in the input."""
    block: list[str] = []
    start = place = 0
    for piece in lines:
        for line in piece.splitlines(keepends=True):
            if not block:
                start = place
            block.append(line)
            place += len(line)
            size = place - start
            if (
                line[-1] == _PARAGRAPH_SEPARATOR
                or _BLANK_LINE.match(line)
                or (size > _BLOCK and _FULL_STOP.search(line))
                or size > 10 * _BLOCK
            ):
                yield start, "".join(block)
                block = []
    if block:
        yield start, "".join(block)
