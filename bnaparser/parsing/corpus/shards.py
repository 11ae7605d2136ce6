"""Shards: runs of pieces, cut by their place in the input, and what is made of each."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal

from bnaparser.encoders.batching import READ_AHEAD
from bnaparser.errors import import_extra
from bnaparser.files.ahead import read_ahead
from bnaparser.files.tables import json_line
from bnaparser.measures.table import SENTENCE_COLUMNS, columns_of, sums_of, without_tree
from bnaparser.parsing.corpus.documents import Fields, Piece
from bnaparser.parsing.options import DEFAULT_OPTIONS, ParseOptions
from bnaparser.parsing.parquet_rows import (
    Row,
    clauses_field,
    parquet_writer,
    parse_fields,
)
from bnaparser.parsing.parser import Parse, Parser
from bnaparser.text.sentence import Sentence, Split, from_words
from bnaparser.text.splitting import split_lines, text_lines
from bnaparser.text.text_rules import TextRules

ShardFormat = Literal["jsonl", "parquet"]

_DECIMALS = 3  # of scores: more would be noise
_CHANCES = ("probability", "confidence", "entropy")


@dataclass(frozen=True, slots=True)
class Shard:
    """Pieces that are parsed together; ``number`` counts shards from 0.

    ``digest`` is others for other pieces; ``read`` are the bytes of all input up to its end.
    ``continues``: its first piece is of a document that an earlier shard began.
    """

    number: int
    pieces: tuple[Piece, ...]
    digest: str
    read: int
    continues: bool = False


@dataclass(frozen=True, slots=True)
class ParsedShard:
    """The files of a shard, whole, and what is counted. ``errors`` are lines of JSON, maybe none.

    ``documents`` are those that begin in it.
    """

    number: int
    data: bytes
    errors: bytes
    documents: int
    sentences: int
    words: int
    failed: int


@dataclass(frozen=True, slots=True)
class ShardSettings:
    """What decides the bytes of a shard, beside its pieces and the model."""

    split: Split = "paragraph"
    to: ShardFormat = "jsonl"
    size: int = 1_000_000
    """Characters after which a shard ends, with the document or line that goes beyond them."""
    parse_options: ParseOptions = DEFAULT_OPTIONS
    """What is wanted of each sentence."""
    measures: bool = False
    """Whether each row has the measures of its sentence (docs/measures.md)."""
    clauses: bool = False
    """Whether each row has the clauses of its sentence (docs/clauses.md)."""


def cut(pieces: Iterable[tuple[Piece, int]], size: int) -> Iterator[Shard]:
    """Yield the shards of pieces, each given with the bytes that are read up to its end."""
    number, held, read = 0, 0, 0
    now: list[Piece] = []
    last: str | None = None  # the document that the shard before ended in
    digest = hashlib.blake2b(digest_size=16)
    for piece, read in pieces:
        now.append(piece)
        digest.update(piece.identity())
        held += piece.size
        if held >= size:
            yield Shard(number, tuple(now), digest.hexdigest(), read, now[0].document == last)
            number, held, now, last = number + 1, 0, [], piece.document
            digest = hashlib.blake2b(digest_size=16)
    if now:
        yield Shard(number, tuple(now), digest.hexdigest(), read, now[0].document == last)


def where(shard: Shard) -> str:
    """Return the name of a shard in a message: its number, its start and its end."""
    return f"shard {shard.number} ({shard.pieces[0].place} to {shard.pieces[-1].place})"


def parse_shard(parser: Parser, shard: Shard, settings: ShardSettings) -> ParsedShard:
    """Parse a shard, with one thread: the bytes depend on it, the model and the settings alone."""
    before, parser.threads = parser.threads, 1
    try:
        return _parsed(parser, shard, settings)
    finally:
        parser.threads = before


def _parsed(parser: Parser, shard: Shard, settings: ShardSettings) -> ParsedShard:
    output, errors = io.BytesIO(), io.BytesIO()
    sentences = words = failed = 0
    with _writer(output, settings) as write:
        for piece in shard.pieces:
            if piece.error is not None:
                errors.write(_error_line(piece, None, None, piece.error))
                failed += 1
        for row, piece, parse in _rows(parser, shard.pieces, settings):
            write(row)
            sentences += 1
            words += len(parse.words)
            if parse.error is not None:
                errors.write(_error_line(piece, row["part"], row["sentence"], parse.error))
                failed += 1
    documents = len({piece.document for piece in shard.pieces}) - shard.continues
    counts = (documents, sentences, words, failed)
    return ParsedShard(shard.number, output.getvalue(), errors.getvalue(), *counts)


def _rows(
    parser: Parser, pieces: Iterable[Piece], settings: ShardSettings
) -> Iterator[tuple[dict[str, Any], Piece, Parse]]:
    """Yield a row for each sentence; sentences are parsed in groups of the read-ahead size of a stream."""
    good = (piece for piece in pieces if piece.error is None)
    source = (one for piece in good for one in _sentences(piece, settings.split, parser.text))
    for ahead in read_ahead(source, READ_AHEAD):
        sentences = [sentence for _, _, _, sentence in ahead]
        tags = [piece.tags for piece, _, _, _ in ahead] if parser.reads_tags else []
        parses = _parses(parser, sentences, tags, settings.parse_options)
        for (piece, part, number, _), parse in zip(ahead, parses, strict=True):
            row = _row(piece, part, number, parse)
            if settings.measures:
                row["measures"] = _measures(parse)
            if settings.clauses:
                row["clauses"] = parse.clauses_to_dict()["clauses"]
            yield row, piece, parse


def _parses(
    parser: Parser,
    sentences: list[Sentence],
    tags: list[tuple[str, ...]],
    parse_options: ParseOptions,
) -> list[Parse]:
    """Return a parse of each; ``tags``, if any, are for a parser that reads them, () where none are given."""
    if not any(tags):
        return parser.parse_sentences(sentences, options=parse_options)
    found: dict[int, Parse] = {}
    for tagged in (True, False):
        places = [place for place, one in enumerate(tags) if bool(one) is tagged]
        group = [sentences[place] for place in places]
        tag_rows = [tags[place] for place in places] if tagged else None
        parses = parser.parse_sentences(group, tag_rows, options=parse_options)
        found.update(zip(places, parses, strict=True))
    return [found[place] for place in range(len(sentences))]


def _sentences(
    piece: Piece, split: Split, rules: TextRules
) -> Iterator[tuple[Piece, int, int, Sentence]]:
    """Yield the sentences of a piece, each with the number of its line or paragraph, and its own there."""
    if piece.words:
        yield piece, piece.part, 1, from_words(piece.words)
        return
    counted = split in ("paragraph", "text")  # whose places count in the whole text
    lines = split_lines(text_lines(piece.text), split, rules)
    for part, of_part in enumerate(lines, piece.part):
        for number, sentence in enumerate(of_part, 1):
            if not sentence.words:  # an empty line is no sentence
                continue
            yield piece, part, number, _moved(sentence, piece.start) if counted else sentence


def _moved(sentence: Sentence, start: int) -> Sentence:
    if not start:
        return sentence
    offsets = tuple((begin + start, end + start) for begin, end in sentence.offsets)
    return replace(sentence, offsets=offsets)


def _row(piece: Piece, part: int, number: int, parse: Parse) -> dict[str, Any]:
    row = parse.to_dict()
    for of_tree in (row, *row.get("alternatives", ())):
        _round(of_tree)
        for constituent in of_tree["constituents"]:
            _round(constituent)
    place = {"document": piece.document, "part": part, "sentence": number}
    return {**place, **row, "fields": piece.fields}


def _measures(parse: Parse) -> dict[str, Any]:
    if parse.tree is None:
        return dict(without_tree())
    sums = sums_of(parse.tree, {}, parse.entropy)
    return {
        name: float(f"{value:.6g}") if isinstance(value, float) else value
        for name, value in columns_of(sums).items()
    }


def _round(found: dict[str, Any]) -> None:
    """Round a tree's figures, or a constituent's; probabilities, which may be tiny, to four digits."""
    if found["score"] is not None:
        found["score"] = round(found["score"], _DECIMALS)
    for name in _CHANCES:
        if found.get(name) is not None:
            found[name] = float(f"{found[name]:.4g}")


@contextmanager
def _writer(output: io.BytesIO, settings: ShardSettings) -> Iterator[Any]:
    if settings.to == "jsonl":

        def write_line(row: Row) -> None:
            line = json_line({**row, "fields": _plain(row["fields"])})
            output.write(line.encode() + b"\n")

        yield write_line
        return
    with parquet_writer(output, _schema(settings)) as write:

        def write_row(row: Row) -> None:
            write({**row, "fields": json.dumps(_plain(row["fields"]), ensure_ascii=False)})

        yield write_row


def _schema(settings: ShardSettings) -> Any:
    pa = import_extra("parquet", "pyarrow")
    own = [("document", pa.string()), ("part", pa.int32()), ("sentence", pa.int32())]
    parse_columns = parse_fields(
        settings.parse_options.probabilities, settings.parse_options.n_best > 1
    )
    last: list[Any] = [("fields", pa.string())]
    if settings.measures:
        types = {int: pa.int64(), float: pa.float64()}
        measures = [(name, types[kind]) for name, kind in SENTENCE_COLUMNS.items()]
        last.append(("measures", pa.struct(measures)))
    if settings.clauses:
        last.append(clauses_field())
    return pa.schema([*own, *parse_columns, *last])


def _plain(fields: Fields) -> Fields:
    """Fields that JSON can hold: dates and the like as text, null for NaN and the infinite."""
    found: Fields = json.loads(json.dumps(fields, default=str), parse_constant=lambda name: None)
    return found


def _error_line(piece: Piece, part: int | None, sentence: int | None, reason: str) -> bytes:
    problem = {"document": piece.document, "part": part, "sentence": sentence, "place": piece.place}
    return json_line({**problem, "error": reason}).encode() + b"\n"
