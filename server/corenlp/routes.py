"""The protocol of Stanford CoreNLP's server on ``POST /``, for the clients that people have.

NLTK's ``CoreNLPParser`` and stanza's ``CoreNLPClient`` work unchanged; ``docs/corenlp.md`` says how.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse

from bnaparser.parsing.result import Parse
from bnaparser.server.corenlp.answer import (
    annotate,
    to_conll,
    to_json,
    to_protobuf,
    to_text,
)
from bnaparser.server.corenlp.request import (
    OUTPUT_FORMATS,
    AnnotateOptions,
    read_options,
    read_text,
    sentences_of,
)
from bnaparser.server.limits import check_coding, check_count, check_size, size_of
from bnaparser.server.problems import problem_answers
from bnaparser.server.service import Service
from bnaparser.server.settings import ServerSettings
from bnaparser.text.sentence import Sentence
from bnaparser.text.text_rules import TextRules

router = APIRouter(tags=["CoreNLP"])

_MEDIA_TYPES = {
    "json": "application/json;charset=utf-8",
    "serialized": "application/x-protobuf",
    "text": "text/plain;charset=utf-8",
    "conll": "text/plain;charset=utf-8",
}


_SCALAR = {"type": ["string", "number", "boolean", "null"]}
_OUTPUT_FORMAT = {"type": ["string", "null"], "enum": [*OUTPUT_FORMATS, None]}
_PROPERTIES = {
    "type": "object",
    "properties": {
        "annotators": {
            **_SCALAR,
            "description": "Names with commas between: tokenize, ssplit, pos, parse. Others "
            "(lemma, ner, depparse, ...) are left out of the answer without an error.",
        },
        "outputFormat": _OUTPUT_FORMAT,
        "inputFormat": {"type": ["string", "null"], "enum": ["text", None]},
        "tokenize.whitespace": {**_SCALAR, "description": "true: words stand between blanks."},
        "ssplit.eolonly": {**_SCALAR, "description": "true: a line is a sentence."},
        "ssplit.isOneSentence": {**_SCALAR, "description": "true: the text is one sentence."},
        "ssplit.newlineIsSentenceBreak": {
            **_SCALAR,
            "description": "always: a line end always ends a sentence.",
        },
        "prettyPrint": {**_SCALAR, "description": "true: JSON on several lines."},
    },
    "additionalProperties": _SCALAR,
}
_PROPERTIES_EXAMPLE = {"annotators": "tokenize,ssplit,pos,lemma,parse", "outputFormat": "json"}

PARAMETERS: list[dict[str, Any]] = [
    {
        "name": "properties",
        "in": "query",
        "description": "CoreNLP's properties, as JSON or as Python prints a dictionary. Any of them "
        "may also be a query parameter of its own; unknown ones are passed over. `timeout` is in "
        "milliseconds, and bounded by the service's own deadline.",
        "content": {"application/json": {"schema": _PROPERTIES, "example": _PROPERTIES_EXAMPLE}},
    },
    {
        "name": "annotators",
        "in": "query",
        "description": "As in `properties`.",
        "schema": {"type": "string", "default": "tokenize,ssplit,pos,parse"},
    },
    {
        "name": "outputFormat",
        "in": "query",
        "description": "As in `properties`.",
        "schema": {"type": "string", "enum": list(OUTPUT_FORMATS), "default": "json"},
    },
]

_TEXT_EXAMPLE = "The cat sat on the mat. It purred."
REQUEST_BODY: dict[str, Any] = {
    "description": "The text, UTF-8 unless the content type names another charset. A body of type "
    "`application/x-www-form-urlencoded`, and one without a type, may be percent-encoded.",
    "required": False,
    # No type: there is no value that, sent as plain text, would not be text.
    "content": {"text/plain": {"schema": {"description": "The text."}, "example": _TEXT_EXAMPLE}},
}

_OFFSET = {"type": "integer", "minimum": 0}
_TOKEN = {
    "type": "object",
    "required": ["index", "word", "originalText", "characterOffsetBegin", "characterOffsetEnd"],
    "properties": {
        "index": {"type": "integer", "minimum": 1},
        "word": {"type": "string", "description": "Round brackets are -LRB- and -RRB-."},
        "originalText": {"type": "string"},
        "characterOffsetBegin": {**_OFFSET, "description": "In UTF-16 code units."},
        "characterOffsetEnd": _OFFSET,
        "codepointOffsetBegin": {**_OFFSET, "description": "In code points."},
        "codepointOffsetEnd": _OFFSET,
        "pos": {"type": "string"},
        "before": {"type": "string"},
        "after": {"type": "string"},
    },
}
_SENTENCE = {
    "type": "object",
    "required": ["index", "tokens"],
    "properties": {
        "index": _OFFSET,
        "parse": {"type": "string", "description": "The tree below ROOT, on one line."},
        "error": {
            "type": "string",
            "description": "Why there is no parse; the tree is then (X (XX word) ...).",
        },
        "tokens": {"type": "array", "items": _TOKEN},
    },
}
_ANSWER = {
    "type": "object",
    "required": ["sentences"],
    "properties": {"sentences": {"type": "array", "items": _SENTENCE}},
}
_ANSWER_EXAMPLE = {
    "sentences": [
        {
            "index": 0,
            "parse": "(ROOT (S (VP (VB Go))))",
            "tokens": [
                {
                    "index": 1,
                    "word": "Go",
                    "originalText": "Go",
                    "characterOffsetBegin": 0,
                    "characterOffsetEnd": 2,
                    "codepointOffsetBegin": 0,
                    "codepointOffsetEnd": 2,
                    "pos": "VB",
                    "before": "",
                    "after": "",
                }
            ],
        }
    ]
}
ANSWERS: dict[str, Any] = {
    "application/json": {"schema": _ANSWER, "example": _ANSWER_EXAMPLE},
    "text/plain": {"schema": {"type": "string"}},
    "application/x-protobuf": {"schema": {"type": "string", "format": "binary"}},
}
"""The media types of status 200, one or two to each output format."""


@router.post(
    "/",
    operation_id="corenlp",
    summary="Annotate text by CoreNLP's protocol",
    response_class=Response,
    responses={
        200: {
            "description": "The annotated text, in the format of `outputFormat`",
            "content": ANSWERS,
        },
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
    service.check_capacity(request.state.record)
    options = read_options(request.query_params.multi_items())
    check_coding(request.headers)
    kind = request.headers.get("content-type")
    given = (kind, options, service.settings, service.text_rules(None))
    text, sentences = await service.read_body(request, _read, *given)
    check_count(len(sentences), "sentences", service.settings)
    parses = None
    if options.tags:
        # A client may wait for less long than the service would, not longer.
        most = service.settings.deadline_seconds
        seconds = min(most, options.timeout_seconds or most)
        parses = await service.parse(sentences, request.state.record, deadline_seconds=seconds)
        # Of text in some languages words are known only then.
        sentences = [Sentence(one.text, one.words, one.offsets) for one in parses]
    answer = (text, sentences, parses, options)
    return await service.write_answer(request, size_of(sentences), _write, *answer)


@router.get("/ping", response_class=PlainTextResponse, summary="Check for CoreNLP's protocol")
async def ping() -> str:
    """Answer `pong`, which CoreNLP's clients wait for before they send text."""
    return "pong\n"


def _read(
    body: bytes,
    kind: str | None,
    options: AnnotateOptions,
    settings: ServerSettings,
    rules: TextRules,
) -> tuple[str, list[Sentence]]:
    """Return the text of a body, and its sentences. Raises a Problem."""
    text = read_text(body, kind)
    check_size([text], settings)
    return text, sentences_of(text, options, rules)


def _write(
    text: str,
    sentences: Sequence[Sentence],
    parses: Sequence[Parse] | None,
    options: AnnotateOptions,
) -> Response:
    """Return the answer in the output format."""
    annotated = annotate(text, sentences, parses, options.trees)
    content: str | bytes
    match options.output_format:
        case "serialized":
            content = to_protobuf(text, annotated)
        case "text":
            content = to_text(annotated)
        case "conll":
            content = to_conll(annotated)
        case _:
            content = to_json(annotated, options.pretty)
    return Response(content, media_type=_MEDIA_TYPES[options.output_format])
