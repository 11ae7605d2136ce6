"""Pieces of tables: JSON lines, CSV and Parquet, a document a row; the fields beside the text go along."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, NamedTuple

from bnaparser.errors import DataError, in_one_line
from bnaparser.files.tables import parse_json
from bnaparser.files.text_files import not_in_encoding
from bnaparser.parsing.corpus.corpus_inputs import CorpusFile
from bnaparser.parsing.corpus.pieces import Piece
from bnaparser.parsing.parquet_rows import pyarrow_of

_ROWS = 256  # of Parquet that are read at once
_END = "\x1aend of the file\x1a"  # a line behind all others, by which an open field is told


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
            row = parse_json(line)
            row, wrong = (row, None) if isinstance(row, dict) else (None, "no JSON object")
        except ValueError as error:
            row, wrong = None, f"no JSON: {error}"
        yield _piece(file, number, row, wrong, field)


def csv_pieces(file: CorpusFile, lines: Iterable[str], field: TextField) -> Iterator[Piece]:
    """Yield the documents of a CSV, or of a TSV, whose first row has the names of the fields.

    Raises DataError where a name that is wanted is not among them, and where a quotation mark that
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
                    f"{file.path}, row {number}: a quotation mark that opens a field there is never"
                    " closed"
                )
            fits = len(values) == len(header)
            wrong = None if fits else f"{len(values)} fields, the first row has {len(header)}"
            row = dict(zip(header, values, strict=True)) if fits else None
            yield _piece(file, number, row, wrong, field)
    except csv.Error as error:
        raise DataError(f"{file.path}: line {rows.line_num} is not CSV: {error}") from error


def parquet_pieces(file: CorpusFile, field: TextField) -> Iterator[tuple[Piece, int]]:
    """Yield the documents of a Parquet file, each with how many of the file's bytes are read, about.

    A row with a string that is not UTF-8 has its error. Raises DataError where a column that is wanted is not there, or the file is damaged.
    """
    pa, parquet = pyarrow_of(), pyarrow_of("pyarrow.parquet")
    try:
        table = parquet.ParquetFile(file.path)
        check_columns(file, table.schema_arrow.names, field)
        count, number = max(1, table.metadata.num_rows), 0
        for batch in table.iter_batches(_ROWS):
            for row, wrong in _rows_of(batch):
                number += 1
                yield _piece(file, number, row, wrong, field), file.size * number // count
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{file.path}: not a whole Parquet file: {error}") from error
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
    """Raise DataError where a field is missing that is wanted, or two have one name: a row has each name once."""
    known = list(names)
    if twice := next((name for name in known if name and known.count(name) > 1), None):
        raise DataError(f"{file.path}: two of its fields are called {twice!r}: rename one")
    for wanted in (field.text, field.document):
        if wanted is not None and wanted not in known:
            shown = ", ".join(known) or "none"
            raise DataError(
                f"{file.path}: no field {wanted!r}, its fields are {shown}: name the one with the"
                " text by --field, and that with the id by --id"
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
        given = row.get(field.document)
        if given is None or given == "":
            return Piece(document, place, error=f"the field {field.document!r} is empty: no id")
        document = str(given)
    fields = {name: value for name, value in row.items() if name != field.text}
    named = field.document is not None
    if not isinstance(text, str):
        said = "is not there" if field.text not in row else f"is {text!r:.40}, not text"
        said = f"the field {field.text!r} {said}"
        return Piece(document, place, fields=fields, begins=named, error=said)
    return Piece(document, place, text, fields=fields, begins=named)
