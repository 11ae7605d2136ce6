"""What all files of examples have in common: lines, plain or packed, and the classes that they name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bnaparser.errors import DataError
from bnaparser.files.text_files import open_text
from bnaparser.tasks.settings import TaskFile


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines of a file, plain or packed, without their ends.

    Raises DataError where it is missing, damaged or not text in UTF-8.
    """
    with open_text(path) as lines:
        for number, line in enumerate(lines, 1):
            yield number, line.rstrip("\r\n")


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
