"""``bnaparser prune``: an encoder with only the word pieces that a text uses often."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from bnaparser.cli.quiet import quiet_libraries


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the encoder, the new folder, the text that counts, and the size."""
    parser.add_argument("encoder", metavar="ENCODER", help="a Hugging Face folder or hub name")
    parser.add_argument("output", type=Path, metavar="DIR")
    parser.add_argument(
        "--text", nargs="+", required=True, metavar="FILE", help="text or trees, plain or .xz"
    )
    parser.add_argument("--size", type=int, required=True, metavar="N", help="word pieces to keep")


def run(options: argparse.Namespace) -> int:
    """Count pieces in the texts and write the smaller encoder."""
    quiet_libraries()
    from bnaparser.encoder import load_pretrained, load_tokenizer
    from bnaparser.vocabulary import count_pieces, prune_vocabulary

    tokenizer = load_tokenizer(options.encoder)
    counts = count_pieces(tokenizer, _lines(options.text))
    model = load_pretrained(options.encoder)
    kept = prune_vocabulary(model, tokenizer, counts, options.size, options.output)
    print(f"{kept:.2%} of the pieces in the text are kept")
    return 0


def _lines(paths: list[str]) -> Iterator[str]:
    """Yield the lines of texts, and of trees their words as a text would write them."""
    from bnaparser.escapes import unescape
    from bnaparser.tree import Tree
    from bnaparser.treebank import read_lines

    for path in paths:
        for line in read_lines(path):
            is_tree = line.startswith("(TOP ")
            yield " ".join(map(unescape, Tree.parse(line).words)) if is_tree else line
