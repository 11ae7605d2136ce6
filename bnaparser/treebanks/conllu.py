"""Reader of CoNLL-U, the format of Universal Dependencies: a word a line, ten columns, tabs between.

https://universaldependencies.org/format.html. Words, heads and both kinds of tags are kept, and
multiword tokens (``3-4 don't``) beside their words; comments and empty nodes (``8.1``) are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NoReturn

from bnaparser.errors import DataError, SentenceError
from bnaparser.treebanks.lines import StrPath, read_lines
from bnaparser.trees.heads.dependencies import parents_first

COLUMNS = 10
_WORD = re.compile(r"[0-9]{1,9}")  # Python refuses to read numbers of thousands of digits
_RANGE = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")
_EMPTY_NODE = re.compile(r"[0-9]+\.[0-9]+")


@dataclass(frozen=True, slots=True)
class MultiwordToken:
    """A token that is written as one and is several words: words ``start`` to ``end``, half-open."""

    start: int
    end: int
    form: str


@dataclass(frozen=True, slots=True)
class ConlluSentence:
    """A sentence: its words, the head of each from 1 (0: a root), and where it stands.

    ``universal`` are the parts of speech of Universal Dependencies, ``tags`` those of the language,
    such as the Penn Treebank's; empty if a word has none.
    """

    words: tuple[str, ...]
    heads: tuple[int, ...]
    multiword: tuple[MultiwordToken, ...] = ()
    source: str = "<string>"
    line: int = 1
    universal: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    def as_written(self) -> ConlluSentence:
        """Return the sentence with each multiword token as one word, in its highest word's place."""
        if not self.multiword:
            return self
        starts = {token.start: token for token in self.multiword}
        forms: list[str] = []
        places: list[int] = []  # of each word: which token it belongs to
        end = 0  # of the last token
        for place, word in enumerate(self.words):
            if place == end:
                token = starts.get(place)
                end = token.end if token else place + 1
                forms.append(token.form if token else word)
            places.append(len(forms) - 1)
        heads: dict[int, int] = {}
        for place in parents_first(self.heads):  # by depth: the highest word of a token first
            head = self.heads[place]
            heads.setdefault(places[place], places[head - 1] + 1 if head else 0)
        ordered = tuple(heads[place] for place in range(len(forms)))
        return ConlluSentence(tuple(forms), ordered, source=self.source, line=self.line)


def load_conllu(path: StrPath) -> list[ConlluSentence]:
    """Return the sentences of a plain, ``.gz`` or ``.xz`` file in UTF-8; raises as `read_conllu`."""
    return list(read_conllu(read_lines(path), str(path)))


def read_conllu(lines: Iterable[str], source: str = "<string>") -> Iterator[ConlluSentence]:
    """Yield the sentences of lines in CoNLL-U; a blank line, or the end, closes each.

    Several roots in one sentence are allowed. Raises DataError, with ``source`` and line, at the
    first thing that is wrong: a line that has not ten columns, numbers out of order, a head that
    is missing or not there, heads that go round in a circle.
    """
    reading: _Reading | None = None
    for number, line in enumerate(lines, 1):
        text = line.rstrip("\r\n")
        if text.strip() and not text.startswith("#"):
            reading = reading or _Reading(source, number)
            reading.take(text, number)
        elif not text.strip() and reading is not None:
            yield reading.sentence()
            reading = None
    if reading is not None:
        yield reading.sentence()


class _Reading:
    """A sentence as far as it has been read."""

    def __init__(self, source: str, line: int):
        self.source, self.line = source, line
        self.words: list[str] = []
        self.heads: list[int] = []
        self.lines: list[int] = []
        self.universal: list[str] = []
        self.tags: list[str] = []
        self.multiword: list[MultiwordToken] = []

    def take(self, text: str, number: int) -> None:
        columns = text.split("\t")
        if len(columns) != COLUMNS:
            hint = "" if "\t" in text else "; columns are separated by tabs"
            self.fail(f"the line has {len(columns)} columns instead of {COLUMNS}{hint}", number)
        name, form, head = columns[0], columns[1], columns[6]
        if not form:
            self.fail("the second column, the word's form, is empty", number)
        if _EMPTY_NODE.fullmatch(name):
            return
        if span := _RANGE.fullmatch(name):
            self.take_multiword(int(span[1]), int(span[2]), form, number)
            return
        if not _WORD.fullmatch(name) or int(name) != len(self.words) + 1:
            number_due = len(self.words) + 1
            self.fail(f"the first column is {name!r}, where word {number_due} is due", number)
        if not _WORD.fullmatch(head):
            self.fail(f"the seventh column, the head of {form!r}, is {head!r}: no number", number)
        self.words.append(form)
        self.heads.append(int(head))
        self.universal.append(columns[3])
        self.tags.append(columns[4])
        self.lines.append(number)

    def take_multiword(self, first: int, last: int, form: str, number: int) -> None:
        after = self.multiword[-1].end if self.multiword else 0
        if first != len(self.words) + 1 or last <= first or first <= after:
            self.fail(f"the multiword token {first}-{last} does not stand before its words", number)
        self.multiword.append(MultiwordToken(first - 1, last, form))

    def sentence(self) -> ConlluSentence:
        count = len(self.words)
        if not count:
            self.fail("a sentence without words", self.line)
        for head, line in zip(self.heads, self.lines, strict=True):
            if head > count:
                self.fail(f"the head is {head}, and the sentence has {count} words", line)
        if self.multiword and self.multiword[-1].end > count:
            token = self.multiword[-1]
            message = f"the multiword token {token.form!r} ends at word {token.end} of {count}"
            self.fail(message, self.lines[token.start])
        try:
            parents_first(self.heads)
        except SentenceError as error:
            self.fail(str(error), self.line)
        return ConlluSentence(
            tuple(self.words),
            tuple(self.heads),
            tuple(self.multiword),
            self.source,
            self.line,
            _of_all(self.universal),
            _of_all(self.tags),
        )

    def fail(self, message: str, line: int) -> NoReturn:
        raise DataError(f"{self.source}:{line}: {message}")


def _of_all(names: list[str]) -> tuple[str, ...]:
    return () if "_" in names else tuple(names)
