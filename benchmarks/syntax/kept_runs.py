"""Finished runs of run_syntax.py: a file each, with scores and predictions, and who works on which.

``OUTPUT/runs/TASK SYSTEM SEED.json`` is there when its run is done, whole or not at all. Several
processes may work on one OUTPUT: each claims a run before it begins. A claim ends with the process
that has it, however that ends.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.syntax.syntax_tables import TASKS

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
    path: Path = options.output / "runs" / f"{task} {system} {seed}.json"
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
