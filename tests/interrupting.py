"""A signal at a certain line of the log: what a user sees when she presses Ctrl-C then."""

from __future__ import annotations

import logging
import signal
from collections.abc import Iterator
from contextlib import contextmanager


class _Sender(logging.Handler):
    def __init__(self, text: str, number: int):
        super().__init__()
        self.text, self.number, self.sent = text, number, False

    def emit(self, record: logging.LogRecord) -> None:
        if not self.sent and self.text in record.getMessage():
            self.sent = True
            signal.raise_signal(self.number)


@contextmanager
def signal_at(text: str, number: int = signal.SIGTERM) -> Iterator[None]:
    """Send this process a signal when the log has a line with this text."""
    log, sender = logging.getLogger("bnaparser"), _Sender(text, number)
    level = log.level
    log.addHandler(sender)
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.removeHandler(sender)
        log.setLevel(level)
    assert sender.sent, f"no line with {text!r}"
