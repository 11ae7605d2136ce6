"""How the service is: ``/v1/models``, ``/live``, ``/ready`` and ``/metrics``."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from bnaparser import __version__
from bnaparser.server import metrics
from bnaparser.server.problems import NotReady, problem_answers
from bnaparser.server.queue.service import STARTING, Service
from bnaparser.server.rest import request_body
from bnaparser.server.rest.answer_schemas import ClassifierModel, Limits, Model, ModelList, State
from bnaparser.trees.tree import CHAIN

router = APIRouter()


@router.get(
    "/v1/models",
    tags=["REST"],
    summary="What it parses with",
    responses=problem_answers(422, 500, 503),
)
async def models(request: Request) -> ModelList:
    """Tell the models' names, their labels, and what a request may hold."""
    request_body.check_query(request.query_params)
    service: Service = request.app.state.service
    settings, parser = service.settings, service.parser
    if parser is None:
        raise NotReady(STARTING)
    limits = Limits(
        body_bytes=settings.max_body_bytes,
        characters=settings.max_characters,
        sentences=settings.max_sentences,
        words_a_sentence=settings.max_words,
        words=settings.queue_words,
        json_depth=settings.max_json_depth,
        n_best=settings.max_n_best,
        deadline_seconds=settings.deadline_seconds,
    )
    about = service.about
    model = Model(
        name=service.model_name,
        license=about.license,
        license_note=about.license_note,
        version=__version__,
        device=str(parser.model.device),
        languages=list(parser.languages),
        predicts_tags=parser.predicts_tags,
        labels=sorted({part for name in parser.labels for part in name.split(CHAIN)}),
        limits=limits,
    )
    return ModelList(models=[model], classifiers=_classifiers(service))


def _classifiers(service: Service) -> list[ClassifierModel]:
    if service.classifying is None:
        return []
    model = service.classifying.classifier.model
    about = service.about_classifier
    return [
        ClassifierModel(
            name=service.classifier_name,
            license=about.license,
            license_note=about.license_note,
            version=__version__,
            device=str(model.device),
            kind=model.settings.task.kind,
            language=model.settings.task.language,
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
        raise NotReady("the service is stopping" if service.draining else STARTING)
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
