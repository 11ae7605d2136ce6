"""Train a recipe of ``recipes/languages/`` with one command, which goes on where it was when given again.

``python -m benchmarks.languages.train_language TREEBANKS E5 NAME [--output runs] [--set ...]``: TREEBANKS is
the folder of the treebanks, E5 that of e5-small-multilingual (or any encoder), NAME the recipe's. The
encoder's vocabulary is pruned to the treebanks' training parts and written to ``runs/NAME/encoder``,
the model to ``runs/NAME/model``. For a recipe that fine-tunes a model, ``--start MODEL`` names that model:
its encoder gets the pruned vocabulary (the embeddings of subwords that it lacks are those of E5) and is
written to ``runs/NAME/start``.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from pathlib import Path
from typing import Any

from transformers import AutoModel, AutoTokenizer

from bnaparser import cli
from bnaparser.encoders.pretrained import PretrainedEncoder
from bnaparser.models import find
from bnaparser.network import storage
from bnaparser.network.model import build_subwords

RECIPES = Path("recipes/languages")
SIZES = {"seven": 28_000, "multi": 36_000}
"""The number of subwords to keep, where it is not ``SIZE``, by the name up to its hyphen."""
SIZE = 16_000


def with_paths(sources: list[dict[str, Any]], treebanks: Path) -> str:
    """Return the sources of a recipe as TOML writes them, with the folder of the treebanks."""
    tables = []
    for source in sources:
        moved = {**source, "path": source["path"].replace("TREEBANKS", str(treebanks))}
        tables.append(", ".join(f"{key} = {json.dumps(value)}" for key, value in moved.items()))
    return f"[{', '.join(f'{{ {table} }}' for table in tables)}]"


def widen_vocabulary(start: Path, encoder: Path, output: Path) -> None:
    """Write the model ``start`` to ``output`` with the vocabulary of ``encoder``, which its own was pruned from.

    Subwords keep the embeddings that the model has for them; the other subwords get the encoder's.
    """
    model = storage.load(start)
    assert isinstance(model.encoder, PretrainedEncoder) and model.subwords is not None
    network = model.encoder.model
    wide = AutoModel.from_pretrained(encoder)
    tokenizer = AutoTokenizer.from_pretrained(encoder)
    places, known = tokenizer.get_vocab(), model.subwords.tokenizer.get_vocab()
    shared = [subword for subword in places if subword in known]
    table = wide.get_input_embeddings().weight.detach().clone()
    old = network.get_input_embeddings().weight.detach()
    table[[places[subword] for subword in shared]] = old[[known[subword] for subword in shared]]
    network.resize_token_embeddings(len(table))
    network.get_input_embeddings().weight.data.copy_(table)
    network.config.pad_token_id = tokenizer.pad_token_id
    model.subwords = build_subwords(model.encoder, tokenizer, model.settings)
    storage.save(model, output, "float32", {})


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("treebanks", type=Path, metavar="TREEBANKS")
    parser.add_argument("encoder", metavar="E5")
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--output", type=Path, default=Path("runs"))
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--start", metavar="MODEL", help="for a recipe that fine-tunes: its folder")
    options = parser.parse_args()
    recipe = RECIPES / f"{options.name}.toml"
    train = tomllib.loads(recipe.read_text(encoding="utf-8"))["train"]
    if ("start" in train) != (options.start is not None):
        parser.error(f"{recipe} {'needs' if 'start' in train else 'takes no'} --start MODEL")
    output = options.output / options.name
    encoder, start = output / "encoder", output / "start"
    if not (encoder / "tokenizer.json").is_file():
        texts = [
            source["path"].replace("TREEBANKS", str(options.treebanks)) for source in train["data"]
        ]
        size = str(SIZES.get(options.name.partition("-")[0], SIZE))
        pruning = ["prune", options.encoder, str(encoder), "--size", size, "--text", *texts]
        if code := cli.main(pruning):
            return code
    if options.start is None:
        sets = [f'encoder.name="{encoder}"', *options.set]
    else:
        if not (start / "metrics.json").is_file():
            widen_vocabulary(find(options.start), encoder, start)
        sets = [f'train.start="{start}"', *options.set]
    sets += [
        f"train.{part}={with_paths(train[part], options.treebanks)}" for part in ("data", "dev")
    ]
    arguments = [word for one in sets for word in ("--set", one)]
    return cli.main(["train", str(recipe), "--output", str(output), *arguments])


if __name__ == "__main__":
    sys.exit(main())
