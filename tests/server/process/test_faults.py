"""The faults of `benchmarks/service/faults.py`, each a few times, on the stand-in service."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import pytest

from benchmarks.service import faults, service_process
from benchmarks.service.faults import Start

STAND_IN = Path(__file__).parents[1] / "stand_in.py"
TIMES = 1


@pytest.fixture(scope="module")
def start() -> Start:
    command = (sys.executable, str(STAND_IN), "load", "--drain-seconds", "20")
    return partial(service_process.Server, command=command)


def test_bad_requests_and_bad_clients_harm_nobody(start: Start) -> None:
    with start([]) as server:
        for fault in faults.IN_ONE_SERVER:
            for number in range(TIMES):
                fault(server, number)
        assert server.is_ready()
        assert server.stop() == 0
        assert '"status": 500' not in server.log()
        assert "Traceback" not in server.log()


def test_told_to_stop_under_load(start: Start) -> None:
    assert faults.told_to_stop(start, 1)["answered"] > 0


def test_an_answer_to_another_request_is_noticed() -> None:
    _, own = service_process.tokened(1, sentences=2)
    _, other = service_process.tokened(2, sentences=2)

    def answer(tokens: list[str], status: int = 200) -> service_process.HttpAnswer:
        body = "".join(f"{token} (TOP {token})" for token in tokens)
        return service_process.HttpAnswer(status, {}, body.encode(), 0.0)

    service_process.check_own_trees(answer(own), own)
    for wrong in (answer(other), answer([own[0], other[0]]), answer(own[::-1]), answer(own[:1])):
        with pytest.raises(service_process.Fault):
            service_process.check_own_trees(wrong, own)
    with pytest.raises(service_process.Fault):
        service_process.check_own_trees(answer(own, status=503), own)
