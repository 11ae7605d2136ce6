"""``bnaparser models``: the models that ship: size, language, licence, scores."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bnaparser.models.about import About

HEAD = ("model", "size", "language", "licence", "F1")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add no options: there are none."""


def run(options: argparse.Namespace) -> int:
    """Print a line a model in columns, and how to use them and read more."""
    from bnaparser import models
    from bnaparser.models.about import about

    rows = [HEAD, *(_row(about(models.find(name))) for name in models.shipped())]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        print("  ".join(cells).rstrip())
    print(
        '\nbnaparse --model en "It rained."; bnaparser classify --model sst2 "It rained.";'
        f" each model's terms are in LICENSE, all else in card.md below {models.SHIPPED}"
    )
    return 0


def _row(model: About) -> tuple[str, ...]:
    scores = ", ".join(f"{test} {f1:.2f}" for test, f1 in model.f1.items())
    size = f"{model.size_bytes / 1e6:.0f} MB"
    return model.name, size, model.language, model.license, scores
