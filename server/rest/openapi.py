"""The OpenAPI document, and the page ``/docs`` that shows it, from this host alone.

FastAPI makes the document from the routes. Bodies are read and answers are written by hand (``requests.py``,
``answers.py``), so both are described by hand here.
"""

from __future__ import annotations

import importlib.resources
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema
from starlette.responses import FileResponse, HTMLResponse, Response

from bnaparser import __version__
from bnaparser.server.limits import OPEN_PATHS
from bnaparser.server.problems import problem_answers
from bnaparser.server.rest.answers import (
    ERRORS_HEADER,
    ERRORS_HEADER_DESCRIBED,
    Answer,
    ClassifyAnswer,
    ProblemBody,
    SearchAnswer,
    words_example,
)
from bnaparser.server.rest.requests import (
    CLASSIFY_REQUESTS,
    JSON,
    LONGEST_LANGUAGE,
    PLAIN,
    REQUESTS,
    SPLIT_DESCRIBED,
    TEXT_EXAMPLE,
    TREE_EXAMPLE,
    SearchRequest,
)
from bnaparser.text.sentence import SPLITS

DESCRIPTION = """Constituency parsing: text in, bracketed trees out; texts classified along their trees;
search of trees by patterns.

Every error is `application/problem+json` and has the number of its request, which is also the
header `X-Request-ID` of each answer; a request may bring its own.
"""
_ANSWERS = (Answer, ClassifyAnswer, SearchAnswer, ProblemBody)
_REFERENCE = "#/components/schemas/{model}"


def _reference(model: type[BaseModel]) -> dict[str, str]:
    return {"$ref": _REFERENCE.format(model=model.__name__)}


def _content(
    schema: dict[str, Any], examples: dict[str, Any], lines: dict[str, str] | None = None
) -> dict[str, Any]:
    """Return the content of a body: JSON of a schema with examples by name, and plain text where there are ``lines``."""
    content = {JSON: {"schema": schema, "examples": _named(examples)}}
    if lines is not None:
        content[PLAIN] = {"schema": {"type": "string"}, "examples": _named(lines)}
    return content


def _named(examples: dict[str, Any]) -> dict[str, Any]:
    return {name: {"value": value} for name, value in examples.items()}


PARSE_BODY: dict[str, Any] = {
    "required": True,
    "content": _content(
        {"oneOf": [_reference(kind) for kind in REQUESTS.values()]},
        {
            "text": {"text": TEXT_EXAMPLE},
            "sentences": {"sentences": ["It rained."], "format": "bracket"},
            "several trees": {"text": TEXT_EXAMPLE, "n_best": 5, "probabilities": True},
            "constraints": {
                "tokens": [["Time", "flies", "like", "an", "arrow"]],
                "constraints": [[{"kind": "must", "start": 0, "end": 2, "labels": ["NP"]}]],
            },
            "markup": {"text": "I saw [NP the old man] .", "markup": True},
            "tokens": {
                "tokens": [["It", "rained", "."]],
                "tags": [["PRP", "VBD", "."]],
                "scores": False,
            },
        },
        {"lines": "The cat sat on the mat.\nIt rained. Dogs bark.\n"},
    ),
}
SPLIT: dict[str, Any] = {
    "name": "split",
    "in": "query",
    "description": f"For a text: {SPLIT_DESCRIBED}. In JSON it may be a field of the body.",
    "schema": {"type": "string", "enum": list(SPLITS), "default": "paragraph"},
}
LANGUAGE: dict[str, Any] = {
    "name": "language",
    "in": "query",
    "description": "Language of the text, such as en or zh; by default the language of the service, or detected"
    " if its models know several. In JSON it may be a field of the body.",
    "schema": {"type": "string", "maxLength": LONGEST_LANGUAGE},
}
PARSE_ANSWER: dict[str, Any] = {
    "description": "A tree for each sentence, in order; a sentence that failed has an error",
    "headers": {ERRORS_HEADER: ERRORS_HEADER_DESCRIBED},
    "content": _content(
        _reference(Answer),
        {
            "json": {"model": "en", "parses": [words_example(with_scores=True)]},
            "without scores": {"model": "en", "parses": [words_example(with_scores=False)]},
            "a sentence that failed": {
                "model": "en",
                "parses": [{"text": "", "tree": None, "error": "the sentence has no words"}],
            },
        },
        {"tree": TREE_EXAMPLE},
    ),
}
CLASSIFY_BODY: dict[str, Any] = {
    "required": True,
    "content": _content(
        {"oneOf": [kind.model_json_schema() for kind in CLASSIFY_REQUESTS.values()]},
        {
            "text": {"text": "A gripping, funny film. I liked it."},
            "texts": {"texts": ["A gripping, funny film.", "It bored me."]},
            "a pair, for models of pairs": {"text": ["It rained.", "It was wet."]},
            "a question and its passage, for models of answers": {
                "text": ["Who sang?", "Mira sang."]
            },
            "marks, for models of relations": {"text": "[E1]Mira[/E1] has a [E2]dog[/E2]."},
        },
        {"lines": "A gripping, funny film.\nIt bored me.\n"},
    ),
}
_ENTRY = {
    "label": "positive",
    "probabilities": {"negative": 0.01, "positive": 0.99},
    "trees": [TREE_EXAMPLE],
    "error": None,
}
_FAILED: dict[str, Any] = {
    "label": None,
    "probabilities": {},
    "trees": [],
    "error": "the text has no words",
}
_ANSWERED: dict[str, Any] = {
    "label": None,
    "probabilities": {},
    "trees": [TREE_EXAMPLE],
    "error": None,
    "answer": "The cat",
    "answers": [{"text": "The cat", "start": 0, "end": 7, "probability": 0.97}],
}
CLASSIFY_ANSWER: dict[str, Any] = {
    "description": "The prediction for each text, in order; a text that failed has an error",
    "headers": {ERRORS_HEADER: ERRORS_HEADER_DESCRIBED},
    "content": _content(
        _reference(ClassifyAnswer),
        {
            "classes": {"model": "sst2", "answers": [_ENTRY]},
            "an answer to a question": {"model": "mine", "answers": [_ANSWERED]},
            "a text that failed": {"model": "sst2", "answers": [_FAILED]},
        },
        {"line": f"positive\tnegative 0.0100, positive 0.9900\t{TREE_EXAMPLE}\n"},
    ),
}
SEARCH_BODY: dict[str, Any] = {
    "required": True,
    "content": _content(
        SearchRequest.model_json_schema(),
        {
            "a pattern": {"pattern": "NP <1 DT", "trees": [TREE_EXAMPLE]},
            "with a name": {"pattern": "VP < PP=where", "trees": [TREE_EXAMPLE]},
        },
    ),
}
_FOUND = {"label": "NP", "start": 0, "end": 2, "number": 3, "names": {}, "strings": {}}
_NOTHING = {"count": 0, "hits": 0, "trees": [], "notes": [], "error": None, "column": None}
SEARCH_ANSWER: dict[str, Any] = {
    "description": "The matches in each tree, in order",
    "content": _content(
        _reference(SearchAnswer),
        {
            "found": {
                **_NOTHING,
                "count": 1,
                "hits": 1,
                "trees": [{"count": 1, "matches": [_FOUND], "error": None}],
            },
            "a wrong pattern": {**_NOTHING, "error": ") is expected here, to close (", "column": 9},
        },
    ),
}

_THE_PAGE = {
    "tags": ["Page"],
    "summary": "The web page that shows trees",
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


def document(app: FastAPI, needs_key: bool) -> dict[str, Any]:
    """Return the OpenAPI document of an app's routes; with a key, each but /live answers 401."""
    made = get_openapi(
        title="bnaparser", version=__version__, description=DESCRIPTION, routes=app.routes
    )
    # FastAPI drops nulls from what it is given, and an example may need one.
    for path, answer in (
        ("/v1/parse", PARSE_ANSWER),
        ("/v1/classify", CLASSIFY_ANSWER),
        ("/v1/search", SEARCH_ANSWER),
    ):
        made["paths"][path]["post"]["responses"]["200"] = answer
    # The bodies of these two are described by hand, so their schemas are added by hand.
    _, definitions = models_json_schema(
        [
            *((model, "serialization") for model in _ANSWERS),
            *((model, "validation") for model in REQUESTS.values()),
        ],
        ref_template=_REFERENCE,
    )
    made["paths"]["/"]["get"] = _THE_PAGE
    components = made.setdefault("components", {})
    components.setdefault("schemas", {}).update(definitions["$defs"])
    if needs_key:
        components["securitySchemes"] = {
            "bearer": {"type": "http", "scheme": "bearer"},
            "basic": {"type": "http", "scheme": "basic", "description": "the key as password"},
        }
        made["security"] = [{"bearer": []}, {"basic": []}]
    for path, operations in made["paths"].items():
        for method, operation in operations.items():
            # What the layers around the routes answer.
            statuses = [500, *([400, 408, 413, 503, 504] if method == "post" else [])]
            if needs_key and path in OPEN_PATHS:
                operation["security"] = []
            elif needs_key:
                statuses.append(401)
            for status, problem in problem_answers(*statuses).items():
                operation["responses"].setdefault(str(status), problem)
    return made


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
