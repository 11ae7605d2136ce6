"""Kill runs of `bnaparser corpus` at random moments of all that they do: starting, parsing, writing, tidying up.

A moment is drawn as a part of the run, not as seconds, so it comes before the run's end on any machine.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

Doing = Literal["anything", "writing", "tidying"]

_LOOKS = 0.001  # seconds between two looks at a run's folder
_WHILE_WRITING = 0.01  # seconds that a draft of a shard is there, about


class Moment(NamedTuple):
    """So many ``shards`` are there, the run is ``doing`` something, and so many ``seconds`` have passed."""

    shards: int
    doing: Doing
    seconds: float


@dataclass(frozen=True)
class Kill:
    """What was found after a kill: how many shards, and whether it was writing a file or tidying up."""

    shards: int
    writing: bool
    tidying: bool


def driver_moments(
    draw: random.Random, count: int, shards: int, seconds: tuple[float, float]
) -> list[Moment]:
    """Draw moments: one in the start, one while it tidies up, the others in each part of the parsing.

    Of the others every second one is while a shard is written. ``seconds`` are those of the start and of
    a shard.
    """
    start, of_a_shard = seconds
    found = [Moment(0, "anything", draw.uniform(0, start))]
    parts = max(0, count - 2)
    for part in range(parts):
        place = int((part + draw.random()) / parts * shards)
        if part % 2:
            found.append(Moment(place, "writing", draw.uniform(0, _WHILE_WRITING)))
        else:
            found.append(Moment(place, "anything", draw.uniform(0, of_a_shard)))
    return [*found, Moment(shards, "tidying", draw.uniform(0, _WHILE_WRITING))][:count]


def worker_moments(draw: random.Random, count: int, shards: int, of_a_shard: float) -> list[Moment]:
    """Draw moments, one in each part of the parsing, the last before the last shards are given out."""
    places = [int((part + draw.random()) / count * (shards - 4)) for part in range(count)]
    return [Moment(place, "anything", draw.uniform(0, of_a_shard)) for place in places]


def kill_drivers(command: list[str], output: Path, moments: Sequence[Moment]) -> list[Kill]:
    """Start a run again and again, each time killed at one of the moments, and then let it end.

    Where the run ends before the moment, it is begun anew: every kill hits a run that goes on.
    """
    kills = []
    for moment in moments:
        while (kill := _kill_driver(command, output, moment)) is None:
            shutil.rmtree(output)
        kills.append(kill)
        time.sleep(1)  # its workers see that it is gone
    subprocess.run(command, check=True)
    return kills


def _kill_driver(command: list[str], output: Path, moment: Moment) -> Kill | None:
    process = subprocess.Popen(command, start_new_session=True)
    if wait_for(process, output, moment):
        process.kill()
    if process.wait() == -signal.SIGKILL:
        return _seen(output)
    if process.returncode:
        raise RuntimeError(f"the run ended with code {process.returncode}")
    return None


def kill_workers(
    command: list[str], output: Path, moments: Sequence[Moment], draw: random.Random, actors: bool
) -> list[Kill]:
    """Kill a worker, or an actor of Ray, at each moment of one run, which goes on by itself."""
    process = subprocess.Popen(command, start_new_session=True)
    kills = []
    for moment in moments:
        if not wait_for(process, output, moment):
            break
        while not (victims := list(workers_of(process.pid, actors))) and process.poll() is None:
            time.sleep(_LOOKS)
        if victims:
            os.kill(draw.choice(victims), signal.SIGKILL)
            kills.append(_seen(output))
    if process.wait():  # one shard was hit too often
        subprocess.run(command, check=True)
    return kills


def wait_for(process: subprocess.Popen[bytes], output: Path, moment: Moment) -> bool:
    """Wait for a moment of a run; whether it came before the run's end."""
    while process.poll() is None:
        if _is_there(output, moment):
            time.sleep(moment.seconds)
            return process.poll() is None
        time.sleep(_LOOKS)
    return False


def _is_there(output: Path, moment: Moment) -> bool:
    if moment.doing == "tidying":
        return _tidies(output)
    names = [file.name for file in output.glob("part-*")]
    drafts = [name for name in names if name.endswith(".draft")]
    return len(names) - len(drafts) >= moment.shards and (moment.doing != "writing" or bool(drafts))


def _tidies(output: Path) -> bool:
    return any((output / name).exists() for name in ("errors.jsonl", ".run/errors.jsonl.draft"))


def _seen(output: Path) -> Kill:
    names = [file.name for file in output.rglob("*")]
    drafts = [name for name in names if name.endswith(".draft")]
    shards = [name for name in names if name.startswith("part-") and name not in drafts]
    return Kill(len(shards), bool(drafts), _tidies(output))


def workers_of(driver: int, actors: bool) -> Iterator[int]:
    """Yield the processes that parse for a driver: its own, or actors of Ray."""
    for pid in processes_of(driver):
        line = Path(f"/proc/{pid}/cmdline")
        name = line.read_bytes() if line.exists() else b""
        is_actor = name.startswith(b"ray::") and b"ShardParser" in name
        if pid != driver and (is_actor if actors else name and b"resource_tracker" not in name):
            yield pid


def processes_of(pid: int) -> list[int]:
    """Return the processes below one, and itself."""
    found = [pid]
    for one in found:
        children = Path(f"/proc/{one}/task/{one}/children")
        try:
            found += map(int, children.read_text().split())
        except OSError:
            continue
    return found
