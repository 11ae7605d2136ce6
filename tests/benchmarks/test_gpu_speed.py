"""benchmarks/speed/run_gpu.py: it runs on any device, and its page has a row a precision and size of batch."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.speed import run_gpu

TREES = Path(__file__).parents[1] / "data" / "tiny.mrg"


def test_it_writes_its_page(
    tiny_model_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = ["--trees", str(TREES), "--model", str(tiny_model_dir), "--device", "cpu"]
    given += ["--sentences", "8", "--batch-tokens", "50,500", "--repeats", "1"]
    monkeypatch.setattr(sys, "argv", ["run_gpu", *given, "--output", str(tmp_path)])
    run_gpu.main()
    rows = (tmp_path / "gpu.md").read_text(encoding="utf-8").splitlines()[-4:]
    names = [tuple(cell.strip() for cell in row.split("|")[1:3]) for row in rows]
    assert names == [
        (precision, size) for precision in run_gpu.PRECISIONS for size in ("50", "500")
    ]
    assert [row.split("|")[-2].strip() for row in rows[:2]] == ["8 of 8"] * 2
