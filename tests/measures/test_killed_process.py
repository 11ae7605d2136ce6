"""A process of `bnaparser measure` that is killed while it sends its result."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import pytest

from bnaparser.measures import files
from bnaparser.measures.files import Located, Measured

_POOLS: list[ProcessPoolExecutor] = []
_PARENT = os.getpid()


def _work(chunk: list[Located]) -> list[Measured]:
    """Measure nothing; a process ends after the first bytes of a result, and nobody else can send one."""
    if os.getpid() != _PARENT:
        queue: Any = _POOLS[0]._result_queue
        queue._wlock.acquire()
        os.write(queue._writer.fileno(), b"\0\0")
        os._exit(1)
    return [Measured(chunk[0].document, [], {}, len(chunk))]


@pytest.mark.skipif(sys.platform != "linux", reason="the processes are forked")
def test_half_a_result_holds_up_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = files._pool

    def pool(workers: int) -> ProcessPoolExecutor:
        _POOLS.insert(0, usual(workers))
        return _POOLS[0]

    monkeypatch.setattr(files, "_pool", pool)
    chunks = [[Located(f"{number}", "(TOP (NN x))", None, 1)] for number in range(12)]
    found = list(files._in_processes(chunks, _work, 2, lambda size: None))
    assert [one.document for one in found] == [f"{number}" for number in range(12)]
    _POOLS.clear()
