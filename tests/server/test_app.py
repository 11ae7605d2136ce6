"""The application as a whole: paths and methods, other origins, ``/docs``, how it is made."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from tests.server.answers import problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapi.testclient import TestClient


def test_wrong_paths_and_methods_are_problems(client: TestClient) -> None:
    problem(client.get("/nowhere"), 404)
    answer = client.get("/v1/parse")
    problem(answer, 405)
    assert answer.headers["allow"] == "POST"
    answer = client.delete("/")
    problem(answer, 405)
    assert answer.headers["allow"] == "GET, POST"
    assert client.head("/live").status_code == 200


def test_other_origins_are_let_in_only_where_set(make_client: Callable[..., TestClient]) -> None:
    asked = {"Origin": "https://a.example", "Access-Control-Request-Method": "POST"}
    allowed = "access-control-allow-origin"
    off = make_client()
    assert allowed not in off.get("/live", headers=asked).headers
    assert off.options("/v1/parse", headers=asked).status_code == 405
    on = make_client(cors_origins="https://a.example", key="sesame")
    assert on.options("/v1/parse", headers=asked).headers[allowed] == "https://a.example"
    refused = on.post("/v1/parse", json={}, headers={"Origin": "https://a.example"})
    assert (refused.status_code, refused.headers[allowed]) == (401, "https://a.example")
    other = on.get("/live", headers={"Origin": "https://b.example"})
    assert allowed not in other.headers


def test_docs_come_from_this_host_alone(client: TestClient) -> None:
    page = client.get("/docs")
    assert page.status_code == 200
    assert "://" not in page.text
    for name in ("swagger-ui.css", "swagger-ui-bundle.js", "start.js"):
        assert f"docs/{name}" in page.text
        assert client.get(f"/docs/{name}").status_code == 200
    assert client.get("/openapi.json").json()["openapi"].startswith("3.")


def test_the_application_is_made_when_it_is_asked_for() -> None:
    """A worker that makes its own application must not have made another one before."""
    done = subprocess.run(
        [sys.executable, "-c", _ASKED], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "True", "True"]


_ASKED = """
import bnaparser.server.app as module
from uvicorn.importer import import_from_string
print("app" in vars(module))
made = import_from_string("bnaparser.server.app:app")
print(made is module.app)
try:
    module.other
except AttributeError as error:
    print("'other'" in str(error))
"""
