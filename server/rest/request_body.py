"""From the bytes of a request's body to sentences; whatever is wrong with them is told, with its place."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.datastructures import Headers, QueryParams

from bnaparser.server.bounds import (
    check_answer_size,
    check_coding,
    check_count,
    check_kind,
    check_most,
    check_size,
    size_of,
)
from bnaparser.server.problems import BadBody, Unprocessable, UnsupportedBody
from bnaparser.server.rest.asked_sentences import (
    asked_of_sentences,
    asked_of_text,
    asked_of_tokens,
    check_trees,
    question_of,
)
from bnaparser.server.rest.request_schemas import (
    CLASSIFY_REQUESTS,
    LONGEST_LANGUAGE,
    REQUESTS,
    Format,
    SentencesRequest,
    TextRequest,
    TokensRequest,
)
from bnaparser.server.service_settings import ServerSettings
from bnaparser.settings import mistakes, nearest
from bnaparser.text.sentence import SPLITS, Sentence, Split, from_words
from bnaparser.text.splitting import read_sentences
from bnaparser.text.text_rules import ENGLISH, TextRules

JSON = "application/json"
PLAIN = "text/plain"
# What curl names the body of ``--data-binary @file`` when it is not told.
_CURLS_DEFAULT = "application/x-www-form-urlencoded"
_CHARSET = re.compile(r"charset\s*=\s*\"?([^\s;\"]+)", re.IGNORECASE)
# What no text has: half of a surrogate pair is no character, and NUL stands in files that are not text.
_NO_TEXT = re.compile("[\x00\ud800-\udfff]")
# Only an escape can write either in JSON.
_ESCAPED_BADLY = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")
_TOLD_MISTAKES = 3
_MOST_NAMES = 64  # of an object in JSON; those that a request may have are fewer
# Fields with an item a sentence, and what the items are called where there are too many.
_COUNTED = {
    "sentences": "sentences",
    "tokens": "sentences",
    "texts": "texts",
    "trees": "trees",
    "tags": "lists of tags",
    "constraints": "lists of constraints",
    "dependencies": "dependency trees",
}

# Fields that the body has, and the query has not.
_IN_JSON = frozenset(
    name for kind in (*REQUESTS.values(), *CLASSIFY_REQUESTS.values()) for name in kind.model_fields
)

_ESCAPED = re.compile(rb"\\.", re.DOTALL)
_STRING = re.compile(rb'"[^"]*"?')
_OTHER_BYTES = bytes(set(range(256)) - set(b'"[]{}'))
_STEPS = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}

Request = TypeVar("Request", bound=BaseModel)
Line = TypeVar("Line")


@dataclass(frozen=True)
class Asked:
    """What a request wants: trees of these sentences, in this form."""

    sentences: list[Sentence]
    tags: list[list[str]] | None = None
    format: Format = "json"
    scores: bool = True
    n_best: int = 1
    problem: str | None = None  # why none of the sentences can be parsed

    @property
    def size(self) -> int:
        """About how many characters the answer will have."""
        return size_of(self.sentences, self.n_best, drawn=self.format == "svg")


def _english(_language: str | None) -> TextRules:
    return ENGLISH


TextIn = Callable[[str | None], TextRules]
"""From the language that a request names to how its text is read."""


def media_type(headers: Headers) -> str:
    """Return the body's media type, JSON or PLAIN. Raises UnsupportedBody."""
    check_coding(headers)
    content_type = headers.get("content-type", "")
    kind = content_type.partition(";")[0].strip().lower()
    charset = _CHARSET.search(content_type)
    if charset and charset[1].lower() not in ("utf-8", "utf8", "us-ascii"):
        raise UnsupportedBody(f"the character set is {charset[1][:40]!r}: send UTF-8")
    if kind == JSON:
        return JSON
    if kind in (PLAIN, _CURLS_DEFAULT):
        return PLAIN
    said = f"the content type is {kind[:80]!r}" if kind else "the content type is not given"
    raise UnsupportedBody(f"{said}: send {JSON} or {PLAIN}")


def read_json(
    body: bytes,
    settings: ServerSettings,
    split: Split = "paragraph",
    language: str | None = None,
    text_in: TextIn = _english,
) -> Asked:
    """Read a JSON request; ``split`` and ``language`` are for one that does not say it itself.

    ``text_in`` returns how text is read in a language. Raises BadBody, Unprocessable or TooLarge.
    """
    request = read_request(body, settings, REQUESTS)
    asked = _asked(request, settings, split, text_in(request.language or language))
    check_answer_size(asked.size, asked.n_best, settings)
    return asked


def read_request(
    body: bytes, settings: ServerSettings, requests: Mapping[str, type[Request]]
) -> Request:
    """Read a JSON object of one of several kinds, each named like the field that it must have.

    Raises BadBody or Unprocessable.
    """
    given = _load(body, settings.max_json_depth)
    *others, last = requests
    names = f"one of {', '.join(others)} and {last}" if others else last
    if not isinstance(given, dict):
        raise Unprocessable(f"the JSON is no object: send one with {names}")
    kinds = [kind for kind in requests if kind in given]
    if len(kinds) != 1:
        found = f"the request has {' and '.join(kinds)}" if kinds else "the request has none"
        raise Unprocessable(f"give {'exactly ' if others else ''}{names}: {found}")
    _check_counts(given, settings)
    if _ESCAPED_BADLY.search(body):
        _check_text(given)
    kind = requests[kinds[0]]
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        told = mistakes(error, kind, in_json=True, most=_TOLD_MISTAKES)
        raise Unprocessable("; ".join(told)) from None


def _check_counts(given: Mapping[str, Any], settings: ServerSettings) -> None:
    """Raise TooLarge for more items than a request may have, before what is in them is looked at."""
    for name, what in _COUNTED.items():
        items = given.get(name)
        if isinstance(items, list) and not (name == "constraints" and "text" in given):
            check_count(len(items), what, settings)
    for name in ("tokens", "tags"):
        rows = given.get(name)
        if isinstance(rows, list):
            count = sum(len(row) for row in rows if isinstance(row, list))
            check_most(count, "words" if name == "tokens" else "tags", settings.max_characters)


def check_query(query: QueryParams, known: Sequence[str] = ()) -> None:
    """Raise Unprocessable for a field of the query that is not known, or that is given twice."""
    given = [name for name, _ in query.multi_items()]
    for name in given:
        if name in _IN_JSON.difference(known):
            raise Unprocessable(f"{name} is no field of the query: send it in a body of JSON")
        if name not in known:
            allowed = f"; the query may have {' and '.join(known)}" if known else ""
            meant = nearest(name, {one: one for one in known}) or allowed
            raise Unprocessable(f"the query has {name[:40]!r}: there is no such field{meant}")
        if given.count(name) > 1:
            raise Unprocessable(f"the query has {name} twice: give it once")


def asked_split(query: QueryParams) -> Split:
    """Return what the query says that a line of the text is. Raises Unprocessable."""
    given = query.get("split", "paragraph")
    for known in SPLITS:
        if given == known:
            return known
    raise Unprocessable(f"split is {given[:40]!r}: use one of {', '.join(SPLITS)}")


def asked_language(query: QueryParams) -> str | None:
    """Return the language that the query names, if it names one. Raises Unprocessable."""
    given = query.get("language") or None
    if given is not None and len(given) > LONGEST_LANGUAGE:
        raise Unprocessable(f"language is {given[:40]!r}...: give a code such as en")
    return given


def read_plain(
    body: bytes, settings: ServerSettings, split: Split, rules: TextRules = ENGLISH
) -> list[Sentence | None]:
    """Read the sentences of a text; None for an empty line, where a line is a sentence.

    Raises BadBody or TooLarge.
    """
    found = read_sentences(_text(body, settings), split, rules)
    return [one if one.words else None for one in found]


def filled(lines: Sequence[Line | None]) -> list[Line]:
    """Return what stands on the lines that are not empty."""
    return [line for line in lines if line is not None]


def read_lines(body: bytes, settings: ServerSettings) -> list[str]:
    """Read the lines of a text. Raises BadBody or TooLarge."""
    lines = _text(body, settings).split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.rstrip("\r") for line in lines]


def _text(body: bytes, settings: ServerSettings) -> str:
    check_kind(body)
    text = _decode(body)
    _check_characters(text, "the body")
    check_size([text], settings)
    return text


def _asked(
    request: TextRequest | SentencesRequest | TokensRequest,
    settings: ServerSettings,
    split: Split,
    rules: TextRules,
) -> Asked:
    question = question_of(request, settings)
    options = (request.format, request.scores, question.n_best)
    if isinstance(request, TextRequest):
        check_size([request.text], settings)
        sentences = asked_of_text(request, question, request.split or split, rules)
        check_trees(len(sentences), question, settings)
        return Asked(sentences, None, *options)
    if isinstance(request, SentencesRequest):
        check_size(request.sentences, settings)
        check_trees(len(request.sentences), question, settings)
        return Asked(asked_of_sentences(request, question, rules), None, *options)
    check_size((word for words in request.tokens for word in words), settings)
    check_trees(len(request.tokens), question, settings)
    sentences = asked_of_tokens(request, question, rules)
    problem = None
    if request.tags is not None and len(request.tags) != len(sentences):
        problem = (
            f"there are {len(request.tags)} lists of tags for {len(sentences)} sentences:"
            " give one for each"
        )
        # Each is told in its place, those too that have tags only.
        sentences += [from_words([])] * (len(request.tags) - len(sentences))
    return Asked(sentences, request.tags, *options, problem)


def _load(body: bytes, depth: int) -> Any:
    text = _decode(body)
    check_json_depth(body, depth)
    try:
        return json.loads(text, object_pairs_hook=_without_doubles, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise BadBody(
            f"the body is not JSON: {error.msg} at line {error.lineno} column {error.colno}"
        ) from None
    except ValueError:  # an integer of more digits than Python reads
        raise BadBody("the JSON has a number that is too long") from None


def check_json_depth(body: bytes, limit: int) -> None:
    """Raise BadBody if the JSON in ``body`` nests deeper than ``limit``; recursion-free."""
    if body.count(b"[") + body.count(b"{") <= limit:
        return
    escaped = _ESCAPED.sub(b"", body) if b"\\" in body else body
    brackets = _STRING.sub(b"", escaped.translate(None, _OTHER_BYTES))
    if max(accumulate(map(_STEPS.__getitem__, brackets)), default=0) > limit:
        raise BadBody(f"the JSON nests deeper than {limit} levels")


def _decode(body: bytes) -> str:
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadBody(f"the body is not UTF-8: byte {error.start + 1} is wrong") from None


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) > _MOST_NAMES:
        raise Unprocessable(
            f"the JSON has an object with {len(pairs):,} names: none has more than a few"
        )
    found = dict(pairs)
    if len(found) != len(pairs):
        raise BadBody("the JSON has an object with the same name twice")
    return found


def _no_constant(name: str) -> NoReturn:
    raise BadBody(f"the JSON has {name}, which is no JSON number")


def _check_text(value: Any, place: str = "") -> None:
    """Raise Unprocessable where a string holds a bad character; the depth is bounded."""
    if isinstance(value, str):
        _check_characters(value, place)
    elif isinstance(value, dict):
        for name, item in value.items():
            _check_characters(name, "a name")
            _check_text(item, f"{place}.{name}" if place else name)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _check_text(item, f"{place}[{index}]")


def _check_characters(text: str, place: str) -> None:
    wrong = _NO_TEXT.search(text)
    if wrong:
        name = "NUL" if wrong[0] == "\x00" else f"half of a surrogate pair, \\u{ord(wrong[0]):04x}"
        raise Unprocessable(f"{place}: character {wrong.start() + 1} is {name}")
