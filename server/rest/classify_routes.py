"""``/v1/classify``: texts in; label, probabilities and trees out, where there is a classifier."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request, Response

from bnaparser.errors import shortened
from bnaparser.server.bounds import check_count, check_size, size_of
from bnaparser.server.exchange import read_body, write_answer
from bnaparser.server.problems import MOST_SAID, NoClassifier, NotReady, problem_answers
from bnaparser.server.queue.service import Service
from bnaparser.server.rest import answer_body, request_body
from bnaparser.server.rest.request_schemas import (
    CLASSIFY_REQUESTS,
    TREE_EXAMPLE,
    ClassifyTextRequest,
    ClassifyTextsRequest,
)
from bnaparser.server.service_settings import ServerSettings

if TYPE_CHECKING:
    from bnaparser.tasks.classifier import Classification, Classifier, ReadText
    from bnaparser.text.sentence import Sentence

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
                "a question and its passage, for models of answers": {
                    "value": {"text": ["Who sang?", "Mira sang."]}
                },
                "marks, for models of relations": {
                    "value": {"text": "[E1]Mira[/E1] has a [E2]dog[/E2]."}
                },
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
_ANSWERED: dict[str, Any] = {
    "label": None,
    "probabilities": {},
    "trees": [TREE_EXAMPLE],
    "error": None,
    "answer": "The cat",
    "answers": [{"text": "The cat", "start": 0, "end": 7, "probability": 0.97}],
}
ANSWER = {
    "description": "What the model says of each text, in order; one that failed has its error",
    "headers": {answer_body.ERRORS_HEADER: answer_body.ERRORS_HEADER_DESCRIBED},
    "content": {
        request_body.JSON: {
            "schema": {"$ref": "#/components/schemas/ClassifyAnswer"},
            "examples": {
                "classes": {"value": {"model": "sst2", "answers": [_ENTRY]}},
                "an answer to a question": {"value": {"model": "mine", "answers": [_ANSWERED]}},
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
    model of pairs two of them, for a model of answers a question and its passage. A text that could not be answered has `error` set, in its place; so
    has one of which a sentence has no tree, beside its label, which is then the plain encoder's.

    Plain text in, plain text out, a text a line (a pair with a tab between) and an answer a line:
    label, probabilities and trees with tabs between. A line without an answer stays empty; the
    header `X-Sentence-Errors` says why.
    """
    service: Service = request.app.state.service
    if service.settings.classifier is None:
        raise NoClassifier
    service.admit(request.state.record)
    if service.classifying is None:
        raise NotReady("the service is starting: its classifier is not loaded yet")
    request_body.check_query(request.query_params)
    classifier = service.classifying.classifier
    if request_body.media_type(request.headers) == request_body.JSON:
        return await _classify_json(request, service, classifier)
    return await _classify_plain(request, service, classifier)


async def _classify_json(request: Request, service: Service, classifier: Classifier) -> Response:
    texts = await read_body(request, read_json, service.settings, classifier)
    answers = await service.classify(texts, request.state.record)
    size = size_of(_sentences(texts))
    return await write_answer(request, size, write_json, service.classifier_name, answers)


async def _classify_plain(request: Request, service: Service, classifier: Classifier) -> Response:
    lines = await read_body(request, read_plain, service.settings, classifier)
    texts = request_body.filled(lines)
    answers = await service.classify(texts, request.state.record)
    found = answer_body.in_place(lines, answers)
    size = size_of(_sentences(texts)) + len(lines)
    return await write_answer(request, size, write_plain, found)


def read_json(body: bytes, settings: ServerSettings, classifier: Classifier) -> list[ReadText]:
    """Read a JSON request. Raises BadBody, Unprocessable or TooLarge."""
    request: ClassifyTextRequest | ClassifyTextsRequest = request_body.read_request(
        body, settings, CLASSIFY_REQUESTS
    )
    texts = [request.text] if isinstance(request, ClassifyTextRequest) else request.texts
    check_size(("".join(text) for text in texts), settings)
    check_count(len(texts), "texts", settings)
    return [classifier.read(text) for text in texts]


def read_plain(
    body: bytes, settings: ServerSettings, classifier: Classifier
) -> list[ReadText | None]:
    """Read a text a line, None for an empty line. Raises BadBody or TooLarge."""
    lines = request_body.read_lines(body, settings)
    check_count(sum(bool(line.strip()) for line in lines), "texts", settings)
    return [classifier.read(line) if line.strip() else None for line in lines]


def write_json(model: str, answers: Sequence[Classification]) -> Response:
    """Return the answers as JSON: ``answer_schemas.ClassifyAnswer``."""
    entries = [answer.to_dict() for answer in answers]
    for entry in entries:
        if entry["error"] is not None:
            entry["error"] = shortened(entry["error"], MOST_SAID)
    return answer_body.json_response({"model": model, "answers": entries})


def write_plain(answers: Sequence[Classification | None]) -> Response:
    """Return an answer a line, an empty line for None."""
    lines = ["" if answer is None else answer.to_text() for answer in answers]
    errors = [None if answer is None else answer.error for answer in answers]
    return answer_body.plain_response(lines, errors)


def _sentences(texts: Sequence[ReadText]) -> Iterator[Sentence]:
    return (sentence for text in texts for sentence in text.sentences)
