"""benchmarks/speed/run_long_input.py: it runs with a model folder, and its page has a row a length."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.speed import run_long_input


def test_it_writes_its_page(
    tiny_model_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_long_input, "WAYS", {"best tree": {}})
    given = ["--words", "20", "--model", str(tiny_model_dir)]
    monkeypatch.setattr(sys, "argv", ["run_long_input", *given, "--output", str(tmp_path)])
    run_long_input.main()
    page = (tmp_path / "long_input.md").read_text(encoding="utf-8")
    assert "| best tree | 20 | " in page
