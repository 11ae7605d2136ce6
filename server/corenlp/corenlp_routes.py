"""The protocol of Stanford CoreNLP's server on ``POST /``, for the clients that people have.

NLTK's ``CoreNLPParser`` and stanza's ``CoreNLPClient`` work unchanged; ``docs/corenlp.md`` says how.
"""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse

from bnaparser.parsing.result import Parse
from bnaparser.server.corenlp.answer import annotate, to_conll, to_json, to_text
from bnaparser.server.corenlp.openapi import ANSWERS, PARAMETERS, REQUEST_BODY
from bnaparser.server.corenlp.protobuf import to_protobuf
from bnaparser.server.corenlp.request import Wanted, read_text, read_wanted, sentences_of
from bnaparser.server.problems import problem_answers
from bnaparser.server.queue.service import Service
from bnaparser.server.rest.answer_body import size_of
from bnaparser.server.rest.request_body import check_coding, check_count, check_size
from bnaparser.server.service_settings import ServerSettings
from bnaparser.text.sentence import Sentence

router = APIRouter(tags=["CoreNLP"])

_MEDIA_TYPES = {
    "json": "application/json;charset=utf-8",
    "serialized": "application/x-protobuf",
    "text": "text/plain;charset=utf-8",
    "conll": "text/plain;charset=utf-8",
}


@router.post(
    "/",
    operation_id="corenlp",
    summary="Annotate text by CoreNLP's protocol",
    response_class=Response,
    responses={
        200: {"description": "The annotated text, as `outputFormat` says", "content": ANSWERS},
        **problem_answers(400, 408, 413, 415, 500, 503, 504),
    },
    openapi_extra={"parameters": PARAMETERS, "requestBody": REQUEST_BODY},
)
async def corenlp(request: Request) -> Response:
    """Split, tag and parse a text, and answer as the server of Stanford CoreNLP does.

    For clients that are made for that server. A sentence that cannot be parsed keeps its place,
    with the tree `(X (XX word) ...)`, as there.
    """
    service: Service = request.app.state.service
    service.admit()
    wanted = read_wanted(request.query_params.multi_items())
    check_coding(request.headers)
    body, kind = await request.body(), request.headers.get("content-type")
    text, sentences = await service.read(len(body), _read, body, kind, wanted, service.settings)
    check_count(len(sentences), "sentences", service.settings)
    parses = await _parses(sentences, wanted, service) if wanted.tags else None
    content = await service.off_loop(size_of(sentences), _content, text, sentences, parses, wanted)
    return Response(content, media_type=_MEDIA_TYPES[wanted.output_format])


@router.get(
    "/ping", response_class=PlainTextResponse, summary="Say that CoreNLP's protocol is here"
)
async def ping() -> str:
    """Answer `pong`, which CoreNLP's clients wait for before they send text."""
    return "pong\n"


def _read(
    body: bytes, kind: str | None, wanted: Wanted, settings: ServerSettings
) -> tuple[str, list[Sentence]]:
    """Return the text of a body, and its sentences. Raises a Problem."""
    text = read_text(body, kind)
    check_size([text], settings)
    return text, sentences_of(text, wanted)


async def _parses(
    sentences: Sequence[Sentence], wanted: Wanted, service: Service
) -> Sequence[Parse]:
    """Return the parses; a client may wait for less long than the service would, not longer."""
    deadline = service.settings.deadline_seconds
    if wanted.timeout_seconds is not None:
        deadline = min(deadline, wanted.timeout_seconds)
    return await service.parse(sentences, deadline_seconds=deadline)


def _content(
    text: str, sentences: Sequence[Sentence], parses: Sequence[Parse] | None, wanted: Wanted
) -> str | bytes:
    annotated = annotate(text, sentences, parses, wanted.trees)
    match wanted.output_format:
        case "serialized":
            return to_protobuf(text, annotated)
        case "text":
            return to_text(annotated)
        case "conll":
            return to_conll(annotated)
        case _:
            return to_json(annotated, wanted.pretty)
