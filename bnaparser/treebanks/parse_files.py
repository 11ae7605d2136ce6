"""Trees wherever they lie: treebank files, and what the parser wrote, JSON lines or Parquet."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Unpack

from bnaparser.errors import DataError
from bnaparser.files.compressed import ending
from bnaparser.files.folder import files_below
from bnaparser.files.parquet import open_parquet
from bnaparser.files.tables import parse_json
from bnaparser.files.text_files import open_text
from bnaparser.treebanks.formats import Found, MayHold, TreeOptions, trees_in
from bnaparser.treebanks.lines import StrPath, numbered
from bnaparser.treebanks.reading import TREE_FILES, find_trees, list_files
from bnaparser.trees.brackets import is_one_tree
from bnaparser.trees.tree import Tree

PARSES = (".jsonl", ".parquet")
"""Files of parses: JSON lines or Parquet whose field ``tree`` has the brackets, or nothing."""

_FIELD = "tree"
_ERRORS = "errors.jsonl"  # what `bnaparser corpus` says of sentences without a tree
_ROWS = 1024  # of Parquet that is the most that the encoder reads


def list_parse_files(path: StrPath) -> list[Path]:
    """Return the files that a name, a folder or a pattern means; of a folder its parses, or its trees.

    The errors that a corpus has beside its parses are passed over, unless named. Raises DataError if there is none.
    """
    where = Path(path)
    if where.is_dir():
        parses = filter(kind_of, files_below(where))
        if files := sorted(file for file in parses if file.name != _ERRORS):
            return files
    files = list_files(path)
    return files if files == [where] else [file for file in files if file.name != _ERRORS]


def kind_of(path: Path) -> str:
    """Return ``.jsonl`` or ``.parquet`` for a file of parses, compressed or not, "" for any other."""
    found = ending(path)
    return found if found in PARSES else ""


def kind_of_file(path: Path, encoding: str | None = None) -> str:
    """Return the kind of a file by its name, else ``.jsonl`` if its first sign is ``{``, else ""."""
    kind = kind_of(path)
    if kind or ending(path) in TREE_FILES:
        return kind
    with open_text(path, encoding) as lines, suppress(DataError):  # which its reader raises again
        first = next((line for line in lines if line.strip()), "")
        return ".jsonl" if first.lstrip().startswith("{") else ""
    return ""


def find_parsed(
    paths: Iterable[StrPath],
    may_hold: MayHold,
    encoding: str | None = None,
    option: str = "",
    **options: Unpack[TreeOptions],
) -> Iterator[Found]:
    """Yield the trees of files, in constant memory, but those of which ``may_hold`` says False.

    ``may_hold`` gets the tree's text, or a line of several. A parse without a tree is passed over. The other options
    and errors are those of `bnaparser.treebanks.reading.find_trees`.
    """
    for path in paths:
        for file in list_parse_files(path):
            kind = kind_of_file(file, encoding)
            if kind == ".jsonl":
                with open_text(file, encoding, option) as lines:
                    yield from in_json_lines(lines, str(file), may_hold)
            elif kind == ".parquet":
                yield from _in_parquet(file, may_hold)
            else:
                yield from find_trees(
                    file, may_hold=may_hold, encoding=encoding, option=option, **options
                )


def in_stream(
    lines: Iterable[str],
    source: str,
    may_hold: MayHold,
    **options: Unpack[TreeOptions],
) -> Iterator[Found]:
    """Yield the trees of lines, in any format of trees or, where the first sign is ``{``, of JSON.

    Raises DataError and TreeError as `bnaparser.treebanks.reading.find_trees` does.
    """
    rest = iter(lines)
    begin: list[str] = []
    for line in rest:
        begin.append(line)
        if line.strip():
            break
    together = itertools.chain(begin, rest)
    if begin and begin[-1].lstrip().startswith("{"):
        yield from in_json_lines(together, source, may_hold)
        return
    yield from trees_in(numbered(together), source, may_hold=may_hold, **options)


def in_json_lines(lines: Iterable[str], source: str, may_hold: MayHold) -> Iterator[Found]:
    """Yield the trees of lines of JSON that have them, or nothing, in their field ``tree``."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = parse_json(line.strip())
        except ValueError as error:
            raise DataError(f"{source}:{number}: the line is not JSON: {error}") from None
        if not isinstance(row, dict) or _FIELD not in row:
            message = f"{source}:{number}: the line is no JSON object with a field {_FIELD!r}"
            raise DataError(message)
        yield from _tree_of(row[_FIELD], source, number, may_hold)


def _in_parquet(file: Path, may_hold: MayHold) -> Iterator[Found]:
    number = 0
    with open_parquet(file, _FIELD) as table:
        for batch in table.iter_batches(_ROWS, columns=[_FIELD]):
            for text in batch.column(0).to_pylist():
                number += 1
                yield from _tree_of(text, str(file), number, may_hold)


def _tree_of(text: object, source: str, number: int, may_hold: MayHold) -> Iterator[Found]:
    if text is None:
        return
    if not isinstance(text, str):
        raise DataError(f"{source}:{number}: the field {_FIELD!r} is {text!r:.40}, not brackets")
    # A damaged tree is an error whatever is sought.
    if is_one_tree(text) and not may_hold(text):
        return
    yield Found(Tree.parse(text, f"{source}:{number}"), source, number)
