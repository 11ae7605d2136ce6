"""Finished runs of run_syntax.py and run_large.py: a file each, with scores and predictions, and who works on which.

``OUTPUT/runs/TASK SYSTEM SEED RATE.json`` is there when its run is done, whole or not at all. Several
processes may work on one OUTPUT: each claims a run before it begins. A claim ends with the process
that has it, however that ends.

Beside a page lies what it is made of, packed: beside ``syntax.md``, ``syntax_runs.jsonl.xz`` has a
line a run, and ``syntax_prepared.json``, ``syntax_inside.json``, ``syntax_probed.json`` and
``syntax_cost.json`` are OUTPUT's files of these names.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import lzma
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.studies.syntax.syntax_tables import RUNS, TASKS

Result = dict[str, Any]
Run = tuple[str, str, int]


def budget(options: argparse.Namespace, task: str) -> Result:
    """Return how long a task is trained and what it is scored on: the same for all systems."""
    return {
        "encoder": options.encoder.name,
        "examples": options.examples or TASKS[task].examples,
        "epochs": options.epochs or TASKS[task].epochs,
        "scored": options.scored,
        "batch_size": options.batch_size,
        "learning_rate": options.learning_rate,
        "pooling": options.pooling,
        "precision": options.precision,
    }


def run_file(options: argparse.Namespace, run: Run) -> Path:
    """Return where a run is kept when it is done."""
    task, system, seed = run
    name = f"{task} {system} {seed} {options.learning_rate:g}.json"
    path: Path = options.output / "runs" / name
    return path


def read_run(options: argparse.Namespace, run: Run) -> Result | None:
    """Return a run that is done with this budget; None where it is not."""
    path = run_file(options, run)
    if not path.is_file():
        return None
    found: Result = json.loads(path.read_text(encoding="utf-8"))
    return found if budget(options, run[0]).items() <= found.items() else None


def write_run(options: argparse.Namespace, run: Run, result: Result) -> None:
    """Keep a run; what is broken off leaves no half of a file."""
    path = run_file(options, run)
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_suffix(f".{os.getpid()}")
    half.write_text(json.dumps(result) + "\n", encoding="utf-8")
    half.replace(path)


def results(options: argparse.Namespace) -> list[Result]:
    """Return all runs of run_syntax.py that are done with this budget."""
    runs = [(task, system, seed) for seed in options.seeds for task, system in RUNS]
    return [row for run in runs if (row := read_run(options, run)) is not None]


def beside(page: Path, name: str) -> Path:
    """Return the file of this name beside a page."""
    return page.with_name(f"{page.stem}_{name}")


def all_packed(page: Path) -> list[Result]:
    """Return all runs that are kept beside a page."""
    path = beside(page, "runs.jsonl.xz")
    if not path.is_file():
        return []
    with lzma.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def packed_runs(options: argparse.Namespace) -> list[Result]:
    """Return the runs with this budget that are kept beside the page."""
    rows = all_packed(options.page)
    return [row for row in rows if budget(options, row["task"]).items() <= row.items()]


def unpack(options: argparse.Namespace) -> None:
    """Put what is kept beside the page into OUTPUT, where it has not been done there."""
    for row in packed_runs(options):
        run = row["task"], row["system"], row["seed"]
        if read_run(options, run) is None:
            write_run(options, run, row)


def pack(options: argparse.Namespace, rows: list[Result]) -> None:
    """Put beside the page what it is made of."""
    path = beside(options.page, "runs.jsonl.xz")
    with lzma.open(path, "wt", encoding="utf-8", preset=lzma.PRESET_EXTREME) as file:
        for row in rows:
            print(json.dumps(row), file=file)
    for name in ("prepared", "inside", "probed", "cost"):
        found = options.output / f"{name}.json"
        if found.is_file():
            kept = beside(options.page, f"{name}.json")
            kept.write_bytes(found.read_bytes())


def measured(options: argparse.Namespace, name: str) -> Any:
    """Return what OUTPUT's file ``name.json`` holds, else the one beside the page; None without."""
    for path in (options.output / f"{name}.json", beside(options.page, f"{name}.json")):
        if path.is_file():
            return json.loads(path.read_text(encoding="utf-8"))
    return None


@contextmanager
def claimed(options: argparse.Namespace, name: str, *, wait: bool = False) -> Iterator[bool]:
    """Claim a piece of work; give whether it is ours. With ``wait`` it is, when nobody has it any more."""
    folder = options.output / "claims"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / name).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
            return
        yield True
