"""The OpenAPI document, made complete, and the page ``/docs`` that shows it, from this host alone."""

from __future__ import annotations

import importlib.resources
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema
from starlette.responses import FileResponse, HTMLResponse, Response

from bnaparser import __version__
from bnaparser.server.bounds import OPEN_PATHS
from bnaparser.server.problems import problem_answers
from bnaparser.server.rest import classify_routes, parse_routes, search_routes
from bnaparser.server.rest.answer_schemas import Answer, ClassifyAnswer, ProblemBody
from bnaparser.server.rest.request_schemas import REQUESTS
from bnaparser.server.rest.search_routes import SearchAnswer

DESCRIPTION = """Constituency parsing: text in, bracketed trees out; texts classified along their trees;
nodes found in trees by patterns.

Every error is `application/problem+json` and has the number of its request, which is also the
header `X-Request-ID` of each answer; a request may bring its own.
"""
_ANSWERS = (Answer, ClassifyAnswer, SearchAnswer, ProblemBody)
_REFERENCE = "#/components/schemas/{model}"

_THE_PAGE = {
    "tags": ["Page"],
    "summary": "The page to see trees on",
    "operationId": "page",
    "responses": {
        "200": {
            "description": "The page",
            "content": {"text/html": {"schema": {"type": "string"}}},
        },
        "304": {"description": "The browser has it already"},
    },
}

router = APIRouter(include_in_schema=False)

# Swagger UI sets styles on its elements, and draws with images in its style sheet.
_POLICY = {
    "Content-Security-Policy": (
        "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:;"
        " object-src 'none'; base-uri 'none'; frame-ancestors 'none'"
    )
}
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>bnaparser: the HTTP interface</title>
<link rel="icon" href="static/favicon.svg">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
"""
_START = """SwaggerUIBundle({ url: "openapi.json", dom_id: "#swagger-ui", deepLinking: true });
"""


def openapi(app: FastAPI, needs_key: bool) -> dict[str, Any]:
    """Return the OpenAPI document of an app's routes; with a key, each but /live answers 401."""
    document = get_openapi(
        title="bnaparser", version=__version__, description=DESCRIPTION, routes=app.routes
    )
    # FastAPI drops nulls from what it is given, and an example may need one.
    for path, answer in (
        ("/v1/parse", parse_routes.ANSWER),
        ("/v1/classify", classify_routes.ANSWER),
        ("/v1/search", search_routes.ANSWER),
    ):
        document["paths"][path]["post"]["responses"]["200"] = answer
    # The bodies of these two are described by hand, so their schemas are added by hand.
    _, definitions = models_json_schema(
        [
            *((model, "serialization") for model in _ANSWERS),
            *((model, "validation") for model in REQUESTS.values()),
        ],
        ref_template=_REFERENCE,
    )
    document["paths"]["/"]["get"] = _THE_PAGE
    components = document.setdefault("components", {})
    components.setdefault("schemas", {}).update(definitions["$defs"])
    if needs_key:
        components["securitySchemes"] = {
            "bearer": {"type": "http", "scheme": "bearer"},
            "basic": {"type": "http", "scheme": "basic", "description": "the key as password"},
        }
        document["security"] = [{"bearer": []}, {"basic": []}]
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            # What the layers around the routes answer.
            statuses = [500, *([400, 408, 413, 503, 504] if method == "post" else [])]
            if needs_key and path in OPEN_PATHS:
                operation["security"] = []
            elif needs_key:
                statuses.append(401)
            for status, problem in problem_answers(*statuses).items():
                operation["responses"].setdefault(str(status), problem)
    return document


@router.get("/docs")
async def docs() -> Response:
    """Show the OpenAPI document with Swagger UI."""
    return HTMLResponse(_PAGE, headers=_POLICY)


@router.get("/docs/start.js")
async def start() -> Response:
    """Start Swagger UI; in a file of its own, as scripts inside a page are not allowed."""
    return Response(_START, media_type="text/javascript")


@router.get("/docs/swagger-ui.css")
async def style() -> Response:
    """Swagger UI's style sheet."""
    return FileResponse(_asset("swagger-ui.css"))


@router.get("/docs/swagger-ui-bundle.js")
async def script() -> Response:
    """Swagger UI's program."""
    return FileResponse(_asset("swagger-ui-bundle.js"))


def _asset(name: str) -> Path:
    """Return the place of one of the files that the package fastapi-offline brings."""
    return Path(str(importlib.resources.files("fastapi_offline") / "static" / name))
