"""The protocol of Stanford CoreNLP's server on ``POST /``, for the clients that people have.

NLTK's ``CoreNLPParser`` and stanza's ``CoreNLPClient`` work unchanged; ``docs/corenlp.md`` says how.
"""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse

from bnaparser.parsing.result import Parse
from bnaparser.server.bounds import check_coding, check_count, check_size, size_of
from bnaparser.server.corenlp.answer import Annotated, annotate, to_conll, to_json, to_text
from bnaparser.server.corenlp.openapi import ANSWERS, PARAMETERS, REQUEST_BODY
from bnaparser.server.corenlp.protobuf import to_protobuf
from bnaparser.server.corenlp.request import Wanted, read_text, read_wanted, sentences_of
from bnaparser.server.exchange import read_body, write_answer
from bnaparser.server.problems import problem_answers
from bnaparser.server.queue.service import Service
from bnaparser.server.service_settings import ServerSettings
from bnaparser.text.sentence import Sentence
from bnaparser.text.text_rules import TextRules

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
    service.admit(request.state.record)
    wanted = read_wanted(request.query_params.multi_items())
    check_coding(request.headers)
    kind = request.headers.get("content-type")
    given = (kind, wanted, service.settings, service.text_in(None))
    text, sentences = await read_body(request, _read, *given)
    check_count(len(sentences), "sentences", service.settings)
    parses = None
    if wanted.tags:
        seconds = _deadline(wanted, service.settings)
        parses = await service.parse(sentences, request.state.record, deadline_seconds=seconds)
        # Of text in some languages words are known only then.
        sentences = [Sentence(one.text, one.words, one.offsets) for one in parses]
    answer = (text, sentences, parses, wanted)
    return await write_answer(request, size_of(sentences), _write, *answer)


@router.get(
    "/ping", response_class=PlainTextResponse, summary="Say that CoreNLP's protocol is here"
)
async def ping() -> str:
    """Answer `pong`, which CoreNLP's clients wait for before they send text."""
    return "pong\n"


def _read(
    body: bytes, kind: str | None, wanted: Wanted, settings: ServerSettings, rules: TextRules
) -> tuple[str, list[Sentence]]:
    """Return the text of a body, and its sentences. Raises a Problem."""
    text = read_text(body, kind)
    check_size([text], settings)
    return text, sentences_of(text, wanted, rules)


def _deadline(wanted: Wanted, settings: ServerSettings) -> float:
    """Return seconds: a client may wait for less long than the service would, not longer."""
    if wanted.timeout_seconds is None:
        return settings.deadline_seconds
    return min(settings.deadline_seconds, wanted.timeout_seconds)


def _write(
    text: str, sentences: Sequence[Sentence], parses: Sequence[Parse] | None, wanted: Wanted
) -> Response:
    """Return the answer in the form that is wanted."""
    content = _content(text, annotate(text, sentences, parses, wanted.trees), wanted)
    return Response(content, media_type=_MEDIA_TYPES[wanted.output_format])


def _content(text: str, annotated: Sequence[Annotated], wanted: Wanted) -> str | bytes:
    match wanted.output_format:
        case "serialized":
            return to_protobuf(text, annotated)
        case "text":
            return to_text(annotated)
        case "conll":
            return to_conll(annotated)
        case _:
            return to_json(annotated, wanted.pretty)
