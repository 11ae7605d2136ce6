"""One bracketed line, read exactly as EVALB's ``read_line`` does, and EVALB's debug output about it.

DEBUG 1 prints the sentence after its row, DEBUG 2 prints each step on the way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import zip_longest

from bnaparser.eval.params import BLANKS, Params
from bnaparser.eval.report import ErrorLog

UNSET = 9
"""State of a word or bracket that was not compared."""


@dataclass(slots=True)
class Word:
    """A terminal. ``state``: 1 the tags agree, 0 they do not, 9 not compared."""

    text: bytes
    tag: bytes
    state: int = UNSET


@dataclass(slots=True)
class Bracket:
    """A constituent over the words from ``start`` up to ``end``; -1 if it was never closed.

    ``state``: 0 unmatched, 1 matched, 5 deleted, 9 not compared. ``text_start`` and ``text_end``
    are where its inside stands in the line.
    """

    label: bytes
    start: int
    end: int
    text_start: int
    text_end: int
    state: int = UNSET


@dataclass(slots=True)
class Quote:
    """A quotation mark that quote repair may put back: where it stood, and inside which brackets.

    ``index`` words and ``bracket`` brackets came before it; ``inside`` are the open ones' numbers.
    """

    word: bytes
    tag: bytes
    index: int
    bracket: int
    inside: tuple[int, ...]


@dataclass(slots=True)
class EvalbSentence:
    """A line after reading. ``length`` counts the words that count for the length."""

    line: bytes
    words: list[Word]
    brackets: list[Bracket]
    quotes: list[Quote]
    length: int


class Trace:
    """The lines of DEBUG 2, each passed on as bytes the moment it is due."""

    def __init__(self, write: Callable[[bytes], object]):
        self._write = write

    def token(self, label: bytes, word: bytes, index: int) -> None:
        """A label that is followed by a blank was read."""
        self._write(b"label=%s, word=%s, wid=%d\n" % (label, word, index))

    def comparison(self) -> None:
        """A comparison begins."""
        self._write(b"\n")

    def quotes(self, gold: list[Quote], test: list[Quote]) -> None:
        """Quote repair begins with these records."""
        for pair in zip_longest(gold, test):
            for quote in filter(None, pair):
                self._write(b"%d: %s - %s\n" % (quote.index, quote.tag, quote.word))

    def insertion(self, quote: Quote, brackets: list[Bracket]) -> None:
        """The quote is about to be put back among these brackets, none of them moved yet."""
        self._write(b"bra=%d, ind=%d\n" % (quote.bracket, quote.index))
        for number, bracket in enumerate(brackets):
            self._write(b"bracket[%d]={%d,%d}\n" % (number, bracket.start, bracket.end))
        self._write(b"endslen=%d\n" % len(quote.inside))

    def pair(self, gold: Bracket, test: Bracket) -> None:
        """The two brackets are tried against each other."""
        numbers = (gold.state, test.state, gold.start, test.start, gold.end, test.end)
        self._write(b"1.res=%d, 2.res=%d, 1.start=%d, 2.start=%d, 1.end=%d, 2.end=%d\n" % numbers)

    def finding(self, kind: bytes, line: bytes, bracket: Bracket) -> None:
        """Say what became of a bracket of the line.

        LABEL: a test bracket with its span has another label. BRACKET: none has its span. EXTRA: a
        test bracket with no gold one. CROSSING: a gold bracket that crosses a test one.
        """
        text = line[bracket.text_start : bracket.text_end]
        self._write(b"  %s[%d-%d]: %s\n" % (kind, bracket.start, bracket.end - 1, text))


def sentence_report(gold: EvalbSentence, test: EvalbSentence) -> Iterator[bytes]:
    """Yield the lines that DEBUG 1 prints after the row of a sentence."""
    yield b"-<1>---(wn1=%3d, bn1=%3d)-           " % (len(gold.words), len(gold.brackets))
    yield b"-<2>---(wn2=%3d, bn2=%3d)-\n" % (len(test.words), len(test.brackets))
    for index, words in enumerate(zip_longest(gold.words, test.words)):
        left, right = (_word_cell(index, word) for word in words)
        yield (left + b"      " if left else b" " * 40) + right + b"\n"
    yield b"\n"
    for index, brackets in enumerate(zip_longest(gold.brackets, test.brackets)):
        left, right = (_bracket_cell(index, bracket) for bracket in brackets)
        yield (left + b"      " if left else b" " * 32) + right + b"\n"
    yield b"\n========\n"


def _word_cell(index: int, word: Word | None) -> bytes:
    if word is None or not word.text:
        return b""
    return b"%3d : %d : %-6s  %-16s" % (index, word.state, word.tag, word.text)


def _bracket_cell(index: int, bracket: Bracket | None) -> bytes:
    if bracket is None:
        return b""
    span = (bracket.start, bracket.end)
    return b"%3d : %d : %3d  %3d  %-6s" % (index, bracket.state, *span, bracket.label)


LINE_PIECE = 4999
"""EVALB reads a line in pieces of at most this many bytes; the rest is the next line."""

_LABEL = re.compile(rb"\(([^\s()]*)")
_WORD = re.compile(rb"\s+([^\s()]*)")
_OPEN, _CLOSE = ord("("), ord(")")
_QUOTES = (b"'", b'"', b"/")


class EvalbReader:
    """Reads the lines of one side (gold or test), keeping what EVALB keeps from line to line.

    EVALB never clears its stack of open brackets, and a line with too many ``)`` reaches below
    the stack's bottom. What it finds there was 0 at the start, or was written by an earlier such
    line. So both sides share ``stack``, from height to bracket number, negative heights included.
    """

    def __init__(self, params: Params, log: ErrorLog, stack: dict[int, int], trace: Trace | None):
        self._params = params
        self._log = log
        self._stack = stack
        self._trace = trace
        self._text_ends: dict[int, int] = {}  # by bracket number; not cleared in C either

    def read(self, line: bytes) -> EvalbSentence:
        """Return what stands in the line; report its errors to the log as they are met."""
        line = line.partition(b"\0")[0]
        sentence = EvalbSentence(line, [], [], [], 0)
        ends: dict[int, int] = {}
        height = position = 0
        while position < len(line):
            byte = line[position]
            if byte in BLANKS:
                position += 1
            elif byte == _OPEN:
                position, opened = self._open(sentence, position, height)
                if opened:
                    self._stack[height] = len(sentence.brackets) - 1
                    height += 1
            elif byte == _CLOSE:
                # The number may be one that this line has not opened yet: it is noted all the same.
                number = self._stack.get(height - 1, 0)
                ends[number] = len(sentence.words)
                self._text_ends[number] = position
                if height < 0:
                    self._log.report(b"Bracketing unbalance (too many close bracket)")
                height -= 1
                position += 1
            else:
                self._log.report_forever(b"Reading sentence")
        if height != 0:
            self._log.report(b"Bracketing is unbalanced (too many open bracket)")
        for number, bracket in enumerate(sentence.brackets):
            bracket.end = ends.get(number, -1)
            bracket.text_end = self._text_ends.get(number, 0)
        return sentence

    def _open(self, sentence: EvalbSentence, position: int, height: int) -> tuple[int, bool]:
        """Read a terminal, or the label of a bracket; return where to continue, and whether the latter."""
        match = _LABEL.match(sentence.line, position)
        assert match is not None  # the caller saw the bracket
        label, after_label = match[1], match.end()
        if match := _WORD.match(sentence.line, after_label):
            word, after_word = match[1], match.end()
            if self._trace:
                self._trace.token(label, word, len(sentence.words))
            following = sentence.line[after_word : after_word + 1]
            if following == b")":
                self._add_terminal(sentence, label, word, height)
                return after_word + 1, False
            # At the end of the line C runs on into what an earlier line left in its buffer. Here a
            # label that ends the line is an open bracket like any other.
            if following != b"(" and (following or word):
                self._log.report(b"More than two elements in a bracket")
        start = len(sentence.words)
        sentence.brackets.append(Bracket(label, start, -1, after_label, 0))
        return after_label, True

    def _add_terminal(self, sentence: EvalbSentence, tag: bytes, word: bytes, height: int) -> None:
        if tag not in self._params.delete_labels_for_length:
            sentence.length += 1
        if tag in self._params.quote_labels and word in _QUOTES:
            inside = tuple(self._stack[below] for below in range(height))
            quote = Quote(word, tag, len(sentence.words), len(sentence.brackets), inside)
            sentence.quotes.append(quote)
        if tag not in self._params.delete_labels:
            sentence.words.append(Word(word, tag))
