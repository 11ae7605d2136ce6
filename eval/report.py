"""EVALB's table and its error messages: one row a sentence, totals, and the two blocks of summary."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

OK, ERROR, SKIP = 0, 1, 2
"""The status of a sentence in EVALB's table."""


class TooManyErrors(Exception):
    """More errors than MAX_ERROR allows: the program stops where it is."""


class UnreadableLine(Exception):
    """The line has a word outside a terminal, and no limit of errors to run into."""


class ErrorLog:
    """Write each message, mark its sentence as an error, and stop after too many errors.

    ``limit`` is MAX_ERROR; None never stops. ``write`` gets each message as one line of bytes.
    """

    def __init__(self, limit: int | None, write: Callable[[bytes], object]):
        self.line = 0
        self.status = OK
        self._limit = limit
        self._write = write
        self._count = 0

    def start(self, line: int) -> None:
        """Begin the sentence with this number; it has no error yet."""
        self.line = line
        self.status = OK

    def report(self, message: bytes) -> None:
        """Write one error; raise TooManyErrors if more than ``limit`` came before it."""
        self.status = ERROR
        self._write(b"%d : %s\n" % (self.line, message))
        self._count += 1
        if self._limit is not None and self._count > self._limit + 1:
            raise TooManyErrors

    def report_forever(self, message: bytes) -> None:
        """Write an error that EVALB cannot get past, again and again, until TooManyErrors is
        raised; never returns.

        Without a limit the message is written once and UnreadableLine is raised.
        """
        self.report(message)
        while self._limit is not None:
            self.report(message)
        raise UnreadableLine


_RULE = b"=" * 76 + b"\n"
HEADER = (
    b"  Sent.                        Matched  Bracket   Cross        Correct Tag\n"
    b" ID  Len.  Stat. Recal  Prec.  Bracket gold test Bracket Words  Tags Accracy\n"
) + _RULE


def percent(part: int, whole: int) -> float:
    """Return part / whole in percent; 0 when there is nothing to divide by."""
    return 100.0 * part / whole if whole else 0.0


class Row(NamedTuple):
    """One sentence in counts. ``status``: 0 ok, 1 error, 2 skipped (no words in test).

    ``gold`` and ``test`` count the brackets that are not deleted, ``matched`` those in both,
    ``crossing`` the test brackets that some gold bracket crosses. ``length`` is the sentence length
    for the cut-off; ``words`` are those left after deletion, ``tags`` those with the right tag.
    """

    line: int
    length: int
    status: int
    matched: int = 0
    gold: int = 0
    test: int = 0
    crossing: int = 0
    words: int = 0
    tags: int = 0

    def __bytes__(self) -> bytes:
        """Return the row as EVALB prints it."""
        line, length, status, matched, gold, test, crossing, words, tags = self
        return b"%4d  %3d    %d  %6.2f %6.2f   %3d    %3d  %3d    %3d   %4d  %4d   %6.2f\n" % (
            line,
            length,
            status,
            percent(matched, gold),
            percent(matched, test),
            matched,
            gold,
            test,
            crossing,
            words,
            tags,
            percent(tags, words),
        )


@dataclass(slots=True)
class Totals:
    """Sums over sentences. Sentences with an error and skipped sentences are only counted."""

    sentences: int = 0
    errors: int = 0
    skipped: int = 0
    matched: int = 0
    gold: int = 0
    test: int = 0
    crossing: int = 0
    words: int = 0
    tags: int = 0
    complete: int = 0
    without_crossing: int = 0
    few_crossing: int = 0

    def add(self, row: Row) -> None:
        """Add one sentence."""
        _, _, status, matched, gold, test, crossing, words, tags = row
        self.sentences += 1
        if status:
            self.errors += status == ERROR
            self.skipped += status == SKIP
            return
        self.matched += matched
        self.gold += gold
        self.test += test
        self.crossing += crossing
        self.words += words
        self.tags += tags
        self.complete += gold == test == matched
        self.without_crossing += crossing == 0
        self.few_crossing += crossing <= 2

    @property
    def valid(self) -> int:
        """Number of sentences in the sums."""
        return self.sentences - self.errors - self.skipped

    @property
    def recall(self) -> float:
        """Percentage of gold brackets that are matched."""
        return percent(self.matched, self.gold)

    @property
    def precision(self) -> float:
        """Percentage of test brackets that are matched."""
        return percent(self.matched, self.test)

    @property
    def f1(self) -> float | None:
        """Harmonic mean of precision and recall in percent; None when both are 0."""
        precision, recall = self.precision, self.recall
        total = precision + recall
        return 2 * precision * recall / total if total else None

    @property
    def average_crossing(self) -> float:
        """Crossing brackets per valid sentence."""
        return 1.0 * self.crossing / self.valid if self.valid else 0.0


def totals_text(everything: Totals, short: Totals, cutoff: int) -> bytes:
    """Return what EVALB prints after the last row; ``short`` are the sentences up to ``cutoff``."""
    brackets = b""
    if everything.gold and everything.test:
        brackets = b"                %6.2f %6.2f %6d %5d %5d  %5d" % (
            everything.recall,
            everything.precision,
            everything.matched,
            everything.gold,
            everything.test,
            everything.crossing,
        )
    accuracy = percent(everything.tags, everything.words)
    words = b"  %5d %5d   %6.2f\n" % (everything.words, everything.tags, accuracy)
    summary = b"=== Summary ===\n" + _block(b"All", everything)
    return _RULE + brackets + words + summary + _block(b"len<=%d" % cutoff, short)


def _block(title: bytes, totals: Totals) -> bytes:
    f1, valid = totals.f1, totals.valid
    return b"\n-- %s --\n" % title + b"".join(
        (
            b"Number of sentence        = %6d\n" % totals.sentences,
            b"Number of Error sentence  = %6d\n" % totals.errors,
            b"Number of Skip  sentence  = %6d\n" % totals.skipped,
            b"Number of Valid sentence  = %6d\n" % valid,
            b"Bracketing Recall         = %6.2f\n" % totals.recall,
            b"Bracketing Precision      = %6.2f\n" % totals.precision,
            # C prints 0/0 on x86-64 with its sign.
            b"Bracketing FMeasure       = %6s\n" % (b"-nan" if f1 is None else b"%.2f" % f1),
            b"Complete match            = %6.2f\n" % percent(totals.complete, valid),
            b"Average crossing          = %6.2f\n" % totals.average_crossing,
            b"No crossing               = %6.2f\n" % percent(totals.without_crossing, valid),
            b"2 or less crossing        = %6.2f\n" % percent(totals.few_crossing, valid),
            b"Tagging accuracy          = %6.2f\n" % percent(totals.tags, totals.words),
        )
    )
