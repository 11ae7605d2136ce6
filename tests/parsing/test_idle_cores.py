"""Idle cores are counted from what others used, not from what we used ourselves."""

from __future__ import annotations

import math
import os
import time
from pathlib import Path

import pytest

from bnaparser.parsing.idle_cores import IdleCores

TICKS = os.sysconf("SC_CLK_TCK")


class Machine:
    """Clocks of a machine of four cores, as Linux shows them, set by hand."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch):
        self.stat = folder / "stat"
        self.now = self.used = self.own = 100.0
        monkeypatch.setattr(os, "cpu_count", lambda: 4)
        monkeypatch.setattr(time, "monotonic", lambda: self.now)
        monkeypatch.setattr(time, "process_time", lambda: self.own)
        self.pass_time(0, 0)

    def pass_time(self, seconds: float, others: float, own: float = 0, running: int = 1) -> None:
        """Let others use so many cores, and us so many, for some time; then so many run."""
        self.now += seconds
        self.own += own * seconds
        self.used += (own + others) * seconds
        part = round(self.used * TICKS) // 2
        rest = round(self.used * TICKS) - part
        self.stat.write_text(
            f"cpu  {part} {rest} 0 5000 70 0 0 0 0 0\ncpu0 1 2 3\nctxt 7\nprocs_running {running}\n"
        )


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("others", "own", "idle"),
    [(0, 0, 4), (0, 4, 4), (0.2, 1, 4), (1, 2, 3), (2, 2, 2), (3.6, 0.4, 1), (4, 0, 1)],
)
def test_what_others_used_lately_is_not_idle(
    machine: Machine, others: float, own: float, idle: int
) -> None:
    cores = IdleCores(machine.stat)
    machine.pass_time(0.2, others, own)
    assert cores.count() == idle
    machine.pass_time(0.01, 0)  # too short to say anything new
    assert cores.count() == idle


def test_after_a_rest_counts_who_runs_now(machine: Machine) -> None:
    cores = IdleCores(machine.stat)
    machine.pass_time(600, 4, running=1)
    assert cores.count() == 4
    machine.pass_time(600, 0, running=3)
    assert cores.count() == 2


@pytest.mark.parametrize("text", ["", "nothing of the kind\n", "cpu a b c d e f g h\n", None])
def test_where_the_system_is_silent_all_are_idle(tmp_path: Path, text: str | None) -> None:
    stat = tmp_path / "stat"
    if text is not None:
        stat.write_text(text)
    assert IdleCores(stat).count() == math.inf
