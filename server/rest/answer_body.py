"""From what was found to an answer: JSON, or plain text with a line for each line of the request."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
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
    entries: list[str] = []
    for one in parses:
        entry = yield from _entry(one, form, scores)
        entries.append(_json(entry))
    content = f'{{"model": {_json(model)}, "parses": [{", ".join(entries)}]}}'
    return Response(content.encode(), media_type=JSON)


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


def _entry(parse: Parse, form: Format, scores: bool) -> Steps[dict[str, Any]]:
    entry = parse.to_dict()
    if parse.error is not None:
        entry["error"] = shortened(parse.error, MOST_SAID)
    trees = [entry, *entry.get("alternatives", ())]
    for one, of_tree in zip((parse, *parse.alternatives), trees, strict=True):
        if form != "json":
            of_tree.pop("tokens", None)
            del of_tree["constituents"]
        if form == "svg":
            of_tree["svg"] = one.to_svg() if one.error is None else None
        if not scores:
            del of_tree["score"]
            for constituent in of_tree.get("constituents", ()):
                del constituent["score"]
        yield
    return entry
