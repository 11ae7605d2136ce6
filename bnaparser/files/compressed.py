"""Files that may be compressed: plain, ``.gz``, ``.xz``, ``.bz2`` or ``.zst``, as their names say."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from bnaparser.errors import DataError, import_extra

PACKED = (".gz", ".xz", ".bz2", ".zst")


def ending(path: Path) -> str:
    """Return the ending that shows the kind of a file, in lower case: for ``.mrg.gz`` it is
    ``.mrg``.
    """
    return unpacked_name(path).suffix.lower()


def unpacked_name(path: Path) -> Path:
    """Return the path without ``.gz`` and the like."""
    return path.with_suffix("") if path.suffix.lower() in PACKED else path


@contextmanager
def open_compressed(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for reading, decompressed.

    Raises DataError if it is missing or cannot be read, and inside the ``with`` block where it
    turns out to be damaged.
    """
    with damage_as_errors(path), path.open("rb") as raw:
        yield unpacked(raw, path.suffix.lower())


def unpacked(raw: IO[bytes], suffix: str) -> IO[bytes]:
    """Return the contents of an open file, decompressed by its suffix; ``.zst`` needs pyarrow."""
    if suffix == ".gz":
        return cast("IO[bytes]", gzip.GzipFile(fileobj=raw))
    if suffix == ".xz":
        return lzma.LZMAFile(raw)
    if suffix == ".bz2":
        return bz2.BZ2File(raw)
    if suffix != ".zst":
        return raw
    stream = import_extra("parquet", "pyarrow").CompressedInputStream(raw, "zstd")
    return io.BufferedReader(stream)  # its own has no lines


@contextmanager
def damage_as_errors(path: Path) -> Iterator[None]:
    """Turn what reading a file raises in here into a DataError that names it."""
    try:
        yield
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"{path}: not a whole {path.suffix} file: {error}") from error
    except OSError as error:
        if error.errno is None and path.suffix.lower() in PACKED:  # as bz2 and pyarrow say it
            raise DataError(f"{path}: not a whole {path.suffix} file: {error}") from error
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from error
