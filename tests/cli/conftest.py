"""``bnaparse`` on a tiny model, in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bnaparser.cli.parse import main as bnaparse

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tiny_model_dir: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run ``bnaparse`` in this process; returns exit code, standard output, standard error."""

    def call(*arguments: str) -> tuple[int, str, str]:
        code = bnaparse([*arguments, "--model", str(tiny_model_dir), "--device", "cpu"])
        out, err = capsys.readouterr()
        return code, out, err

    return call
