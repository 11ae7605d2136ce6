"""``bnaparser search PATTERN FILE...``: find nodes of trees as tregex does."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from io import BufferedIOBase
from pathlib import Path
from typing import Any, TextIO, cast

from bnaparser.cli.arguments import OUTPUT_HELP, add_encoding, add_examples
from bnaparser.cli.console import SUCCESS, USAGE, say
from bnaparser.cli.streams import empty, open_output, standard_input
from bnaparser.errors import SettingsError
from bnaparser.files.tables import json_line
from bnaparser.files.text_files import OPTION, LineReader
from bnaparser.treebanks.formats import Found
from bnaparser.treebanks.parse_files import find_parsed, in_stream, list_parse_files
from bnaparser.trees.escapes import unescape
from bnaparser.trees.heads.rules import COLLINS, TREGEX, UD
from bnaparser.trees.search import Match, Pattern
from bnaparser.trees.search.parsing import PatternError
from bnaparser.trees.tree import Tree

SHOWN = ("bracket", "words", "pretty", "draw", "json")
_COUNTS = "source\tline\tcount\n"
EXAMPLES = """\
  bnaparser search 'NP < (PP << of)' trees.mrg
  bnaparser search 'VP < (/^VB/ $+ NP=object)' --name object --format words trees.mrg
  bnaparse -i book.txt | bnaparser search 'SBAR !< IN' --count
  bnaparser search NP --count --places trees.mrg
  bnaparser search '@NP <# (NN < dog)' parses.jsonl --format json -o dogs.jsonl"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's arguments."""
    parser.add_argument(
        "pattern",
        metavar="PATTERN",
        help="pattern in quotes, in the syntax of Tregex; docs/search.md lists all operators",
    )
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="file of trees, JSON Lines or Parquet with a field tree (also .gz, .xz, .bz2, .zst), folder of such"
        " files, or file pattern in quotes; - is standard input (default: standard input)",
    )
    add_encoding(parser)
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help=OUTPUT_HELP)
    parser.add_argument(
        "-f",
        "--format",
        choices=SHOWN,
        default="bracket",
        help="output format. bracket, words, json: one match per line; pretty: indented brackets; draw: text"
        " drawing (default: bracket)",
    )
    parser.add_argument(
        "--name",
        action="append",
        default=[],
        metavar="NAME",
        help="show the node that the pattern calls NAME (VP < NP=NAME) instead of the first node; may be repeated",
    )
    parser.add_argument(
        "--whole", action="store_true", help="show the whole tree instead of the matched node"
    )
    parser.add_argument(
        "--once",
        action="store_true",
        help="show each node once, even if the pattern matches it in several ways",
    )
    parser.add_argument("--invert", action="store_true", help="show the trees that have no match")
    parser.add_argument(
        "-n",
        "--places",
        action="store_true",
        help="begin each line with the file and the line number",
    )
    parser.add_argument(
        "-c",
        "--count",
        action="store_true",
        help="show only the number of matches; with --places a table with file, line and number of matches of"
        " each tree",
    )
    parser.add_argument(
        "--heads",
        choices=(TREGEX.name, COLLINS.name, UD.name),
        default=TREGEX.name,
        help="head rules for the operators <# ># <<# >># (default: tregex)",
    )
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="print no summary on standard error"
    )
    add_examples(parser, EXAMPLES)


def run(options: argparse.Namespace) -> int:
    """Print the matches; return 0 also without a match."""
    if options.invert and (options.name or options.once):
        raise SettingsError("--invert shows trees without a match: leave out --name and --once")
    try:
        pattern = Pattern(options.pattern, options.heads)
    except PatternError as error:
        message, *shown = str(error).split("\n")  # the pattern, and ^ below the place
        say(message)
        print(*shown, sep="\n", file=sys.stderr)
        return USAGE
    for name in options.name:
        if name not in pattern.names:
            known = ", ".join(sorted(pattern.names)) or "none: write NP=name"
            raise SettingsError(
                f"--name {name}: the pattern has no node called {name!r}; its names are {known}"
            )
    search = _Search(pattern, options)
    inputs = [one for path in search.paths for one in _files(path)]
    with open_output(options.output, *inputs) as output:
        empty(output)
        if search.counts_each:
            output.write(_COUNTS)
        for found in search.trees():
            search.show(found, output)
        if options.count and not search.counts_each:
            output.write(f"{search.count()}\n")
    for note in search.notes():
        say(note)
    if not options.quiet:
        say(search.summary())
    return SUCCESS


class _Search:
    """A search as far as it has come: trees that were seen or passed over, and what was found."""

    def __init__(self, pattern: Pattern, options: argparse.Namespace):
        self.pattern, self.options = pattern, options
        self.counts_each: bool = options.count and options.places
        self.paths: list[str] = options.files or ["-"]
        self.unseen = pattern.unseen()
        self.seen = self.hits = self.matches = 0
        self.start = time.monotonic()

    def trees(self) -> Iterator[Found]:
        """Yield the trees that have to be looked at."""
        encoding = self.options.encoding
        for path in self.paths:
            if path == "-":
                source = standard_input("name a file of trees")
                lines = LineReader(source, encoding=encoding)
                yield from in_stream(lines, "<stdin>", self.may_hold)
            else:
                yield from find_parsed([path], self.may_hold, encoding, OPTION)

    def may_hold(self, text: str) -> bool:
        """Return whether a text must be read."""
        if "(" not in text:
            return False
        if not text.lstrip().startswith("("):
            return True  # a comment with brackets in it is no tree
        if self.options.invert or self.counts_each or self.pattern.may_be_in(text):
            return True
        self.seen += 1
        self.unseen.see_text(text)
        return False

    def show(self, found: Found, output: TextIO) -> None:
        """Search a tree, and write the output that the options select."""
        self.seen += 1
        self.unseen.see(found.tree)
        matches = list(self.pattern.matches(found.tree, self.options.once))
        self.hits += bool(matches) != self.options.invert
        self.matches += len(matches)
        if self.counts_each:
            number = int(not matches) if self.options.invert else len(matches)
            output.write(f"{found.source}\t{found.line}\t{number}\n")
        if self.options.count:
            return
        if self.options.invert:
            if not matches:
                self.write(found, found.tree, {"tree": str(found.tree)}, output)
            return
        for match in matches:
            facts = _facts(match, found.tree if self.options.whole else None)
            for part in self.parts(match, found.tree):
                self.write(found, part, facts, output)
                if self.options.format == "json":
                    break

    def parts(self, match: Match, tree: Tree) -> list[Tree | str]:
        """Return the nodes of a match that are shown."""
        if self.options.whole:
            return [tree]
        if not self.options.name:
            return [match.node]
        return [match.names[name] for name in self.options.name if name in match.names]

    def write(self, found: Found, part: Tree | str, facts: dict[str, Any], output: TextIO) -> None:
        """Write a node, or a match in JSON, in the output format."""
        form = self.options.format
        if form == "json":
            output.write(json_line({"source": found.source, "line": found.line, **facts}) + "\n")
            return
        place = f"{found.source}:{found.line}:" if self.options.places else ""
        if form == "words":
            words = (part,) if isinstance(part, str) else part.words
            text = " ".join(map(unescape, words))
        elif isinstance(part, str) or form == "bracket":
            text = str(part)
        else:
            text = part.pretty() if form == "pretty" else _drawn(part)
            output.write(f"{place}\n{text}\n\n" if place else f"{text}\n\n")
            return
        output.write(f"{place} {text}\n" if place else f"{text}\n")

    def notes(self) -> list[str]:
        """Return notes about labels and words of the pattern that no tree has, and about input without trees."""
        return self.unseen.notes(self.matches) if self.seen else ["the input holds no tree"]

    def count(self, of: str = "") -> str:
        """Return the number of matches and of trees with a match; ``of`` names all trees, as " of 1,000"."""
        trees = "tree" if self.hits == 1 and not of else "trees"
        if self.options.invert:
            return f"{self.hits:,}{of} {trees} without a match"
        matches = "match" if self.matches == 1 else "matches"
        return f"{self.matches:,} {matches} in {self.hits:,}{of} {trees}"

    def summary(self) -> str:
        """Return the numbers of matches and trees, the time, and the speed."""
        seconds = time.monotonic() - self.start
        rate = self.seen / max(seconds, 1e-9)
        return f"{self.count(f' of {self.seen:,}')}, {seconds:.1f} s, {rate:,.0f} trees/s"


def _files(path: str) -> Sequence[BufferedIOBase | Path]:
    """Return the input files that a path names, which must not be overwritten; standard input for ``-``."""
    if path != "-":
        return list_parse_files(path)
    return [] if sys.stdin is None else [cast(BufferedIOBase, sys.stdin.buffer)]


def _drawn(tree: Tree) -> str:
    return tree.draw(shutil.get_terminal_size().columns)


def _facts(match: Match, whole: Tree | None) -> dict[str, Any]:
    names = {
        name: {"node": str(part), "start": match.spans[name][0], "end": match.spans[name][1]}
        for name, part in match.names.items()
    }
    facts: dict[str, Any] = {"node": str(match.node), "start": match.span[0], "end": match.span[1]}
    facts |= {"number": match.number, "names": names, "strings": dict(match.strings)}
    return facts if whole is None else {**facts, "tree": str(whole)}
