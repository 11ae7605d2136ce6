"""What all files of examples have in common: lines, plain or packed, and the classes that they name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bnaparser.errors import DataError
from bnaparser.files.compressed import open_compressed
from bnaparser.tasks.task_settings import TaskFile


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines of a file, plain or packed, without their ends.

    Raises DataError where it is missing or damaged, or a line is not UTF-8.
    """
    number = 0
    try:
        with open_compressed(path) as raw:
            for number, line in enumerate(raw, 1):
                line = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
                yield number, line.rstrip(b"\r\n").decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"{path}:{number}: byte {error.start + 1} is not UTF-8") from error


def class_of(label: str, file: TaskFile, place: str) -> str | None:
    """Return the class that a file's label stands for; None where it leaves the example out.

    Raises DataError where the label is empty, or none that the recipe names.
    """
    label = label.strip()
    if label in file.drop:
        return None
    if not file.labels:
        if not label:
            raise DataError(f"{place}: the label is empty")
        return label
    if label not in file.labels:
        known = ", ".join([*file.labels, *file.drop])
        raise DataError(f"{place}: the label {label!r} is none of the recipe's: {known}")
    return file.labels[label]
