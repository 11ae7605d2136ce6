"""Two processes on the CPU, for tests of what several GPUs do. They are forked from one that has PyTorch imported."""

from __future__ import annotations

import multiprocessing
import os
import socket
from collections.abc import Callable
from multiprocessing.connection import wait
from typing import Any

SECONDS = 300
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["bnaparser.spanbert.pretraining", "bnaparser.training.run", "pytest"])


def run_in_two(work: Callable[..., None], *arguments: Any) -> bool:
    """Call a function of a module in two processes, as ``accelerate launch`` starts them.

    A process that fails ends the other one, too. Returns whether both ended well; what they say goes to standard error.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    processes = [
        FORKS.Process(target=_work, args=(rank, port, work, arguments)) for rank in range(2)
    ]
    for process in processes:
        process.start()
    try:
        while alive := [process for process in processes if process.is_alive()]:
            if any(process.exitcode for process in processes):
                break
            assert wait([process.sentinel for process in alive], SECONDS), "no end in sight"
    finally:
        for process in processes:
            process.kill()
            process.join()
    return all(process.exitcode == 0 for process in processes)


def _work(rank: int, port: int, work: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    ranks = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": 2, "LOCAL_WORLD_SIZE": 2}
    group = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "OMP_NUM_THREADS": 1}
    on_cpu = {"ACCELERATE_USE_CPU": "true", "CUDA_VISIBLE_DEVICES": ""}
    os.environ.update({name: str(value) for name, value in (ranks | group | on_cpu).items()})
    work(*arguments)
