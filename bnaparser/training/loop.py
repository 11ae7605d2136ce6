"""What each kind of training does around its updates: interrupts, progress, deterministic arithmetic.

On Ctrl-C and SIGTERM a run writes a checkpoint, then ends. Progress is a bar on a terminal, otherwise a
line every ten seconds.
"""

from __future__ import annotations

import logging
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from bnaparser.errors import SettingsError, TrainingInterrupted

if TYPE_CHECKING:
    import torch

log = logging.getLogger(__name__)
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
# `timeout`, torchrun and a terminal's process group may send one interrupt twice.
REPEATED_SECONDS = 1.0


class Interruption:
    """Whether a run has to stop, and what it keeps then.

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
        """Let signals wait within this block until `requested` is called; raise TrainingInterrupted if one came before."""
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

    def requested(self, accelerator: Any) -> bool:
        """Return whether this process or any other one of the run has to stop."""
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


LINE_SECONDS = 10.0
# The pace is that of the last lines: a machine that has become slower is noticed within minutes.
PACE_LINES = 12


class ProgressReport:
    """The progress of a run of ``total`` updates, shown after each of them.

    Args:
        total: updates from the first to the last of the run.
        done: updates that were done before, where a run is resumed.
        shown: False in all processes but the main one.
        unit: what is counted beside updates, such as "subwords".
    """

    def __init__(self, total: int, done: int, *, shown: bool = True, unit: str = ""):
        self.total, self.done, self.shown, self.unit = total, done, shown, unit
        self.began = self._logged = time.monotonic()
        self._marks = deque([(self.began, done, 0)], PACE_LINES)
        self._first = True
        # Without a terminal there is no bar, and none of the locks that bars of all threads share.
        terminal = shown and sys.stderr is not None and sys.stderr.isatty()
        self.bar = tqdm(total=total, initial=done, unit="update") if terminal else None

    def update(self, done: int, loss: float, count: int = 0) -> None:
        """Show that ``done`` updates are done; ``count`` of the unit since the run began or was resumed."""
        before, self.done = self.done, done
        if self.bar is not None:
            self.bar.set_postfix(loss=f"{loss:.3f}", refresh=False)
            self.bar.update(done - before)
            return
        if not self.shown:  # not the main process
            return
        now = time.monotonic()
        if self._first or now - self._logged >= LINE_SECONDS or done >= self.total:
            log.info("update %d of %d, loss %.3f%s", done, self.total, loss, self._pace(now, count))
            self._first, self._logged = False, now

    def close(self) -> None:
        """Take the bar away."""
        if self.bar is not None:
            self.bar.close()

    def _pace(self, now: float, count: int) -> str:
        since, before, counted = self._marks[0]
        self._marks.append((now, self.done, count))
        elapsed = max(now - since, 1e-9)
        pace = f", {(count - counted) / elapsed:,.0f} {self.unit} a second" if self.unit else ""
        if self.done >= self.total:
            return f"{pace}, {duration(now - self.began)} in all"
        if self.done == before:
            return pace
        return f"{pace}, {duration((self.total - self.done) * elapsed / (self.done - before))} left"


def duration(seconds: float) -> str:
    """Return a time as people say it.

    Example:
        >>> duration(119), duration(121), duration(9000)
        ('119 s', '2 min', '2.5 h')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


@contextmanager
def training_arithmetic(device: torch.device) -> Iterator[None]:
    """Take denormal numbers as 0, for speed, and on a CPU make a seed fix a run; then stop.

    A CPU's threads add up in any order unless deterministic algorithms are set. On a GPU this would cost speed
    and need settings of the environment, so there it is left alone.
    """
    import torch  # which the commands import late

    # torch gives this module no types.
    memory = torch.utils.deterministic
    filled = memory.fill_uninitialized_memory  # type: ignore[attr-defined]
    mode = torch.get_deterministic_debug_mode()
    torch.set_flush_denormal(True)
    if device.type == "cpu":
        torch.use_deterministic_algorithms(True, warn_only=True)
        memory.fill_uninitialized_memory = False  # type: ignore[attr-defined]
    try:
        yield
    finally:
        torch.set_flush_denormal(False)
        torch.set_deterministic_debug_mode(mode)
        memory.fill_uninitialized_memory = filled  # type: ignore[attr-defined]


def diverged(update: int | None = None, reason: str = "") -> SettingsError:
    """Return the error for a network in training whose output is NaN."""
    when = "" if update is None else f" at update {update}"
    why = f" {reason};" if reason else ""
    advice = "set a smaller train.learning_rate, or train.max_grad_norm"
    return SettingsError(f"the training diverged{when}:{why} {advice}")
