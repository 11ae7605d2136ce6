"""The glossary is that of the code."""

from __future__ import annotations

import importlib.util
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_is_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("glossary_page", DOCS / "glossary_page.py")
    assert spec is not None and spec.loader is not None
    writer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(writer)
    assert (DOCS / "glossary.md").read_text(encoding="utf-8") == writer.page(), (
        "python docs/glossary_page.py writes the page anew"
    )
