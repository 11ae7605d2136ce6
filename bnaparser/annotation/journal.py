"""A file of JSON lines that only grows. A line is on the disk when `Journal.append` returns.

{"format": ...}\\n          the first line says what the file is
{...}\\n
{...}\\n
{"sent                     a process was killed while it wrote: no whole line, so nothing was saved
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from bnaparser.errors import BnaparserError, DataError
from bnaparser.files.tables import json_line, parse_json

Record = dict[str, Any]


class NotSavedError(BnaparserError):
    """A record could not be written, as on a full disk. The file holds all records before it."""


def read_journal(path: Path, first: Record) -> tuple[list[Record], int]:
    """Return the records after the first line, and the size of all whole lines.

    Args:
        path: The file; it may be missing.
        first: What the first line has to be.

    Raises:
        DataError: The first line says otherwise, or a whole line is damaged.
    """
    data = path.read_bytes() if path.exists() else b""
    head = _line(first)
    whole = data.rfind(b"\n") + 1
    if not whole and head.startswith(data):  # new, or killed in the middle of the first line
        return [], 0
    lines = data[:whole].split(b"\n")[:-1]
    records = []
    for number, line in enumerate(lines or [data], 1):
        try:
            record = parse_json(line)
        except ValueError as error:
            record = str(error)
        if not isinstance(record, dict):
            what = (
                "not a file of an annotation project" if number == 1 else f"damaged: {record!s:.80}"
            )
            raise DataError(f"{path}, line {number}: this is {what}")
        records.append(record)
    if records[0].get("format") != first["format"]:
        raise DataError(f"{path} is not a file of an annotation project: name another folder")
    if records[0] != first:
        raise DataError(
            f"{path} is of version {records[0].get('version')!r} of the format, and this bnaparser reads version"
            f" {first['version']}: use the bnaparser that wrote it"
        )
    return records[1:], whole


class Journal:
    """The open file, of which `read_journal` has read the first ``size`` bytes."""

    def __init__(self, path: Path, first: Record, size: int):
        self.path = path
        self._size = size
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        if not size:
            self.append(first)

    def append(self, record: Record, sync: bool = True) -> None:
        """Write a record and wait until it is on the disk, or not: ``sync``.

        Raises NotSavedError; then nothing has changed.
        """
        data = _line(record)
        try:
            if os.fstat(self._file).st_size != self._size:  # half a line, of a write that failed
                os.ftruncate(self._file, self._size)
            done = 0
            while done < len(data):
                done += os.pwrite(self._file, data[done:], self._size + done)
            if sync:
                os.fsync(self._file)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._file, self._size)
            raise NotSavedError(
                f"{self.path} cannot be written: {error.strerror or error}"
            ) from error
        self._size += len(data)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


def _line(record: Record) -> bytes:
    return json_line(record).encode() + b"\n"
