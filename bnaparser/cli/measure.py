"""``bnaparser measure FILE...``: measures of syntactic complexity of texts or trees, as a table."""

from __future__ import annotations

import argparse
import csv
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from bnaparser.cli.arguments import (
    BATCH_HELP,
    DEVICE_HELP,
    LANGUAGE_HELP,
    MODEL_HELP,
    OUTPUT_HELP,
    QUIET_HELP,
    SPLIT_HELP,
    add_encoding,
    add_examples,
    add_precision,
)
from bnaparser.cli.console import SOME_FAILED, SUCCESS, finishing, say, uninterrupted
from bnaparser.cli.options import load_parser
from bnaparser.cli.streams import empty, in_chunks, is_file, open_output, read_input, standard_input
from bnaparser.compute.cores import usable_cores
from bnaparser.errors import DataError, SettingsError, import_extra
from bnaparser.files.folder import files_below
from bnaparser.files.tables import json_line, replace_all_surrogates
from bnaparser.files.text_files import OPTION, LineReader, open_text
from bnaparser.measures import l2sca
from bnaparser.measures.api import columns
from bnaparser.measures.files import (
    Measured,
    Table,
    begins_with_tree,
    holds_trees,
    located,
    located_in,
    measure_one,
    measured,
    unseen_of,
)
from bnaparser.measures.patterns import Patterns, read_patterns
from bnaparser.measures.table import Value
from bnaparser.text.sentence import SPLITS
from bnaparser.treebanks.parse_files import list_parse_files

if TYPE_CHECKING:
    from bnaparser.parsing.parser import Parser

Row = dict[str, Value]

FORMATS = ("csv", "tsv", "json", "parquet")
EXAMPLES = """\
  bnaparser measure essays/*.txt -o complexity.csv
  bnaparser measure trees.mrg --by sentence -f json
  bnaparser measure story.txt --by word --probabilities
  bnaparser measure essay.txt --matches C --matches CN
  bnaparser measure trees.mrg --patterns own.txt -f parquet -o table.parquet"""
_TAKEN = ("document", *columns("sentence"), *columns("text"))
_DIGITS = 6  # significant ones, of numbers in text
_MATCH_COLUMNS = {
    "document": str,
    "sentence": int,
    "count": str,
    "start": int,
    "end": int,
    "words": str,
    "node": str,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb's arguments."""
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="text, file of trees, or parses in JSON Lines or Parquet (also .gz, .xz, .bz2, .zst), or folder of"
        " such files; - is standard input (default: standard input)",
    )
    add_encoding(parser)
    parser.add_argument(
        "--from",
        dest="kind",
        choices=("text", "trees"),
        help="content of all files (default: by their endings and first characters)",
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help=OUTPUT_HELP)
    parser.add_argument(
        "--by",
        choices=("text", "sentence", "word"),
        default="text",
        help="unit of a row: a text, a sentence or a word (default: text)",
    )
    parser.add_argument(
        "-f",
        "--format",
        choices=FORMATS,
        help="output format. json: one object per line; parquet needs --output (default: by the ending of --output,"
        " else csv)",
    )
    parser.add_argument(
        "--patterns",
        type=Path,
        metavar="FILE",
        help="file with your own search patterns, one NAME = PATTERN per line; each adds a column",
    )
    parser.add_argument(
        "--matches",
        action="append",
        default=[],
        metavar="COUNT",
        help="list the matches of a count (such as C, or the name of a pattern) instead of the table; may be"
        " repeated",
    )
    parser.add_argument(
        "--workers",
        type=int,
        metavar="N",
        help="number of processes that measure trees (default: the number of cores)",
    )
    _add_parsing(parser.add_argument_group("parsing of texts"))
    parser.add_argument("-q", "--quiet", action="store_true", help=QUIET_HELP)
    add_examples(parser, EXAMPLES)


def _add_parsing(group: argparse._ArgumentGroup) -> None:
    group.add_argument("-m", "--model", metavar="NAME|DIR", help=MODEL_HELP)
    group.add_argument("--language", metavar="CODE", help=LANGUAGE_HELP)
    group.add_argument("--split", choices=SPLITS, default="paragraph", help=SPLIT_HELP)
    group.add_argument(
        "--probabilities",
        action="store_true",
        help="compute the columns entropy and closed_probability",
    )
    group.add_argument("--device", help=DEVICE_HELP)
    add_precision(group)
    group.add_argument("--batch-tokens", type=int, metavar="N", help=BATCH_HELP)


def run(options: argparse.Namespace) -> int:
    """Write the table; 0 when every sentence was measured, 1 when some have no tree."""
    if options.workers is not None and options.workers < 1:
        raise SettingsError(f"--workers {options.workers}: it must be at least 1")
    if options.batch_tokens is not None and options.batch_tokens < 1:
        raise SettingsError(f"--batch-tokens {options.batch_tokens}: it must be at least 1")
    options.format = options.format or _format_by_name(options.output)
    patterns: Patterns = {}
    if options.patterns is not None:
        patterns = read_patterns(options.patterns, _TAKEN)
    known = (*l2sca.COUNTS, *patterns)
    for name in options.matches:
        if name not in known:
            raise SettingsError(
                f"--matches {name}: there is no count of this name; the counts are {', '.join(known)}"
            )
    inputs = _Inputs(options)
    table = Table("sentence" if options.matches else options.by, patterns)
    with _complete(options.output, *inputs.paths) as output:
        run_ = _Run(options, inputs, table, patterns)
        with _writer(options.format, output, _columns(options, patterns)) as write:
            for row in run_.rows():
                write(row)
    if not options.quiet:
        for note in table.notes():
            say(note)
    return SOME_FAILED if table.all.get("failed") else SUCCESS


def _format_by_name(output: Path | None) -> str:
    ending = "" if output is None else output.suffix.lower().lstrip(".").replace("jsonl", "json")
    return ending if ending in FORMATS else "csv"


@contextmanager
def _complete(path: Path | None, *inputs: Path) -> Iterator[TextIO]:
    """Open a file or standard output; a regular file changes only when the table is complete.

    A run that ends early, by an error or a signal, leaves the rows so far in FILE.part, if there are any.
    """
    is_new = path is not None and not os.path.lexists(path)
    with open_output(path, *inputs) as checked:
        if not is_file(checked):
            yield checked
            return
        assert path is not None
        target = Path(os.path.realpath(path))
        unfinished = target.with_name(f"{target.name}.part")
        with suppress(OSError):
            unfinished.unlink()  # of an earlier run
        try:
            with open_output(unfinished) as output:
                unfinished.chmod(target.stat().st_mode)
                if is_new:
                    target.unlink()
                yield output
        except Exception:
            if unfinished.exists():  # it is removed if it has no row
                say(f"the rows so far are in {path}.part")
            raise
        unfinished.replace(target)


def _columns(options: argparse.Namespace, patterns: Patterns) -> dict[str, type]:
    """The columns of the table, with the types of their values."""
    if options.matches:
        return dict(_MATCH_COLUMNS)
    return {"document": str, **columns(options.by, patterns)}


class _Inputs:
    """The files that are read, each with whether it holds trees; standard input for ``-``."""

    def __init__(self, options: argparse.Namespace):
        self.paths: list[Path] = []
        self.trees: dict[Path, bool] = {}
        self.stdin = False
        for name in options.files or ["-"]:
            if name == "-":
                self.stdin = True
                continue
            for path in _files(name):
                self.paths.append(path)
                is_trees = options.kind == "trees" or (
                    options.kind is None and holds_trees(path, options.encoding)
                )
                self.trees[path] = is_trees
        if self.stdin and self.paths:
            raise SettingsError("give files or -, not both")

    @property
    def size(self) -> int | None:
        """The bytes of all files; None if that says nothing about what they hold."""
        plain = all(
            path.suffix.lower() not in (".gz", ".xz", ".bz2", ".zst") for path in self.paths
        )
        return sum(path.stat().st_size for path in self.paths) if plain and self.paths else None


def _files(name: str) -> list[Path]:
    """Return the files that a name, a folder or a pattern means: of a folder its parses, its trees, or its texts."""
    path = Path(name)
    if path.is_dir():
        try:
            return list_parse_files(path)
        except DataError:
            if texts := [file for file in files_below(path) if file.suffix == ".txt"]:
                return texts
            raise DataError(f"{path}: this folder has no parses, trees or texts (.txt)") from None
    return list_parse_files(path)


class _Run:
    """One run over all files: what is measured, and the progress that is shown."""

    def __init__(
        self, options: argparse.Namespace, inputs: _Inputs, table: Table, patterns: Patterns
    ):
        self.options, self.inputs, self.table, self.patterns = options, inputs, table, patterns
        self.matches = tuple(options.matches)
        self.parser: Parser | None = None
        if not inputs.stdin and not all(inputs.trees.values()):
            self.parser = _load(options)

    def rows(self) -> Iterator[Row]:
        """Yield the rows of all files, under one bar."""
        from tqdm import tqdm

        total = self.inputs.size
        bar = tqdm(
            total=total,
            unit="B",
            unit_scale=True,
            delay=1.0,
            leave=False,
            disable=True if self.options.quiet else None,
        )
        with bar:

            def read(size: int) -> None:
                bar.update(size if total is None else min(size, total - bar.n))

            for part in self._parts(read):
                yield from self.table.put(part)
            yield from self.table.end()

    def _parts(self, read: Callable[[int], None]) -> Iterator[Measured]:
        if self.inputs.stdin:
            yield from self._of_stdin(read)
            return
        trees = [path for path in self.inputs.paths if self.inputs.trees[path]]
        if len(trees) == len(self.inputs.paths):  # processes continue from file to file
            yield from self._of_trees(chain.from_iterable(map(self._located, trees)), read)
            return
        for path in self.inputs.paths:
            if self.inputs.trees[path]:
                yield from self._of_trees(self._located(path), read)
            else:
                with open_text(path, self.options.encoding, OPTION) as lines:
                    yield from self._of_text(str(path), lines, read)

    def _located(self, path: Path) -> Iterator[Any]:
        found = False
        for one in located(path, self.options.encoding, OPTION):
            found = True
            yield one
        if not found and not self.options.quiet:
            say(f"{path}: the file holds no tree")

    def _of_trees(
        self, sentences: Iterable[Any], read: Callable[[int], None]
    ) -> Iterator[Measured]:
        workers = self.options.workers or usable_cores()
        return measured(sentences, self.options.by, self.patterns, self.matches, workers, read)

    def _of_stdin(self, read: Callable[[int], None]) -> Iterator[Measured]:
        source = standard_input("name the files")
        lines = read_input(source, None, self.options.encoding)
        if self.options.kind == "text":
            yield from self._of_text("<stdin>", lines, read)
            return
        head, is_trees = _peeked(lines)
        if is_trees or self.options.kind == "trees":
            yield from self._of_trees(located_in(chain(head, lines), "<stdin>"), read)
        else:
            yield from self._of_text("<stdin>", chain(head, lines), read)

    def _of_text(
        self, name: str, lines: Iterable[str], read: Callable[[int], None]
    ) -> Iterator[Measured]:
        from bnaparser.parsing.options import ParseOptions
        from bnaparser.text.splitting import split_lines

        self.parser = self.parser or _load(self.options)
        parser, parse_options = self.parser, ParseOptions(probabilities=self.options.probabilities)
        seen = _Counted(lines)
        waits = lines.waits if isinstance(lines, LineReader) else lambda: False
        yield Measured(name, [], {}, 0)  # a text without a sentence has its row
        for ahead in in_chunks(split_lines(seen, self.options.split, parser.text), waits):
            sentences = [one for one in ahead if one.words]
            part = Measured(name, [], {}, len(sentences))
            unseen = unseen_of(self.patterns)
            for number, parse in enumerate(
                parser.parse_sentences(sentences, options=parse_options)
            ):
                by, patterns, matches = self.options.by, self.patterns, self.matches
                tree, error = parse.tree, parse.error
                if patterns and tree is not None:
                    unseen.see(tree)
                measure_one(tree, parse, error, number, by, patterns, matches, part.rows, part.sums)
            yield part._replace(unseen=unseen.state)
            read(seen.take())


class _Counted:
    """Lines, and the number of bytes of the lines that were returned since the last call."""

    def __init__(self, lines: Iterable[str]):
        self._lines, self._size = lines, 0

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            self._size += len(line.encode(errors="replace"))
            yield line

    def take(self) -> int:
        """Return the number of bytes."""
        size, self._size = self._size, 0
        return size


def _peeked(lines: Iterable[str]) -> tuple[list[str], bool]:
    """Return the first lines of the input, and whether they are trees."""
    head: list[str] = []

    def kept() -> Iterator[str]:
        for line in lines:
            head.append(line)
            yield line

    return head, begins_with_tree(kept())


def _load(options: argparse.Namespace) -> Parser:
    parser = load_parser(options)
    parser.text = parser.text_rules(options.language)
    return parser


@contextmanager
def _writer(name: str, output: TextIO, types: dict[str, type]) -> Iterator[Callable[[Row], None]]:
    """Give a function that writes a row in a format.

    What a file held before is dropped with the first row, or at the end of a table without rows.
    """
    if name == "parquet":
        yield from _parquet_rows(output, types)
    else:
        yield from _text_rows(name, output, types)


def _text_rows(
    name: str, output: TextIO, types: dict[str, type]
) -> Iterator[Callable[[Row], None]]:
    dialect = "excel-tab" if name == "tsv" else "excel"
    table = csv.writer(output, dialect, lineterminator="\n")
    is_begun = False

    def begin() -> None:
        nonlocal is_begun
        if not is_begun:
            empty(output)
            if name != "json":
                table.writerow(types)
            is_begun = True

    def write(row: Row) -> None:
        begin()
        shown = {key: _shown(row[key]) for key in types}
        if name == "json":
            output.write(json_line(shown) + "\n")
        else:
            table.writerow(map(replace_all_surrogates, shown.values()))

    yield write
    begin()


def _parquet_rows(output: TextIO, types: dict[str, type]) -> Iterator[Callable[[Row], None]]:
    from bnaparser.parsing.parquet_rows import parquet_writer

    if output.isatty() or output is sys.stdout:
        raise SettingsError(
            "parquet is a binary format, which a terminal cannot show: give --output FILE"
        )
    pa = import_extra("parquet", "pyarrow")
    known = {int: pa.int64(), float: pa.float64(), str: pa.string()}
    schema = pa.schema([(name, known[kind]) for name, kind in types.items()])
    empty(output)
    opened = parquet_writer(output.buffer, schema)
    write_row = opened.__enter__()
    has_rows = False

    def write(row: Row) -> None:
        nonlocal has_rows
        with uninterrupted():
            has_rows = True
            write_row({name: row[name] for name in types})

    def finish(complete: bool) -> None:
        opened.__exit__(None, None, None)  # also after an error: a file without its end is none
        output.buffer.flush()
        if not (complete or has_rows):
            empty(output)

    with finishing(finish):
        yield write


def _shown(value: Value) -> Value:
    """A value as text shows it: numbers with six digits."""
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value
