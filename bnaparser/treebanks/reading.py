"""Treebank files: which there are, how they are compressed and encoded, and the trees in them.

Read are plain and compressed (``.gz``, ``.xz``, ``.bz2``, ``.zst``) files of bracketed trees in UTF-8 or
an encoding that is named, and the files of the Chinese Treebank with their mark-up (``<S ID=1>``), in UTF-8
or GB18030.
"""

from __future__ import annotations

import glob
import itertools
import logging
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator
from io import BufferedIOBase
from os import PathLike
from pathlib import Path
from typing import IO, NamedTuple, cast

from bnaparser.errors import DataError, TreeError, check_flag
from bnaparser.files.compressed import ending, open_compressed, unpacked_name
from bnaparser.files.text_files import LineReader, refuse_binary
from bnaparser.treebanks.collector import collector_at_rest
from bnaparser.trees.cleaning import Cleaning, clean
from bnaparser.trees.tree import Tree, parse_trees_with_places

logger = logging.getLogger(__name__)

StrPath = str | PathLike[str]

TREE_FILES = (".mrg", ".fid")  # what is taken from a folder, in this order of preference
_MARKUP = re.compile(r"^(?:[^\S\n]*<[/!?]?[A-Za-z][^<>\n]*>)+", re.MULTILINE)
_SENTENCE_TAG = re.compile(r"<(?P<end>/?)S(?:\s[^<>]*)?>", re.IGNORECASE)
_REPLACEMENT = "\ufffd"


class Line(NamedTuple):
    """A line's number in its file, its text, and whether a marked sentence starts with it."""

    number: int
    text: str
    starts: bool = False


class Found(NamedTuple):
    """A tree and where it stands: its file and the line, from 1, where it starts."""

    tree: Tree
    source: str
    line: int


def list_files(path: StrPath) -> list[Path]:
    """Return the treebank files that a file name, a folder or a pattern (``wsj/*/*.mrg``) means.

    Of a folder these are all ``.mrg`` files in it, at any depth, or else all ``.fid`` files, in
    the order of their names; they may be compressed, and of a file and its compressed copy the first is
    read. Raises DataError if there is none.
    """
    where = Path(path)
    if where.exists() and not where.is_dir():
        return [where]
    if where.is_dir():
        inside = sorted(file for file in where.rglob("*") if file.is_file())
        for kind in TREE_FILES:
            of_kind = [file for file in reversed(inside) if ending(file) == kind]
            if of_kind:
                return sorted({unpacked_name(file): file for file in of_kind}.values())
        raise DataError(f"{where}: no .mrg and no .fid file in this folder; name the files instead")
    matches = sorted(Path(name) for name in glob.glob(str(where), recursive=True))
    if files := [file for file in matches if file.is_file()]:
        return files
    if glob.has_magic(str(where)):
        raise DataError(f"{where}: no file matches this pattern")
    raise DataError(f"{where}: no such file or folder")


def find_trees(
    paths: StrPath | Iterable[StrPath],
    *,
    skip_broken: bool = False,
    may_hold: Callable[[str], bool] | None = None,
    encoding: str | None = None,
    option: str = "",
) -> Iterator[Found]:
    """Yield every tree of the files that `list_files` finds, with its place, in constant memory.

    Raises DataError for a missing or damaged file and TreeError (file, line, column) at the first
    tree that is no tree. With ``skip_broken`` such a tree is left out and a warning is logged: in
    a marked-up file up to the end of its sentence, ``</S>``; in other files each tree must start
    at the beginning of a line and hold no blank line. A file
    that is not text, or not in ``encoding`` (by default UTF-8), is a DataError.

    ``may_hold`` is asked about each line that holds whole trees; those for which it says False are
    passed over, which is much faster than reading them. ``option`` is a command's own by which a user names
    the encoding: it stands in the message of a DataError.
    """
    check_flag("skip_broken", skip_broken)
    for path in [paths] if isinstance(paths, str | PathLike) else paths:
        for file in list_files(path):
            lines = numbered_lines(file, encoding, option)
            yield from trees_in(lines, str(file), skip_broken=skip_broken, may_hold=may_hold)


def trees_in(
    numbered: Iterator[Line],
    source: str,
    *,
    skip_broken: bool = False,
    may_hold: Callable[[str], bool] | None = None,
) -> Iterator[Found]:
    """Yield every tree of the lines of a file as `find_trees` does."""
    for first_line, lines in _blocks(numbered, split=skip_broken):
        if may_hold is not None:
            lines = without(lines, may_hold)
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
    with collector_at_rest():
        return list(read_trees(paths, skip_broken=skip_broken))


def load_clean_trees(
    paths: StrPath | Iterable[StrPath], rules: Cleaning | None = None
) -> list[Tree]:
    """Return all trees as `clean` leaves them, without those that have no word left; raises as `find_trees` does."""
    cleaned = (clean(tree, rules) for tree in load_trees(paths))
    return [tree for tree in cleaned if tree is not None]


def without(lines: Iterable[str], may_hold: Callable[[str], bool]) -> Iterator[str]:
    """Yield the lines, but "" for one of whole trees for which ``may_hold`` says False."""
    depth = 0
    for line in lines:
        balance = line.count("(") - line.count(")")
        if depth == 0 and balance == 0 and not may_hold(line):
            yield ""
        else:
            yield line
            depth += balance


def read_lines(file: StrPath, encoding: str | None = None) -> Iterator[str]:
    """Yield the lines of one treebank file, decompressed and decoded; of marked-up files the sentences.

    Raises DataError as `find_trees` does.
    """
    return (line.text for line in numbered_lines(Path(file), encoding))


def numbered_lines(path: Path, encoding: str | None = None, option: str = "") -> Iterator[Line]:
    """Yield the lines of one treebank file as `read_lines` does, with their numbers.

    Mark-up is blanked out, so that columns stay those of the file.
    """
    with open_compressed(path) as raw:
        start = b"".join(_up_to_first_text(raw)).removeprefix(BOM_UTF8)
        marked_up = path.name.startswith("chtb_") or start.lstrip()[:1] == b"<"
        if marked_up and encoding is None:
            text = _decode_marked_up(start + raw.read(), path)
        else:
            lines = LineReader(_Rejoined(start, raw), str(path), encoding, option)
            if not marked_up:
                yield from _numbered(lines)
                return
            text = "".join(lines)
        yield from _marked_sentences(text) or _numbered(_without_markup(text).split("\n"))


class _Rejoined(BufferedIOBase):
    """A binary file whose start has been read, as if it had not been."""

    def __init__(self, start: bytes, rest: IO[bytes]):
        self._start, self._rest = start, rest

    def read1(self, size: int = -1, /) -> bytes:
        start, self._start = self._start, b""
        return start or cast(BufferedIOBase, self._rest).read1(size)


def _numbered(lines: Iterable[str]) -> Iterator[Line]:
    return (Line(number, line) for number, line in enumerate(lines, 1))


def _up_to_first_text(raw: Iterable[bytes]) -> Iterator[bytes]:
    """Yield lines up to the first that is not blank."""
    for line in raw:
        yield line
        if line.strip():
            return


def _decode_marked_up(data: bytes, path: Path) -> str:
    """Decode a file of the Chinese Treebank by whichever of its two encodings fits it better.

    Bytes that are in neither become U+FFFD, with a warning that names the line.
    """
    refuse_binary(str(path), data)
    text = min(
        (data.decode(encoding, "replace") for encoding in ("utf-8", "gb18030")),
        key=lambda decoded: decoded.count(_REPLACEMENT),
    )
    for number, line in enumerate(text.split("\n"), 1):
        if _REPLACEMENT in line:
            logger.warning(
                "%s:%d: bytes that are not UTF-8, read as U+FFFD: correct the file", path, number
            )
    return text


def _marked_sentences(text: str) -> list[Line]:
    """Return the lines of the marked sentences, each from ``<S ID=1>`` to the next such tag."""
    found: list[Line] = []
    tags = list(_SENTENCE_TAG.finditer(text))
    number, counted = 1, 0
    for tag, following in itertools.zip_longest(tags, tags[1:]):
        if tag["end"]:
            continue
        number, counted = number + text.count("\n", counted, tag.end()), tag.end()
        column = tag.end() - (text.rfind("\n", 0, tag.end()) + 1)
        inside = text[tag.end() : following.start() if following else None]
        lines = (" " * column + _without_markup(inside)).split("\n")
        found += [Line(number + i, line, starts=i == 0) for i, line in enumerate(lines)]
    return found


def _without_markup(text: str) -> str:
    """Blank out the tags at the beginnings of lines."""
    return _MARKUP.sub(lambda match: " " * len(match.group()), text)


def _blocks(lines: Iterator[Line], *, split: bool) -> Iterator[tuple[int, Iterable[str]]]:
    """Give all lines as one block, with the number of the first, or split them between trees.

    Marked sentences are a block each. Elsewhere a tree is taken to start where a line starts with a
    bracket, and after a blank line.
    """
    first = next(lines, None)
    if first is None:
        return
    if not split and not first.starts:
        yield 1, (line.text for line in itertools.chain([first], lines))
        return
    number, block = first.number, [first.text]
    for line in lines:
        between = line.text.startswith("(") or not line.text.strip()
        if line.starts if first.starts else between:
            yield number, block
            number, block = line.number, []
        block.append(line.text)
    yield number, block
