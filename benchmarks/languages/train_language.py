"""Train a recipe of ``recipes/languages/`` with one command, which goes on where it was when given again.

``python -m benchmarks.languages.train_language TREEBANKS E5 NAME [--output runs] [--set ...]``: TREEBANKS is
the folder of the treebanks, E5 that of e5-small-multilingual (or any encoder), NAME the recipe's. The
encoder's vocabulary is pruned to the treebanks' training parts and written to ``runs/NAME/encoder``,
the model to ``runs/NAME/model``. For a recipe that fine-tunes a model, E5 is the name or folder of that model.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from pathlib import Path
from typing import Any

from bnaparser import cli

RECIPES = Path("recipes/languages")
SIZES = {"seven": 28_000}
"""Word pieces to keep, where they are others than ``SIZE``."""
SIZE = 16_000


def with_paths(sources: list[dict[str, Any]], treebanks: Path) -> str:
    """Return the sources of a recipe as TOML writes them, with the folder of the treebanks."""
    tables = []
    for source in sources:
        moved = {**source, "path": source["path"].replace("TREEBANKS", str(treebanks))}
        tables.append(", ".join(f"{key} = {json.dumps(value)}" for key, value in moved.items()))
    return f"[{', '.join(f'{{ {table} }}' for table in tables)}]"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("treebanks", type=Path, metavar="TREEBANKS")
    parser.add_argument("encoder", metavar="E5")
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--output", type=Path, default=Path("runs"))
    parser.add_argument("--set", action="append", default=[])
    options = parser.parse_args()
    recipe = RECIPES / f"{options.name}.toml"
    train = tomllib.loads(recipe.read_text(encoding="utf-8"))["train"]
    output = options.output / options.name
    encoder = output / "encoder"
    if "start" in train:
        sets = [f'train.start="{options.encoder}"', *options.set]
    elif not (encoder / "tokenizer.json").is_file():
        texts = [
            source["path"].replace("TREEBANKS", str(options.treebanks)) for source in train["data"]
        ]
        size = str(SIZES.get(options.name, SIZE))
        pruning = ["prune", options.encoder, str(encoder), "--size", size, "--text", *texts]
        if code := cli.main(pruning):
            return code
    if "start" not in train:
        sets = [f'encoder.name="{encoder}"', *options.set]
    sets += [
        f"train.{part}={with_paths(train[part], options.treebanks)}" for part in ("data", "dev")
    ]
    arguments = [word for one in sets for word in ("--set", one)]
    return cli.main(["train", str(recipe), "--output", str(output), *arguments])


if __name__ == "__main__":
    sys.exit(main())
