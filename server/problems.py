"""Errors as ``application/problem+json`` (RFC 9457): one shape for all of them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from bnaparser.errors import shortened

MEDIA_TYPE = "application/problem+json"
MOST_CHARACTERS = 1_000
"""Characters that an error may have, in an answer."""


class Problem(Exception):
    """A request that gets an error instead of an answer.

    ``kind`` names it for programs (the problem's ``type`` ends in it), ``detail`` is one sentence
    for people that says what is wrong and where; neither holds the text of the request.
    """

    status: int = 400
    kind: str = "bad-request"
    title: str = "The request cannot be read"

    def __init__(self, detail: str, headers: Mapping[str, str] | None = None):
        super().__init__(detail)
        self.detail = detail
        self.headers = dict(headers or {})


class BadBody(Problem):
    """The body is not of the form that its media type says."""


class Unauthorized(Problem):
    """The service has a key, and the request does not bear it."""

    status, kind, title = 401, "unauthorized", "The key is missing or wrong"

    def __init__(self) -> None:
        super().__init__(
            "send the header 'Authorization: Bearer KEY'",
            # Chromium asks for a password only where Basic comes first.
            {"WWW-Authenticate": 'Basic realm="bnaparser", Bearer realm="bnaparser"'},
        )


class NoClassifier(Problem):
    """The service was started without a classifier."""

    status, kind, title = 404, "no-classifier", "The service has no classifier"

    def __init__(self) -> None:
        super().__init__(
            "this service was started without a classifier: the setting classifier"
            " (bnaparser serve --classifier, environment BNAPARSER_CLASSIFIER) names one"
        )


class SlowBody(Problem):
    """The body did not arrive in time."""

    status, kind, title = 408, "slow-body", "The body did not arrive in time"


class TooLarge(Problem):
    """The request is larger than the service takes at any time."""

    status, kind, title = 413, "too-large", "The request is too large"


class UnsupportedBody(Problem):
    """The body's media type, character set or coding is not one that the service reads."""

    status, kind, title = 415, "unsupported-body", "The body's type is not supported"

    def __init__(self, detail: str, headers: Mapping[str, str] | None = None):
        super().__init__(detail, {"Accept": "application/json, text/plain", **(headers or {})})


class Unprocessable(Problem):
    """The body can be read, but does not say what the service needs."""

    status, kind, title = 422, "unprocessable", "The request does not fit its description"


class Failure(Problem):
    """The service failed; the request was not at fault."""

    status, kind, title = 500, "failure", "The service failed"


class QueueFull(Problem):
    """More waits than the service takes in; ``retry_after`` is in seconds, ``what`` says what is full."""

    status, kind, title = 503, "queue-full", "The service is busy"

    def __init__(self, retry_after: float, what: str = "the queue is full"):
        seconds = max(1, math.ceil(retry_after))
        super().__init__(f"{what}: try again in {seconds} s", {"Retry-After": str(seconds)})


class NotReady(Problem):
    """The service is starting, or it is stopping and takes nothing more in."""

    status, kind, title = 503, "not-ready", "The service takes no requests"

    def __init__(self, detail: str):
        super().__init__(detail, {"Retry-After": "5"})


class DeadlinePassed(Problem):
    """The request's time was up before its answer was there."""

    status, kind, title = 504, "deadline", "The deadline passed"

    def __init__(self, seconds: float):
        super().__init__(
            f"the request was not answered within {seconds:g} s: send a smaller request, or try again later"
        )


class SlowSearch(Problem):
    """A search in trees took longer than one may."""

    status, kind, title = 504, "slow-search", "The search took too long"

    def __init__(self, seconds: float):
        super().__init__(
            f"the search exceeded {seconds:g} s, or the memory that this service allows:"
            " write a narrower pattern, or search fewer trees"
        )


_ANSWERS = {
    400: "The body cannot be read",
    401: "The key is missing or wrong",
    404: "The service runs without a classifier; its setting `classifier` names one",
    408: "The body did not arrive in time",
    413: "The request is larger than the service takes; `/v1/models` lists the limits",
    415: "The body is of a type, character set or coding that is not read",
    422: "The request does not fit its description; `detail` names the field",
    500: "The service failed",
    503: "The queue is full, or the service is starting or stopping; try again after `Retry-After`",
    504: "There was no answer before the deadline",
}


def problem_answers(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return what OpenAPI says of answers with these statuses: all have one shape."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemBody"}}}
    answers: dict[int | str, dict[str, Any]] = {}
    for status in statuses:
        answers[status] = {"description": _ANSWERS[status], "content": content}
        if status == 503:
            seconds = {"description": "seconds", "schema": {"type": "integer", "minimum": 1}}
            answers[status]["headers"] = {"Retry-After": seconds}
    return answers


def problem_response(problem: Problem, scope: Scope) -> Response:
    """Return the answer with a problem for the client whose request has this scope."""
    return _response(
        f"urn:bnaparser:problem:{problem.kind}",
        problem.title,
        problem.status,
        problem.detail,
        problem.headers,
        scope,
    )


async def answer_problem(request: Request, error: Exception) -> Response:
    """Handle a Problem that a route raised."""
    assert isinstance(error, Problem)
    return problem_response(error, request.scope)


async def answer_http_exception(request: Request, error: Exception) -> Response:
    """Handle the framework's own errors: no such path, no such method."""
    assert isinstance(error, HTTPException)
    phrase = HTTPStatus(error.status_code).phrase
    headers = dict(error.headers or {})
    # A path may be served by two routers, and each knows its own methods only.
    described = request.app.openapi()["paths"].get(path_below_prefix(request.scope))
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED and described:
        headers["Allow"] = ", ".join(sorted(method.upper() for method in described))
    return _response(
        "about:blank", phrase, error.status_code, str(error.detail), headers, request.scope
    )


def path_below_prefix(scope: Scope) -> str:
    """Return the path below the prefix that a proxy may have put before it."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


def _response(
    kind: str, title: str, status: int, detail: str, headers: Mapping[str, str], scope: Scope
) -> Response:
    body = {
        "type": kind,
        "title": title,
        "status": status,
        "detail": shortened(detail, MOST_CHARACTERS),
        "request_id": scope.get("state", {}).get("request_id"),
    }
    # A name that the client sent may hold half of a surrogate pair, which UTF-8 cannot.
    content = json.dumps(body, ensure_ascii=False).encode("utf-8", errors="replace")
    return Response(content, status, dict(headers), MEDIA_TYPE)
