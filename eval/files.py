"""Opening what is to be scored: plain files, and packed ones, as bytes."""

from __future__ import annotations

import codecs
import os
import zlib
from collections.abc import Callable
from io import BytesIO
from typing import BinaryIO

_PACKED = (".gz", ".xz", ".bz2")


def open_bytes(path: str | bytes | os.PathLike[str]) -> BinaryIO:
    """Open a file for reading; one named ``.gz``, ``.xz`` or ``.bz2`` is unpacked into memory first.

    A byte order mark is passed over. Raises OSError, also for a damaged packed file and for a name
    that no file can have.
    """
    name = os.fsdecode(path)
    if "\0" in name:
        raise OSError(f"{name!r}: a file name has no NUL character")
    if name.lower().endswith(_PACKED):
        return BytesIO(_unpacked(name).removeprefix(codecs.BOM_UTF8))
    file = open(name, "rb")  # noqa: SIM115 (the caller closes it)
    if file.peek(3).startswith(codecs.BOM_UTF8):
        file.read(3)
    return file


def _unpacked(name: str) -> bytes:
    # Only here: most files are plain, and the imports take time.
    import bz2
    import gzip
    import lzma

    unpack: dict[str, Callable[[bytes], bytes]] = {
        ".gz": gzip.decompress,
        ".xz": lzma.decompress,
        ".bz2": bz2.decompress,
    }
    with open(name, "rb") as file:
        packed = file.read()
    try:
        return unpack[os.path.splitext(name)[1].lower()](packed)
    except (EOFError, ValueError, lzma.LZMAError, zlib.error) as error:
        raise OSError(f"{name}: {error}") from error
