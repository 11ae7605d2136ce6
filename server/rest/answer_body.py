"""From parses to the bytes of an answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from bnaparser.parsing.result import Parse
from bnaparser.server.rest.schemas import Format
from bnaparser.text.sentence import Sentence

ERRORS_HEADER = "X-Sentence-Errors"
ERRORS_HEADER_DESCRIBED = {
    "description": "plain text only: the lines that went wrong, and why",
    "schema": {"type": "string"},
}
# Proxies refuse headers of more than some kilobytes.
_HEADER_CHARACTERS = 2_000
# About how many characters of an answer a word takes; the letters of a very long one come several
# times.
_CHARACTERS_A_WORD = 150
_TIMES_A_LETTER = 4
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]+")


def size_of(sentences: Iterable[Sentence]) -> int:
    """Return about how many characters the answer about these sentences will have."""
    return sum(
        max(_CHARACTERS_A_WORD * max(1, len(one.words)), _TIMES_A_LETTER * len(one.text))
        for one in sentences
    )


def write_json(model: str, parses: Sequence[Parse], form: Format, scores: bool) -> bytes:
    """Return the JSON answer, UTF-8: ``schemas.Answer``."""
    answer = {"model": model, "parses": [_entry(parse, form, scores) for parse in parses]}
    return json.dumps(answer, ensure_ascii=False, allow_nan=False).encode()


def write_plain(parses: Sequence[Parse | None]) -> tuple[bytes, str | None]:
    """Return one tree a line, UTF-8, and what the header X-Sentence-Errors is to say, if anything.

    None, which stands for an empty line, gives an empty line, and so does a sentence with an error.
    """
    trees = ["" if parse is None or parse.tree is None else str(parse.tree) for parse in parses]
    errors = [None if parse is None else parse.error for parse in parses]
    return "".join(f"{tree}\n" for tree in trees).encode(), errors_header(errors)


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


def _entry(parse: Parse, form: Format, scores: bool) -> dict[str, Any]:
    if form == "json":
        entry = parse.to_dict()
        if not scores:
            del entry["score"]
            for constituent in entry["constituents"]:
                del constituent["score"]
        return entry
    tree = None if parse.tree is None else str(parse.tree)
    entry = {"text": parse.text, "tree": tree, "error": parse.error}
    if scores:
        entry["score"] = parse.score
    if form == "svg":
        entry["svg"] = parse.to_svg() if parse.error is None else None
    return entry
