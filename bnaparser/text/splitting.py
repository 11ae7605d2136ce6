"""From text to sentences of words, each with its place in the input.

``rules`` say how a language is read: English, unless others are given. `Split` says what a line of the
text is. Nothing is downloaded and nothing heavy imported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from bnaparser.errors import quoted
from bnaparser.text.characters import decode_entities
from bnaparser.text.english.sentences import tokenize
from bnaparser.text.english.tokens import BLANK
from bnaparser.text.sentence import SPLITS, Sentence, Split, from_spaced_words
from bnaparser.text.text_rules import ENGLISH, TextRules

__all__ = ["check_split", "goes_on", "paragraphs", "read_sentences", "split", "split_lines"]
__all__ += ["split_stream", "text_lines", "tokenize"]

# A text without blank lines is cut where a sentence probably ends once this many characters have
# come together, and at any line end after ten times as many.
_BLOCK = 20_000

_BLANK_LINE = re.compile(f"[{BLANK}]*+\\Z")

_FULL_STOP = re.compile(rf"[.!?][\"'\u2019\u201d)\]]*+[{BLANK}]*+\Z")

_PARAGRAPH_SEPARATOR = "\u2029"

_LINE = re.compile(r"[^\n]*+\n|[^\n]++")
_FIRST_LETTER = re.compile(r"[\W\d_]*+([^\W\d_])")
_FINAL_MARKS = frozenset(".!?\u2026:;\u3002\uff01\uff1f")
_BEHIND_LAST_WORD = re.compile(rf"[{BLANK}]*+([^\w{BLANK}]*+)")  # of a line read backwards
_LETTER_FIRST = re.compile(rf"[{BLANK}]*+([^\W\d_])")


def read_sentences(
    text: str, split: Split = "paragraph", rules: TextRules = ENGLISH
) -> list[Sentence]:
    """Return the sentences of a text, in order; ``split`` is one of ``SPLITS``.

    With ``paragraph`` and ``text`` each has at least one word, and places count in the whole text.
    With ``line`` and ``token`` there is one for each line, without words for an empty one, and
    places count in that line. Only a line feed ends a line. Raises ValueError for another ``split``.
    """
    check_split(split)
    return list(chain.from_iterable(split_lines(text_lines(text), split, rules)))


def check_split(split: str) -> None:
    """Raise ValueError unless it is one of ``SPLITS``."""
    if split not in SPLITS:
        raise ValueError(f"split is {quoted(split)}: use one of {', '.join(SPLITS)}")


def split_lines(
    lines: Iterable[str], split: Split, rules: TextRules = ENGLISH
) -> Iterator[Iterator[Sentence]]:
    """Yield the sentences of each line, or in running text of each paragraph, as they are read.

    They are those of ``read_sentences("".join(lines), split)``.
    """
    if split == "text":
        for start, block in paragraphs(lines):
            yield rules.sentences(block, start)
    elif split == "paragraph":
        start = 0
        for line in lines:
            yield split_stream([line], start, rules)
            start += len(line)
    else:
        for line in lines:
            words_given = split == "token"
            yield iter(
                [rules.of_words(from_spaced_words(line)) if words_given else rules.sentence(line)]
            )


def goes_on(line: str, following: str) -> bool:
    """Return whether a sentence seems to continue from a line to the next, as in hard-wrapped text.

    The first one begins with a capital and has no final mark, the next begins in lower case.
    """
    first, second = _FIRST_LETTER.match(line), _LETTER_FIRST.match(following)
    if first is None or second is None or first[1].islower() or not second[1].islower():
        return False
    behind = _BEHIND_LAST_WORD.match(line[::-1])
    return behind is None or _FINAL_MARKS.isdisjoint(behind[1])


def split(text: str) -> list[Sentence]:
    """Return the sentences of running text, each with at least one word, in order.

    A blank line always ends a sentence. A single line break counts as a blank, unless a list, or a
    line that ends long before the margin and without a full stop, shows otherwise.
    """
    return list(split_stream([text]))


def split_stream(
    lines: Iterable[str], start: int = 0, rules: TextRules = ENGLISH
) -> Iterator[Sentence]:
    """Yield the sentences of a text that comes in lines, as an open file yields them.

    They are those of ``split("".join(lines))``, offsets too, with one paragraph in memory at a
    time; a longer run of lines without a blank one is taken in parts. ``start`` is where the first
    line begins in the input.
    """
    for place, block in paragraphs(lines):
        yield from rules.sentences(block, start + place)


def text_lines(text: str) -> Iterator[str]:
    """Yield the lines of a text with their ends; only a line feed ends a line."""
    return (line.group() for line in _LINE.finditer(text))


def paragraphs(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the runs of lines without a blank line between them, each with its place in the input."""
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
                or _BLANK_LINE.match(decode_entities(line)[0] if "&" in line else line)
                or (size > _BLOCK and _FULL_STOP.search(line))
                or size > 10 * _BLOCK
            ):
                yield start, "".join(block)
                block = []
    if block:
        yield start, "".join(block)
