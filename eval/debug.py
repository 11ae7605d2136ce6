"""EVALB's debug output: what DEBUG 1 prints after a row, and what DEBUG 2 prints on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import zip_longest

from bnaparser.eval.evalb_sentence import Bracket, EvalbSentence, Quote, Word


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
