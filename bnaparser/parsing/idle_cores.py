"""How many cores other programs leave to us, as Linux counts; elsewhere all of them.

PyTorch's threads wait for each other hundreds of times a sentence. Where one of them has to share its
core, each time takes as long as the other program's turn: a second in all, instead of 40 ms.
"""

from __future__ import annotations

import math
import os
import time
from pathlib import Path
from typing import NamedTuple

STAT = Path("/proc/stat")
# Below so many seconds the clocks, which count hundredths, are too coarse; what was so much longer
# ago says little of now.
SHORTEST, LONGEST = 0.05, 1.0
# What others may use of a core that counts as idle: there is always some program that wakes up.
SPARE = 0.3


class Look(NamedTuple):
    """The clocks at one moment: seconds; ``running`` are threads that want a core just now."""

    at: float
    of_all: float
    own: float
    running: int


class IdleCores:
    """Tells how many cores are idle, from what others used of them since the last time it was asked."""

    def __init__(self, stat: Path = STAT):
        self._stat = stat
        self._last = self._look()
        self._used = 0.0

    def count(self) -> float:
        """Return how many cores others do not use, at least 1; infinity where the system is silent."""
        now = self._look()
        if now is None or self._last is None:
            self._last = now
            return math.inf
        passed = now.at - self._last.at
        if passed > LONGEST:
            self._used = now.running - 1
        elif passed >= SHORTEST:
            self._used = (now.of_all - self._last.of_all - now.own + self._last.own) / passed
        if passed >= SHORTEST:
            self._last = now
        return max(1.0, math.floor((os.cpu_count() or 1) - self._used + SPARE))

    def _look(self) -> Look | None:
        try:
            text = self._stat.read_text(encoding="ascii")
            times = [int(number) for number in text[: text.index("\n")].split()[1:9]]
            running = int(text.partition("\nprocs_running ")[2].split()[0])
        except (OSError, ValueError, IndexError):
            return None
        del times[3:5]  # idle, and idle until a disk answers
        used = sum(times) / os.sysconf("SC_CLK_TCK")
        return Look(time.monotonic(), used, time.process_time(), running)
