"""``bnaparser ensemble``: parse text with several parsers whose scores are averaged."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from bnaparser.cli.arguments import (
    DEVICE_HELP,
    OUTPUT_HELP,
    QUIET_HELP,
    SPLIT_HELP,
    add_encoding,
    add_examples,
)
from bnaparser.cli.console import SOME_FAILED, SUCCESS, quiet_libraries, say
from bnaparser.cli.streams import (
    answered,
    empty,
    in_chunks,
    numbered,
    open_input,
    open_output,
    place_name,
    read_input,
)
from bnaparser.errors import SettingsError
from bnaparser.files.text_files import LineReader
from bnaparser.text.sentence import SPLITS, Split

if TYPE_CHECKING:
    from bnaparser.parsing.ensemble import Ensemble
    from bnaparser.parsing.result import Parse
    from bnaparser.text.sentence import Sentence

EXAMPLES = """\
  bnaparser ensemble en runs/one/model runs/two/model -i text.txt -o silver.mrg
  bnaparser ensemble en runs/one/model --trees dev.mrg -o predicted.mrg"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the models, their weights, the input and the output."""
    parser.add_argument(
        "models", nargs="+", metavar="MODEL", help="names or folders of two parsers or more"
    )
    parser.add_argument(
        "--weights",
        nargs="+",
        type=float,
        metavar="X",
        help="weight of each model (default: equal weights)",
    )
    parser.add_argument(
        "-i",
        "--input",
        type=Path,
        metavar="FILE",
        help="text file (also .gz, .xz, .bz2, .zst); - is standard input (default: standard input)",
    )
    add_encoding(parser)
    parser.add_argument(
        "--trees", metavar="FILE", help="parse the words of the trees in this file instead of text"
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help=OUTPUT_HELP)
    parser.add_argument(
        "--split", choices=SPLITS, default="paragraph",
        help=SPLIT_HELP,
    )  # fmt: skip
    parser.add_argument(
        "--language", metavar="CODE", help="language of the text, if a model knows several"
    )
    parser.add_argument("--device", help=DEVICE_HELP)
    parser.add_argument("-q", "--quiet", action="store_true", help=QUIET_HELP)
    add_examples(parser, EXAMPLES)


def run(options: argparse.Namespace) -> int:
    """Write one tree per line, an empty line for a sentence without a tree; return 1 if there is one."""
    if options.trees is not None and options.input is not None:
        raise SettingsError("give either --input or --trees, not both")
    quiet_libraries()
    from bnaparser.parsing.ensemble import Ensemble
    from bnaparser.treebanks.reading import list_files

    # A wrong name is known before the output is emptied.
    trees = [] if options.trees is None else list_files(options.trees)
    with ExitStack() as stack:
        source = reader = None
        if options.trees is None:
            source = stack.enter_context(open_input(options.input))
            reader = read_input(source, options.input, options.encoding)
        output = stack.enter_context(open_output(options.output, options.input, source, *trees))
        ensemble = Ensemble.load(options.models, options.weights, options.device, options.language)
        empty(output)
        if reader is None:
            return _write(_of_trees(ensemble, trees), output)
        progress = not (options.quiet or output.isatty())
        return _write(_of_text(ensemble, reader, options.split, progress), output)


def _of_text(
    ensemble: Ensemble, reader: LineReader, split: Split, progress: bool
) -> Iterator[tuple[str, Parse | None]]:
    """Yield each sentence's parse with its place; None for an empty line."""
    from bnaparser.text.splitting import split_lines

    def answer(chunk: list[tuple[Sentence, int]]) -> Iterator[tuple[str, Parse | None]]:
        found = iter(ensemble.parse_sentences([one for one, _ in chunk if one.words]))
        for one, number in chunk:
            yield place_name(number, split), next(found) if one.words else None

    sentences = split_lines(reader, split, ensemble.text)
    return answered(numbered(sentences, split), reader, answer, progress)


def _of_trees(ensemble: Ensemble, files: list[Path]) -> Iterator[tuple[str, Parse]]:
    """Yield the parses of the words of the files' trees, cleaned as for `bnaparser evaluate`."""
    from bnaparser.text.sentence import from_words
    from bnaparser.treebanks.reading import read_trees
    from bnaparser.trees.cleaning import clean

    cleaned = (clean(tree) for tree in read_trees(files))
    sentences: Iterator[list[Sentence]] = (
        [from_words(tree.words)] for tree in cleaned if tree is not None
    )
    chunks = in_chunks(sentences, lambda: False)
    parses = chain.from_iterable(map(ensemble.parse_sentences, chunks))
    return ((f"sentence {number}", parse) for number, parse in enumerate(parses, 1))


def _write(parses: Iterable[tuple[str, Parse | None]], output: TextIO) -> int:
    code = SUCCESS
    for place, parse in parses:
        tree = None if parse is None else parse.tree
        if parse is not None and parse.error is not None:
            say(f"{place}: {parse.error}")
            code = SOME_FAILED
        output.write(f"{tree or ''}\n")
    return code
