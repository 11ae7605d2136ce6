"""EVALB's error messages: numbered by line, counted, and fatal when there are too many."""

from __future__ import annotations

from collections.abc import Callable

OK, ERROR, SKIP = 0, 1, 2
"""The status of a sentence in EVALB's table."""


class TooManyErrors(Exception):
    """More errors than MAX_ERROR allows: the program stops where it is."""


class UnreadableLine(Exception):
    """The line has a word outside a terminal, and no limit of errors to run into."""


class ErrorLog:
    """Passes each message on, marks the sentence as an error, and stops when it was one too many.

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
        """Repeat an error that EVALB cannot get past until it stops; never returns.

        Without a limit the message is written once and UnreadableLine is raised.
        """
        self.report(message)
        while self._limit is not None:
            self.report(message)
        raise UnreadableLine
