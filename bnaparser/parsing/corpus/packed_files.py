"""Files of a corpus opened for reading, compressed or not; how far each is read."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from bnaparser.errors import DataError
from bnaparser.parsing.parquet_rows import pyarrow_of


@contextmanager
def open_packed(path: Path) -> Iterator[tuple[IO[bytes], Callable[[], int]]]:
    """Open a file, and give with it a function that tells how many of its bytes have been read.

    The name says how it is compressed: ``.gz``, ``.xz``, ``.bz2``, ``.zst`` (by pyarrow), or not. Raises
    DataError where it is missing or damaged, the latter while it is read.
    """
    try:
        with path.open("rb") as raw:
            yield _unpacked(raw, path.suffix.lower()), raw.tell
    except (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"{path}: not a whole {path.suffix} file: {error}") from error
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from error


def _unpacked(raw: IO[bytes], suffix: str) -> IO[bytes]:
    if suffix == ".gz":
        return cast("IO[bytes]", gzip.GzipFile(fileobj=raw))
    if suffix == ".xz":
        return lzma.LZMAFile(raw)
    if suffix == ".bz2":
        return bz2.BZ2File(raw)
    if suffix == ".zst":
        return cast("IO[bytes]", pyarrow_of().CompressedInputStream(raw, "zstd"))
    return raw
