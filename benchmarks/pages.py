"""Pages that a benchmark writes anew each time: what was written by hand stays."""

from __future__ import annotations

from pathlib import Path


def notes(page: Path) -> str:
    """Return what was written by hand below the figures of the page that there is."""
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    return "".join(text.partition("\n## Notes\n")[1:])
