"""The faults of `benchmarks/service_faults.py`, each a few times, on the stand-in service."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
STAND_IN = Path(__file__).with_name("stand_in.py")
TIMES = 3


@pytest.fixture(scope="module")
def modules() -> Iterator[tuple[ModuleType, ModuleType]]:
    """The programs of the benchmark: the faults, and the server that they are given to."""
    sys.path.insert(0, str(BENCHMARKS))
    yield import_module("service_faults"), import_module("service_process")
    sys.path.remove(str(BENCHMARKS))


@pytest.fixture(scope="module")
def start(modules: tuple[ModuleType, ModuleType]) -> Callable[..., Any]:
    command = (sys.executable, str(STAND_IN), "load", "--drain-seconds", "20")
    return partial(modules[1].Server, command=command)


def test_bad_requests_and_bad_clients_harm_nobody(modules, start) -> None:
    faults, _ = modules
    with start([]) as server:
        for fault in faults.IN_ONE_SERVER:
            for number in range(TIMES):
                fault(server, number)
        assert server.is_ready()
        assert server.stop() == 0
        assert '"status": 500' not in server.log()
        assert "Traceback" not in server.log()


def test_killed_workers(modules, start) -> None:
    assert modules[0].killed_workers(start, TIMES)["answered"] > TIMES


def test_told_to_stop_under_load(modules, start) -> None:
    assert modules[0].told_to_stop(start, 1)["answered"] > 0


def test_an_answer_to_another_request_is_noticed(modules) -> None:
    _, process = modules
    _, own = process.tokened(1, sentences=2)
    _, other = process.tokened(2, sentences=2)

    def answer(tokens: list[str], status: int = 200) -> Any:
        body = "".join(f"{token} (TOP {token})" for token in tokens)
        return process.Answer(status, {}, body.encode(), 0.0)

    process.check_own_trees(answer(own), own)
    for wrong in (answer(other), answer([own[0], other[0]]), answer(own[::-1]), answer(own[:1])):
        with pytest.raises(process.Fault):
            process.check_own_trees(wrong, own)
    with pytest.raises(process.Fault):
        process.check_own_trees(answer(own, status=503), own)
