"""The REST interface: ``/v1/parse``, ``/v1/models``, and how the service is."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from bnaparser import __version__
from bnaparser.parsing.result import Parse
from bnaparser.server import metrics
from bnaparser.server.problems import NotReady, problem_answers
from bnaparser.server.queue.service import Service
from bnaparser.server.rest import answer_body, request_body
from bnaparser.server.rest.schemas import (
    REQUESTS,
    TEXT_EXAMPLE,
    TREE_EXAMPLE,
    ClassifierModel,
    Limits,
    Model,
    ModelList,
    State,
    words_example,
)
from bnaparser.trees.tree import CHAIN

router = APIRouter()


_BODY = {
    "required": True,
    "content": {
        request_body.JSON: {
            "schema": {"oneOf": [kind.model_json_schema() for kind in REQUESTS.values()]},
            "examples": {
                "text": {"value": {"text": TEXT_EXAMPLE}},
                "sentences": {"value": {"sentences": ["It rained."], "format": "bracket"}},
                "tokens": {
                    "value": {
                        "tokens": [["It", "rained", "."]],
                        "tags": [["PRP", "VBD", "."]],
                        "scores": False,
                    }
                },
            },
        },
        request_body.PLAIN: {
            "schema": {"type": "string"},
            "examples": {"lines": {"value": "The cat sat on the mat.\nIt rained.\n"}},
        },
    },
}
ANSWER = {
    "description": "A tree for each sentence, in order; a sentence that failed has its error",
    "headers": {answer_body.ERRORS_HEADER: answer_body.ERRORS_HEADER_DESCRIBED},
    "content": {
        request_body.JSON: {
            "schema": {"$ref": "#/components/schemas/Answer"},
            "examples": {
                "json": {"value": {"model": "en", "parses": [words_example(with_scores=True)]}},
                "without scores": {
                    "value": {"model": "en", "parses": [words_example(with_scores=False)]}
                },
                "a sentence that failed": {
                    "value": {
                        "model": "en",
                        "parses": [
                            {"text": "", "tree": None, "error": "the sentence has no words"}
                        ],
                    }
                },
            },
        },
        request_body.PLAIN: {
            "schema": {"type": "string"},
            "examples": {"tree": {"value": TREE_EXAMPLE}},
        },
    },
}


@router.post(
    "/v1/parse",
    tags=["REST"],
    summary="Parse text, sentences or words",
    response_class=Response,
    openapi_extra={"requestBody": _BODY},
    responses={200: ANSWER, **problem_answers(400, 408, 413, 415, 422, 500, 503, 504)},
)
async def parse(request: Request) -> Response:
    """Give each sentence its tree.

    JSON in, JSON out: exactly one of `text` (running text, which is split), `sentences` and
    `tokens`. Places are half-open and count code points: in `text`, in that sentence, or in its
    words joined by blanks. A sentence that cannot be parsed has `error` set, in its place.

    Plain text in, plain text out, a sentence a line and a tree a line: this is what `curl
    --data-binary @file` sends, whose content type `application/x-www-form-urlencoded` is read as
    plain text. A line without a tree stays empty; the header `X-Sentence-Errors` says why.
    """
    service: Service = request.app.state.service
    service.admit()
    kind = request_body.media_type(request.headers)
    body = await request.body()
    if kind == request_body.JSON:
        return await _parse_json(service, body)
    return await _parse_plain(service, body)


async def _parse_json(service: Service, body: bytes) -> Response:
    asked = await service.read(len(body), request_body.read_json, body, service.settings)
    if asked.problem is None:
        parses = await service.parse(asked.sentences, asked.tags)
    else:
        request_body.check_count(len(asked.sentences), "sentences", service.settings)
        parses = [
            Parse(one.text, one.words, offsets=one.offsets, error=asked.problem)
            for one in asked.sentences
        ]
    content = await service.off_loop(
        answer_body.size_of(asked.sentences),
        answer_body.write_json,
        service.model_name,
        parses,
        asked.format,
        asked.scores,
    )
    return Response(content, media_type=request_body.JSON)


async def _parse_plain(service: Service, body: bytes) -> Response:
    lines = await service.read(len(body), request_body.read_plain, body, service.settings)
    found = iter(await service.parse([line for line in lines if line is not None]))
    parses = [None if line is None else next(found) for line in lines]
    size = answer_body.size_of([line for line in lines if line is not None])
    content, errors = await service.off_loop(size, answer_body.write_plain, parses)
    headers = {answer_body.ERRORS_HEADER: errors} if errors else None
    return Response(content, media_type=request_body.PLAIN, headers=headers)


@router.get(
    "/v1/models", tags=["REST"], summary="What it parses with", responses=problem_answers(500, 503)
)
async def models(request: Request) -> ModelList:
    """Tell the models' names, their labels, and what a request may hold."""
    service: Service = request.app.state.service
    settings, parser = service.settings, service.parser
    if parser is None:
        raise NotReady("the service is starting: its model is not loaded yet")
    limits = Limits(
        body_bytes=settings.max_body_bytes,
        characters=settings.max_characters,
        sentences=settings.max_sentences,
        words_a_sentence=settings.max_words,
        words=settings.queue_words,
        json_depth=settings.max_json_depth,
        deadline_seconds=settings.deadline_seconds,
    )
    model = Model(
        name=service.model_name,
        version=__version__,
        device=str(parser.model.device),
        predicts_tags=parser.predicts_tags,
        labels=sorted({part for name in parser.model.labels.names for part in name.split(CHAIN)}),
        limits=limits,
    )
    return ModelList(models=[model], classifiers=_classifiers(service))


def _classifiers(service: Service) -> list[ClassifierModel]:
    if service.classifying is None:
        return []
    model = service.classifying.classifier.model
    return [
        ClassifierModel(
            name=service.classifier_name,
            version=__version__,
            device=str(model.device),
            kind=model.settings.task.kind,
            pairs=model.settings.task.pair,
            labels=list(model.labels),
        )
    ]


@router.get("/live", tags=["Operations"], summary="Whether the process lives")
async def live() -> State:
    """Answer 200 as long as the process answers at all; needs no key."""
    return State(status="live")


@router.get(
    "/ready",
    tags=["Operations"],
    summary="Whether it takes requests",
    responses=problem_answers(500, 503),
)
async def ready(request: Request) -> State:
    """Answer 200 once the model has parsed a sentence, and until the service is being stopped."""
    service: Service = request.app.state.service
    if not service.ready:
        raise NotReady("the service is stopping" if service.draining else "the service is starting")
    return State(status="ready")


@router.get(
    "/metrics",
    tags=["Operations"],
    summary="Counters for Prometheus",
    response_class=Response,
    responses={
        200: {"content": {"text/plain": {"schema": {"type": "string"}}}},
        **problem_answers(500),
    },
)
async def read_metrics(request: Request) -> Response:
    """Tell requests, latency, queue, batches and words, summed over the workers."""
    service: Service = request.app.state.service
    return Response(service.metrics.page(), media_type=metrics.MEDIA_TYPE)
