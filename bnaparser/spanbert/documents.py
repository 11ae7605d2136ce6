"""Documents out of files: plain text, JSON lines, Parquet; each packed or not; one at a time."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bnaparser.errors import DataError, MissingExtraError
from bnaparser.files.compressed import ending
from bnaparser.files.tables import parse_json, replace_all_surrogates
from bnaparser.files.text_files import open_text
from bnaparser.spanbert.pretrain_settings import TextSettings

# A document that goes on for longer than this many characters is cut at the next line end, so that
# a file without an empty line, whatever its size, is never whole in memory.
LONGEST_DOCUMENT = 1_000_000
_ENDINGS = (".txt", ".text", ".jsonl", ".ndjson", ".parquet")


def find_files(patterns: Sequence[str]) -> list[Path]:
    """Return the files that names, folders and patterns stand for, sorted, each once.

    Of a folder those with an ending that is read here, also below it. Raises DataError where one
    of them stands for no file.
    """
    found: dict[Path, Path] = {}
    for pattern in patterns:
        path = Path(pattern)
        if path.is_dir():
            matches = [p for p in sorted(path.rglob("*")) if p.is_file() and ending(p) in _ENDINGS]
        elif path.is_file():
            matches = [path]
        else:
            names = sorted(glob.glob(pattern, recursive=True))
            matches = [path for name in names if (path := Path(name)).is_file()]
        if not matches:
            raise DataError(f"{pattern}: no text file there")
        for path in matches:
            found.setdefault(Path(os.path.realpath(path)), path)
    return list(found.values())


def read_documents(path: Path, settings: TextSettings) -> Iterator[str]:
    """Yield the texts of a file's documents. Raises DataError, naming file and place."""
    kind = ending(path)
    if kind == ".parquet":
        yield from _read_parquet(path, settings.field)
    elif kind == ".json":
        raise DataError(f"{path}: JSON is read with an object a line, and is named .jsonl then")
    elif kind in (".jsonl", ".ndjson"):
        yield from _read_json_lines(path, settings.field)
    else:
        yield from _read_text(path, settings.document == "line")


def _read_text(path: Path, line_by_line: bool) -> Iterator[str]:
    with open_text(path) as file:
        lines: list[str] = []
        size = 0
        for line in file:
            blank = not line.strip()
            if not blank:
                lines.append(line)
                size += len(line)
            if lines and (blank or line_by_line or size > LONGEST_DOCUMENT):
                yield "".join(lines)
                lines, size = [], 0
        if lines:
            yield "".join(lines)


def _read_json_lines(path: Path, field: str) -> Iterator[str]:
    with open_text(path) as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                row = parse_json(line)
            except ValueError as error:
                raise DataError(f"{path}, line {number}: not JSON: {error}") from None
            yield _text_of(row, field, f"{path}, line {number}")


def _text_of(row: Any, field: str, place: str) -> str:
    if not isinstance(row, dict) or not isinstance(row.get(field), str):
        raise DataError(f"{place}: no text under {field!r}; text.field names another")
    text: str = replace_all_surrogates(row[field])
    return text


def _read_parquet(path: Path, field: str) -> Iterator[str]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("pyarrow", "pretrain") from error
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            if field not in file.schema_arrow.names:
                names = ", ".join(file.schema_arrow.names)
                raise DataError(f"{path}: no column {field!r} (it has {names}); set text.field")
            kind = file.schema_arrow.field(field).type
            if pyarrow.types.is_dictionary(kind):
                kind = kind.value_type
            if not (pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind)):
                raise DataError(f"{path}: the column {field!r} has {kind}, not text")
            for batch in file.iter_batches(batch_size=256, columns=[field]):
                yield from (text for text in batch.column(0).to_pylist() if text)
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: the column {field!r} is not UTF-8: {error}") from error
    except (OSError, pyarrow.ArrowException) as error:
        reason = str(error).splitlines()[0]
        raise DataError(f"{path}: not a Parquet file that can be read: {reason}") from error
