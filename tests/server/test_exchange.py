"""Bodies that are read and answers that are written: until the deadline, and in nobody's way."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from fastapi.testclient import TestClient

from bnaparser.server.rest import answer_body, request_body, search_routes
from bnaparser.server.rest.search_routes import SearchRequest
from tests.server.answers import problem

if TYPE_CHECKING:
    from bnaparser.server.queue.text_thread import Steps
    from bnaparser.server.service_settings import ServerSettings

MakeClient = Callable[..., TestClient]
WAIT = 10.0
PASSED = "there was no answer within 1 s"


def test_reading_ends_at_the_deadline(
    make_client: MakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = threading.Event()
    monkeypatch.setattr(request_body, "read_json", lambda *_: gate.wait(WAIT))
    client = make_client(deadline_seconds=1.0)
    answer = client.post("/v1/parse", json={"text": "long " * 1000})
    gate.set()
    assert PASSED in problem(answer, 504)


def test_writing_ends_at_the_deadline(
    make_client: MakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[int] = []
    ends = time.monotonic() + WAIT

    def write(*_: object) -> Steps[None]:
        while time.monotonic() < ends:
            steps.append(1)
            time.sleep(0.01)
            yield

    monkeypatch.setattr(answer_body, "write_json", write)
    client = make_client(deadline_seconds=1.0)
    assert PASSED in problem(client.post("/v1/parse", json={"tokens": [["long"] * 100]}), 504)
    time.sleep(0.2)  # whatever it was at is done
    done = len(steps)
    time.sleep(0.2)
    assert 0 < done == len(steps)


def test_a_search_that_is_read_keeps_no_text_out(
    make_client: MakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, gate = threading.Event(), threading.Event()

    def read(body: bytes, settings: ServerSettings) -> SearchRequest:
        begun.set()
        gate.wait(WAIT)
        return SearchRequest(pattern="NP", trees=[])

    monkeypatch.setattr(search_routes, "read_search", read)
    client = make_client(queue_words=100, max_words=10)
    body = {"pattern": "NP", "trees": ["(NP (DT the))"] * 1000}
    with ThreadPoolExecutor(1) as threads:
        searching = threads.submit(client.post, "/v1/search", json=body)
        assert begun.wait(WAIT)
        try:
            assert client.post("/v1/parse", json={"text": "It rained."}).status_code == 200
        finally:
            gate.set()
        assert searching.result().status_code == 200
