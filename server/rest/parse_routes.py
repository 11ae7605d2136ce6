"""``/v1/parse``: text, sentences or words in; a tree for each sentence out."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from bnaparser.parsing.result import Parse
from bnaparser.server.bounds import check_count, size_of
from bnaparser.server.exchange import read_body, write_answer, write_in_turns
from bnaparser.server.problems import problem_answers
from bnaparser.server.queue.service import Service
from bnaparser.server.rest import answer_body, request_body
from bnaparser.server.rest.answer_schemas import words_example
from bnaparser.server.rest.request_schemas import (
    LONGEST_LANGUAGE,
    REQUESTS,
    SPLIT_DESCRIBED,
    TEXT_EXAMPLE,
    TREE_EXAMPLE,
)
from bnaparser.text.sentence import SPLITS, Split

router = APIRouter()

_BODY = {
    "required": True,
    "content": {
        request_body.JSON: {
            "schema": {
                "oneOf": [
                    {"$ref": f"#/components/schemas/{kind.__name__}"} for kind in REQUESTS.values()
                ]
            },
            "examples": {
                "text": {"value": {"text": TEXT_EXAMPLE}},
                "sentences": {"value": {"sentences": ["It rained."], "format": "bracket"}},
                "several trees": {
                    "value": {"text": TEXT_EXAMPLE, "n_best": 5, "probabilities": True}
                },
                "constraints": {
                    "value": {
                        "tokens": [["Time", "flies", "like", "an", "arrow"]],
                        "constraints": [[{"kind": "must", "start": 0, "end": 2, "labels": ["NP"]}]],
                    }
                },
                "markup": {"value": {"text": "I saw [NP the old man] .", "markup": True}},
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
            "examples": {"lines": {"value": "The cat sat on the mat.\nIt rained. Dogs bark.\n"}},
        },
    },
}
_SPLIT = {
    "name": "split",
    "in": "query",
    "description": f"Of a text, {SPLIT_DESCRIBED}. In JSON it may stand beside `text`.",
    "schema": {"type": "string", "enum": list(SPLITS), "default": "paragraph"},
}
_LANGUAGE = {
    "name": "language",
    "in": "query",
    "description": "Of the text, such as en or zh; by default the service's, or guessed where its"
    " models know several. In JSON it may stand beside `text`.",
    "schema": {"type": "string", "maxLength": LONGEST_LANGUAGE},
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
    openapi_extra={"parameters": [_SPLIT, _LANGUAGE], "requestBody": _BODY},
    responses={200: ANSWER, **problem_answers(400, 408, 413, 415, 422, 500, 503, 504)},
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
    service.admit(request.state.record)
    request_body.check_query(request.query_params, ("split", "language"))
    kind = request_body.media_type(request.headers)
    split = request_body.asked_split(request.query_params)
    language = request_body.asked_language(request.query_params)
    answer = _parse_json if kind == request_body.JSON else _parse_plain
    return await answer(request, service, split, language)


async def _parse_json(
    request: Request, service: Service, split: Split, language: str | None
) -> Response:
    given = (service.settings, split, language, service.text_in)
    asked = await read_body(request, request_body.read_json, *given)
    if asked.problem is None:
        parses = await service.parse(asked.sentences, request.state.record, asked.tags)
    else:
        check_count(len(asked.sentences), "sentences", service.settings)
        parses = [Parse.without_tree(one, asked.problem) for one in asked.sentences]
        service.note(parses, request.state.record)
    answer = answer_body.write_json(service.model_name, parses, asked.format, asked.scores)
    return await write_in_turns(request, asked.size, answer)


async def _parse_plain(
    request: Request, service: Service, split: Split, language: str | None
) -> Response:
    rules = service.text_in(language)
    lines = await read_body(request, request_body.read_plain, service.settings, split, rules)
    sentences = request_body.filled(lines)
    parses = await service.parse(sentences, request.state.record)
    found = answer_body.in_place(lines, parses)
    size = size_of(sentences) + len(lines)
    return await write_answer(request, size, answer_body.write_plain, found)
