"""The speed of models beside each other: the table, of a model that is compared with itself."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.speed import run_models
from bnaparser import models

HAVE_EN = (models.SHIPPED / "en" / "model.safetensors").is_file()


def test_rows_are_compared_with_the_first_model() -> None:
    assert run_models.rows({"en": 6.0, "small": 1.5}, "int8", 1, 300) == [
        "| `en` | int8 | 1 | 50 | 20.0 | 1.0 |",
        "| `small` | int8 | 1 | 200 | 5.0 | 4.0 |",
    ]


@pytest.mark.skipif(not HAVE_EN, reason="models/en is not checked out")
def test_the_whole_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trees = Path(__file__).parent.parent / "data" / "tiny.mrg"
    given = ["--trees", str(trees), "--models", "en", "--threads", "1", "--sentences", "3"]
    given += ["--repeats", "1", "--output", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["run_models", *given])
    run_models.main()
    page = (tmp_path / "models.md").read_text(encoding="utf-8")
    assert "the first 3 sentences of `tiny.mrg`" in page
    assert page.count("| 1.0 |\n") == 2
    assert str(tmp_path) not in page
