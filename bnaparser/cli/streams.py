"""What the verbs read and write: files or standard streams, a text a line, answers in order."""

from __future__ import annotations

import codecs
import os
import select
import stat
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from io import BufferedIOBase, BytesIO
from itertools import count, repeat
from pathlib import Path
from typing import TextIO, TypeVar, cast

from bnaparser.cli.exits import say
from bnaparser.encoders.batching import READ_AHEAD
from bnaparser.errors import DataError, SettingsError
from bnaparser.text.split_names import Split

Item = TypeVar("Item")
Answer = TypeVar("Answer")

_PIECE = 1 << 16  # bytes read at once
_FIRST_CHUNK = 16  # items that are answered together at first
_PROGRESS_AFTER = 1.0  # seconds: what takes less needs none
_TIME_LEFT = "{percentage:3.0f} % |{bar:30}| {elapsed} gone, {remaining} left"


def open_input(path: Path | None) -> BufferedIOBase | nullcontext[BufferedIOBase]:
    """Open a file, or take standard input (also ``-``); DataError where it cannot be read."""
    if path is None or str(path) == "-":
        return nullcontext(standard_input("give text or --input FILE"))
    try:
        return path.open("rb")
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}") from error


def standard_input(instead: str) -> BufferedIOBase:
    """Return standard input; DataError where it is closed, saying what to do ``instead``."""
    if sys.stdin is None:
        raise DataError(f"standard input is closed: {instead}")
    if sys.stdin.isatty():
        say("reading what is typed, line by line; Ctrl-D ends it")
    return cast(BufferedIOBase, sys.stdin.buffer)


def open_words(words: Sequence[str]) -> BufferedIOBase:
    """Return the text that was typed, words with a blank between, as a file would hold it."""
    text = " ".join(words)
    try:
        return BytesIO(text.encode("utf-8", errors="surrogateescape"))  # as the shell gave it
    except UnicodeEncodeError:
        return BytesIO(text.encode("utf-8", errors="replace"))


def refuse_file_names(words: Sequence[str], command: str, doing: str) -> None:
    """Raise SettingsError where all that was given as text are names of files."""
    if words and all(_is_file(word) for word in words):
        raise SettingsError(
            f"{words[0]} is a file: to {doing} what is in it: {command} --input {words[0]}"
        )


@contextmanager
def open_output(path: Path | None, *inputs: BufferedIOBase | str | Path | None) -> Iterator[TextIO]:
    """Open a file, or take standard output (also ``-``); each line is written once it is whole.

    A file keeps what it holds until ``empty`` is called; a new one is removed where something fails
    before anything is written. Raises DataError where it cannot be written, SettingsError where it is
    one of ``inputs``, open or by its name, as well.
    """
    if path is None or str(path) == "-":
        if sys.stdout is None:
            raise DataError("standard output is closed: give --output FILE")
        yield sys.stdout
        return
    is_new = not os.path.lexists(path)
    try:
        file = path.open("a", buffering=1, encoding="utf-8", newline="\n")
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror}") from error
    try:
        with file:
            if any(_same_file(source, file) for source in inputs if source is not None):
                raise SettingsError(
                    f"{path} is the input, which it would overwrite: write elsewhere"
                )
            yield file
    except BaseException:
        with suppress(OSError):
            if is_new and not path.stat().st_size:
                path.unlink()
        raise


def empty(output: TextIO) -> None:
    """Drop what a file from ``open_output`` held before; call it when nothing can go wrong before."""
    if output is not sys.stdout and stat.S_ISREG(os.fstat(output.fileno()).st_mode):
        output.seek(0)  # else what asks for the place, as a PDF does, hears of the old end
        output.truncate(0)


def drop_if_empty(output: TextIO) -> None:
    """Remove a file from ``open_output`` that nothing was written to and that held nothing."""
    if output is not sys.stdout and stat.S_ISREG(os.fstat(output.fileno()).st_mode):
        path = Path(output.name)
        if not path.stat().st_size:
            path.unlink()


def _is_file(word: str) -> bool:
    try:
        return not any(map(str.isspace, word)) and Path(word).is_file()
    except (OSError, ValueError):  # too long a name, or one that cannot be
        return False


def _same_file(source: BufferedIOBase | str | Path, output: TextIO) -> bool:
    try:
        one = os.stat(source if isinstance(source, str | Path) else source.fileno())
        other = os.fstat(output.fileno())
    except OSError:  # bytes in memory, or no such file
        return False
    return stat.S_ISREG(one.st_mode) and os.path.samestat(one, other)


class LineReader:
    """The lines of a file or stream, with their ends.

    A byte order mark is no part of the text; it may be one of UTF-16, all other text is UTF-8.
    What is neither is replaced and reported, with the number of its line from 1 on. ``place`` counts
    the bytes of the lines that were given out.
    """

    def __init__(self, source: BufferedIOBase):
        self.place = 0
        self._source = source
        self._utf16 = False
        self._lines: deque[bytes] = deque()  # read, not yet given out

    def __iter__(self) -> Iterator[str]:
        for number, raw in enumerate(self._read(), 1):
            line = self._decoded(raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw, number)
            self.place += 2 * len(line) if self._utf16 else len(raw)
            yield line

    def waits(self) -> bool:
        """Whether reading on would have to wait for whoever writes to the pipe or terminal."""
        if self._lines:
            return False
        try:
            return not select.select([self._source], [], [], 0)[0]
        except (OSError, ValueError):  # no file, or a system that cannot tell
            return False

    def bytes_left(self) -> int | None:
        """Return how many bytes there are to read from here on, None where nobody can know."""
        try:
            state = os.fstat(self._source.fileno())
            return state.st_size - self._source.tell() if stat.S_ISREG(state.st_mode) else None
        except OSError:  # bytes in memory
            return None

    def _decoded(self, raw: bytes, number: int) -> str:
        try:
            line = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            say(f"line {number}: byte {error.start + 1} is not UTF-8, replaced")
            return raw.decode("utf-8", errors="replace")
        if self._utf16 and "\ufffd" in line:
            say(f"line {number}: not all of it is UTF-16, replaced")
        return line

    def _read(self) -> Iterator[bytes]:
        """Yield lines, in UTF-8."""
        unfinished: list[bytes] = []
        for piece in self._pieces():
            whole, newline, rest = piece.rpartition(b"\n")
            if newline:
                self._lines.extend(b"".join([*unfinished, whole]).split(b"\n"))
                unfinished = []
            unfinished.append(rest)
            while self._lines:
                yield self._lines.popleft() + b"\n"
        if last := b"".join(unfinished):
            yield last

    def _pieces(self) -> Iterator[bytes]:
        """Yield what is read, in UTF-8 whatever it was."""
        piece = self._source.read1(_PIECE)
        if piece in (codecs.BOM_UTF16_LE[:1], codecs.BOM_UTF16_BE[:1]):  # a slow pipe
            piece += self._source.read1(_PIECE)
        self._utf16 = piece.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        if not self._utf16:
            while piece:
                yield piece
                piece = self._source.read1(_PIECE)
            return
        decoder = codecs.getincrementaldecoder("utf-16")("replace")
        while piece:
            yield decoder.decode(piece).encode()
            piece = self._source.read1(_PIECE)
        yield decoder.decode(b"", final=True).encode()


def note_wrapped(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines; say once if a sentence seems to go on from one to the next."""
    from bnaparser.text.splitting import goes_on

    previous, noted = "", False
    for number, line in enumerate(lines, 1):
        if not noted and goes_on(previous, line):
            noted = True
            say(
                f"line {number - 1} seems to go on in line {number}, and a line ends a sentence:"
                " for hard-wrapped text give --split text, to keep it so --split paragraph"
            )
        previous = line
        yield line


def numbered(
    groups: Iterable[Iterator[Item]], split: Split
) -> Iterator[Iterator[tuple[Item, int]]]:
    """Number the sentences of running text, and by their lines all others."""
    all_of_them = count(1)
    for number, group in enumerate(groups, 1):
        yield zip(group, all_of_them if split == "text" else repeat(number), strict=False)


def place_name(number: int, split: Split) -> str:
    """Return what a sentence with that number is called where something is said of it."""
    return f"{'sentence' if split == 'text' else 'line'} {number}"


def in_chunks(groups: Iterable[Iterable[Item]], waits: Callable[[], bool]) -> Iterator[list[Item]]:
    """Yield the items of all groups in lists, small ones first, later ``READ_AHEAD`` items each.

    So the first answer comes soon, and who interrupts loses no more work than is done. A list ends
    with a group where ``waits`` says that the next one is not at hand: so a program that writes a
    line and waits for its answer gets it.
    """
    size = _FIRST_CHUNK
    chunk: list[Item] = []
    for group in groups:
        for item in group:
            chunk.append(item)
            if len(chunk) >= size:
                yield chunk
                chunk, size = [], min(2 * size, READ_AHEAD)
        if chunk and waits():
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def answered(
    groups: Iterable[Iterable[Item]],
    reader: LineReader,
    answer: Callable[[list[Item]], Iterable[Answer]],
    progress: bool,
) -> Iterator[Answer]:
    """Yield the answers to all items, which come from ``reader``; ``answer`` has one for each.

    ``progress``: show on a terminal what share of the input is done, and the time left.
    """
    from tqdm import tqdm

    total = reader.bytes_left()
    bar = tqdm(
        total=total,
        unit="B",
        unit_scale=True,
        bar_format=None if total is None else _TIME_LEFT,
        delay=_PROGRESS_AFTER,
        leave=False,
        disable=None if progress else True,
    )
    with bar:
        for chunk in in_chunks(groups, reader.waits):
            yield from answer(chunk)
            bar.update(reader.place - bar.n)
