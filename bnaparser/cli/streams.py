"""What the verbs read and write: files or standard streams, a text a line, answers in order."""

from __future__ import annotations

import os
import select
import stat
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from io import BufferedIOBase
from pathlib import Path
from typing import TextIO, TypeVar, cast

from bnaparser.encoders.batching import READ_AHEAD
from bnaparser.errors import DataError, SettingsError

Item = TypeVar("Item")
Answer = TypeVar("Answer")

_PIECE = 1 << 16  # bytes read at once


def open_input(path: Path | None) -> BufferedIOBase | nullcontext[BufferedIOBase]:
    """Open a file, or take standard input; DataError where it cannot be read."""
    if path is None:
        if sys.stdin is None:
            raise DataError("standard input is closed: give text or --input FILE")
        return nullcontext(cast(BufferedIOBase, sys.stdin.buffer))
    try:
        return path.open("rb")
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}") from error


def open_output(
    path: Path | None, source: BufferedIOBase | None = None
) -> TextIO | nullcontext[TextIO]:
    """Open a file, or take standard output; each line is written as soon as it is whole.

    A file keeps what it holds until ``empty`` is called. Raises DataError where it cannot be
    written, SettingsError where it is ``source``, the input, as well.
    """
    if path is None:
        if sys.stdout is None:
            raise DataError("standard output is closed: give --output FILE")
        return nullcontext(sys.stdout)
    try:
        file = path.open("a", buffering=1, encoding="utf-8", newline="\n")
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror}") from error
    if source is not None and _same_file(source, file):
        file.close()
        raise SettingsError(f"{path} is the input, which it would overwrite: write elsewhere")
    return file


def empty(output: TextIO) -> None:
    """Drop what a file from ``open_output`` held before; call it when nothing can go wrong before."""
    if output is not sys.stdout and stat.S_ISREG(os.fstat(output.fileno()).st_mode):
        output.truncate(0)


def _same_file(source: BufferedIOBase, output: TextIO) -> bool:
    try:
        one, other = os.fstat(source.fileno()), os.fstat(output.fileno())
    except OSError:  # bytes in memory
        return False
    return stat.S_ISREG(one.st_mode) and os.path.samestat(one, other)


class LineReader:
    """The lines of a file or stream, with their numbers from 1 and their ends.

    A byte order mark is no part of the text; bytes that are not UTF-8 are replaced and reported.
    """

    def __init__(self, source: BufferedIOBase):
        self._source = source
        self._lines: deque[bytes] = deque()  # read, not yet given out

    def __iter__(self) -> Iterator[tuple[int, str]]:
        from tqdm import tqdm

        bar = tqdm(self._read(), unit=" lines", disable=None, leave=False)
        for number, raw in enumerate(bar, 1):
            raw = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
            try:
                yield number, raw.decode("utf-8")
            except UnicodeDecodeError as error:
                print(
                    f"bnaparser: line {number}: byte {error.start + 1} is not UTF-8, replaced",
                    file=sys.stderr,
                )
                yield number, raw.decode("utf-8", errors="replace")

    def waits(self) -> bool:
        """Whether reading on would have to wait for whoever writes to the pipe or terminal."""
        if self._lines:
            return False
        try:
            return not select.select([self._source], [], [], 0)[0]
        except (OSError, ValueError):  # no file, or a system that cannot tell
            return False

    def _read(self) -> Iterator[bytes]:
        unfinished: list[bytes] = []
        while piece := self._source.read1(_PIECE):
            whole, newline, rest = piece.rpartition(b"\n")
            if newline:
                self._lines.extend(b"".join([*unfinished, whole]).split(b"\n"))
                unfinished = []
            unfinished.append(rest)
            while self._lines:
                yield self._lines.popleft() + b"\n"
        if last := b"".join(unfinished):
            yield last


def in_chunks(items: Iterable[Item], waits: Callable[[], bool]) -> Iterator[list[Item]]:
    """Yield items in lists, as many at a time as there are at hand, ``READ_AHEAD`` at most.

    So a program that writes a line and waits for its answer gets it.
    """
    chunk: list[Item] = []
    for item in items:
        chunk.append(item)
        if len(chunk) == READ_AHEAD or waits():
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def answer_lines(
    source: BufferedIOBase, answer: Callable[[list[str]], Iterable[Answer]]
) -> Iterator[tuple[int, Answer | None]]:
    """Yield every line's number and answer, None for a blank one.

    ``answer`` takes lines that are not blank and gives an answer for each, in order.
    """
    reader = LineReader(source)
    for chunk in in_chunks(reader, reader.waits):
        answers = iter(answer([line for _, line in chunk if line.strip()]))
        for number, line in chunk:
            yield number, next(answers) if line.strip() else None
