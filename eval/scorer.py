"""Scores of pairs of lines, one after the other: `FastScorer` where it can, else the exact `compare`.

A line is in good order when its brackets balance and each is a terminal ``(TAG word)`` or holds
others. Regular expressions and set operations, which run in C, then do most of the work.
Anything else (broken lines, unequal words, labels without classes) gets None from `FastScorer`: the exact
modules take over, and they alone know the error messages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import compress
from operator import eq
from typing import NamedTuple

from bnaparser.eval.compare import compare
from bnaparser.eval.params import BLANKS, Params
from bnaparser.eval.report import ERROR, OK, ErrorLog, Row, UnreadableLine
from bnaparser.eval.sentence import EvalbReader, EvalbSentence, Trace, sentence_report

# Splitting at the terminals leaves [gap, tag, word, gap, tag, word, ..., gap].
_TERMINAL = re.compile(rb"\(([^\s()]*+)\s++([^\s()]*+)\)")
_ODD_LABEL = re.compile(rb"[\s()]")


class _OddLineError(Exception):
    """The line is not in good order."""


class Outline(NamedTuple):
    """What the comparison needs of a line: brackets that count, as (start, end, label class)."""

    words: list[bytes]
    tags: list[bytes]
    brackets: list[tuple[int, int, bytes]]
    length: int


class _Closings(dict[bytes, int]):
    """From text between brackets to the number of ``)`` in it."""

    def __missing__(self, text: bytes) -> int:
        if text.strip(BLANKS + b")"):
            raise _OddLineError
        self[text] = count = text.count(b")")
        return count


class _Labels(dict[bytes, bytes | None]):
    """From the text after ``(`` to the class of the label in it; None if it is deleted."""

    def __init__(self, params: Params, classes: dict[bytes, bytes]):
        super().__init__()
        self._params, self._classes = params, classes

    def __missing__(self, text: bytes) -> bytes | None:
        label = text.rstrip(BLANKS)
        if _ODD_LABEL.search(label):
            raise _OddLineError
        label = self._params.compared(label)
        result: bytes | None = self._classes.get(label, label) if self._params.labeled else b""
        if self._params.deletes_bracket(label):
            result = None
        self[text] = result
        return result


class FastScorer:
    """Reads and compares lines under one set of parameters."""

    def __init__(self, params: Params):
        classes = params.label_classes()
        self._usable = classes is not None
        self._params = params
        self._labels = _Labels(params, classes or {})
        self._closings = _Closings()

    def read(self, line: bytes) -> Outline | None:
        """Return the outline of a line in good order, or None."""
        if not self._usable or b"\0" in line:
            return None
        parts = _TERMINAL.split(line)
        tags, words = parts[1::3], parts[2::3]
        deleted, uncounted = self._params.delete_labels, self._params.delete_labels_for_length
        kept = [tag not in deleted for tag in tags]
        kept.append(False)  # nothing follows the last gap
        try:
            brackets = self._read_brackets(parts[::3], kept)
        except (_OddLineError, IndexError):  # IndexError: more brackets closed than opened
            return None
        if brackets is None:
            return None
        length = len(tags) - sum(map(tags.count, uncounted))
        return Outline(list(compress(words, kept)), list(compress(tags, kept)), brackets, length)

    def _read_brackets(
        self, gaps: list[bytes], kept: list[bool]
    ) -> list[tuple[int, int, bytes]] | None:
        """Read the text between terminals; ``kept`` says of each terminal if it is a word."""
        labels, closings = self._labels, self._closings
        brackets = []
        stack: list[tuple[int, bytes | None]] = []
        position = 0
        for gap, is_word in zip(gaps, kept, strict=True):
            if gap != b" ":  # by far the most frequent gap
                closing, *opening = gap.split(b"(")
                for _ in range(closings[closing]):
                    start, label = stack.pop()
                    if label is not None and start != position:
                        brackets.append((start, position, label))
                for text in opening:
                    stack.append((position, labels[text]))
            position += is_word
        return None if stack else brackets

    def compare(self, number: int, gold: Outline, test: Outline) -> Row | None:
        """Return the row of sentence ``number``, or None when its words are not the same."""
        words, gold_tags, gold_brackets, length = gold
        if not words or words != test.words:
            return None
        test_tags, test_brackets = test.tags, test.brackets
        tags = sum(map(eq, gold_tags, test_tags))
        if tags != len(words) and (pairs := self._params.equal_labels):
            both = zip(gold_tags, test_tags, strict=True)
            tags += sum(pair in pairs for pair in both if pair[0] != pair[1])
        counts = (len(gold_brackets), len(test_brackets))
        if gold_brackets == test_brackets:  # then none crosses another
            return Row(number, length, OK, counts[0], *counts, 0, len(words), tags)
        matched = _count_common(gold_brackets, test_brackets)
        crossing = _count_crossing(gold_brackets, test_brackets)
        return Row(number, length, OK, matched, *counts, crossing, len(words), tags)


def _count_common(gold: list[tuple[int, int, bytes]], test: list[tuple[int, int, bytes]]) -> int:
    """Size of the intersection of two multisets."""
    distinct_gold, distinct_test = set(gold), set(test)
    common = distinct_gold & distinct_test
    if len(distinct_gold) == len(gold) or len(distinct_test) == len(test):
        return len(common)  # no bracket can be matched twice
    return sum(min(gold.count(bracket), test.count(bracket)) for bracket in common)


def _count_crossing(gold: list[tuple[int, int, bytes]], test: list[tuple[int, int, bytes]]) -> int:
    """Count the test brackets that some gold bracket crosses.

    Brackets of one balanced line never cross, so one found in both lines crosses nothing.
    """
    gold_only = set(gold).difference(test)
    common = set(gold)
    crossing = 0
    for start, end, label in test:
        if (start, end, label) in common:
            continue
        for other_start, other_end, _ in gold_only:
            if other_start < start < other_end < end or start < other_start < end < other_end:
                crossing += 1
                break
    return crossing


class PairScorer:
    """Call ``start`` with a gold line, then ``finish`` with its test line; lines are bytes.

    Two steps, because EVALB reports the errors of the gold line before it reads the test line.
    ``write`` gets the debug output. ``exact`` leaves the quick way out; the results are the same.
    """

    def __init__(
        self,
        params: Params,
        log: ErrorLog,
        write: Callable[[bytes], object] = lambda text: None,
        exact: bool = False,
    ):
        self._params = params
        self._log = log
        self._trace = Trace(write) if params.debug > 1 else None
        stack: dict[int, int] = {}
        self._gold_reader = EvalbReader(params, log, stack, self._trace)
        self._test_reader = EvalbReader(params, log, stack, self._trace)
        # The debug output shows the state of every word and bracket: only the exact way knows them.
        self._fast = None if exact or params.debug > 0 else FastScorer(params)
        self._gold_line = b""
        self._outline: Outline | None = None
        self._gold: EvalbSentence | None = None
        self._test: EvalbSentence | None = None

    def start(self, number: int, line: bytes) -> None:
        """Read the gold line of sentence ``number``; its errors go to the log."""
        self._log.start(number)
        self._gold_line = line
        self._gold = None
        self._outline = self._fast.read(line) if self._fast else None
        if self._outline is None:
            self._gold = self._read(self._gold_reader, line)

    def finish(self, line: bytes) -> Row:
        """Read the test line, compare, and return the row; errors go to the log."""
        if self._fast and self._outline:
            outline = self._fast.read(line)
            row = outline and self._fast.compare(self._log.line, self._outline, outline)
            if row:
                return row
            self._gold = self._read(self._gold_reader, self._gold_line)
        self._test = self._read(self._test_reader, line)
        if self._gold is None or self._test is None:
            return Row(self._log.line, self._gold.length if self._gold else 0, ERROR)
        return compare(self._gold, self._test, self._params, self._log, self._trace)

    def debug_report(self) -> Iterator[bytes]:
        """Yield what DEBUG 1 prints after the row of the last sentence."""
        if self._gold and self._test:
            yield from sentence_report(self._gold, self._test)

    def _read(self, reader: EvalbReader, line: bytes) -> EvalbSentence | None:
        """Read a line; None if it cannot be read to its end (see ErrorLog.report_forever)."""
        try:
            return reader.read(line)
        except UnreadableLine:
            return None
