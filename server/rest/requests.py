"""The wire types of the REST interface: what a request may hold."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationError,
)
from starlette.datastructures import Headers, QueryParams

from bnaparser.files.tables import json_mistake
from bnaparser.files.text_files import cp1252_hint, is_utf16, not_in_encoding
from bnaparser.parsing.markup import under_constraints
from bnaparser.parsing.named_constraints import Constraint, Kind, in_words
from bnaparser.parsing.options import PENALTY, TEMPERATURES, Decoder, Dependencies, ParseOptions
from bnaparser.server.limits import (
    check_answer_size,
    check_coding,
    check_count,
    check_kind,
    check_most,
    check_size,
    size_of,
)
from bnaparser.server.problems import BadBody, Unprocessable, UnsupportedBody
from bnaparser.server.queue.parsing_queue import with_options
from bnaparser.server.settings import ServerSettings
from bnaparser.settings import Checked, mistakes, nearest
from bnaparser.text.sentence import SPLITS, Sentence, Split, from_words
from bnaparser.text.splitting import read_sentences
from bnaparser.text.text_rules import TextRules

if TYPE_CHECKING:
    from bnaparser.tasks.classifier import Classifier, ReadText

Format = Literal["json", "bracket", "svg", "clauses"]
_LARGEST = 2**63
Word = Annotated[str, Field(pattern=r"^[^\x00]*$")]


def _whole(value: object) -> object:
    """JSON knows one kind of number: 2.0 is a whole one. Raises ValueError for a number of very many digits."""
    if isinstance(value, int | float) and not abs(value) < _LARGEST:
        raise ValueError("the number is too large")
    return int(value) if isinstance(value, float) and value.is_integer() else value


Whole = Annotated[int, BeforeValidator(_whole)]

TEXT_EXAMPLE = "The cat sat on the mat. It rained."
TREE_EXAMPLE = (
    "(TOP (S (NP (DT The) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN mat)))) (. .)))"
)


LONGEST_LANGUAGE = 40
"""Characters that the code of a language may have."""


class Options(Checked):
    """Options of the answer, which each request may have."""

    model_config = ConfigDict(extra="forbid", strict=True)

    format: Format = Field(
        default="json",
        description="json: tree, words and constituents with their offsets; bracket: the bracketed"
        " tree only; svg: the tree and a drawing; clauses: the tree and its clauses",
    )
    scores: bool = Field(default=True, description="add scores to the answer")
    n_best: Whole = Field(default=1, ge=1, description="number of trees for each sentence")
    probabilities: bool = Field(
        default=False,
        description="add the probability of each constituent and tree to the answer",
    )
    decoder: Decoder = Field(
        default="best",
        description="best: the tree with the highest score; expected: the tree with the highest expected"
        " number of correct minus wrong constituents; sample: a random tree, drawn by its probability",
    )
    temperature: float | None = Field(
        default=None,
        ge=TEMPERATURES[0],
        le=TEMPERATURES[1],
        description="temperature of the probabilities; default: the model's",
    )
    seed: Whole = Field(default=0, ge=0, description="random seed of the decoder sample")
    language: str | None = Field(
        default=None,
        max_length=LONGEST_LANGUAGE,
        description="language of the text, such as en; default: detected",
    )


class ConstraintBody(Checked):
    """A constraint on the words from `start` to `end`, end-exclusive."""

    model_config = ConfigDict(extra="forbid", strict=True)

    kind: Kind = Field(
        description="must: the words are a constituent, with one of the labels if there are labels; not: they"
        " are no constituent with one of the labels, or no constituent at all; only: a constituent of these words"
        " has one of the labels; uncrossed: no constituent crosses the words; bonus: `amount` is added to the score"
        " of a constituent with one of the labels, or any label; tag: the word has this part-of-speech tag"
    )
    start: Whole = Field(
        description="offset in code points for text and sentences; word number for tokens"
    )
    end: Whole
    labels: list[str] = Field(default=[], description="labels such as NP; a chain is written S::VP")
    amount: float | None = Field(
        default=None, description="for bonus: number that is added to the score; below 0 a penalty"
    )
    tag: str | None = None


class DependenciesBody(Checked):
    """A dependency tree that the constituents should fit."""

    model_config = ConfigDict(extra="forbid", strict=True)

    heads: list[Whole] = Field(description="number of each word's head, from 1; 0 for the root")
    punctuation: list[bool] | None = Field(
        default=None, description="true for words that do not count, such as commas"
    )
    penalty: float = Field(
        default=PENALTY,
        description="score that a constituent loses for each word that contradicts it",
    )


SPLIT_DESCRIBED = (
    "meaning of a line. paragraph: a line of one sentence or several; text: hard-wrapped running text;"
    " line: a line is a sentence; token: a line is a sentence, with blanks between its words"
)


class TextRequest(Options):
    """A text, which is split into sentences. Offsets count in the whole text.

    With split line and token, offsets count in the line, and an empty line has an error.
    """

    text: str = Field(description="a text of one line or several", examples=[TEXT_EXAMPLE])
    split: Split | None = Field(
        default=None, description=f"{SPLIT_DESCRIBED}; default: the query parameter, else paragraph"
    )
    constraints: list[ConstraintBody] = Field(
        default=[],
        description="constraints with offsets in code points; for split paragraph or text",
    )
    markup: bool = Field(
        default=False,
        description="read constraints from brackets in the text, as in I saw [NP the old man].",
    )


class SentencesRequest(Options):
    """Sentences, which are split into words. Offsets count in the sentence."""

    sentences: list[str] = Field(
        description="one string for each sentence",
        examples=[["The cat sat on the mat.", "It rained."]],
    )
    constraints: list[list[ConstraintBody]] | None = Field(
        default=None,
        description="a list of constraints for each sentence, with offsets in code points",
    )


class TokensRequest(Options):
    """Tokenised sentences. Offsets count in the sentence's words joined by blanks."""

    tokens: list[list[Word]] = Field(
        description="the words of each sentence", examples=[[["It", "rained", "."]]]
    )
    tags: list[list[Word]] | None = Field(
        default=None,
        description="a part-of-speech tag for each word: the tags of the tree, and input of a model that"
        " reads tags",
        examples=[[["PRP", "VBD", "."]]],
    )
    constraints: list[list[ConstraintBody]] | None = Field(
        default=None, description="a list of constraints for each sentence, with word numbers"
    )
    dependencies: list[DependenciesBody | None] | None = Field(
        default=None,
        description="a dependency tree for each sentence, which its constituents should fit",
    )


REQUESTS: dict[str, type[TextRequest | SentencesRequest | TokensRequest]] = {
    "text": TextRequest,
    "sentences": SentencesRequest,
    "tokens": TokensRequest,
}


def _text_or_pair(value: object) -> str:
    return "pair" if isinstance(value, list) else "text"


TextOrPair = Annotated[
    Annotated[str, Tag("text")]
    | Annotated[list[str], Field(min_length=2, max_length=2), Tag("pair")],
    Discriminator(_text_or_pair),
]


class ClassifyRequest(Checked):
    """Texts of one sentence or several; for a model of pairs, pairs of texts."""

    model_config = ConfigDict(extra="forbid", strict=True)


class ClassifyTextRequest(ClassifyRequest):
    """One text, or one pair."""

    text: TextOrPair = Field(
        description="running text; for a model of pairs a list of two texts, or one text with a tab in between",
        examples=["A gripping, funny film."],
    )


class ClassifyTextsRequest(ClassifyRequest):
    """Texts, or pairs."""

    texts: list[TextOrPair] = Field(
        description="list of texts; each item as in `text`",
        examples=[["A gripping, funny film.", "It bored me."]],
    )


CLASSIFY_REQUESTS: dict[str, type[ClassifyTextRequest | ClassifyTextsRequest]] = {
    "text": ClassifyTextRequest,
    "texts": ClassifyTextsRequest,
}

MOST_PATTERN_CHARACTERS = 1_000


class SearchRequest(Checked):
    """A Tregex pattern, and the trees to search."""

    model_config = ConfigDict(extra="forbid", strict=True)

    pattern: str = Field(
        max_length=MOST_PATTERN_CHARACTERS,
        description="Tregex pattern",
        examples=["NP < (PP << of)"],
    )
    trees: list[str] = Field(
        description="bracketed trees, such as those of `/v1/parse`", examples=[[TREE_EXAMPLE]]
    )


JSON = "application/json"
PLAIN = "text/plain"
# The content type that curl sends with ``--data-binary @file`` by default.
_CURLS_DEFAULT = "application/x-www-form-urlencoded"
_CHARSET = re.compile(r"charset\s*=\s*\"?([^\s;\"]+)", re.IGNORECASE)
# What no text has: half of a surrogate pair is no character, and NUL stands in files that are not text.
_NO_TEXT = re.compile("[\x00\ud800-\udfff]")
# Only an escape can write either in JSON.
_ESCAPED_BADLY = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")
_MOST_MISTAKES = 3
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
class ParseRequest:
    """Options of a request: the sentences to parse, and the form of the answer."""

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
    problem = f"the content type is {kind[:80]!r}" if kind else "the content type is missing"
    raise UnsupportedBody(f"{problem}: send {JSON} or {PLAIN}")


def read_json(
    body: bytes,
    settings: ServerSettings,
    split: Split,
    language: str | None,
    text_rules: Callable[[str | None], TextRules],
) -> ParseRequest:
    """Read a JSON request; ``split`` and ``language`` are for one that does not say it itself.

    ``text_rules`` returns how text is read in a language. Raises BadBody, Unprocessable or TooLarge.
    """
    request = read_request(body, settings, REQUESTS)
    parsed = _parse_request(request, settings, split, text_rules(request.language or language))
    check_answer_size(parsed.size, parsed.n_best, settings)
    return parsed


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
        raise Unprocessable(f"the JSON must be an object with {names}")
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
        sentences_of_mistakes = mistakes(error, kind, in_json=True, most=_MOST_MISTAKES)
        raise Unprocessable("; ".join(sentences_of_mistakes)) from None


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
            raise Unprocessable(
                f"{name} cannot be a query parameter: send this field in a JSON body"
            )
        if name not in known:
            allowed = f"; the query may have {' and '.join(known)}" if known else ""
            meant = nearest(name, {one: one for one in known}) or allowed
            raise Unprocessable(f"the query has {name[:40]!r}: there is no such field{meant}")
        if given.count(name) > 1:
            raise Unprocessable(f"the query has {name} twice: give it once")


def split_of(query: QueryParams) -> Split:
    """Return what the query says that a line of the text is. Raises Unprocessable."""
    given = query.get("split", "paragraph")
    for known in SPLITS:
        if given == known:
            return known
    raise Unprocessable(f"split is {given[:40]!r}: use one of {', '.join(SPLITS)}")


def language_of(query: QueryParams) -> str | None:
    """Return the language that the query names, or None. Raises Unprocessable."""
    given = query.get("language") or None
    if given is not None and len(given) > LONGEST_LANGUAGE:
        raise Unprocessable(f"language is {given[:40]!r}...: give a code such as en")
    return given


def read_plain(
    body: bytes, settings: ServerSettings, split: Split, rules: TextRules
) -> list[Sentence | None]:
    """Read the sentences of a text; None for an empty line, where a line is a sentence.

    Raises BadBody or TooLarge.
    """
    found = read_sentences(_text(body, settings), split, rules)
    return [one if one.words else None for one in found]


def read_texts(body: bytes, settings: ServerSettings, classifier: Classifier) -> list[ReadText]:
    """Read a JSON request. Raises BadBody, Unprocessable or TooLarge."""
    request: ClassifyTextRequest | ClassifyTextsRequest = read_request(
        body, settings, CLASSIFY_REQUESTS
    )
    texts = [request.text] if isinstance(request, ClassifyTextRequest) else request.texts
    check_size(("".join(text) for text in texts), settings)
    return [classifier.read(text) for text in texts]


def read_text_lines(
    body: bytes, settings: ServerSettings, classifier: Classifier
) -> list[ReadText | None]:
    """Read one text from each line, None for an empty line. Raises BadBody or TooLarge."""
    lines = read_lines(body, settings)
    check_count(sum(bool(line.strip()) for line in lines), "texts", settings)
    return [classifier.read(line) if line.strip() else None for line in lines]


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
    _refuse_json(text, settings)
    return text


def _refuse_json(text: str, settings: ServerSettings) -> None:
    """Raise UnsupportedBody for a JSON object or list, which was sent as text: curl's -d does so by default."""
    if not text.lstrip().startswith(("{", "[")):
        return
    try:
        check_json_depth(text.encode(), settings.max_json_depth)
        json.loads(text)
    except (BadBody, ValueError):
        return
    raise UnsupportedBody(f"the body is JSON: send it with the header Content-Type: {JSON}")


def _parse_request(
    request: TextRequest | SentencesRequest | TokensRequest,
    settings: ServerSettings,
    split: Split,
    rules: TextRules,
) -> ParseRequest:
    parse_options = _parse_options(request, settings)
    options = (request.format, request.scores, parse_options.n_best)
    if isinstance(request, TextRequest):
        check_size([request.text], settings)
        sentences = _sentences_of_text(request, parse_options, request.split or split, rules)
        _check_trees(len(sentences), parse_options, settings)
        return ParseRequest(sentences, None, *options)
    if isinstance(request, SentencesRequest):
        check_size(request.sentences, settings)
        _check_trees(len(request.sentences), parse_options, settings)
        return ParseRequest(_request_sentences(request, parse_options, rules), None, *options)
    check_size((word for words in request.tokens for word in words), settings)
    _check_trees(len(request.tokens), parse_options, settings)
    sentences = _sentences_of_tokens(request, parse_options, rules)
    problem = None
    if request.tags is not None and len(request.tags) != len(sentences):
        problem = (
            f"there are {len(request.tags)} lists of tags for {len(sentences)} sentences: give one list for each"
            " sentence"
        )
        # Each error has its position, also for sentences that have only tags.
        sentences += [from_words([])] * (len(request.tags) - len(sentences))
    return ParseRequest(sentences, request.tags, *options, problem)


def _load(body: bytes, depth: int) -> Any:
    text = _decode(body)
    check_json_depth(body, depth)
    try:
        return json.loads(text, object_pairs_hook=_without_doubles, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise BadBody(f"the body is not JSON: {json_mistake(error)}") from None
    except ValueError:  # an integer of more digits than Python reads
        raise BadBody("the JSON has a number that is too long") from None


def check_json_depth(body: bytes, limit: int) -> None:
    """Raise BadBody if the JSON in ``body`` nests deeper than ``limit``; recursion-free."""
    if body.count(b"[") + body.count(b"{") <= limit:
        return
    escaped = _ESCAPED.sub(b"", body) if b"\\" in body else body
    brackets = _STRING.sub(b"", escaped.translate(None, _OTHER_BYTES))
    if max(accumulate(map(_STEPS.__getitem__, brackets)), default=0) > limit:
        raise BadBody(f"the JSON is nested deeper than {limit} levels: send flatter JSON")


def _decode(body: bytes) -> str:
    if is_utf16(body):
        raise BadBody("the body looks like UTF-16: send UTF-8")
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        check_kind(body)
        raise BadBody(
            f"the body: {not_in_encoding(error)}: {cp1252_hint(error)}send UTF-8"
        ) from None


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) > _MOST_NAMES:
        raise Unprocessable(
            f"the JSON has an object with {len(pairs):,} names: no object of a request has more than a few names"
        )
    found = dict(pairs)
    if len(found) != len(pairs):
        raise BadBody("an object in the JSON has the same name twice")
    return found


def _no_constant(name: str) -> NoReturn:
    raise BadBody(f"the JSON has {name}, which JSON does not allow: send a number")


def _check_text(value: Any, place: str = "") -> None:
    """Raise Unprocessable if a string holds a bad character; the depth is bounded."""
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


Known = list[Constraint] | str
"""What is known of a sentence, or why that cannot be used."""

# Limit of constraints of a sentence, and of labels in them: a number for each word, plus a number for each sentence. A
# whole tree with its tags has about five a word.
_KNOWN_A_WORD = 20
_KNOWN_OF_ANY = 100


def _parse_options(request: Options, settings: ServerSettings) -> ParseOptions:
    """Return the parse options of every sentence."""
    parse_options = ParseOptions(
        min(request.n_best, settings.max_n_best),
        request.probabilities,
        request.decoder,
        request.temperature,
        request.seed,
    )
    if request.n_best <= settings.max_n_best:
        return parse_options
    most = f"this service returns at most {settings.max_n_best:,} trees for a sentence"
    return replace(parse_options, n_best=1, problem=f"n_best is {request.n_best:,}: {most}")


def _sentences_of_text(
    request: TextRequest, parse_options: ParseOptions, split: Split, rules: TextRules
) -> list[Sentence]:
    """Return the sentences of a text."""
    given = _constraints(request.constraints)
    try:
        constraints = [] if isinstance(given, str) else given
        sentences, each = under_constraints(request.text, split, constraints, request.markup, rules)
    except ValueError as error:
        sentences, given = read_sentences(request.text, split, rules), str(error)
        each = []
    if isinstance(given, str):
        each = [given] * len(sentences)
    return _under(sentences, parse_options, each)


def _request_sentences(
    request: SentencesRequest, parse_options: ParseOptions, rules: TextRules
) -> list[Sentence]:
    """Return the sentences that were given."""
    sentences = [rules.sentence(text) for text in request.sentences]
    each = [
        row if isinstance(row, str) else in_words(row, [one])[0]
        for row, one in zip(_rows(request.constraints, len(sentences)), sentences, strict=True)
    ]
    return _under(sentences, parse_options, each)


def _sentences_of_tokens(
    request: TokensRequest, parse_options: ParseOptions, rules: TextRules
) -> list[Sentence]:
    """Return the sentences whose words were given."""
    sentences = [rules.of_words(from_words(words)) for words in request.tokens]
    trees = request.dependencies
    options = [parse_options] * len(sentences)
    if trees is not None and len(trees) != len(sentences):
        problem = f"there are {len(trees)} dependencies for {len(sentences)} sentences"
        options = [replace(parse_options, problem=f"{problem}: give one for each")] * len(sentences)
    elif trees is not None:
        options = [replace(parse_options, dependencies=_dependencies(tree)) for tree in trees]
    rows = _rows(request.constraints, len(sentences))
    return [
        with_options(sentence, parse_options.with_constraints(_bounded(row, sentence)))
        for sentence, parse_options, row in zip(sentences, options, rows, strict=True)
    ]


def _check_trees(sentences: int, parse_options: ParseOptions, settings: ServerSettings) -> None:
    """Raise TooLarge for more trees altogether than a request may have sentences."""
    if parse_options.n_best > 1:
        check_count(sentences * parse_options.n_best, "trees", settings)


def _under(
    sentences: Sequence[Sentence], parse_options: ParseOptions, each: Sequence[Known]
) -> list[Sentence]:
    return [
        with_options(sentence, parse_options.with_constraints(_bounded(known, sentence)))
        for sentence, known in zip(sentences, each, strict=True)
    ]


def _bounded(known: Known, sentence: Sentence) -> Known:
    """Return what is known of a sentence, or that it is too much: others wait while it is looked through."""
    if isinstance(known, str):
        return known
    count = sum(1 + len(one.labels) for one in known)
    most = _KNOWN_OF_ANY + _KNOWN_A_WORD * len(sentence.words)
    if count <= most:
        return known
    return (
        f"there are {count:,} constraints and labels, more than the {most:,} that this service takes for a"
        f" sentence of {len(sentence.words):,} words: send fewer constraints"
    )


def _rows(given: Sequence[Sequence[ConstraintBody]] | None, count: int) -> list[Known]:
    if given is None:
        return [[]] * count
    if len(given) != count:
        problem = f"there are {len(given)} lists of constraints for {count} sentences"
        return [f"{problem}: give one for each"] * count
    return list(map(_constraints, given))


def _constraints(given: Sequence[ConstraintBody]) -> Known:
    found = []
    for number, one in enumerate(given, 1):
        try:
            labels = tuple(one.labels)
            found.append(Constraint(one.kind, one.start, one.end, labels, one.amount, one.tag))
        except ValueError as error:
            return f"constraint {number}: {error}"
    return found


def _dependencies(given: DependenciesBody | None) -> Dependencies | None:
    if given is None:
        return None
    marks = None if given.punctuation is None else tuple(given.punctuation)
    return Dependencies(tuple(given.heads), marks, given.penalty)
