"""The files of a corpus: which there are, of what kind each is, and whether one changes while it is read."""

from __future__ import annotations

import glob
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from bnaparser.errors import DataError, SettingsError

Kind = Literal["text", "jsonl", "csv", "tsv", "parquet", "conllu"]
KINDS: tuple[Kind, ...] = get_args(Kind)
PACKED = (".gz", ".xz", ".bz2", ".zst")
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
        """Raise DataError where the file is not as it was when the run began."""
        try:
            now = self.path.stat()
        except OSError as error:
            raise DataError(
                f"{self.path}: it is gone, while it was read: {error.strerror}"
            ) from None
        if (now.st_size, now.st_mtime_ns) != (self.size, self.changed):
            raise DataError(
                f"{self.path}: it was changed while it was read: let it rest, and give --fresh"
            )


def find_files(paths: Iterable[str], kind: Kind | None = None) -> list[CorpusFile]:
    """Return the files that names, folders and patterns mean, each once, in the order given.

    Of a folder these are all files in it of a known kind, at any depth, by name; hidden ones are passed
    over. ``kind`` is that of all files; by default their names tell. Raises DataError where there is
    none, SettingsError where a kind cannot be told.
    """
    found: dict[Path, CorpusFile] = {}
    for given in paths:
        if given == "-":
            raise SettingsError(
                "standard input cannot be read again where a run goes on: give files, or use bnaparse"
            )
        for path, name in _named(given, kind):
            found.setdefault(path.resolve(), _described(path, name, kind))
    return list(found.values())


def kind_by_name(path: Path) -> Kind | None:
    """Return what a file's name says of its kind; None where it says nothing."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in PACKED:
        suffixes.pop()
    return _BY_SUFFIX.get(suffixes[-1]) if suffixes else None


def _named(given: str, kind: Kind | None) -> list[tuple[Path, str]]:
    """The files that one argument means, each with its name: below a folder, from there on."""
    path = Path(given)
    if path.is_dir():
        inside = sorted(file for file in path.rglob("*") if file.is_file())
        names = [(file, str(file.relative_to(path))) for file in inside]
        shown = [one for one in names if not any(p.startswith(".") for p in Path(one[1]).parts)]
        known = [one for one in shown if kind or kind_by_name(one[0])]
        if not known:
            raise DataError(
                f"{path}: no file in this folder ends in {', '.join(_BY_SUFFIX)}: say with --from"
                " what its files are"
            )
        return known
    if path.is_file():
        return [(path, path.name)]
    matches = sorted(Path(name) for name in glob.glob(given, recursive=True))
    if files := [(file, file.name) for file in matches if file.is_file()]:
        return files
    missing = "no file matches this pattern" if glob.has_magic(given) else "no such file or folder"
    raise DataError(f"{given}: {missing}")


def _described(path: Path, name: str, kind: Kind | None) -> CorpusFile:
    found = kind or kind_by_name(path)
    if found is None:
        raise SettingsError(
            f"{path}: its name does not say what it is: give --from with one of {', '.join(KINDS)}"
        )
    try:
        state = path.stat()
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from error
    return CorpusFile(path, name, found, state.st_size, state.st_mtime_ns)
