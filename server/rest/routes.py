"""The routes of the REST interface: parse, classify, search, and how the service is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request, Response

from bnaparser import __version__
from bnaparser.parsing.result import Parse
from bnaparser.server import metrics
from bnaparser.server.limits import check_count, size_of
from bnaparser.server.problems import (
    NoClassifier,
    NotReady,
    UnsupportedBody,
    problem_answers,
)
from bnaparser.server.rest import answers, openapi, requests
from bnaparser.server.rest.answers import ClassifierModel, Limits, Model, ModelList, State
from bnaparser.server.rest.requests import JSON, SearchRequest
from bnaparser.server.service import STARTING, Service
from bnaparser.text.sentence import Split
from bnaparser.trees.tree import CHAIN

if TYPE_CHECKING:
    from bnaparser.tasks.classifier import Classifier, ReadText
    from bnaparser.text.sentence import Sentence

router = APIRouter()


@router.post(
    "/v1/parse",
    tags=["REST"],
    summary="Parse text, sentences or words",
    response_class=Response,
    openapi_extra={
        "parameters": [openapi.SPLIT, openapi.LANGUAGE],
        "requestBody": openapi.PARSE_BODY,
    },
    responses={
        200: openapi.PARSE_ANSWER,
        **problem_answers(400, 408, 413, 415, 422, 500, 503, 504),
    },
)
async def parse(request: Request) -> Response:
    """Give each sentence its tree.

    JSON in, JSON out: exactly one of `text` (which is split into sentences: `split` says
    how), `sentences` and `tokens`. Places are half-open and count code points: in `text`, in that sentence, or in its
    words joined by blanks. A sentence that cannot be parsed has `error` set, in its place.

    Plain text in, plain text out, a tree a line: this is what `curl --data-binary @file` sends,
    whose content type `application/x-www-form-urlencoded` is read as plain text. `split` says what
    a line of the text is: by default it may hold several sentences, and gives as many trees; with
    `?split=line` there is a line out for each line in. A line without a tree stays empty; the
    header `X-Sentence-Errors` says why.
    """
    service: Service = request.app.state.service
    service.check_capacity(request.state.record)
    requests.check_query(request.query_params, ("split", "language"))
    kind = requests.media_type(request.headers)
    split = requests.split_of(request.query_params)
    language = requests.language_of(request.query_params)
    answer = _parse_json if kind == JSON else _parse_plain
    return await answer(request, service, split, language)


async def _parse_json(
    request: Request, service: Service, split: Split, language: str | None
) -> Response:
    given = (service.settings, split, language, service.text_rules)
    parse_request = await service.read_body(request, requests.read_json, *given)
    if parse_request.problem is None:
        parses = await service.parse(
            parse_request.sentences, request.state.record, parse_request.tags
        )
    else:
        check_count(len(parse_request.sentences), "sentences", service.settings)
        parses = [Parse.without_tree(one, parse_request.problem) for one in parse_request.sentences]
        service.note(parses, request.state.record)
    answer = answers.write_json(
        service.model_name, parses, parse_request.format, parse_request.scores
    )
    return await service.write_in_turns(request, parse_request.size, answer)


async def _parse_plain(
    request: Request, service: Service, split: Split, language: str | None
) -> Response:
    rules = service.text_rules(language)
    lines = await service.read_body(request, requests.read_plain, service.settings, split, rules)
    sentences = requests.filled(lines)
    found = answers.in_place(lines, await service.parse(sentences, request.state.record))
    size = size_of(sentences) + len(lines)
    return await service.write_answer(request, size, answers.write_plain, found)


@router.post(
    "/v1/classify",
    tags=["REST"],
    summary="Classify texts along their trees",
    response_class=Response,
    openapi_extra={"requestBody": openapi.CLASSIFY_BODY},
    responses={
        200: openapi.CLASSIFY_ANSWER,
        **problem_answers(400, 404, 408, 413, 415, 422, 500, 503, 504),
    },
)
async def classify(request: Request) -> Response:
    """Say of each text what the classifier says of it; 404 where the service runs without one.

    JSON in, JSON out: `text`, or `texts`, each running text of one sentence or several; for a
    model of pairs two of them, for a model of answers a question and its passage. A text that could not
    be answered has `error` set, in its place; so has one of which a sentence has no tree, beside its
    label, which is then the plain encoder's.

    Plain text in, plain text out, a text a line (a pair with a tab between) and an answer a line:
    label, probabilities and trees with tabs between. A line without an answer stays empty; the
    header `X-Sentence-Errors` says why.
    """
    service: Service = request.app.state.service
    if service.settings.classifier is None:
        raise NoClassifier
    service.check_capacity(request.state.record)
    if service.classifying is None:
        raise NotReady("the service is starting: its classifier is not loaded yet")
    requests.check_query(request.query_params)
    classifier = service.classifying.classifier
    if requests.media_type(request.headers) == JSON:
        return await _classify_json(request, service, classifier)
    return await _classify_plain(request, service, classifier)


async def _classify_json(request: Request, service: Service, classifier: Classifier) -> Response:
    texts = await service.read_body(request, requests.read_texts, service.settings, classifier)
    found = await service.classify(texts, request.state.record)
    size = size_of(_sentences(texts))
    return await service.write_answer(
        request, size, answers.write_classified, service.classifier_name, found
    )


async def _classify_plain(request: Request, service: Service, classifier: Classifier) -> Response:
    lines = await service.read_body(request, requests.read_text_lines, service.settings, classifier)
    texts = requests.filled(lines)
    found = answers.in_place(lines, await service.classify(texts, request.state.record))
    size = size_of(_sentences(texts)) + len(lines)
    return await service.write_answer(request, size, answers.write_classified_lines, found)


def _sentences(texts: Sequence[ReadText]) -> Iterator[Sentence]:
    return (sentence for text in texts for sentence in text.sentences)


@router.post(
    "/v1/search",
    tags=["REST"],
    summary="Find nodes of trees by a pattern",
    response_class=Response,
    openapi_extra={"requestBody": openapi.SEARCH_BODY},
    responses={
        200: openapi.SEARCH_ANSWER,
        **problem_answers(400, 408, 413, 415, 422, 500, 503, 504),
    },
)
async def search(request: Request) -> Response:
    """Search bracketed trees for a pattern in the language of Stanford's tregex.

    Each node is found once, with the first way in which the pattern fits it. A wrong pattern has
    its `error` and its `column`; a tree that cannot be read its own `error`, in its place. A search
    that takes longer than the service allows one (its setting `search_seconds`) gets 504.
    """
    service: Service = request.app.state.service
    service.check_capacity(request.state.record)
    requests.check_query(request.query_params)
    if requests.media_type(request.headers) != JSON:
        raise UnsupportedBody(f"a search request must be {JSON}", {"Accept": JSON})
    kinds = {"trees": SearchRequest}
    search_request = await service.read_body(
        request, requests.read_request, service.settings, kinds, has_words=False
    )
    caller = request.client.host if request.client else ""
    answer = await service.search(
        search_request.pattern, search_request.trees, caller, request.state.record
    )
    return Response(answer, media_type=JSON)


@router.get(
    "/v1/models",
    tags=["REST"],
    summary="What it parses with",
    responses=problem_answers(422, 500, 503),
)
async def models(request: Request) -> ModelList:
    """Return the models' names, their labels, and the limits of a request."""
    requests.check_query(request.query_params)
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
    """Return requests, latency, queue, batches and words, summed over the workers."""
    service: Service = request.app.state.service
    return Response(service.metrics.page(), media_type=metrics.MEDIA_TYPE)
