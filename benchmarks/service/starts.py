"""How long the service takes to start: to `/live`, to `/ready`, and until nothing is left to be compiled. A part of `run_service.py`.

"Compiled" is with the machine code of an earlier start, "nothing compiled" with an empty NUMBA_CACHE_DIR.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.service.service_process import START_SECONDS, Fault, Server

TEXT = "It rained all night, and by morning the river had burst its banks."
# Who asks more often slows down what is compiled meanwhile.
_PAUSE_BESIDE_COMPILING = 0.25


class Start(NamedTuple):
    """Seconds from the command until ``live``, ``ready`` and ``complete``: all workers are ready and nothing is left to be compiled.

    ``slowest_live`` is the slowest answer of /live from the first to the last of these. ``sentence`` is what a sentence took
    (median) between ready and complete; not a number where there was no time for one.
    """

    live: float
    ready: float
    complete: float
    slowest_live: float
    sentence: float


@contextmanager
def environments() -> Iterator[Callable[[bool], dict[str, str]]]:
    """Give a function that returns the environment of a start: with the machine code of earlier starts, or with none.

    Python's bytecode is kept, as in an installation by pip, whatever this process's environment says of it.
    """
    with TemporaryDirectory() as name:
        folder = Path(name)
        kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        numbers = iter(range(1000))

        def environment(compiled: bool) -> dict[str, str]:
            code = folder / ("compiled" if compiled else f"empty{next(numbers)}")
            return {
                **kept,
                "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
                "NUMBA_CACHE_DIR": str(code),
            }

        yield environment


def measure(server: Server, workers: int) -> Start:
    """Start a server with so many workers, and end it once it is complete."""
    begun = time.monotonic()
    server.begin()
    try:
        _wait(server, begun, lambda: _status(server, "/live") == 200)
        live = time.monotonic() - begun
        took, sentences = [0.0], []

        def is_ready() -> bool:
            took.append(server.get("/live").seconds)
            return _status(server, "/ready") == 200

        _wait(server, begun, is_ready)
        ready = time.monotonic() - begun

        def is_complete() -> bool:
            log = server.log()
            if log.count('"message": "ready for all requests"') == workers:
                return True
            took.append(server.get("/live").seconds)
            sentences.append(server.parse(TEXT).seconds)
            return False

        _wait(server, begun, is_complete, _PAUSE_BESIDE_COMPILING)
        complete = time.monotonic() - begun
    finally:
        server.end()
    return Start(live, ready, complete, max(took), statistics.median(sentences or [float("nan")]))


def _status(server: Server, path: str) -> int | None:
    with suppress(OSError):
        return server.get(path).status
    return None


def _wait(server: Server, begun: float, done: Callable[[], bool], pause: float = 0.02) -> None:
    while not done():
        if server.process.poll() is not None or time.monotonic() - begun > START_SECONDS:
            raise Fault(f"the service does not start: {server.log()[-2000:]}")
        time.sleep(pause)
