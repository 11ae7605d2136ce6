"""benchmarks/speed/run_chart.py: it runs, and its page has every answer beside the best tree."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.speed import run_chart


def test_it_writes_its_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_chart, "SENTENCES", 2)
    given = ["--labels", "4", "--rounds", "1", "--longest", "20", "--output", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["run_chart", *given])
    run_chart.main()
    page = (tmp_path / "chart.md").read_text(encoding="utf-8")
    assert "| best tree | " in page and " | 1.00 | 1.00 |" in page
    for name in ("10 best trees", "probabilities", "least expected error", "constrained"):
        assert name in page
    assert "A fresh process: " in page
