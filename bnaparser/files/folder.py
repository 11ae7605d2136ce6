"""The names of the files in a model folder, and how a new folder takes an old one's place."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bnaparser.errors import DataError

CONFIG = "config.json"
LABELS = "labels.json"
WEIGHTS = "model.safetensors"
METRICS = "metrics.json"
ENCODER = "encoder"


def deciding_files(folder: Path) -> list[Path]:
    """Return the files of a model's folder that decide what the model gives, those that are there; scores do not."""
    patterns = (CONFIG, LABELS, WEIGHTS, f"{ENCODER}/*")
    return [file for pattern in patterns for file in sorted(folder.glob(pattern))]


def check_new(folder: Path) -> None:
    """Raise DataError where there is a file or a folder with something in it, before any work is done for it."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise DataError(f"{folder} is there already: name another folder")


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Yield ``.FOLDER.new``, to be written; it takes the folder's name when all is in it.

    So a process that is killed leaves nothing half written under the name. A folder that is there, and empty, is
    written into: it may be where a disk is mounted. Raises DataError as `check_new` does.
    """
    check_new(folder)
    if folder.exists():
        yield folder
        return
    new = unfinished(folder)
    _remove(new)
    new.mkdir(parents=True)
    try:
        yield new
        new.rename(folder)
    finally:
        _remove(new)


def unfinished(folder: Path) -> Path:
    """Return where a folder is written before it has its name: one that nobody else gives a folder."""
    return folder.with_name(f".{folder.name}.new")


def put_in_place(new: Path, folder: Path) -> None:
    """Rename a folder that is written to its end; what had the name before is removed only then.

    So a process that is killed meanwhile leaves one of both whole, the old one perhaps as ``.FOLDER.old``.
    """
    old = folder.with_name(f".{folder.name}.old")
    _remove(old)
    if folder.exists():
        folder.rename(old)
    new.rename(folder)
    _remove(old)


def _remove(folder: Path) -> None:
    """Remove a folder where there is one; of a link to one the link."""
    if folder.is_symlink():
        folder.unlink()
    else:
        shutil.rmtree(folder, ignore_errors=True)
