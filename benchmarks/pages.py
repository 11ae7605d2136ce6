"""What pages of trainings have in common: kept rows, cells of means, and notes that were written by hand."""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def notes(page: Path) -> str:
    """Return what was written by hand below the figures of the page that there is."""
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    return "".join(text.partition("\n## Notes\n")[1:])


def kept_rows(file: Path, page: Path) -> list[dict[str, Any]]:
    """Return the lines of JSON of what is done: those of ``file`` or, where there is none, beside the page."""
    for place in (file, page.with_suffix(".jsonl")):
        if place.is_file():
            return [json.loads(line) for line in place.read_text(encoding="utf-8").splitlines()]
    return []


def keep_row(file: Path, row: dict[str, Any]) -> None:
    """Add the line of one that is done, in one piece: others may add theirs at the same time."""
    with file.open("ab", buffering=0) as lines:
        lines.write(f"{json.dumps(row)}\n".encode())


def write_page(page: Path, figures: str, rows: Sequence[dict[str, Any]]) -> None:
    """Write a page's figures above the notes that it has, and beside it the rows; show both."""
    text = figures + notes(page)
    page.write_text(text, encoding="utf-8")
    lines = [json.dumps(row) + "\n" for row in rows]
    page.with_suffix(".jsonl").write_text("".join(lines), encoding="utf-8")
    print(text)


def spread(values: Sequence[float], digits: int = 2) -> str:
    """Return a cell: the mean and, of several, the standard deviation; empty without any."""
    if not values:
        return ""
    mean = f"{statistics.fmean(values):.{digits}f}"
    return f"{mean} ± {statistics.stdev(values):.{digits}f}" if values[1:] else mean
