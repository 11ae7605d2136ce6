"""Ctrl-C and SIGTERM during a training: the run writes a checkpoint, then ends."""

from __future__ import annotations

import logging
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

from bnaparser.errors import TrainingInterrupted

log = logging.getLogger(__name__)
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
# `timeout`, torchrun and a terminal's process group may send one interrupt twice.
REPEATED_SECONDS = 1.0


class Interruption:
    """Whether a run was asked to end, and what it keeps then.

    A signal raises TrainingInterrupted. While updates are done (`waiting`), it sets ``signal`` alone, which the
    training loop looks at between two updates. A second signal, more than a second later, does what it would do
    without a training: it ends the process.
    """

    def __init__(self) -> None:
        self.signal: int | None = None
        self.kept = "no update was done, so there is nothing new to keep"
        self._raises = True
        self.before: dict[int, Any] = {}  # what handled the signals outside
        self._since = 0.0

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Let signals wait within this block until `asked` is asked; raise TrainingInterrupted if one came before."""
        with self._raising(False):
            if self.signal is not None:
                raise self.error()
            yield

    @contextmanager
    def at_once(self, allowed: bool = True) -> Iterator[None]:
        """Let a signal raise TrainingInterrupted within this block, also one that has been waiting."""
        with self._raising(allowed or self._raises):
            if self._raises and self.signal is not None:
                raise self.error()
            yield

    @contextmanager
    def _raising(self, raises: bool) -> Iterator[None]:
        before, self._raises = self._raises, raises
        try:
            yield
        finally:
            self._raises = before

    def asked(self, accelerator: Any) -> bool:
        """Return whether this process or any other one of the run was asked to end."""
        if accelerator.num_processes == 1:
            return self.signal is not None
        import torch

        own = torch.tensor(self.signal or 0, device=accelerator.device)
        number = int(accelerator.gather(own.reshape(1)).max())
        if number and self.signal is None:
            self.signal = number
        return number > 0

    def error(self) -> TrainingInterrupted:
        """Return the exception that ends the run."""
        return TrainingInterrupted(self.signal or signal.SIGINT, self.kept)

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Take a signal."""
        if self.signal is None:
            self.signal, self._since = number, time.monotonic()
            if self._raises:
                raise self.error()
            with suppress(RuntimeError):  # the signal came in the middle of another line
                log.info(
                    "interrupted: writing a checkpoint after this update; Ctrl-C again ends at once"
                )
        elif time.monotonic() - self._since > REPEATED_SECONDS:
            signal.signal(number, self.before[number])
            signal.raise_signal(number)


@contextmanager
def interruptible() -> Iterator[Interruption]:
    """Handle Ctrl-C, SIGTERM and SIGHUP within this block; within another such block that one handles them.

    Outside the main thread they cannot be handled. A signal that is ignored, as with nohup, stays so.
    """
    outer = getattr(signal.getsignal(signal.SIGINT), "__self__", None)
    if isinstance(outer, Interruption):
        yield outer
        return
    interruption = Interruption()
    before = interruption.before
    if threading.current_thread() is threading.main_thread():
        numbers = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
        found = {number: signal.getsignal(number) for number in numbers}
        before.update(
            {n: one or signal.SIG_DFL for n, one in found.items() if one != signal.SIG_IGN}
        )
    for number in before:
        signal.signal(number, interruption.handle)
    try:
        yield interruption
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
