"""One sentence on a busy machine: python -m benchmarks.busy.run_busy [--turns 3] [--output DIR]

Times a sentence of 20 words with the model ``en`` on a CPU, alone and beside busy loops, one a core,
which this program starts and ends. Three doors: the library in a process that has its parser loaded,
the command ``bnaparse`` from start to end, and a request to ``bnaparser serve``. Quiet and busy
follow each other in each turn; of all turns the medians count, and what nine of ten keep to is shown.
With a fair distribution of the cores a program takes twice the time.

Give it a quiet machine: what else runs makes the quiet times longer, and so the ratios smaller. Writes
``busy.md`` beside this file, or in ``--output``, and prints it. OMP_NUM_THREADS and OMP_WAIT_POLICY
are taken out of the environment.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles

from benchmarks.machine import begun, memory, processor
from benchmarks.service.service_process import Server

SENTENCE = (
    "The old company said that it would sell its three largest plants in the north of the country"
    " next year ."
)
DOORS = ("library", "bnaparse", "service")
STATES = ("quiet", "busy")
# How many times a door is tried in each turn: starting a program takes a second or two.
TIMES = {"library": 30, "bnaparse": 4, "service": 30}
NOTES = """\
# One sentence on a busy machine

{where}.

    python -m benchmarks.busy.run_busy

Milliseconds for a sentence of 20 words with the model `en`: the median, and in brackets the 90th percentile.
Busy: one busy loop for each core runs at the same time. If the cores are shared fairly, a sentence takes twice the time.
A sentence is parsed by one thread.

| entry point | quiet | busy | busy / quiet |
|---|---|---|---|"""
Seconds = dict[str, dict[str, list[float]]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent, metavar="DIR")
    parser.add_argument("--part", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        print(json.dumps(library(TIMES["library"])))
        return
    for name in ("OMP_NUM_THREADS", "OMP_WAIT_POLICY"):
        os.environ.pop(name, None)
    start = begun()
    seconds: Seconds = {door: {state: [] for state in STATES} for door in DOORS}
    with Server([]) as server:
        for _ in range(options.turns):
            for state in STATES:
                with busy_loops((os.cpu_count() or 1) if state == "busy" else 0):
                    seconds["library"][state] += part()
                    seconds["bnaparse"][state] += timed(bnaparse, TIMES["bnaparse"])
                    asked = timed(lambda: server.parse(SENTENCE), TIMES["service"])
                    seconds["service"][state] += asked
    page = report(seconds, start, options.turns)
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "busy.md").write_text(page, encoding="utf-8")
    print(page)


@contextmanager
def busy_loops(count: int) -> Iterator[None]:
    """So many programs that do nothing but compute."""
    command = [sys.executable, "-c", "while True: pass"]
    loops = [subprocess.Popen(command) for _ in range(count)]
    try:
        time.sleep(1)
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def part() -> list[float]:
    """The times of the library, in a process of its own."""
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.busy.run_busy", "--part"]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found: list[float] = json.loads(done.stdout.splitlines()[-1])
    return found


def library(times: int) -> list[float]:
    from bnaparser import Parser

    parser = Parser.load("en", "cpu")
    parser.parse_sentence(SENTENCE)
    return timed(lambda: parser.parse_sentence(SENTENCE), times)


def bnaparse() -> None:
    program = Path(sys.executable).with_name("bnaparse")
    command = [str(program), "--device", "cpu", SENTENCE]
    subprocess.run(command, check=True, capture_output=True)


def timed(work: Callable[[], object], times: int) -> list[float]:
    seconds = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    return seconds


def report(seconds: Seconds, start: str, turns: int) -> str:
    lines = [NOTES.format(where=f"{start}; {processor()}, {memory()}; {turns} turns")]
    for door in DOORS:
        quiet, busy = (seconds[door][state] for state in STATES)
        ratio = median(busy) / median(quiet)
        lines.append(f"| {door} | {shown(quiet)} | {shown(busy)} | {ratio:.2f} |")
    return "\n".join([*lines, ""])


def shown(seconds: list[float]) -> str:
    return f"{1000 * median(seconds):.0f} ({1000 * quantiles(seconds, n=10)[-1]:.0f})"


if __name__ == "__main__":
    main()
