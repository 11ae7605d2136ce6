"""``bnaparser models``: the models that ship, their size and their scores."""

from __future__ import annotations

import argparse
import json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add no options: there are none."""


def run(options: argparse.Namespace) -> int:
    """Print a line a model: name, megabytes on disk, scores from its metrics.json."""
    from bnaparser import models

    for name in models.shipped():
        folder = models.find(name)
        size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
        metrics = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))
        shown = ", ".join(
            f"{key} {value:.2f}" for key, value in metrics.items() if isinstance(value, float)
        )
        print(f"{name}\t{size / 1e6:.1f} MB\t{shown}\t{folder}")
    return 0
