"""Kills are drawn over the whole of a run, and each counts only where it hit one that goes on."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from benchmarks.corpus.killing import driver_moments, kill_drivers, kill_workers, worker_moments

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

# A run of ten shards: each is drafted, then there; at last it tidies up. What is there is kept.
RUN = """
import pathlib, sys, time
folder = pathlib.Path(sys.argv[1])
(folder / ".run").mkdir(parents=True, exist_ok=True)
for draft in folder.glob("*.draft"):
    draft.unlink()
for number in range(10):
    part = folder / f"part-{number:06}"
    if not part.exists():
        draft = folder / f"{part.name}.draft"
        draft.touch()
        time.sleep(0.03)
        draft.rename(part)
        time.sleep(0.03)
(folder / "errors.jsonl").touch()
time.sleep(0.2)
"""


def command(output: Path) -> list[str]:
    return [sys.executable, "-c", RUN, str(output)]


def test_four_kills_of_a_driver_hit_its_start_its_writing_and_its_end(tmp_path: Path) -> None:
    output = tmp_path / "out"
    moments = driver_moments(random.Random(1), 4, 10, (0.02, 0.06))
    kills = kill_drivers(command(output), output, moments)
    assert len(kills) == 4
    assert kills[0].shards == 0
    assert any(kill.writing for kill in kills)
    assert kills[-1].tidying
    assert len(list(output.glob("part-*"))) == 10


def test_moments_lie_in_every_part_of_a_run() -> None:
    for seed in range(20):
        draw = random.Random(seed)
        driver = [moment.shards for moment in driver_moments(draw, 10, 48, (1, 1))]
        assert driver == sorted(driver)
        assert driver[0] == 0
        assert driver[-1] == 48
        assert all(place // 6 == part for part, place in enumerate(driver[1:-1]))
        worker = [moment.shards for moment in worker_moments(draw, 10, 48, 1)]
        assert worker == sorted(worker)
        assert worker[0] < 5
        assert 39 <= worker[-1] < 44


def test_a_run_without_workers_has_none_killed(tmp_path: Path) -> None:
    output = tmp_path / "out"
    moments = worker_moments(random.Random(1), 3, 10, 0.06)
    assert kill_workers(command(output), output, moments, random.Random(1), actors=False) == []
