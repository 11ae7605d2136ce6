"""``bnaparser draw FILE`` and ``bnaparser convert FILE --to FORMAT``: write existing trees as pictures or in other formats."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from bnaparser.cli.arguments import OUTPUT_HELP, add_encoding, add_examples
from bnaparser.cli.console import SUCCESS, USAGE, say
from bnaparser.cli.formats import FORMATS, PICTURES, OfFile, described, format_by_name, writer
from bnaparser.cli.streams import open_output, standard_input
from bnaparser.errors import DataError, SettingsError, TreeError
from bnaparser.files.text_files import OPTION, LineReader
from bnaparser.treebanks.formats import Found, TreeOptions
from bnaparser.treebanks.parse_files import find_parsed, in_stream, list_parse_files
from bnaparser.trees.search.parsing import PatternError
from bnaparser.trees.search.pattern import Unseen, compiled
from bnaparser.trees.tree import parse_trees_with_places

DRAW_EXAMPLES = """\
  bnaparser draw trees.mrg
  bnaparser draw trees.mrg -o trees.pdf
  bnaparser draw trees.mrg --sentences 3,7-9 -o tree.svg      # tree-3.svg, tree-7.svg, ...
  bnaparser draw trees.mrg --fold 'NP !<< NP' -o trees.png
  bnaparser draw '[S [NP This] [VP [V is] [NP a wug]]]' -o wug.svg"""
CONVERT_EXAMPLES = """\
  bnaparser convert trees.mrg --to conllu -o trees.conllu
  bnaparser convert tiger.xml --to mrg
  bnaparser convert parses.jsonl --to latex --sentences 3,7-9
  bnaparser treebank raw.mrg -o - | bnaparser convert --to export     # without traces"""

_RANGE = re.compile(r"(\d+)(?:(-)(\d*))?", re.ASCII)
_ENDLESS = sys.maxsize - 1  # the last of a range without an end


def add_draw_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``draw``."""
    _add_arguments(parser)
    parser.add_argument(
        "-f",
        "--format",
        choices=PICTURES,
        help=f"output format. {described(PICTURES)} (default: by the ending of --output, else draw)",
    )
    add_examples(parser, DRAW_EXAMPLES)


def add_convert_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``convert``."""
    _add_arguments(parser)
    parser.add_argument(
        "--to",
        dest="format",
        choices=tuple(FORMATS),
        metavar="FORMAT",
        help=f"output format. {described()} (default: by the ending of --output)",
    )
    add_examples(parser, CONVERT_EXAMPLES)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="file of trees, in any format of 'bnaparser treebank', in square brackets, or JSON Lines or Parquet"
        " with a field tree; folder of such files, file pattern in quotes, or a tree; - is standard input"
        " (default: standard input)",
    )
    add_encoding(parser)
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help=OUTPUT_HELP)
    parser.add_argument(
        "--sentences",
        type=_ranges,
        metavar="N,N-M",
        help="numbers of the trees to write, from 1, such as 3,7-9 or 12- (12 and all later trees); default: all",
    )
    parser.add_argument(
        "--fold",
        action="append",
        default=[],
        metavar="PATTERN",
        help="draw phrases as triangles over their words: phrases with a label, such as NP, or matches of a search"
        " pattern, such as 'NP << PP'; may be repeated",
    )
    parser.add_argument(
        "--keep-functions",
        action="store_true",
        help="add edge functions of NEGRA export and TIGER-XML to labels: NP-SB",
    )


def run_draw(options: argparse.Namespace) -> int:
    """Draw the trees of files."""
    options.format = options.format or format_by_name(options.output) or "draw"
    if options.format not in PICTURES:
        raise SettingsError(
            f"{options.output}: {options.format} is not a picture format: give --format (one of"
            f" {', '.join(PICTURES)}), or use bnaparser convert"
        )
    return _run(options)


def run_convert(options: argparse.Namespace) -> int:
    """Write the trees of files in another format."""
    options.format = options.format or format_by_name(options.output)
    if options.format is None:
        raise SettingsError(f"give --to FORMAT, one of {', '.join(FORMATS)}")
    return _run(options)


COMMANDS = {
    "draw": (add_draw_arguments, run_draw),
    "convert": (add_convert_arguments, run_convert),
}


def _run(options: argparse.Namespace) -> int:
    try:
        unseen = Unseen.of(map(compiled, options.fold))
    except PatternError as error:
        message, *shown = str(error).split("\n")  # the pattern, and ^ below the place
        say(f"--fold: {message}")
        print(*shown, sep="\n", file=sys.stderr)
        return USAGE
    paths = options.files or ["-"]
    inputs = [] if _is_tree(paths) else [file for path in paths for file in _files(path)]
    chosen = _chosen(_trees(paths, options), options.sentences)
    first = next(chosen, None)  # reports errors of the first tree before a file is made
    if first is None:
        names = ("standard input" if path == "-" else path for path in paths)
        raise DataError(f"{', '.join(names)}: the input holds no tree")
    with (
        open_output(options.output, *inputs) as output,
        writer(options.format, output) as write,
    ):
        number, found = first
        while True:
            tree = found.tree
            if options.fold:
                unseen.see(tree)
                tree = tree.fold(*options.fold)
            try:
                write(OfFile(tree), number)
            except TreeError as error:
                raise TreeError(error.message, found.source, found.line) from None
            following = next(chosen, None)
            if following is None:
                break
            number, found = following
    for note in unseen.notes():
        say(note)
    return SUCCESS


def _is_tree(paths: Sequence[str]) -> bool:
    """Return whether the argument is a tree in brackets, not the name of a file."""
    return paths[0].lstrip().startswith(("(", "[")) and not Path(paths[0]).exists()


def _files(path: str) -> list[Path]:
    return [] if path == "-" else list_parse_files(path)


def _trees(paths: Sequence[str], options: argparse.Namespace) -> Iterator[Found]:
    """Yield the trees of all files."""
    if _is_tree(paths):
        typed = parse_trees_with_places(" ".join(paths), "the tree", untagged=True)
        yield from (Found(tree, "the tree", place.line) for tree, place in typed)
        return
    read: TreeOptions = {"keep_functions": options.keep_functions, "untagged": True}
    for path in paths:
        if path == "-":
            source = standard_input("name a file of trees")
            lines = LineReader(source, encoding=options.encoding)
            yield from in_stream(lines, "<stdin>", _any, **read)
        else:
            yield from find_parsed([path], _any, options.encoding, OPTION, **read)


def _any(text: str) -> bool:
    return True


def _chosen(trees: Iterator[Found], ranges: Sequence[range] | None) -> Iterator[tuple[int, Found]]:
    """Yield the chosen trees with their numbers. Raises DataError for a number without a tree."""
    numbered = enumerate(trees, 1)
    if ranges is None:
        yield from numbered
        return
    last = max(one.stop for one in ranges) - 1
    kept: list[tuple[int, Found]] = []
    seen = 0
    for seen, found in numbered:
        if any(seen in one for one in ranges):
            kept.append((seen, found))
        if seen == last:
            break
    missing = next(
        (n for one in ranges for n in (one.start, one.stop - 1) if seen < n < _ENDLESS), None
    )
    if missing is not None:
        raise DataError(f"--sentences: there is no tree {missing}: the input holds {seen:,}")
    yield from kept


def _ranges(text: str) -> list[range]:
    """Parse numbers and ranges such as ``3,7-9,12-``."""
    ranges = []
    for part in text.split(","):
        found = _RANGE.fullmatch(part.strip())
        start = int(found[1]) if found else 0
        end = start if found is None or not found[2] else int(found[3] or _ENDLESS)
        if start < 1 or end < start:
            raise argparse.ArgumentTypeError(
                f"{part.strip()!r}: give numbers from 1 and ranges, such as 3,7-9 or 12-"
            )
        ranges.append(range(start, end + 1))
    return ranges
