"""A process for each training, forked from one that has loaded the libraries."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

# Loaded once, before the processes of the runs fork off.
PRELOADED = [
    "accelerate",
    "sklearn.metrics",
    "seqeval.metrics",
    "bnaparser.parsing.parser",
    "bnaparser.tasks.all_seeds",
    "bnaparser.cli.console",
]


def quiet_threads(number: int) -> None:
    """Let each process to come have so many threads, which sleep when they wait."""
    os.environ |= {"OMP_WAIT_POLICY": "passive", "TOKENIZERS_PARALLELISM": "false"}
    os.environ.setdefault("OMP_NUM_THREADS", str(number))


def preload() -> None:
    """Load the libraries once for all processes to come."""
    multiprocessing.get_context("forkserver").set_forkserver_preload(PRELOADED)


def in_a_process(work: Callable[..., Any], *arguments: Any) -> Any:
    """Do something in a new process, forked from one that has loaded the libraries."""
    context = multiprocessing.get_context("forkserver")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(work, *arguments).result()
