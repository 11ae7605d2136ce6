"""How far a training is: a bar on a terminal, otherwise a line every ten seconds."""

from __future__ import annotations

import logging
import sys
import time
from collections import deque

from tqdm import tqdm

log = logging.getLogger(__name__)
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
        self.began = self._said = time.monotonic()
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
        if self._first or now - self._said >= LINE_SECONDS or done >= self.total:
            log.info("update %d of %d, loss %.3f%s", done, self.total, loss, self._pace(now, count))
            self._first, self._said = False, now

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
