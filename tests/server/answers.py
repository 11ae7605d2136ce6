"""What every answer of the REST interface is checked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fastapi.testclient import TestClient


def parses_of(client: TestClient, **request: Any) -> list[dict[str, Any]]:
    """Ask for parses; check the answer, and return its entries."""
    answer = client.post("/v1/parse", json=request)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    assert set(answer.json()) == {"model", "parses"}
    parses: list[dict[str, Any]] = answer.json()["parses"]
    return parses


def problem(answer: Any, status: int) -> str:
    """Check that an answer is a problem; return its detail."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert set(body) == {"type", "title", "status", "detail", "request_id"}
    assert body["status"] == status
    assert body["request_id"] == answer.headers["x-request-id"]
    detail: str = body["detail"]
    return detail
