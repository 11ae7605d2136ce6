"""From running text to sentences of Penn Treebank words, each with its place in the input.

Nothing is downloaded and nothing heavy imported. Words are slices of the input and never changed;
``penn_words`` gives the treebank's spelling of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from bnaparser.text.english.sentences import sentence_spans
from bnaparser.text.english.tokens import BLANK, word_spans
from bnaparser.trees.escapes import escape_brackets

Item = TypeVar("Item")

MAX_WORDS = 2000
"""How many words a sentence may have: more of them are no sentence, and cost time and memory."""

# A text without blank lines is cut where a sentence probably ends once this many characters have
# come together, and at any line end after ten times as many.
_BLOCK = 20_000
_BLANK_LINE = re.compile(f"[{BLANK}]*+\\Z")
_FULL_STOP = re.compile(rf"[.!?][\"'\u2019\u201d)\]]*+[{BLANK}]*+\Z")
_PARAGRAPH_SEPARATOR = "\u2029"


@dataclass(frozen=True)
class Sentence:
    """One sentence of an input text.

    ``text`` is the input from the first word to the end of the last one. ``offsets[i]`` are the
    start and end of ``words[i]``, half-open, in code points of the whole input: for every word
    ``input[start:end] == word``. Words are in order, do not overlap, and none is empty or holds a
    blank.
    """

    text: str
    words: tuple[str, ...]
    offsets: tuple[tuple[int, int], ...]


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


def from_words(words: Iterable[str]) -> Sentence:
    """Make a sentence of given words; its text is the words joined by blanks.

    Raises TypeError for a string, whose letters would be the words.
    """
    given = tuple(not_one_string(words, "words"))
    offsets, start = [], 0
    for word in given:
        offsets.append((start, start + len(word)))
        start += len(word) + 1
    return Sentence(" ".join(given), given, tuple(offsets))


def not_one_string(strings: Iterable[Item], what: str) -> Iterable[Item]:
    """Return what was given; TypeError where it is a string, which is taken for many by mistake."""
    if isinstance(strings, str):
        raise TypeError(f"give a list of {what}, not a string: {strings[:40]!r}")
    return strings


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


# Curly and angular marks say themselves which side they stand on.
_PENN = {
    **dict.fromkeys("\u201c\u201e\u201f\xab", "``"),
    **dict.fromkeys("\u201d\xbb", "''"),
    **dict.fromkeys("\u2018\u201a\u201b\u2039", "`"),
    **dict.fromkeys("\u2019\u203a", "'"),
    **dict.fromkeys(("\u2013", "\u2014", "\u2015"), "--"),
    "\u2026": "...",
}
_SPEAKING_WORDS = """
said says say asked asks added adds replied cried answered thought explained explains noted told
wrote continued
"""
_SPEAKING = frozenset(_SPEAKING_WORDS.split())
_QUOTED = 20  # words: a single quote opened longer ago was none
_CLOSES_AFTER = frozenset([",", ".", "?", "!"])
_OPENS_AFTER = frozenset(["``", "(", "[", "{", ",", ":", ";", "--", "\u2014"])


def penn_words(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words of one sentence as the Penn Treebank writes them, one for one.

    Round brackets become ``-LRB-`` and ``-RRB-``, double quotes ``` `` ``` and ``''``, an opening
    single quote a backquote, curly apostrophes straight ones, long dashes ``--``, an ellipsis
    three periods. Whether a straight quote opens or closes is decided from the words around it.
    """
    penn: list[str] = []
    inside = False  # of double quotes
    last = max((i for i, word in enumerate(words) if any(map(str.isalnum, word))), default=-1)
    doubles, singles = words.count('"'), words.count("'")  # still to come
    for place, word in enumerate(words):
        if word == '"':
            doubles -= 1
            unpaired = not inside and place > 0 and doubles % 2 == 0
            closes = inside or last < place or (unpaired and _ends_speech(words, place))
            word = "''" if closes and place > 0 else "``"
        elif word == "'":
            singles -= 1
            word = "`" if place < last and _opens(words, penn, place, singles > 0) else "'"
        else:
            word = _PENN.get(word) or escape_brackets(word.replace("\u2019", "'"))
        if word in ("``", "''"):
            inside = word == "``"
        penn.append(word)
    return tuple(penn)


def _ends_speech(words: Sequence[str], place: int) -> bool:
    """Tell whether what surrounds a ``"`` is a quotation and who spoke it: ``old , " she said``."""
    after = words[place + 1 : place + 5]
    return words[place - 1] in _CLOSES_AFTER and not _SPEAKING.isdisjoint(after)


def _opens(words: Sequence[str], penn: list[str], place: int, more: bool) -> bool:
    """Tell whether a ``'`` opens a quotation; after a word it is most often a genitive.

    ``more`` is whether another one follows in the sentence.
    """
    if not words[place + 1][0].isalnum():
        return False
    if place == 0 or penn[-1] in _OPENS_AFTER:
        return True
    return more and not words[place - 1].endswith(("s", "S")) and "`" not in penn[-_QUOTED:]
