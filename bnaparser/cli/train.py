"""``bnaparser train``: a recipe in, a model folder out."""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path

from bnaparser.cli.quiet import quiet_libraries


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the recipe, where to write, and settings that override the recipe's."""
    parser.add_argument("recipe", type=Path, metavar="RECIPE.toml")
    parser.add_argument(
        "--output",
        type=Path,
        metavar="DIR",
        help="checkpoints, logs and the model (default: runs/NAME)",
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="TABLE.KEY=VALUE", help="override a setting"
    )
    parser.add_argument("--fresh", action="store_true", help="start over instead of resuming")


def run(options: argparse.Namespace) -> int:
    """Train; the best model is in OUTPUT/model. An interrupted run is resumed by the same command."""
    quiet_libraries()
    logging.basicConfig(
        stream=sys.stderr,
        level=logging.WARNING,
        format="%(asctime)s %(message)s",
        datefmt="%H:%M:%S",
    )
    logging.getLogger("bnaparser").setLevel(logging.INFO)
    from bnaparser.config import load_recipe
    from bnaparser.train import train

    recipe = load_recipe(options.recipe, tuple(options.set))
    output = options.output or Path("runs") / options.recipe.stem
    progress = train(recipe, output, fresh=options.fresh)
    print(
        f"best development F1 {progress.best_f1:.2f} at update {progress.best_update}: {output}/model"
    )
    return 0
