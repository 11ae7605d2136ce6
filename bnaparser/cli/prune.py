"""``bnaparser prune``: an encoder or a parser with fewer layers, or only the word pieces that a text uses often."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from bnaparser.cli.arguments import typed_path
from bnaparser.cli.quiet import quiet_libraries
from bnaparser.errors import DataError, ModelError, SettingsError
from bnaparser.files.folder import LABELS, check_new, new_folder
from bnaparser.files.temporary import temporary_folder

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

    from bnaparser.trees.tree import Tree


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the encoder, the new folder, and what is to be smaller."""
    parser.add_argument(
        "encoder",
        metavar="ENCODER",
        help="a Hugging Face folder or hub name, or a parser's name or folder",
    )
    parser.add_argument("output", type=Path, metavar="DIR")
    parser.add_argument(
        "--text",
        nargs="+",
        metavar="FILE",
        help="text or trees (.mrg, or on a line that begins with (TOP (), plain or .xz, that tell what"
        " is used",
    )
    parser.add_argument("--size", type=int, metavar="N", help="word pieces to keep")
    parser.add_argument("--layers", type=int, metavar="N", help="layers to keep, the lowest ones")


def run(options: argparse.Namespace) -> int:
    """Write the smaller encoder or parser."""
    if options.size is None and options.layers is None:
        raise SettingsError("what is to be smaller? --size N --text FILE, or --layers N, or both")
    if (options.size is None) != (options.text is None):
        raise SettingsError(
            "--size and --text belong together: the pieces used most often are kept"
        )
    for name in ("size", "layers"):
        if getattr(options, name) is not None and getattr(options, name) < 1:
            raise SettingsError(f"--{name} {getattr(options, name)}: it must be at least 1")
    check_new(options.output)
    quiet_libraries()
    from bnaparser import models
    from bnaparser.models.packages import find_installed

    name = options.encoder
    if name in models.shipped() or find_installed(name) is not None:
        options.encoder = str(models.find(name))
    if Path(options.encoder).is_file():
        given = typed_path(Path(options.encoder))
        raise SettingsError(
            f"{name} is a file: give a folder ('bnaparser models import {given} FOLDER' makes one of a model's zip)"
        )
    kind = _prune_parser if (Path(options.encoder) / LABELS).is_file() else _prune_encoder
    kept = kind(options)
    if kept is not None:
        print(f"{kept:.2%} of the pieces in the text are kept")
    return 0


def _prune_encoder(options: argparse.Namespace) -> float | None:
    from bnaparser.encoders.loading import load_pretrained, load_tokenizer, save_tokenizer
    from bnaparser.encoders.vocabulary import prune_vocabulary
    from bnaparser.files.tensors import writing

    tokenizer = load_tokenizer(options.encoder)
    counts = None if options.size is None else _count(tokenizer, options.text)
    model = load_pretrained(options.encoder, layers=options.layers)
    with new_folder(options.output) as folder:
        if counts is not None:
            return prune_vocabulary(model, tokenizer, counts, options.size, folder)
        with writing(folder):
            model.save_pretrained(folder)
        save_tokenizer(tokenizer, folder)
    return None


def _prune_parser(options: argparse.Namespace) -> float | None:
    from bnaparser.encoders.loading import load_tokenizer
    from bnaparser.encoders.pretrained import PretrainedEncoder
    from bnaparser.encoders.vocabulary import prune_vocabulary
    from bnaparser.network import storage
    from bnaparser.network.model import build_subwords

    model = storage.load(options.encoder)
    if not isinstance(model.encoder, PretrainedEncoder) or model.subwords is None:
        raise ModelError(f"{options.encoder} reads characters: it has nothing to prune")
    kept = None
    if options.layers is not None:
        model.encoder.keep_lowest(options.layers)
        model.settings = model.settings.with_layers(options.layers)
    if options.size is not None:
        tokenizer = model.subwords.tokenizer
        counts = _count(tokenizer, options.text)
        with temporary_folder() as encoder:
            kept = prune_vocabulary(model.encoder.model, tokenizer, counts, options.size, encoder)
            model.subwords = build_subwords(model.encoder, load_tokenizer(encoder), model.settings)
    with new_folder(options.output) as folder:
        storage.save(model, folder, "float32", {"pruned from": options.encoder})
    return kept


def _count(tokenizer: PreTrainedTokenizerBase, paths: list[str]) -> Counter[int]:
    from bnaparser.encoders.vocabulary import count_subwords

    counts = count_subwords(tokenizer, _lines(paths))
    if not counts:
        raise DataError(f"{', '.join(paths)}: no text in it, so no piece is worth keeping")
    return counts


def _lines(paths: list[str]) -> Iterator[str]:
    """Yield the lines of texts, and of each tree the words as a text has them.

    Trees are what a file of trees by its name holds, and lines that begin with their root.
    """
    from bnaparser.files.compressed import ending
    from bnaparser.treebanks.lines import read_lines
    from bnaparser.treebanks.reading import TREE_FILES, read_trees
    from bnaparser.trees.tree import parse_trees_with_places

    for path in paths:
        if ending(Path(path)) in TREE_FILES:
            yield from map(_text, read_trees(path))
            continue
        for number, line in enumerate(read_lines(path), 1):
            if line.startswith("(TOP ("):
                for tree, _ in parse_trees_with_places([line], path, number):
                    yield _text(tree)
            else:
                yield line


def _text(tree: Tree) -> str:
    """Return the words of a tree as a text has them, without traces; empty where there are none."""
    from bnaparser.trees.cleaning import clean
    from bnaparser.trees.escapes import unescape

    cleaned = clean(tree)
    return "" if cleaned is None else " ".join(map(unescape, cleaned.words))
