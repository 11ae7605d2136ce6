"""The documents of a corpus in pieces: running text, CoNLL-U, JSON lines, CSV and Parquet."""

from __future__ import annotations

import csv
import hashlib
import json
import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from bnaparser.errors import DataError, in_one_line
from bnaparser.files.parquet import open_parquet
from bnaparser.files.tables import parse_json
from bnaparser.files.text_files import not_in_encoding
from bnaparser.parsing.corpus.inputs import CorpusFile
from bnaparser.text.sentence import Split
from bnaparser.text.splitting import paragraphs

Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Piece:
    """A document, or one line or paragraph of it.

    ``part`` is the number of its first line (paragraph) in the document, from 1, and ``start`` the place
    of its text there, in code points. A sentence of tokens has ``words``, maybe ``tags``, and no
    ``text``. ``place`` says where it stands, for people. ``begins``: it is the first, or the
    only, one of a document with an id of its own. With ``error`` it is no text, and that is why.
    """

    document: str
    place: str
    text: str = ""
    part: int = 1
    start: int = 0
    words: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    fields: Fields = field(default_factory=dict)
    begins: bool = False
    error: str | None = None

    @property
    def size(self) -> int:
        """How much of a shard it takes: its characters, and one, as there may be any number of empty ones."""
        return 1 + (len(self.text) if self.text else sum(map(len, self.words)) + len(self.words))

    def identity(self) -> bytes:
        """Return bytes that differ for another piece."""
        values = (self.document, self.part, self.start, self.text, self.words, self.tags)
        return json.dumps([*values, self.fields, self.error], default=str).encode()


Pieces = Iterator[Piece]


_COLUMNS = 10
_WORD = re.compile(r"[0-9]+")
_NAMED = re.compile(r"#\s*(newdoc id|sent_id)\s*=\s*(.+?)\s*")


def text_pieces(file: CorpusFile, lines: Iterable[str], split: Split) -> Iterator[Piece]:
    """Yield the lines of a text that is one document, or its paragraphs where ``split`` is "text".

    Blank lines are passed over, but counted.
    """
    if split == "text":
        for part, (start, block) in enumerate(paragraphs(lines), 1):
            if not block.isspace():
                yield Piece(file.name, f"{file.path}, paragraph {part}", block, part, start)
        return
    start = 0
    for part, line in enumerate(lines, 1):
        if not line.isspace():
            yield Piece(file.name, f"{file.path}:{part}", line, part, start)
        start += len(line)


def conllu_pieces(file: CorpusFile, lines: Iterable[str]) -> Iterator[Piece]:
    """Yield the sentences of CoNLL-U: words, language-specific tags, ``sent_id`` as a field.

    Where the file names documents (``newdoc id``) these are its documents, else it is one.
    """
    document, part = file.name, 0
    for rows, names in _sentences(file, lines):
        if "newdoc id" in names:
            document, part = names["newdoc id"], 0
        part += 1
        yield _sentence(file, rows, document, part, names)


def _sentences(
    file: CorpusFile, lines: Iterable[str]
) -> Iterator[tuple[list[list[str]], dict[str, str]]]:
    """Yield the lines of each sentence, in columns, and what its comments name."""
    names: dict[str, str] = {}
    rows: list[list[str]] = []
    for number, line in enumerate(chain(lines, [""]), 1):
        text = line.rstrip("\r\n")
        if text.startswith("#"):
            if found := _NAMED.fullmatch(text):
                names[found[1]] = found[2]
        elif text.strip():
            rows.append(_columns(text, file, number))
        elif rows:
            yield rows, names
            names, rows = {}, []


def _columns(text: str, file: CorpusFile, number: int) -> list[str]:
    columns = text.split("\t")
    if len(columns) != _COLUMNS:
        raise DataError(f"{file.path}:{number}: {len(columns)} columns, CoNLL-U has {_COLUMNS}")
    return columns


def _sentence(
    file: CorpusFile, rows: list[list[str]], document: str, part: int, names: dict[str, str]
) -> Piece:
    words = [row for row in rows if _WORD.fullmatch(row[0])]
    tags = tuple(row[4] for row in words)
    fields = {"sent_id": names["sent_id"]} if "sent_id" in names else {}
    return Piece(
        document,
        f"{file.path}, sentence {part}" if not fields else f"{file.path}, {fields['sent_id']}",
        part=part,
        words=tuple(row[1] for row in words),
        tags=() if "_" in tags else tags,
        fields=fields,
        begins="newdoc id" in names,
    )


_ROWS = 256  # of Parquet that is the most that the encoder reads
_END = "\x1aend of the file\x1a"  # a line after all others, which shows an open field


class TextField(NamedTuple):
    """The names of the field with the text, and of that with the document's id, if any."""

    text: str
    document: str | None = None


def json_pieces(
    file: CorpusFile, lines: Iterable[str | DataError], field: TextField
) -> Iterator[Piece]:
    """Yield the documents of JSON lines; a line that is no JSON or not in the encoding has its error."""
    for number, line in enumerate(lines, 1):
        if isinstance(line, DataError):
            yield _piece(file, number, None, str(line), field)
            continue
        if line.isspace():
            continue
        try:
            row = parse_json(line.rstrip())
            row, wrong = (row, None) if isinstance(row, dict) else (None, "not a JSON object {...}")
        except ValueError as error:
            row, wrong = None, f"not JSON: {error}"
        yield _piece(file, number, row, wrong, field)


def csv_pieces(file: CorpusFile, lines: Iterable[str], field: TextField) -> Iterator[Piece]:
    """Yield the documents of a CSV, or of a TSV, whose first row has the names of the fields.

    Raises DataError if a required name is not among them, and where a quotation mark that
    opens a field is never closed: all that follows it would be this field.
    """
    csv.field_size_limit(2**31 - 1)  # what Windows takes at most
    dialect = "excel-tab" if file.kind == "tsv" else "excel"
    rows = csv.reader(chain(lines, [_END]), dialect)
    try:
        header = next(rows)
        check_columns(file, [] if header == [_END] else header, field)
        for number, values in enumerate(rows, 1):
            if not values:
                continue
            if values == [_END]:
                return
            if values[-1].endswith(_END):
                raise DataError(
                    f"{file.path}, row {number}: a field begins with a quotation mark,"
                    " but has no closing quotation mark"
                )
            fits = len(values) == len(header)
            wrong = None if fits else f"{len(values)} fields, the first row has {len(header)}"
            row = dict(zip(header, values, strict=True)) if fits else None
            yield _piece(file, number, row, wrong, field)
    except csv.Error as error:
        raise DataError(f"{file.path}: line {rows.line_num} is not CSV: {error}") from error


def parquet_pieces(file: CorpusFile, field: TextField) -> Iterator[tuple[Piece, int]]:
    """Yield the documents of a Parquet file, each with how many of the file's bytes are read, about.

    A row with a string that is not UTF-8 has its error. Raises DataError if a required column is missing, or the file is damaged.
    """
    try:
        with open_parquet(file.path) as table:
            check_columns(file, table.schema_arrow.names, field)
            count, number = max(1, table.metadata.num_rows), 0
            for batch in table.iter_batches(_ROWS):
                for row, wrong in _rows_of(batch):
                    number += 1
                    yield _piece(file, number, row, wrong, field), file.size * number // count
    except (ValueError, OverflowError, LookupError) as error:  # times that Python's own cannot hold
        raise DataError(f"{file.path}: cannot be read: {in_one_line(error)}") from error


def _rows_of(batch: Any) -> Iterator[tuple[dict[str, Any] | None, str | None]]:
    """Yield the rows of a batch, or in the place of a row what is wrong with it."""
    try:
        rows = batch.to_pylist()
    except UnicodeDecodeError:
        for place in range(batch.num_rows):
            yield _row_of(batch.slice(place, 1))
    else:
        yield from ((row, None) for row in rows)


def _row_of(batch: Any) -> tuple[dict[str, Any] | None, str | None]:
    row: dict[str, Any] = {}
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        try:
            (row[name],) = column.to_pylist()
        except UnicodeDecodeError as error:
            return None, f"the field {name!r}: {not_in_encoding(error)}"
    return row, None


def check_columns(file: CorpusFile, names: Iterable[str], field: TextField) -> None:
    """Raise DataError if a required field is missing, or if two fields have one name: a row has each name once."""
    known = list(names)
    if twice := next((name for name in known if name and known.count(name) > 1), None):
        raise DataError(f"{file.path}: two fields are called {twice!r}: rename one of the two")
    for name in (field.text, field.document):
        if name is not None and name not in known:
            shown = ", ".join(known) or "none"
            raise DataError(
                f"{file.path}: no field {name!r}, its fields are {shown}: name the field of the"
                " text with --field, and the field of the id with --id"
            )


def _piece(
    file: CorpusFile, number: int, row: dict[str, Any] | None, wrong: str | None, field: TextField
) -> Piece:
    place = f"{file.path}, row {number}"
    document = f"{file.name}:{number}"
    if row is None:
        return Piece(document, place, error=wrong)
    text = row.get(field.text)
    if field.document is not None:
        document_name = row.get(field.document)
        if document_name is None or document_name == "":
            return Piece(document, place, error=f"the field {field.document!r} is empty: no id")
        document = str(document_name)
    fields = {name: value for name, value in row.items() if name != field.text}
    named = field.document is not None
    if not isinstance(text, str):
        reason = "is not there" if field.text not in row else f"is {text!r:.40}, not text"
        reason = f"the field {field.text!r} {reason}"
        return Piece(document, place, fields=fields, begins=named, error=reason)
    return Piece(document, place, text, fields=fields, begins=named)


def refuse_repeated(pieces: Pieces, store: Path) -> Pieces:
    """Yield the pieces; a document whose id occurred before becomes an error.

    Of documents with an id of their own, the rows of tables and what CoNLL-U names; others are passed
    on as they are. ``store`` is a file that is written anew; DataError if the disk is full.
    """
    try:
        yield from _once(pieces, store)
    except sqlite3.Error as error:
        raise DataError(
            f"{store}: {error}: free some space, and run the same command again: the run resumes where it stopped"
        ) from error


def _once(pieces: Pieces, store: Path) -> Pieces:
    store.unlink(missing_ok=True)
    with closing(sqlite3.connect(store, isolation_level=None)) as base:
        base.execute("PRAGMA journal_mode = OFF")
        base.execute("PRAGMA synchronous = OFF")
        base.execute("CREATE TABLE seen (id BLOB PRIMARY KEY, place BLOB) WITHOUT ROWID")
        base.execute("BEGIN")
        refused: Piece | None = None  # what began the document that is left out now
        earlier: str | None = None
        for piece in pieces:
            if piece.begins and piece.error is None:
                earlier = _seen(base, piece)
                refused = piece if earlier else None
            elif refused is not None and piece.document != refused.document:
                refused = None
            if refused is None:
                yield piece
            else:
                reason = f"the id {piece.document!r} is that of an earlier document: {earlier}"
                yield replace(piece, text="", words=(), tags=(), error=reason)
    store.unlink(missing_ok=True)


def _seen(base: sqlite3.Connection, piece: Piece) -> str | None:
    """Return where a document of the same id stood; None, and keep its place, where there was none."""
    key = hashlib.blake2b(piece.document.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    row = base.execute("SELECT place FROM seen WHERE id = ?", (key,)).fetchone()
    if row is None:
        place = piece.place.encode("utf-8", "surrogatepass")  # a file's name may be no UTF-8
        base.execute("INSERT INTO seen VALUES (?, ?)", (key, place))
        return None
    return bytes(row[0]).decode("utf-8", "surrogatepass")
