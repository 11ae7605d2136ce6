"""Treebank files: which there are, how they are packed and encoded, and the trees in them.

Read are plain, ``.gz`` and ``.xz`` files of bracketed trees in UTF-8, and the files of the Chinese
Treebank with their mark-up (``<S ID=1>``), in UTF-8 or GB18030.
"""

from __future__ import annotations

import gc
import glob
import itertools
import logging
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from bnaparser.errors import DataError, TreeError
from bnaparser.packed import open_packed
from bnaparser.tree import Tree, parse_trees_with_places

logger = logging.getLogger(__name__)

StrPath = str | PathLike[str]

_TREE_FILES = ("*.mrg", "*.fid")  # what is taken from a folder, in this order of preference
_MARKUP = re.compile(r"(?:\s*<[/!?]?[A-Za-z][^<>]*>)+")
_SENTENCE_TAG = re.compile(r"<(/?)S\b[^<>]*>", re.IGNORECASE)
_SENTENCE_END = re.compile(r"</S\s*>", re.IGNORECASE)
_REPLACEMENT = "\ufffd"


class Found(NamedTuple):
    """A tree and where it stands: its file and the line, from 1, where it starts."""

    tree: Tree
    source: str
    line: int


def list_files(path: StrPath) -> list[Path]:
    """Return the treebank files that a file name, a folder or a pattern (``wsj/*/*.mrg``) means.

    Of a folder these are all ``.mrg`` files in it, at any depth, or else all ``.fid`` files, in
    the order of their names. Raises DataError if there is none.
    """
    where = Path(path)
    if where.exists() and not where.is_dir():
        return [where]
    if where.is_dir():
        for pattern in _TREE_FILES:
            if files := sorted(file for file in where.rglob(pattern) if file.is_file()):
                return files
        raise DataError(f"{where}: no .mrg and no .fid file in this folder; name the files instead")
    matches = sorted(Path(name) for name in glob.glob(str(where), recursive=True))
    if files := [file for file in matches if file.is_file()]:
        return files
    if glob.has_magic(str(where)):
        raise DataError(f"{where}: no file matches this pattern")
    raise DataError(f"{where}: no such file or folder")


def find_trees(paths: StrPath | Iterable[StrPath], *, skip_broken: bool = False) -> Iterator[Found]:
    """Yield every tree of the files that `list_files` finds, with its place, in constant memory.

    Raises DataError for a missing or damaged file and TreeError (file, line, column) at the first
    tree that is no tree. With ``skip_broken`` such a tree is left out and a warning is logged;
    each tree must then start at the beginning of a line and hold no blank line. Bytes that are not UTF-8 become U+FFFD,
    with a warning that names the line.
    """
    for path in [paths] if isinstance(paths, str | PathLike) else paths:
        for file in list_files(path):
            source = str(file)
            for first_line, lines in _blocks(read_lines(file), split=skip_broken):
                try:
                    for tree, place in parse_trees_with_places(lines, source, first_line):
                        yield Found(tree, source, place.line)
                except TreeError as error:
                    if not skip_broken:
                        raise
                    logger.warning("left out: %s", error)


def read_trees(paths: StrPath | Iterable[StrPath], *, skip_broken: bool = False) -> Iterator[Tree]:
    """Yield the trees that `find_trees` finds; raises as it does."""
    return (found.tree for found in find_trees(paths, skip_broken=skip_broken))


def load_trees(paths: StrPath | Iterable[StrPath], *, skip_broken: bool = False) -> list[Tree]:
    """Return all trees in one list; raises as `find_trees` does.

    The garbage collector rests meanwhile: trees hold no cycles, and its passes over millions of
    new nodes would take three times as long as the reading.
    """
    with _collector_at_rest():
        return list(read_trees(paths, skip_broken=skip_broken))


def read_lines(file: StrPath) -> Iterator[str]:
    """Yield the lines of one treebank file, unpacked and decoded, mark-up blanked out.

    Line numbers and columns stay those of the file. Raises DataError as `find_trees` does.
    """
    path = Path(file)
    with open_packed(path) as raw:
        start = list(_up_to_first_text(raw))
        if path.name.startswith("chtb_") or (start and start[-1].lstrip()[:1] == b"<"):
            yield from _without_markup(_decode_marked_up(b"".join(start) + raw.read(), path))
        else:
            yield from _decode(itertools.chain(start, raw), path)


def _up_to_first_text(raw: Iterable[bytes]) -> Iterator[bytes]:
    for line in raw:
        line = line.removeprefix(b"\xef\xbb\xbf")
        yield line
        if line.strip():
            return


def _decode(lines: Iterable[bytes], path: Path) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        try:
            yield line.decode("utf-8")
        except UnicodeDecodeError:
            _warn_not_utf8(path, number)
            yield line.decode("utf-8", "replace")


def _decode_marked_up(data: bytes, path: Path) -> list[str]:
    """Decode a file of the Chinese Treebank by whichever of its two encodings fits it better."""
    text = min(
        (data.decode(encoding, "replace") for encoding in ("utf-8", "gb18030")),
        key=lambda decoded: decoded.count(_REPLACEMENT),
    )
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if _REPLACEMENT in line:
            _warn_not_utf8(path, number)
    return lines


def _warn_not_utf8(path: Path, line: int) -> None:
    logger.warning("%s:%d: bytes that are not UTF-8, read as U+FFFD; mend the file", path, line)


def _without_markup(lines: list[str]) -> Iterator[str]:
    """Blank out tags and, where sentences are marked (``<S ID=1>``), all that stands outside."""
    marked = any(_SENTENCE_TAG.search(line) for line in lines if line.lstrip()[:1] == "<")
    inside = not marked
    for line in lines:
        opening = _MARKUP.match(line)
        blank = opening.end() if opening else 0
        for slash in _SENTENCE_TAG.findall(line, 0, blank):
            inside = not slash
        closing = _SENTENCE_END.search(line, blank)
        text = " " * blank + line[blank : closing.start() if closing else None]
        yield text if inside else ""
        if closing and marked:
            inside = False


def _blocks(lines: Iterator[str], *, split: bool) -> Iterator[tuple[int, Iterable[str]]]:
    """Give all lines as one block, with the number of the first, or split them between trees.

    A tree is taken to start where a line starts with a bracket, and after a blank line, such as
    mark-up leaves.
    """
    if not split:
        yield 1, lines
        return
    first, block = 1, list[str]()
    for number, line in enumerate(lines, 1):
        if line.startswith("(") or not line.strip():
            if block:
                yield first, block
            first, block = number, []
        block.append(line)
    yield first, block


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
