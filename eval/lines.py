"""One bracketed line, read exactly as EVALB's ``read_line`` does, with everything that is broken."""

from __future__ import annotations

import re

from bnaparser.eval.debug import Trace
from bnaparser.eval.errorlog import ErrorLog
from bnaparser.eval.evalb_sentence import Bracket, EvalbSentence, Quote, Word
from bnaparser.eval.params import BLANKS, Params

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
        """Read a terminal, or the label of a bracket; return where to go on, and whether the latter."""
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
