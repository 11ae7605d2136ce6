"""The OpenAPI document is true: schemathesis, with all its checks, finds no answer that breaks it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
import schemathesis
from jsonschema_rs import validator_for
from pydantic import SecretStr
from schemathesis.engine import events, from_schema

from bnaparser.server.app import create_app
from bnaparser.server.problems import MEDIA_TYPE
from bnaparser.server.settings import ServerSettings

if TYPE_CHECKING:
    from tests.server.conftest import HeldClassifier, HeldParser

HTTP_METHODS = {"get", "post"}


@pytest.fixture
def schema(parser: HeldParser, classifier: HeldClassifier) -> Any:
    settings = ServerSettings(key=SecretStr("sesame"), classifier="held")
    app = create_app(settings, lambda _: parser, lambda *_: classifier)  # type: ignore[arg-type, return-value]
    headers = {"Authorization": "Bearer sesame"}
    loaded = schemathesis.openapi.from_asgi("/openapi.json", app, headers=headers)
    loaded.config.update(headers=headers)
    loaded.config.generation.update(max_examples=12, deterministic=True, database="none")
    return loaded


def test_answers_are_as_described(schema: Any) -> None:
    cases, found = 0, []
    for event in from_schema(schema).execute():
        if isinstance(event, events.NonFatalError | events.FatalError):
            found.append(repr(event))
        recorder = getattr(event, "recorder", None)
        if recorder is not None:
            cases += len(recorder.interactions)
            found += [
                f"{recorder.label}: {check.failure_info.failure.title}:"
                f" {check.failure_info.failure.message}\n{check.failure_info.code_sample}"
                for checks in recorder.checks.values()
                for check in checks
                if check.failure_info is not None
            ]
    assert not found, "\n\n".join(dict.fromkeys(found))
    assert cases > 150


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    found: dict[str, Any] = create_app(ServerSettings()).openapi()
    return found


def operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if method in HTTP_METHODS:
                yield f"{method} {path}", operation


def test_the_document_has_what_the_service_has(document: dict[str, Any]) -> None:
    assert {name for name, _ in operations(document)} == {
        "post /v1/parse",
        "post /v1/classify",
        "post /v1/search",
        "get /v1/models",
        "get /live",
        "get /ready",
        "get /metrics",
        "get /ping",
        "get /",
        "post /",
    }


def test_every_error_is_a_problem(document: dict[str, Any]) -> None:
    for name, operation in operations(document):
        assert operation["summary"], name
        for status, answer in operation["responses"].items():
            if int(status) >= 400:
                assert list(answer["content"]) == [MEDIA_TYPE], (name, status)
    parse = document["paths"]["/v1/parse"]["post"]["responses"]
    assert set(parse) == {"200", "400", "408", "413", "415", "422", "500", "503", "504"}
    assert set(document["paths"]["/v1/search"]["post"]["responses"]) == set(parse)
    assert set(document["paths"]["/v1/classify"]["post"]["responses"]) == {*parse, "404"}


@pytest.mark.parametrize(
    ("path", "examples"), [("/v1/parse", 11), ("/v1/classify", 10), ("/v1/search", 4)]
)
def test_the_examples_fit_their_schemas(document: dict[str, Any], path: str, examples: int) -> None:
    count = 0
    operation = document["paths"][path]["post"]
    for place in (operation["requestBody"], operation["responses"]["200"]):
        for content in place["content"].values():
            schema = {**content["schema"], "components": document["components"]}
            validator = validator_for(schema)
            for example in content["examples"].values():
                validator.validate(example["value"])
                count += 1
    assert count == examples


@pytest.mark.parametrize("path", ["/v1/parse", "/v1/classify", "/v1/search"])
def test_the_example_requests_are_answered(
    document: dict[str, Any], make_client: Any, path: str
) -> None:
    client = make_client(classifier="held")
    body = document["paths"][path]["post"]["requestBody"]
    for kind, content in body["content"].items():
        for example in content["examples"].values():
            value = example["value"]
            sent = value if isinstance(value, str) else json.dumps(value)
            answer = client.post(path, content=sent, headers={"content-type": kind})
            assert answer.status_code == 200, answer.text
