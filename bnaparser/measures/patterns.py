"""A user's own patterns, in a file: a name and a pattern a line; each name is a column of the table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from bnaparser.errors import DataError
from bnaparser.files.text_files import open_text
from bnaparser.trees.search.parsing import PatternError
from bnaparser.trees.search.pattern import Pattern

Patterns = Mapping[str, tuple[Pattern, ...]]
"""Of each name its patterns: what they find is added up."""

_LINE = re.compile(r"([^\W\d][\w./-]*)\s*=\s*(.*)")


def read_patterns(path: Path | str, taken: Iterable[str] = ()) -> dict[str, tuple[Pattern, ...]]:
    """Read a file of patterns: ``name = pattern`` a line.

    A line that begins with a blank continues with the one before; empty lines and those that begin with ``#``
    are passed over. Where a name stands on several lines, what its patterns find is added up.

    Args:
        path: The file.
        taken: Names that are columns already.

    Raises:
        DataError: with file and line, where a line is no name with a pattern, or a pattern cannot be read.
    """
    found: dict[str, tuple[Pattern, ...]] = {}
    reserved = frozenset(taken)
    for number, line in _joined(Path(path)):
        read = _LINE.fullmatch(line)
        if read is None or not read[2]:
            raise DataError(
                f"{path}:{number}: {line!r} is not NAME = PATTERN: write a line such as"
                " relative = SBAR < /^WH/ > NP"
            )
        name, text = read[1], read[2]
        if name in reserved:
            raise DataError(
                f"{path}:{number}: {name} is the name of a column of the table: choose another name"
            )
        try:
            found[name] = (*found.get(name, ()), Pattern(text))
        except PatternError as error:
            raise DataError(
                f"{path}:{number}: the pattern {text!r}, character {error.column}: {error.message}"
            ) from None
    if not found:
        raise DataError(
            f"{path}: the file holds no pattern: write a line such as relative = SBAR < /^WH/ > NP"
        )
    return found


def _joined(path: Path) -> list[tuple[int, str]]:
    """The lines of a file that say something, lines that continue joined, each with its number."""
    joined: list[tuple[int, str]] = []
    with open_text(path) as lines:
        for number, line in enumerate(lines, 1):
            text = line.rstrip()
            if not text.strip() or text.lstrip().startswith("#"):
                continue
            if text[0].isspace() and joined:
                joined[-1] = joined[-1][0], f"{joined[-1][1]} {text.strip()}"
            else:
                joined.append((number, text.strip()))
    return joined
