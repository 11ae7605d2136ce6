"""Opening what is to be scored: plain files, and packed ones, as bytes; and trees over several lines.

EVALB reads a tree a line, and so do the functions here, unless a file is indented: a line begins with a
blank or a closing bracket while brackets of an earlier line are open.
"""

from __future__ import annotations

import codecs
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from typing import BinaryIO

from bnaparser.errors import DataError

_PACKED = (".gz", ".xz", ".bz2")
_BETWEEN = re.compile(rb"\s*(?:\*x\*|%|;)")  # lines between trees: the LDC's notes and comments
_CONTINUES = re.compile(rb"[ \t\r\f\v)]")
_UNLABELLED = re.compile(rb"\A(\s*)\(\s*(?=\()")


def open_bytes(path: str | bytes | os.PathLike[str]) -> BinaryIO:
    """Open a file for reading; one named ``.gz``, ``.xz`` or ``.bz2`` is unpacked into memory first.

    A byte order mark is passed over. Raises OSError, also for a damaged packed file and for a name
    that no file can have.
    """
    name = os.fsdecode(path)
    if "\0" in name:
        raise OSError(f"{name!r}: a file name must not contain a NUL character")
    if name.lower().endswith(_PACKED):
        return BytesIO(_unpacked(name).removeprefix(codecs.BOM_UTF8))
    file = open(name, "rb")  # noqa: SIM115 (the caller closes it)
    if file.peek(3).startswith(codecs.BOM_UTF8):
        file.read(3)
    return file


def open_seekable(path: str | bytes | os.PathLike[str]) -> BinaryIO:
    """Open a file as `open_bytes` does; a file that can be read only once is read into memory."""
    file = open_bytes(path)
    if file.seekable():
        return file
    with file:
        return BytesIO(file.read())


def is_indented(lines: Iterable[bytes]) -> bool:
    """Return whether trees go over several lines, as in the Penn Treebank's own files."""
    depth = 0
    for line in lines:
        if depth > 0 and line.strip():
            return _CONTINUES.match(line) is not None
        if not depth and _BETWEEN.match(line):
            continue
        depth += line.count(b"(") - line.count(b")")
        if depth < 0:
            return False
    return False


def joined_trees(lines: Iterable[bytes], source: str) -> Iterator[bytes]:
    """Yield each tree of an indented file as a line.

    Raises DataError if brackets do not match, with ``source`` and the line.
    """
    parts: list[bytes] = []
    depth = first = 0
    for number, line in enumerate(lines, 1):
        if not (part := line.strip()) or (not parts and _BETWEEN.match(part)):
            continue
        if not parts:
            first = number
        parts.append(part)
        depth += part.count(b"(") - part.count(b")")
        if depth < 0:
            raise DataError(f"{source}:{number}: a closing bracket has no opening bracket")
        if not depth:
            yield b" ".join(parts) + b"\n"
            parts = []
    if parts:
        raise DataError(f"{source}:{first}: the tree that begins here has no closing bracket")


def name_top(line: bytes) -> bytes:
    """Return a tree's line with the label TOP for an outer bracket without one, which EVALB would count."""
    return _UNLABELLED.sub(rb"\1(TOP ", line)


def tree_lines(*files: tuple[BinaryIO, str]) -> list[Iterable[bytes]]:
    """Return the lines of open files, with their names, which can be read again.

    Where one of them is indented, its trees are a line each, and in all of them the outer bracket has a
    label.
    """
    indented = []
    for file, _ in files:
        start = file.tell()
        indented.append(is_indented(file))
        file.seek(start)
    if not any(indented):
        return [file for file, _ in files]
    return [
        map(name_top, joined_trees(file, name) if over_lines else file)
        for (file, name), over_lines in zip(files, indented, strict=True)
    ]


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
