"""``train`` and ``pretrain`` on the command line: what is missing is said before anything heavy is imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bnaparser.errors import MissingExtraError

RECIPES = Path(__file__).parents[2] / "recipes"
# Runs a command where one package is not installed, and tells whether PyTorch was imported.
WITHOUT = """
import sys
from importlib.machinery import PathFinder

found = PathFinder.find_spec
PathFinder.find_spec = classmethod(
    lambda cls, name, *more: None if name == sys.argv[1] else found(name, *more)
)
from bnaparser.cli import main

code = main(sys.argv[2:])
print("torch" in sys.modules)
sys.exit(code)
"""


@pytest.mark.parametrize(
    ("package", "verb", "recipe", "extra"),
    [
        ("seqeval", "train", "tasks/cola.toml", "train"),
        ("datasets", "pretrain", "pretrain/two-minutes.toml", "pretrain"),
    ],
)
def test_a_missing_extra_is_told_before_anything_heavy_is_imported(
    tmp_path: Path, package: str, verb: str, recipe: str, extra: str
) -> None:
    """It took 13 seconds."""
    command = [verb, str(RECIPES / recipe), "--output", str(tmp_path / "run")]
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, package, *command],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr == f"bnaparser {verb}: {MissingExtraError(package, extra)}\n"
    assert done.stdout == "False\n"
    assert not (tmp_path / "run").exists()
