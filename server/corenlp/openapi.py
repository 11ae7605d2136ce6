"""What the OpenAPI document says of CoreNLP's protocol: parameters, body and answers."""

from __future__ import annotations

from typing import Any

from bnaparser.server.corenlp.request import OUTPUT_FORMATS

_SCALAR = {"type": ["string", "number", "boolean", "null"]}
_OUTPUT_FORMAT = {"type": ["string", "null"], "enum": [*OUTPUT_FORMATS, None]}
_PROPERTIES = {
    "type": "object",
    "properties": {
        "annotators": {
            **_SCALAR,
            "description": "Names with commas between: tokenize, ssplit, pos, parse. Others "
            "(lemma, ner, depparse, ...) are left out of the answer, not refused.",
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
