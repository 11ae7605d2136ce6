"""What the verbs read and write: files or standard streams, a text a line, answers in order."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from io import BufferedIOBase, BytesIO
from itertools import count, repeat
from pathlib import Path
from typing import TextIO, TypeVar, cast

from bnaparser.cli.console import finishing, say
from bnaparser.encoders.batching import READ_AHEAD
from bnaparser.errors import DataError, SettingsError
from bnaparser.files.compressed import PACKED, unpacked
from bnaparser.files.folder import lock
from bnaparser.files.text_files import OPTION, LineReader
from bnaparser.text.sentence import Split

Item = TypeVar("Item")
Answer = TypeVar("Answer")

# Endings of files that are not written, with the reason.
_NOT_WRITTEN = {
    **dict.fromkeys(PACKED, "the output is not compressed"),
    **dict.fromkeys(
        (".docx", ".doc", ".odt", ".rtf", ".xlsx", ".xls", ".ods", ".zip"),
        "this kind of file is not written",
    ),
}
_FIRST_CHUNK = 16  # items that are answered together at first
_PROGRESS_AFTER = 1.0  # seconds: what takes less needs none
_TIME_LEFT = "{percentage:3.0f} % |{bar:30}| {elapsed} gone, {remaining} left"


@contextmanager
def open_input(path: Path | None) -> Iterator[BufferedIOBase]:
    """Open a file, decompressed as its name says, or take standard input (also ``-``).

    Raises DataError if the file cannot be opened.
    """
    if path is None or str(path) == "-":
        yield standard_input("give text or --input FILE")
        return
    try:
        raw = path.open("rb")
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}") from error
    with raw:
        yield cast(BufferedIOBase, unpacked(raw, path.suffix.lower()))


def read_input(source: BufferedIOBase, path: Path | None, encoding: str | None) -> LineReader:
    """Return the lines of what `open_input` opened; DataError if that is not text."""
    standard = path is None or str(path) == "-"
    return LineReader(source, "standard input" if standard else str(path), encoding, OPTION)


def standard_input(instead: str) -> BufferedIOBase:
    """Return standard input; DataError if it is closed, saying what to do ``instead``."""
    if sys.stdin is None:
        raise DataError(f"standard input is closed: {instead}")
    if sys.stdin.isatty():
        say("reading text from the keyboard, line by line; end with Ctrl-D")
    return cast(BufferedIOBase, sys.stdin.buffer)


def open_words(words: Sequence[str]) -> BufferedIOBase:
    """Return the text that was typed, words with a blank between, as a file would hold it.

    Raises DataError if an argument has bytes that are not UTF-8.
    """
    text = " ".join(words)
    try:
        return BytesIO(text.encode())
    except UnicodeEncodeError as error:
        raise DataError(
            f"the text is not UTF-8 at character {error.start + 1}: write it to a file, and give"
            f" --input FILE {OPTION} NAME"
        ) from None


def refuse_file_names(words: Sequence[str], command: str, doing: str) -> None:
    """Raise SettingsError if all text arguments are names of files."""
    if words and all(_is_file(word) for word in words):
        raise SettingsError(
            f"{words[0]} is a file: to {doing} what is in it: {command} --input {words[0]}"
        )


@contextmanager
def open_output(path: Path | None, *inputs: BufferedIOBase | str | Path | None) -> Iterator[TextIO]:
    """Open a file, or take standard output (also ``-``); each line is written once it is whole.

    A file keeps what it holds until ``empty`` is called; a new one is removed where something fails, or a signal
    ends the command, before anything is written. Raises DataError if it cannot be written, SettingsError if it is
    one of ``inputs``, open or by its name, as well, or if another process writes it.
    """
    if path is None or str(path) == "-":
        if sys.stdout is None:
            raise DataError("standard output is closed: give --output FILE")
        yield sys.stdout
        return
    if path.suffix.lower() in _NOT_WRITTEN:
        raise SettingsError(
            f"{path}: {_NOT_WRITTEN[path.suffix.lower()]}: give the output a name without {path.suffix}"
        )
    is_new = not os.path.lexists(path)
    try:
        file = path.open("a", buffering=1, encoding="utf-8", newline="\n")
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror}") from error

    def close(complete: bool) -> None:
        try:
            file.close()
        finally:
            with suppress(OSError):
                if is_new and not complete and not path.stat().st_size:
                    path.unlink()

    with finishing(close):
        if any(_same_file(source, file) for source in inputs if source is not None):
            raise SettingsError(
                f"{path} is also the input, which would be overwritten: give another output file"
            )
        if is_file(file) and not lock(file.fileno()):
            is_new = False  # it is the other process's
            raise SettingsError(
                f"{path} is being written by another process: give another output file"
            )
        yield file


def is_file(output: TextIO) -> bool:
    """Return whether the result of ``open_output`` is a file, not standard output, a device or a pipe."""
    return output is not sys.stdout and stat.S_ISREG(os.fstat(output.fileno()).st_mode)


def empty(output: TextIO) -> None:
    """Drop what a file from ``open_output`` held before; call it when nothing can go wrong before."""
    if is_file(output):
        output.seek(0)  # else what asks for the place, as a PDF does, hears of the old end
        output.truncate(0)


def drop_if_empty(output: TextIO) -> None:
    """Remove a file from ``open_output`` that nothing was written to and that held nothing."""
    if is_file(output):
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


def note_wrapped(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines; say once if a sentence seems to continue from one to the next."""
    from bnaparser.text.splitting import goes_on

    previous, noted = "", False
    for number, line in enumerate(lines, 1):
        if not noted and goes_on(previous, line):
            noted = True
            say(
                f"the sentence of line {number - 1} seems to continue in line {number}, but is cut at the line break:"
                " use --split text for hard-wrapped text, or --split paragraph to hide this note"
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
    """Return the name of the sentence with this number, for messages."""
    return f"{'sentence' if split == 'text' else 'line'} {number}"


def in_chunks(groups: Iterable[Iterable[Item]], waits: Callable[[], bool]) -> Iterator[list[Item]]:
    """Yield the items of all groups in lists, small ones first, later ``READ_AHEAD`` items each.

    So the first answer comes soon, and who interrupts loses no more work than is done. A list ends
    with a group where ``waits`` says that the next one is not at hand: so a program that writes a
    line and waits for its answer gets it. Where ``groups`` raises an error, the items before the error are yielded first.
    """
    size = _FIRST_CHUNK
    chunk: list[Item] = []
    try:
        for group in groups:
            for item in group:
                chunk.append(item)
                if len(chunk) >= size:
                    yield chunk
                    chunk, size = [], min(2 * size, READ_AHEAD)
            if chunk and waits():
                yield chunk
                chunk = []
    except Exception:
        if chunk:
            yield chunk
        raise
    if chunk:
        yield chunk


def answered(
    groups: Iterable[Iterable[Item]],
    reader: LineReader,
    answer: Callable[[list[Item]], Iterable[Answer]],
    progress: bool,
) -> Iterator[Answer]:
    """Yield the answers to all items, which come from ``reader``; ``answer`` has one for each.

    ``progress``: show on a terminal what fraction of the input is done, and the time left.
    """
    from tqdm import tqdm

    total = reader.size
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
