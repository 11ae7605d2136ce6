"""``bnaparser treebank PATH...``: look at a treebank, and write it ready for training."""

from __future__ import annotations

import argparse
import bz2
import gzip
import lzma
import os
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import TextIO, cast

from bnaparser.cli.arguments import add_encoding, add_examples
from bnaparser.cli.formats import format_by_name
from bnaparser.errors import DataError, SettingsError, TreeError
from bnaparser.files.compressed import unpacked_name
from bnaparser.files.text_files import OPTION
from bnaparser.treebanks.formats import PENN, Found
from bnaparser.treebanks.label_maps import read_label_map
from bnaparser.treebanks.reading import find_trees
from bnaparser.treebanks.releases import CTB, PTB
from bnaparser.treebanks.survey import Survey
from bnaparser.trees.cleaning import Cleaning, clean, merge_repeated
from bnaparser.trees.tree import Tree

NAME = "treebank"
EXAMPLES = """\
  bnaparser treebank trees.mrg
  bnaparser treebank LDC99T42/ --split ptb-train -o train.mrg
  bnaparser treebank trees.mrg.xz -o clean.mrg --max-words 100"""

_RELEASES = {"ptb": PTB, "ctb": CTB}
_MOST = 60  # names shown of each kind, unless all are requested
_NO_BREAK = "\N{NO-BREAK SPACE}"  # keeps a name and its count on one line
_SPLITS = [f"{name}-{part}" for name, release in _RELEASES.items() for part in release.parts]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's arguments."""
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="file of trees (also .xz, .gz), folder of such files, or file pattern in quotes; the format is"
        " detected: brackets (Penn, Penn-Helsinki, SPMRL), NEGRA export, TIGER-XML, CoNLL-U with brackets",
    )
    parser.add_argument(
        "--split",
        choices=_SPLITS,
        metavar="NAME",
        help="standard part of a release: PATH is the folder of the Penn Treebank or of the Chinese Treebank"
        f" 5.1; NAME is one of {', '.join(_SPLITS)}",
    )
    add_encoding(parser)
    parser.add_argument(
        "--skip-broken",
        action="store_true",
        help="leave out trees that cannot be read, and print a warning for each; every tree must then start at"
        " the beginning of a line and contain no blank line",
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help=f"show all labels (default: the {_MOST} most frequent ones)",
    )
    output = parser.add_argument_group("output")
    output.add_argument(
        "-o", "--output", metavar="FILE", help="write the trees to this file; - is standard output"
    )
    output.add_argument(
        "--clean",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="remove empty elements, and remove functions and indices from labels: NP-SBJ-1 becomes NP",
    )
    output.add_argument(
        "--keep-functions",
        action="store_true",
        help="keep functions in labels when cleaning, for treebanks with labels such as IP-MAT; edge functions of"
        " NEGRA export and TIGER-XML are added to labels: NP-SB",
    )
    output.add_argument(
        "--merge-repeated",
        action="store_true",
        help="merge a node with its only child if both have the same label",
    )
    output.add_argument("--map", metavar="FILE", help="TOML file with label maps")
    output.add_argument("--map-set", metavar="NAME", help="name of the map to apply")
    output.add_argument(
        "--max-words", type=int, metavar="N", help="leave out sentences of more than N words"
    )
    add_examples(parser, EXAMPLES)


def run(args: argparse.Namespace) -> int:
    """Print the report and write the trees; raises BnaparserError for whatever cannot be done."""
    try:
        return _run(args)
    except TreeError as error:
        if args.skip_broken:
            raise
        message = f"{error.message}; --skip-broken leaves out what is no tree"
        raise TreeError(message, error.source, error.line, error.column) from None


def _run(args: argparse.Namespace) -> int:
    prepare = _preparation(args)
    result = Survey()
    screen = args.output == "-"
    if args.output is None:
        for found in _find(args):
            result.add(found)
        _check_trees(result, args)
    else:
        with open_trees_file(args.output) as file:
            written = _copy(_find(args), result, prepare, file)
            _check_trees(result, args)  # in here, so that a file that was there stays
        where = "standard output" if screen else args.output
        print(f"{written:,} of {result.trees:,} trees written to {where}", file=sys.stderr)
    print(report(result, None if args.all else _MOST), file=sys.stderr if screen else sys.stdout)
    return 0


def _check_trees(result: Survey, args: argparse.Namespace) -> None:
    if not result.trees:
        raise DataError(f"{', '.join(args.paths)}: no tree in it")


def report(result: Survey, most: int | None = _MOST) -> str:
    """Return the survey as text for people, of labels and tags the ``most`` frequent."""
    lengths = sorted(result.lengths.elements())
    parts = [
        f"{result.trees:,} sentences, {result.words:,} words",
        f"{lengths[0]:,} to {lengths[-1]:,} words a sentence, "
        + f"mean {result.words / result.trees:.1f}, median {median(lengths):.0f}",
        f"up to {max(result.depths):,} nodes deep",
        *_formats(result),
        _counts("labels", result.labels, most),
        _counts("tags", result.tags, most),
        _counts("chains", result.chains, most),
    ]
    if result.removed:
        counts = sorted(result.removed.items(), key=lambda item: (-item[1], item[0]))
        summary = ", ".join(f"{count:,} {kind}" for kind, count in counts)
        parts.append(_wrap(f"taken out or resolved: {summary}"))
    if names := result.ambiguous_names():
        parts.append(_wrap(f"both a label and a tag: {' '.join(names)}"))
    if not result.oddities:
        parts.append("no anomalies")
    else:
        parts.append("anomalies: kind, number of sentences, first occurrence")
        for kind, oddity in sorted(result.oddities.items(), key=lambda item: -item[1].trees):
            parts.append(f"  {kind}: {oddity.trees:,}\n    {oddity.first}")
    return "\n".join(parts)


def _formats(result: Survey) -> list[str]:
    """Return a line for each format, or none where all files are plain brackets."""
    if set(result.formats) == {PENN}:
        return []
    counts = ((name, len(files)) for name, files in result.formats.items())
    return [f"{name}: {count:,} file{'s' * (count != 1)}" for name, count in counts]


def _counts(name: str, counts: Counter[str], most: int | None) -> str:
    items = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    shown = [f"{key}{_NO_BREAK}{count:,}" for key, count in items[:most]]
    more = [f"and {len(items) - len(shown):,} more (--all)"] if len(items) > len(shown) else []
    return _wrap(f"{len(items):,} {name}:  " + "  ".join(shown + more)).replace(_NO_BREAK, " ")


def _wrap(text: str) -> str:
    return textwrap.fill(
        text, 100, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


def _find(args: argparse.Namespace) -> Iterator[Found]:
    files, skip_broken, keep_functions = args.paths, args.skip_broken, args.keep_functions
    if args.split is not None:
        name, part = args.split.split("-")
        release = _RELEASES[name]
        files = [file for path in args.paths for file in release.files(path, part)]
        skip_broken = skip_broken or release.skip_broken
    return find_trees(
        files,
        encoding=args.encoding,
        option=OPTION,
        skip_broken=skip_broken,
        keep_functions=keep_functions,
    )


def _preparation(args: argparse.Namespace) -> Callable[[Tree], Tree | None]:
    """Return what makes of a tree the one that is written, or None if it is left out."""
    if (args.map is None) != (args.map_set is None):
        raise SettingsError("--map FILE and --map-set NAME need each other: give both, or neither")
    mapping = read_label_map(args.map, args.map_set) if args.map else None
    rules = Cleaning(cut_functions=not args.keep_functions, cut_indices=False)

    def prepare(tree: Tree) -> Tree | None:
        ready = clean(tree, rules) if args.clean else tree
        if ready is not None and mapping is not None:
            ready = mapping.apply(ready)
        if ready is not None and args.merge_repeated:
            ready = merge_repeated(ready)
        too_long = ready is not None and args.max_words is not None and ready.end > args.max_words
        return None if too_long else ready

    return prepare


def _copy(
    trees: Iterator[Found], result: Survey, prepare: Callable[[Tree], Tree | None], file: TextIO
) -> int:
    written = 0
    for found in trees:
        result.add(found)
        ready = prepare(found.tree)
        if ready is not None:
            file.write(f"{ready}\n")
            written += 1
    return written


@contextmanager
def open_trees_file(name: str) -> Iterator[TextIO]:
    """Open a file to write, compressed if its name says so; it appears only when it is complete.

    A pipe or a device stays what it is, a link leads where it leads.
    """
    if name == "-":
        yield sys.stdout
        return
    path = Path(name)
    if format_by_name(unpacked_name(path)) not in (None, "mrg", "draw"):
        raise SettingsError(
            f"{path}: trees are written in brackets here: give a name such as"
            f" {unpacked_name(path).stem}.mrg, which bnaparser convert changes into other formats"
        )
    suffix = path.suffix.lower()
    if suffix == ".zst":
        raise SettingsError(f"{path}: .zst files can be read but not written: use .xz, .gz or .bz2")
    openers = {".xz": lzma.open, ".gz": gzip.open, ".bz2": bz2.open}
    opener = cast("Callable[..., TextIO]", openers.get(suffix, open))
    target = Path(os.path.realpath(path))
    regular = target.is_file() or not target.exists()
    unfinished = target.with_name(target.name + ".part")
    try:
        with opener(unfinished if regular else path, "wt", encoding="utf-8", newline="\n") as file:
            yield file
        if regular:
            unfinished.replace(target)
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror or error}") from error
    finally:
        unfinished.unlink(missing_ok=True)
