"""The request of a CoreNLP client: its properties, the text in its body, where sentences end.

Clients write the properties as JSON (NLTK), as a Python dictionary (stanza), or with bare words
(by hand, for wget): all of these are read, as CoreNLP reads them.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from urllib.parse import unquote, unquote_plus

from bnaparser.errors import shortened
from bnaparser.server.limits import check_kind
from bnaparser.server.problems import BadBody, Problem, UnsupportedBody
from bnaparser.text.sentence import Sentence
from bnaparser.text.splitting import paragraphs
from bnaparser.text.text_rules import ENGLISH, TextRules

OUTPUT_FORMATS = ("json", "serialized", "text", "conll")
# Annotators that add nothing to the words; every other one rests on parts of speech.
_WORDS_ONLY = frozenset({"tokenize", "ssplit", "cleanxml", "docdate", "mwt"})
_DEFAULT_ANNOTATORS = "tokenize,ssplit,pos,parse"

_STRING = r""""(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'"""
_BARE = r"""[^\s"',;:={}\[\]()]++"""
_PAIR = re.compile(
    rf"(?P<key>{_STRING}|{_BARE})\s*+[:=]\s*+(?P<value>{_STRING}|{_BARE})\s*+(?:[,;]\s*+|\Z)",
    re.DOTALL,
)
_NULL = frozenset({"null", "None"})
_BACKSLASH = re.compile(r"\\(.)", re.DOTALL)
_MILLISECONDS = re.compile(r"[1-9][0-9]{0,14}")

_CHARSETS = frozenset(
    {"utf-8", "ascii", "iso8859-1", "iso8859-15", "cp1252", "utf-16", "utf-16-le", "utf-16-be"}
)
_FORM = "application/x-www-form-urlencoded"
_BYTE_ORDER_MARK = "\ufeff"
_BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")

_WORD = re.compile(r"\S+")
_BLANK_LINE = re.compile(r"\n[^\S\n]*(?=\n)")
_ENDS_SENTENCE = re.compile(r"\.|[!?]+|[\u3002\uff01\uff1f]+")
_CLOSES = frozenset(["''", '"', "'", "\u201d", "\u2019", *")]}", "-RRB-", "-RSB-", "-RCB-"])


@dataclass(frozen=True)
class AnnotateOptions:
    """The options of a request.

    ``annotators`` are as given, unknown ones too. ``given_words``: words stand between blanks and
    are taken as they are. ``by_line``: a line is a sentence; ``one_sentence``: the text is;
    ``break_lines``: a line end always ends a sentence.
    """

    annotators: frozenset[str]
    output_format: str = "json"
    pretty: bool = False
    given_words: bool = False
    by_line: bool = False
    one_sentence: bool = False
    break_lines: bool = False
    timeout_seconds: float | None = None

    @property
    def tags(self) -> bool:
        """Whether parts of speech are requested, and so the model."""
        return not self.annotators <= _WORDS_ONLY

    @property
    def trees(self) -> bool:
        """Whether trees are requested."""
        return "parse" in self.annotators


def read_options(parameters: Iterable[tuple[str, str]]) -> AnnotateOptions:
    """Read the query parameters of a request.

    ``properties`` (or ``props``) holds properties, and any other parameter is one; those within
    ``properties`` win. Raises Problem.
    """
    found: dict[str, str] = {}
    written = ""
    for name, value in parameters:
        if name in ("properties", "props"):
            written = value
        else:
            found[name] = value
    _check_formats(found)
    found |= read_properties(written)
    _check_formats(found)
    annotators = re.split(r"[\s,]+", found.get("annotators", "").strip(" ,"))
    return AnnotateOptions(
        frozenset(filter(None, annotators)) or frozenset(_DEFAULT_ANNOTATORS.split(",")),
        found.get("outputFormat", "json").lower(),
        pretty=_is_true(found, "prettyPrint"),
        given_words=_is_true(found, "tokenize.whitespace"),
        by_line=_is_true(found, "ssplit.eolonly"),
        one_sentence=_is_true(found, "ssplit.isOneSentence"),
        break_lines=found.get("ssplit.newlineIsSentenceBreak", "").lower() == "always",
        timeout_seconds=_timeout(found.get("timeout")),
    )


def read_properties(written: str) -> dict[str, str]:
    """Read ``{"name": "value", ...}``, strings in either quotes or bare; all values become strings.

    A value of null counts as not given. Raises Problem, with the place, where something else
    stands, a nested value for one.
    """
    if written[:3].upper() == "%7B":  # encoded twice: CoreNLP decodes the properties once more
        written = unquote(written)
    inside = written.strip()
    if not inside:
        return {}
    if len(inside) < 2 or inside[0] != "{" or inside[-1] != "}":
        raise Problem('properties: expected {"name": "value", ...}, but the value has no braces')
    inside = inside[1:-1].strip()
    found: dict[str, str] = {}
    place = 0
    while place < len(inside):
        pair = _PAIR.match(inside, place)
        if pair is None:
            raise Problem(
                f'properties: expected "name": "value" at character '
                f"{written.find(inside) + place + 1}, found {_shown(inside[place:])}; "
                "a value is a string, a number, true, false or null"
            )
        if pair["value"] not in _NULL:
            found[_unquoted(pair["key"])] = _unquoted(pair["value"])
        place = pair.end()
    return found


def read_text(body: bytes, content_type: str | None) -> str:
    """Return the text of a body.

    ``text/plain`` and other types are taken as they are. A form's body (what curl and wget call
    their data) and one without a type may be percent-encoded text or just text: it is decoded where
    every ``%`` begins an escape, and in a form ``+`` is a blank if no blank stands in it. A byte order
    mark is no part of the text. Raises BadBody for bytes that are not of the character set (UTF-8 if
    none is named) and for NUL characters, UnsupportedBody for a character set that is not read here.
    """
    kind, _, parameters = (content_type or "").partition(";")
    charset = _charset(parameters)
    check_kind(body)
    try:
        text = body.decode(charset)
    except UnicodeDecodeError as error:
        raise BadBody(f"byte {error.start + 1} of the body is not {charset}") from None
    kind = kind.strip().lower()
    if kind in ("", _FORM) and not _BROKEN_ESCAPE.search(text):
        decode = unquote_plus if kind == _FORM and " " not in text else unquote
        with suppress(UnicodeDecodeError):  # else what looked like escapes was text
            text = decode(text, charset, errors="strict")
    if "\0" in text:
        raise BadBody(f"character {text.index(chr(0)) + 1} of the body is NUL: send text")
    return text.removeprefix(_BYTE_ORDER_MARK)


def sentences_of(text: str, options: AnnotateOptions, rules: TextRules = ENGLISH) -> list[Sentence]:
    """Return the sentences, each with at least one word; offsets are code points of the text."""
    whole = _given if options.given_words else rules.sentence
    if options.by_line:
        found = [whole(line, start) for start, line in _lines(text)]
    elif options.one_sentence:
        found = [whole(text, 0)]
    else:
        cut = _split_tokens if options.given_words else rules.sentences
        parts = _between_blank_lines if options.given_words else _paragraphs
        pieces = _lines(text) if options.break_lines else [(0, text)]
        blocks = [(at + start, block) for start, piece in pieces for at, block in parts(piece)]
        found = [one for start, block in blocks for one in cut(block, start)]
    return [sentence for sentence in found if sentence.words]


def _paragraphs(text: str) -> Iterator[tuple[int, str]]:
    return paragraphs([text])


def _between_blank_lines(text: str) -> list[tuple[int, str]]:
    """Return the paragraphs of tokens, each with its place, however long they are."""
    cuts = [0, *(blank.end() for blank in _BLANK_LINE.finditer(text)), len(text)]
    return [(start, text[start:end]) for start, end in pairwise(cuts)]


def _check_formats(properties: dict[str, str]) -> None:
    output_format = properties.get("outputFormat", "json")
    if output_format.lower() not in OUTPUT_FORMATS:
        known = ", ".join(OUTPUT_FORMATS)
        raise Problem(f"outputFormat is {_shown(output_format)}: use one of {known}")
    input_format = properties.get("inputFormat", "text")
    if input_format != "text":
        raise Problem(f"inputFormat is {_shown(input_format)}: send plain text")


def _lines(text: str) -> list[tuple[int, str]]:
    return [(line.start(), line.group()) for line in re.finditer(r"[^\n]+", text)]


def _given(text: str, start: int) -> Sentence:
    """Return the words that stand between blanks as one sentence."""
    return _sentence(text, [word.span() for word in _WORD.finditer(text)], start)


def _split_tokens(text: str, start: int) -> Iterator[Sentence]:
    """Yield the words between blanks; a sentence ends after ``.``, ``?``, ``!`` and what closes."""
    spans: list[tuple[int, int]] = []
    ended = False
    for word in _WORD.finditer(text):
        if ended and word.group() not in _CLOSES:
            yield _sentence(text, spans, start)
            spans, ended = [], False
        spans.append(word.span())
        ended = ended or _ENDS_SENTENCE.fullmatch(word.group()) is not None
    yield _sentence(text, spans, start)


def _sentence(text: str, spans: list[tuple[int, int]], start: int) -> Sentence:
    if not spans:
        return Sentence("", (), ())
    words = tuple([text[begin:end] for begin, end in spans])
    offsets = tuple([(begin + start, end + start) for begin, end in spans])
    return Sentence(text[spans[0][0] : spans[-1][1]], words, offsets)


def _charset(parameters: str) -> str:
    """Return the name of the character set in the parameters of a content type."""
    for parameter in parameters.split(";"):
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            value = value.strip().strip("\"'")
            try:
                found = codecs.lookup(value).name
            except (LookupError, ValueError):
                found = ""
            if found not in _CHARSETS:
                known = ", ".join(sorted(_CHARSETS))
                raise UnsupportedBody(f"charset is {_shown(value)}: use one of {known}")
            return found
    return "utf-8"


def _unquoted(text: str) -> str:
    return _BACKSLASH.sub(r"\1", text[1:-1]) if text[0] in "\"'" else text


def _is_true(properties: dict[str, str], name: str) -> bool:
    return properties.get(name, "").lower() == "true"


def _timeout(milliseconds: str | None) -> float | None:
    """Return seconds; None if no timeout is given."""
    if milliseconds is None:
        return None
    if not _MILLISECONDS.fullmatch(milliseconds):
        raise Problem(f"timeout is {_shown(milliseconds)}: give whole milliseconds, at least 1")
    return int(milliseconds) / 1000


def _shown(value: str) -> str:
    """Return what a client wrote, short and in ASCII, fit for a message."""
    return ascii(shortened(value, 40))
