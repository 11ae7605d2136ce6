"""Parquet files, read by pyarrow."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bnaparser.errors import DataError, import_extra, in_one_line


@contextmanager
def open_parquet(path: Path, column: str = "", extra: str = "parquet") -> Iterator[Any]:
    """Open a Parquet file, which must have a ``column`` if it is given.

    Raises MissingExtraError, which names the ``extra``, without pyarrow; DataError if the column is not there, and in
    the block if the file is damaged or a text in it is not UTF-8.
    """
    pa, parquet = import_extra(extra, "pyarrow"), import_extra(extra, "pyarrow.parquet")
    try:
        with parquet.ParquetFile(path) as file:
            names = file.schema_arrow.names
            if column and column not in names:
                raise DataError(f"{path}: no column {column!r}; its columns are {', '.join(names)}")
            yield file
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: a text in this file is not UTF-8: {error}") from error
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{path}: not a whole Parquet file: {in_one_line(error)}") from error
