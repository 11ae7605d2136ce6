"""The files of a corpus: which there are, of what kind each is, whether one changes while it is read."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Literal, get_args

from bnaparser.errors import DataError, SettingsError
from bnaparser.files.compressed import damage_as_errors, ending, unpacked
from bnaparser.files.folder import files_below

Kind = Literal["text", "jsonl", "csv", "tsv", "parquet", "conllu"]
KINDS: tuple[Kind, ...] = get_args(Kind)
_BY_SUFFIX: dict[str, Kind] = {
    ".txt": "text",
    ".text": "text",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".conllu": "conllu",
}


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """A file: where it is, the name by which documents are called, its kind, size and time of change."""

    path: Path
    name: str
    kind: Kind
    size: int
    changed: int

    def check_unchanged(self) -> None:
        """Raise DataError if the file is not as it was when the run began."""
        try:
            now = self.path.stat()
        except OSError as error:
            raise DataError(
                f"{self.path}: the file disappeared while it was read: {error.strerror}"
            ) from None
        if (now.st_size, now.st_mtime_ns) != (self.size, self.changed):
            raise DataError(
                f"{self.path}: the file was changed while it was read: run the command again with --fresh when the file no longer changes"
            )


def find_files(
    paths: Iterable[str], kind: Kind | None = None, output: Path | None = None
) -> list[CorpusFile]:
    """Return the files that names, folders and patterns stand for, each once, in the given order.

    Of a folder these are all files in it of a known kind, at any depth, by name; hidden ones are passed
    over, and so are those in ``output`` where there are others. ``kind`` is that of all files; by
    default their names tell. Files that would be called the same have as many folders in their names
    as distinguish them. Raises DataError if there is none, SettingsError if a kind cannot be recognised.
    """
    found: dict[Path, CorpusFile] = {}
    for pattern in paths:
        if pattern == "-":
            raise SettingsError(
                "standard input cannot be read again when a run is resumed: give files, or use bnaparse"
            )
        for path, name in _named(pattern, kind, output):
            found.setdefault(Path(os.path.realpath(path)), _described(path, name, kind))
    return _with_unique_names(list(found.values()))


def kind_by_name(path: Path) -> Kind | None:
    """Return the kind of a file by its name; None if the name does not show it."""
    return _BY_SUFFIX.get(ending(path))


def _with_unique_names(files: list[CorpusFile]) -> list[CorpusFile]:
    """Give files of the same name longer ones."""
    alike: dict[str, list[int]] = {}
    for place, file in enumerate(files):
        alike.setdefault(file.name, []).append(place)
    taken = {name for name, places in alike.items() if len(places) == 1}
    named, whole = list(files), _whole_paths(files)
    for name, places in alike.items():
        if len(places) == 1:
            continue
        parts = [whole[place].parts for place in places]
        count = len(Path(name).parts) + 1
        while len(longer := {str(Path(*part[-count:])) for part in parts} - taken) < len(places):
            count += 1
        taken |= longer
        for place, part in zip(places, parts, strict=True):
            named[place] = replace(files[place], name=str(Path(*part[-count:])))
    return named


def _whole_paths(files: list[CorpusFile]) -> list[Path]:
    """Return a path from the root for each file, another one for each, links as they were given if possible."""
    paths = [Path(os.path.abspath(file.path)) for file in files]
    if len(set(paths)) == len(paths):
        return paths
    # LINK/../FILE is beside what the link leads to, not beside the link.
    return [Path(os.path.realpath(file.path.parent)) / file.path.name for file in files]


def _outside(files: list[Path], output: Path | None) -> list[Path]:
    """Leave out what lies in a folder, unless all does."""
    if output is None or not output.is_dir():
        return files
    folder = Path(os.path.realpath(output))
    return [file for file in files if folder not in Path(os.path.realpath(file)).parents] or files


def _named(pattern: str, kind: Kind | None, output: Path | None) -> list[tuple[Path, str]]:
    """The files that one argument means, each with its name: below a folder, from there on."""
    path = Path(pattern)
    if path.is_dir():
        inside = _outside(files_below(path), output)
        names = [(file, str(file.relative_to(path))) for file in inside]
        shown = [one for one in names if not any(p.startswith(".") for p in Path(one[1]).parts)]
        known = [one for one in shown if kind or kind_by_name(one[0])]
        if not known:
            raise DataError(
                f"{path}: no file in this folder ends in {', '.join(_BY_SUFFIX)}: give the format of the"
                " files with --from"
            )
        return known
    if path.is_file():
        return [(path, path.name)]
    matches = sorted(Path(name) for name in glob.glob(pattern, recursive=True))
    if files := [file for file in matches if file.is_file()]:
        return [(file, file.name) for file in _outside(files, output)]
    if path.exists():
        raise DataError(
            f"{pattern}: a named pipe or a device cannot be read again when a run is resumed: give a regular file"
        )
    missing = (
        "no file matches this pattern" if glob.has_magic(pattern) else "no such file or folder"
    )
    raise DataError(f"{pattern}: {missing}")


def _described(path: Path, name: str, kind: Kind | None) -> CorpusFile:
    found = kind or kind_by_name(path)
    if found is None:
        raise SettingsError(
            f"{path}: the ending of this name is unknown: give the format with --from, one of {', '.join(KINDS)}"
        )
    try:
        state = path.stat()
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from error
    return CorpusFile(path, name, found, state.st_size, state.st_mtime_ns)


@contextmanager
def open_packed(path: Path) -> Iterator[tuple[IO[bytes], Callable[[], int]]]:
    """Open a file; return it with a function that returns the number of bytes read.

    Raises DataError as `bnaparser.files.compressed.open_compressed` does.
    """
    with damage_as_errors(path), path.open("rb") as raw:
        yield unpacked(raw, path.suffix.lower()), raw.tell
