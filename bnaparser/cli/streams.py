"""What the verbs read and write: files or standard streams, a text a line, answers in order."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import BinaryIO, TextIO, TypeVar

from bnaparser.errors import DataError

Answer = TypeVar("Answer")


def open_input(path: Path | None) -> BinaryIO | nullcontext[BinaryIO]:
    """Open a file, or take standard input; DataError where it cannot be read."""
    if path is None:
        return nullcontext(sys.stdin.buffer)
    try:
        return path.open("rb")
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}") from error


def open_output(path: Path | None) -> TextIO | nullcontext[TextIO]:
    """Open a file, or take standard output, as UTF-8; DataError where it cannot be written."""
    if path is None:
        if hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(encoding="utf-8", newline="\n")
        return nullcontext(sys.stdout)
    try:
        return path.open("w", encoding="utf-8", newline="\n")
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror}") from error


def numbered_lines(source: BinaryIO) -> Iterator[tuple[int, str]]:
    """Yield numbered lines without their ends; bytes that are not UTF-8 are replaced and reported."""
    from tqdm import tqdm

    bar = tqdm(source, unit=" lines", disable=None, leave=False)
    for number, raw in enumerate(bar, 1):
        raw = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
        raw = raw.rstrip(b"\r\n")
        try:
            yield number, raw.decode("utf-8")
        except UnicodeDecodeError as error:
            print(
                f"bnaparser: line {number}: byte {error.start + 1} is not UTF-8, replaced",
                file=sys.stderr,
            )
            yield number, raw.decode("utf-8", errors="replace")


def answer_lines(
    source: BinaryIO, answer: Callable[[Iterator[str]], Iterable[Answer]]
) -> Iterator[tuple[int, Answer | None]]:
    """Yield every line's number and answer, None for a blank one, reading no further than ``answer``.

    ``answer`` takes lines and gives an answer for each, in order. Blank lines are passed around
    it: ``blank`` holds the numbers of those that were read and not yet given out.
    """
    blank: list[int] = []

    def lines() -> Iterator[str]:
        for number, line in numbered_lines(source):
            if line.strip():
                yield line
            else:
                blank.append(number)

    number = 0
    for found in answer(lines()):
        number += 1
        while blank and blank[0] == number:
            yield blank.pop(0), None
            number += 1
        yield number, found
    yield from ((number, None) for number in blank)
