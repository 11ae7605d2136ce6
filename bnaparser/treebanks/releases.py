"""Releases of the Linguistic Data Consortium: where their files lie, and the standard splits.

The Penn Treebank's Wall Street Journal (LDC99T42, or the sample that NLTK hands out) and the
Chinese Treebank 5.1 (LDC2005T01). Splits are those of the constituency parsing papers.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from bnaparser.errors import DataError, SettingsError
from bnaparser.files.compressed import unpacked_name
from bnaparser.files.folder import files_below
from bnaparser.treebanks.reading import read_trees
from bnaparser.trees.cleaning import Cleaning, clean
from bnaparser.trees.tree import Tree

_WSJ_FILE = re.compile(r"wsj_(\d\d)\d\d\.mrg(\.gz|\.xz)?", re.IGNORECASE)
_WSJ_FOLDERS = ("parsed/mrg/wsj", "combined/wsj", "combined", "mrg/wsj", "wsj", "")
_CTB_FILE = re.compile(r"chtb_(\d{3,4})\.(fid|nw|mrg)", re.IGNORECASE)
_CTB_FOLDERS = ("data/bracketed", "bracketed", "")


def wsj_sections(release: str | PathLike[str]) -> dict[int, list[Path]]:
    """Return the ``.mrg`` files of each Wall Street Journal section, by the section's number.

    ``release`` is the release's folder, or one above or below it: files are sought in
    ``parsed/mrg/wsj/00 ... 24``, ``combined/wsj`` and ``combined``. Raises DataError if there are
    none.
    """
    sections: dict[int, list[Path]] = {}
    for number, file in _first_with_files(release, _WSJ_FOLDERS, _WSJ_FILE, "wsj_2300.mrg"):
        sections.setdefault(number, []).append(file)
    return sections


def ctb_articles(release: str | PathLike[str]) -> dict[int, list[Path]]:
    """Return the bracketed file of each article of the Chinese Treebank, by its number.

    ``release`` is the release's folder, or one above or below it: files such as ``chtb_271.fid``
    are sought in ``data/bracketed`` and ``bracketed``. Raises DataError if there are none.
    """
    found = _first_with_files(release, _CTB_FOLDERS, _CTB_FILE, "chtb_271.fid")
    return {number: [file] for number, file in found}


@dataclass(frozen=True, slots=True)
class Release:
    """A treebank release: its standard split, and how its files are found and read."""

    name: str
    unit: str
    """What the split counts: sections or articles."""
    parts: Mapping[str, tuple[range, ...]]
    sentences: Mapping[str, int]
    """How many sentences the papers count in each part."""
    find_files: Callable[[str | PathLike[str]], dict[int, list[Path]]]
    skip_broken: bool = False

    def files(self, release: str | PathLike[str], part: str) -> list[Path]:
        """Return the files of ``train``, ``dev`` or ``test``, in order; DataError if none is there."""
        numbers = self._numbers(part)
        numbers_of_part = {number for numbers_of_one in numbers for number in numbers_of_one}
        found = self.find_files(release)
        files = [file for number in sorted(numbers_of_part & set(found)) for file in found[number]]
        if not files:
            raise DataError(f"{release}: holds no file of {self.describe(part)}")
        return files

    def read(
        self, release: str | PathLike[str], part: str, rules: Cleaning | None = None
    ) -> Iterator[Tree]:
        """Yield the cleaned trees of a part; raises as `read_trees` does."""
        for tree in read_trees(self.files(release, part), skip_broken=self.skip_broken):
            cleaned = clean(tree, rules)
            if cleaned is not None:
                yield cleaned

    def describe(self, part: str) -> str:
        """Return, for people, what a part is: ``WSJ sections 2-21``."""
        spans = [f"{r.start}-{r[-1]}" if len(r) > 1 else str(r.start) for r in self._numbers(part)]
        plural = "" if spans[0].isdigit() else "s"
        return f"{self.name} {self.unit}{plural} {', '.join(spans)}"

    def _numbers(self, part: str) -> tuple[range, ...]:
        if part not in self.parts:
            raise SettingsError(f"unknown part {part!r}: the parts are {', '.join(self.parts)}")
        return self.parts[part]


PTB = Release(
    name="WSJ",
    unit="section",
    parts={"train": (range(2, 22),), "dev": (range(22, 23),), "test": (range(23, 24),)},
    sentences={"train": 39_832, "dev": 1_700, "test": 2_416},
    find_files=wsj_sections,
)

CTB = Release(
    name="CTB 5.1",
    unit="article",
    parts={
        "train": (range(1, 271), range(440, 1152)),
        "dev": (range(301, 326),),
        "test": (range(271, 301),),
    },
    sentences={"train": 17_544, "dev": 352, "test": 348},
    find_files=ctb_articles,
    skip_broken=True,  # a few sentences of 5.1 have brackets that do not close
)


def _first_with_files(
    release: str | PathLike[str], folders: Iterable[str], name: re.Pattern[str], example: str
) -> list[tuple[int, Path]]:
    """Return number and path of the files that fit ``name``, from the first folder that has any.

    A folder counts wherever it lies below the release; the release itself (``""``) comes last, so
    that files in two renderings of one treebank are not taken together.
    """
    root = Path(release)
    if not root.is_dir():
        raise DataError(f"{root}: no such folder; give the folder of the release")
    numbered = sorted(
        (int(match[1]), file) for file in files_below(root) if (match := name.fullmatch(file.name))
    )
    for folder in folders:
        parts = Path(folder).parts
        if inside := [(number, file) for number, file in numbered if _within(file, root, parts)]:
            return _once(inside, root)
    raise DataError(
        f"{root}: no file such as {example} in this folder: give the folder of the release"
    )


def _once(numbered: list[tuple[int, Path]], root: Path) -> list[tuple[int, Path]]:
    """Return files without packed copies of others; DataError if two folders have the same file."""
    unpacked = {unpacked_name(file): (number, file) for number, file in reversed(numbered)}
    places: dict[str, Path] = {}
    for path, (_, file) in sorted(unpacked.items()):
        other = places.setdefault(path.name.lower(), file)
        if other is not file:
            raise DataError(
                f"{root}: the folder holds {other} and {file}: give the folder of one release"
            )
    return sorted(unpacked.values())


def _within(file: Path, root: Path, folder: tuple[str, ...]) -> bool:
    """Return whether the folders between root and file, one of them the root, hold ``folder``."""
    between = (Path(os.path.realpath(root)).name, *file.relative_to(root).parts[:-1])
    lower = [part.lower() for part in between]
    width = len(folder)
    return any(tuple(lower[at : at + width]) == folder for at in range(len(lower) - width + 1))
