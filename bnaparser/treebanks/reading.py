"""Treebank files: which there are, and the trees in them.

How they may be compressed and encoded is in `bnaparser.treebanks.lines`, what formats they may have in
`bnaparser.treebanks.formats`.
"""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path
from typing import Unpack

from bnaparser.errors import DataError, check_flag
from bnaparser.files.compressed import ending, unpacked_name
from bnaparser.files.folder import files_below
from bnaparser.treebanks.formats import (
    PENN,
    Found,
    MayHold,
    TreeOptions,
    beginning_format,
    trees_in,
)
from bnaparser.treebanks.garbage_collection import gc_disabled
from bnaparser.treebanks.lines import StrPath, numbered_lines
from bnaparser.trees.cleaning import Cleaning, clean
from bnaparser.trees.tree import Tree

TREE_FILES = (".mrg", ".fid", ".psd", ".export", ".xml")
"""What is taken from a folder: all files of the first of these kinds that it has."""


def list_files(path: StrPath) -> list[Path]:
    """Return the treebank files that a file name, a folder or a pattern (``wsj/*/*.mrg``) means.

    Of a folder these are all ``.mrg`` files in it, at any depth, or else all of the next kind of
    ``TREE_FILES``, in the order of their names; they may be compressed, and of a file and its compressed copy the first is
    read. Raises DataError if there is none.
    """
    where = Path(path)
    if where.exists() and not where.is_dir():
        return [where]
    if where.is_dir():
        inside = files_below(where)
        for kind in TREE_FILES:
            of_kind = [file for file in reversed(inside) if ending(file) == kind]
            if of_kind:
                return sorted({unpacked_name(file): file for file in of_kind}.values())
        kinds = f"{', '.join(TREE_FILES[:-1])} or {TREE_FILES[-1]}"
        raise DataError(f"{where}: this folder has no {kinds} file: give the names of the files")
    matches = sorted(Path(name) for name in glob.glob(str(where), recursive=True))
    if files := [file for file in matches if file.is_file()]:
        return files
    if glob.has_magic(str(where)):
        raise DataError(f"{where}: no file matches this pattern")
    raise DataError(f"{where}: no such file or folder")


def find_trees(
    paths: StrPath | Iterable[StrPath],
    *,
    may_hold: MayHold | None = None,
    encoding: str | None = None,
    option: str = "",
    **options: Unpack[TreeOptions],
) -> Iterator[Found]:
    """Yield every tree of the files that `list_files` finds, with its place, in constant memory.

    A file's format is detected from its beginning. Raises DataError for a missing or damaged file and TreeError
    (file, line, column) at the first tree that is no tree. With ``skip_broken`` such a tree is left out and a
    warning is logged: in formats that mark sentences up to the end of the sentence; in brackets each tree must start
    at the beginning of a line and hold no blank line. A tree with a line that is not in the encoding is broken,
    too. A file that is not text, or, without ``skip_broken``, not in ``encoding`` (by default UTF-8), is a DataError.

    ``may_hold`` is called for each line that holds whole trees; those for which it says False are
    passed over, which is much faster than reading them. ``option`` is a command's own by which a user names
    the encoding: it stands in the message of a DataError. With ``keep_functions`` those of the edges of the NEGRA
    export format and TIGER-XML are in labels and tags (``NP-SB``); in brackets functions are part of labels anyway.
    With ``untagged``, words in brackets may stand without tags: ``[NP a wug]``.
    """
    check_flag("skip_broken", options.get("skip_broken", False))
    for path in [paths] if isinstance(paths, str | PathLike) else paths:
        for file in list_files(path):
            lines = numbered_lines(file, encoding, option, options.get("skip_broken", False))
            yield from trees_in(lines, str(file), may_hold=may_hold, **options)


def format_of(file: StrPath) -> str:
    """Return the format of a file's trees, of those that `bnaparser.treebanks.formats` names.

    A file that is not text is one of brackets here: who reads it says what is wrong.
    """
    try:
        return beginning_format(numbered_lines(Path(file)))
    except DataError:
        return PENN


def read_trees(
    paths: StrPath | Iterable[StrPath], **options: Unpack[TreeOptions]
) -> Iterator[Tree]:
    """Yield the trees that `find_trees` finds; raises as it does."""
    return (one.tree for one in find_trees(paths, **options))


def load_trees(paths: StrPath | Iterable[StrPath], **options: Unpack[TreeOptions]) -> list[Tree]:
    """Return all trees in one list. Raises the errors of `find_trees`.

    The garbage collector rests in the meantime: trees hold no cycles, and its passes over millions of
    new nodes would take three times as long as the reading.
    """
    with gc_disabled():
        return list(read_trees(paths, **options))


def load_clean_trees(
    paths: StrPath | Iterable[StrPath], rules: Cleaning | None = None
) -> list[Tree]:
    """Return all trees as `clean` leaves them, without those that have no word left; raises as `find_trees` does.

    Where the rules do not cut functions, those of edges stand in labels, too.
    """
    keep_functions = rules is not None and not rules.cut_functions
    cleaned = (clean(tree, rules) for tree in load_trees(paths, keep_functions=keep_functions))
    return [tree for tree in cleaned if tree is not None]
