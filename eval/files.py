"""Opening what is to be scored: plain files and ``.xz`` files, as bytes."""

from __future__ import annotations

import os
from io import BytesIO
from typing import BinaryIO


def open_bytes(path: str | bytes | os.PathLike[str]) -> BinaryIO:
    """Open a file for reading; one whose name ends in ``.xz`` is unpacked into memory first.

    Raises OSError, also for a damaged ``.xz`` file and for a name that no file can have.
    """
    name = os.fsdecode(path)
    if "\0" in name:
        raise OSError(f"{name!r}: a file name has no NUL character")
    return _unpack(name) if name.endswith(".xz") else open(name, "rb")


def _unpack(name: str) -> BinaryIO:
    import lzma  # only here: most files are plain, and the import takes time

    try:
        with lzma.open(name) as file:
            return BytesIO(file.read())
    except (EOFError, lzma.LZMAError) as error:
        raise OSError(f"{name}: {error}") from error
