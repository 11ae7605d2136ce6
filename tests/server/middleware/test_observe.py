"""Request ids, security headers, the access log, crashes."""

from __future__ import annotations

import json
import logging
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from bnaparser.server.logs import JsonLines
from tests.server.answers import problem

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

    from tests.server.conftest import HeldParser


@pytest.mark.parametrize("given", ["mine-7", "a" * 128, "b0:c@d/e+f="])
def test_a_sane_request_id_is_kept(client: TestClient, given: str) -> None:
    answer = client.get("/nowhere", headers={"X-Request-ID": given})
    assert answer.headers["x-request-id"] == given == answer.json()["request_id"]


@pytest.mark.parametrize("given", ["", "a" * 129, "two words", "line\\n", '"<script>'])
def test_another_request_id_is_made_up(client: TestClient, given: str) -> None:
    made = client.get("/live", headers={"X-Request-ID": given}).headers["x-request-id"]
    assert made != given
    assert len(made) == 32


def test_security_headers_are_on_every_answer(client: TestClient) -> None:
    for path in ("/", "/docs", "/live", "/nowhere"):
        headers = client.get(path).headers
        assert "default-src 'self'" in headers["content-security-policy"]
        assert "unsafe-eval" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"


def test_a_crash_is_a_problem_and_its_log_holds_no_text(
    client: TestClient, parser: HeldParser, caplog: pytest.LogCaptureFixture
) -> None:
    def crash(text: str) -> None:
        raise ValueError(f"cannot read {text!r}")

    parser.text = SimpleNamespace(sentence=crash)  # type: ignore[assignment]
    with caplog.at_level(logging.INFO):
        answer = client.post("/v1/parse", json={"sentences": ["my secret"]})
    assert "secret" not in problem(answer, 500)
    lines = [JsonLines().format(record) for record in caplog.records]
    assert any("ValueError" in line and answer.headers["x-request-id"] in line for line in lines)
    assert not any("secret" in line for line in lines)


def test_the_access_log_tells_numbers_and_no_text(
    client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        client.post(
            "/v1/parse",
            json={"sentences": ["A secret is BAD.", "It rained."]},
            headers={"X-Request-ID": "mine-7"},
        )
        client.post("/v1/parse?text=secret", json={"text": "It rained."})
    record, refused = (
        record for record in caplog.records if record.name == "bnaparser.server.middleware"
    )
    assert "secret" not in JsonLines().format(refused)
    line = json.loads(JsonLines().format(record))
    seconds = line.pop("seconds")
    assert 0 <= seconds < 20
    del line["time"]
    assert line == {
        "level": "info",
        "logger": "bnaparser.server.middleware",
        "message": "request",
        "method": "POST",
        "path": "/v1/parse",
        "status": 200,
        "sentences": 2,
        "words": 8,
        "errors": 1,
        "request_id": "mine-7",
    }
