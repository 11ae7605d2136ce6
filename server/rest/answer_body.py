"""From what was found to an answer: JSON, or plain text with a line for each line of the request."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from fastapi import Response

from bnaparser.errors import shortened
from bnaparser.parsing.result import Parse
from bnaparser.server.problems import MOST_SAID
from bnaparser.server.queue.text_thread import Steps
from bnaparser.server.rest.request_body import JSON, PLAIN
from bnaparser.server.rest.request_schemas import Format

Result = TypeVar("Result")

ERRORS_HEADER = "X-Sentence-Errors"
ERRORS_HEADER_DESCRIBED = {
    "description": "plain text only: the lines of the answer that stayed empty, and why",
    "schema": {"type": "string"},
}
# Proxies refuse headers of more than some kilobytes.
_HEADER_CHARACTERS = 2_000
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]+")


def write_json(model: str, parses: Sequence[Parse], form: Format, scores: bool) -> Steps[Response]:
    """Return the parses as JSON, ``answer_schemas.Answer``, after a pause behind each tree."""
    parts = [f'{{"model": {_json(model)}, "parses": ['.encode()]
    for number, one in enumerate(parses):
        parts += [b", "] if number else []
        yield from _write_parse(parts, one, form, scores)
    parts.append(b"]}")
    content = b"".join(parts)
    parts.clear()
    return Response(content, media_type=JSON)


def write_plain(parses: Sequence[Parse | None]) -> Response:
    """Return a tree a line; empty lines for None, an empty line, and for a sentence with an error."""
    trees = ["" if parse is None or parse.tree is None else str(parse.tree) for parse in parses]
    return plain_response(trees, [None if parse is None else parse.error for parse in parses])


def json_response(answer: dict[str, Any]) -> Response:
    """Return an answer as JSON, UTF-8."""
    return Response(_json(answer).encode(), media_type=JSON)


def plain_response(lines: Sequence[str], errors: Sequence[str | None]) -> Response:
    """Return lines as plain text, UTF-8; the header X-Sentence-Errors tells the lines' errors."""
    said = errors_header(errors)
    headers = {ERRORS_HEADER: said} if said else None
    content = "".join(f"{line}\n" for line in lines).encode()
    return Response(content, media_type=PLAIN, headers=headers)


def in_place(lines: Sequence[object | None], found: Iterable[Result]) -> list[Result | None]:
    """Return what was found for each line that is not empty, in order; None for an empty one."""
    remaining = iter(found)
    return [None if line is None else next(remaining) for line in lines]


def errors_header(found: Sequence[str | None]) -> str | None:
    """Return the header that tells the errors, each with its line, as far as there is room."""
    errors = [f"{number}: {error}" for number, error in enumerate(found, 1) if error is not None]
    told: list[str] = []
    room = _HEADER_CHARACTERS
    for error in errors:
        written = _CONTROLS.sub(" ", error).encode("ascii", errors="backslashreplace").decode()
        room -= len(written) + 2
        if room < 0:
            break
        told.append(written)
    if len(told) < len(errors):
        told.append(f"and {len(errors) - len(told)} more")
    return "; ".join(told) or None


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _write_parse(parts: list[bytes], parse: Parse, form: Format, scores: bool) -> Steps[None]:
    """Append the JSON of a parse. Each tree is written before the next one's dictionaries are made: they take far more."""
    entry = replace(parse, alternatives=()).to_dict()
    if parse.error is not None:
        entry["error"] = shortened(parse.error, MOST_SAID)
    written = _json(_fitted(entry, parse, form, scores)).encode()
    yield
    if not parse.alternatives:
        parts.append(written)
        return
    parts += [written.removesuffix(b"}"), b', "alternatives": [']
    for number, one in enumerate(parse.alternatives):
        parts += [b", "] if number else []
        parts.append(_json(_fitted(one.to_alternative(), one, form, scores)).encode())
        yield
    parts.append(b"]}")


def _fitted(entry: dict[str, Any], parse: Parse, form: Format, scores: bool) -> dict[str, Any]:
    """Return what a request wants of a tree's entry."""
    if form != "json":
        entry.pop("tokens", None)
        del entry["constituents"]
    if form == "svg":
        entry["svg"] = parse.to_svg() if parse.error is None else None
    if not scores:
        del entry["score"]
        for constituent in entry.get("constituents", ()):
            del constituent["score"]
    return entry
