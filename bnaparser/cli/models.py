"""``bnaparser models``: the models that ship: size, language, licence, scores; others made ours."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from bnaparser.errors import DataError

if TYPE_CHECKING:
    from bnaparser.models.about import About

HEAD = ("model", "size", "language", "licence", "F1")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command that makes a model of another program's ours."""
    commands = parser.add_subparsers(metavar="COMMAND", dest="models_command")
    importing = commands.add_parser(
        "import",
        help="write one of benepar's models as a model folder: safetensors, our settings",
        description="Write one of benepar's models as a model folder: safetensors, our settings.",
    )
    importing.add_argument("source", metavar="SOURCE", help="a folder, a zip or a checkpoint")
    importing.add_argument("target", metavar="DEST", help="the folder to write")
    importing.add_argument(
        "--store", choices=("float32", "float16", "int8"), default="float32",
        help="how weights are stored (default: float32)",
    )  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """List the models that ship, or import one."""
    if options.models_command == "import":
        return _import(options.source, Path(options.target), options.store)
    return _list()


def _import(source: str, target: Path, store: str) -> int:
    from bnaparser import models
    from bnaparser.network import storage

    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise DataError(f"{target} is there already: name another folder")
    storage.save(storage.load(models.find(source)), target, store, {})
    print(f"{target} is written: bnaparse --model {target} ...")
    return 0


def _list() -> int:
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
