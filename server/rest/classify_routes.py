"""``/v1/classify``: texts in; label, probabilities and trees out, where there is a classifier."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request, Response

from bnaparser.server.problems import NoClassifier, NotReady, problem_answers
from bnaparser.server.queue.service import Service
from bnaparser.server.rest import answer_body, request_body
from bnaparser.server.rest.schemas import (
    CLASSIFY_REQUESTS,
    TREE_EXAMPLE,
    ClassifyTextRequest,
    ClassifyTextsRequest,
)
from bnaparser.server.service_settings import ServerSettings

if TYPE_CHECKING:
    from bnaparser.tasks.classifier import Classification, Classifier, ReadText

router = APIRouter()

_BODY = {
    "required": True,
    "content": {
        request_body.JSON: {
            "schema": {"oneOf": [kind.model_json_schema() for kind in CLASSIFY_REQUESTS.values()]},
            "examples": {
                "text": {"value": {"text": "A gripping, funny film. I liked it."}},
                "texts": {"value": {"texts": ["A gripping, funny film.", "It bored me."]}},
                "a pair, for models of pairs": {"value": {"text": ["It rained.", "It was wet."]}},
            },
        },
        request_body.PLAIN: {
            "schema": {"type": "string"},
            "examples": {"lines": {"value": "A gripping, funny film.\nIt bored me.\n"}},
        },
    },
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
ANSWER = {
    "description": "What the model says of each text, in order; one that failed has its error",
    "headers": {answer_body.ERRORS_HEADER: answer_body.ERRORS_HEADER_DESCRIBED},
    "content": {
        request_body.JSON: {
            "schema": {"$ref": "#/components/schemas/ClassifyAnswer"},
            "examples": {
                "classes": {"value": {"model": "sst2", "answers": [_ENTRY]}},
                "a text that failed": {"value": {"model": "sst2", "answers": [_FAILED]}},
            },
        },
        request_body.PLAIN: {
            "schema": {"type": "string"},
            "examples": {
                "line": {"value": f"positive\tnegative 0.0100, positive 0.9900\t{TREE_EXAMPLE}\n"}
            },
        },
    },
}


@router.post(
    "/v1/classify",
    tags=["REST"],
    summary="Classify texts along their trees",
    response_class=Response,
    openapi_extra={"requestBody": _BODY},
    responses={200: ANSWER, **problem_answers(400, 404, 408, 413, 415, 422, 500, 503, 504)},
)
async def classify(request: Request) -> Response:
    """Say of each text what the classifier says of it; 404 where the service runs without one.

    JSON in, JSON out: `text`, or `texts`, each running text of one sentence or several; for a
    model of pairs two of them. A text that could not be answered has `error` set, in its place; so
    has one of which a sentence has no tree, beside its label, which is then the plain encoder's.

    Plain text in, plain text out, a text a line (a pair with a tab between) and an answer a line:
    label, probabilities and trees with tabs between. A line without an answer stays empty; the
    header `X-Sentence-Errors` says why.
    """
    service: Service = request.app.state.service
    if service.settings.classifier is None:
        raise NoClassifier
    service.admit()
    if service.classifying is None:
        raise NotReady("the service is starting: its classifier is not loaded yet")
    classifier = service.classifying.classifier
    kind = request_body.media_type(request.headers)
    body = await request.body()
    if kind == request_body.JSON:
        given = await service.read(len(body), read_json, body, service.settings, classifier)
        answers = await service.classify(given)
        content = await service.off_loop(_size(given), write_json, service.classifier_name, answers)
        return Response(content, media_type=request_body.JSON)
    lines = await service.read(len(body), read_plain, body, service.settings, classifier)
    given = [line for line in lines if line is not None]
    found = iter(await service.classify(given))
    in_place = [None if line is None else next(found) for line in lines]
    content, errors = await service.off_loop(_size(given), write_plain, in_place)
    headers = {answer_body.ERRORS_HEADER: errors} if errors else None
    return Response(content, media_type=request_body.PLAIN, headers=headers)


def read_json(body: bytes, settings: ServerSettings, classifier: Classifier) -> list[ReadText]:
    """Read a JSON request. Raises BadBody, Unprocessable or TooLarge."""
    request: ClassifyTextRequest | ClassifyTextsRequest = request_body.read_request(
        body, settings, CLASSIFY_REQUESTS
    )
    texts = [request.text] if isinstance(request, ClassifyTextRequest) else request.texts
    request_body.check_size(("".join(text) for text in texts), settings)
    request_body.check_count(len(texts), "texts", settings)
    return [classifier.read(text) for text in texts]


def read_plain(
    body: bytes, settings: ServerSettings, classifier: Classifier
) -> list[ReadText | None]:
    """Read a text a line, None for an empty line. Raises BadBody or TooLarge."""
    lines = request_body.read_lines(body, settings)
    request_body.check_count(sum(bool(line.strip()) for line in lines), "texts", settings)
    return [classifier.read(line) if line.strip() else None for line in lines]


def write_json(model: str, answers: Sequence[Classification]) -> bytes:
    """Return the JSON answer, UTF-8: ``schemas.ClassifyAnswer``."""
    answer: dict[str, Any] = {"model": model, "answers": [answer.to_dict() for answer in answers]}
    return json.dumps(answer, ensure_ascii=False, allow_nan=False).encode()


def write_plain(answers: Sequence[Classification | None]) -> tuple[bytes, str | None]:
    """Return one answer a line, UTF-8, and what the header X-Sentence-Errors is to say, if anything."""
    lines = ["" if answer is None else answer.to_text() for answer in answers]
    errors = [None if answer is None else answer.error for answer in answers]
    return "".join(f"{line}\n" for line in lines).encode(), answer_body.errors_header(errors)


def _size(texts: Sequence[ReadText]) -> int:
    """Return about how many characters the answer will have."""
    return answer_body.size_of(sentence for text in texts for sentence in text.sentences)
