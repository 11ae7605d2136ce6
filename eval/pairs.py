"""Scores one pair of lines after the other: the quick way where it can, else the exact one."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from bnaparser.eval.compare import compare
from bnaparser.eval.debug import Trace, sentence_report
from bnaparser.eval.errorlog import ERROR, ErrorLog, UnreadableLine
from bnaparser.eval.evalb_sentence import EvalbSentence
from bnaparser.eval.fast import FastScorer, Outline
from bnaparser.eval.lines import EvalbReader
from bnaparser.eval.params import Params
from bnaparser.eval.report import Row


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
