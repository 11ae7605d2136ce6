"""Files that may be compressed: plain, ``.gz`` or ``.xz``, as their names say."""

from __future__ import annotations

import gzip
import lzma
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from bnaparser.errors import DataError


@contextmanager
def open_compressed(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for reading, decompressed.

    Raises DataError where it is missing or cannot be read, and inside the ``with`` block where it
    turns out to be damaged.
    """
    try:
        with _open(path) as raw:
            yield raw
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"{path}: not a whole {path.suffix} file: {error}") from error
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from error


def _open(path: Path) -> IO[bytes]:
    if path.suffix == ".gz":
        return cast("IO[bytes]", gzip.open(path))
    return lzma.open(path) if path.suffix == ".xz" else path.open("rb")
