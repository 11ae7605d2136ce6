"""The names of the files in a model folder, whether each can be read, and how a new folder takes an old one's place."""

from __future__ import annotations

import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bnaparser.errors import DataError, ModelError

CONFIG = "config.json"
LABELS = "labels.json"
WEIGHTS = "model.safetensors"
BENEPAR_WEIGHTS = "benepar_model.bin"
METRICS = "metrics.json"
ENCODER = "encoder"

# What Git leaves in the place of a file that Git LFS has not fetched begins so.
_LFS_POINTER = b"version https://git-lfs.github.com/spec/"
# Files of an encoder's folder that Hugging Face's library may read.
_OF_ENCODERS = ("*.json", "*.txt", "*.model", "*.safetensors")


def deciding_files(folder: Path) -> list[Path]:
    """Return the files of a model's folder that determine the model's predictions, if they exist; scores do not.

    Raises ModelError as `check_model_file` does.
    """
    patterns = (CONFIG, LABELS, WEIGHTS, f"{ENCODER}/*")
    found = [file for pattern in patterns for file in sorted(folder.glob(pattern))]
    for file in found:
        check_model_file(file)
    return found


def check_model_file(path: Path) -> None:
    """Raise ModelError if a file of a model cannot be read.

    A named pipe or a device is refused, because reading it may never end. So is a Git LFS pointer, because it
    stands for a file that is not there.
    """
    try:
        is_regular = stat.S_ISREG(path.stat().st_mode)
        head = b""
        if is_regular:
            with path.open("rb") as file:
                head = file.read(len(_LFS_POINTER))
    except FileNotFoundError as error:
        raise ModelError(f"{path} is missing; {path.parent} is not a model folder") from error
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror or error}") from error
    if not is_regular:
        raise ModelError(f"{path} is not a regular file; download or copy the model again")
    if head == _LFS_POINTER:
        raise ModelError(
            f"{path} is a Git LFS pointer, not the file itself: run 'git lfs pull' in {path.parent}"
        )


def check_encoder_files(folder: str | Path) -> None:
    """Raise ModelError if a file of an encoder's folder cannot be read; a hub's name passes."""
    if str(folder) == "ENCODER" and not Path(folder).exists():  # as recipes have it
        raise ModelError(
            "ENCODER in a recipe stands for your encoder: set encoder.name to a folder or hub name, such as"
            " --set encoder.name=sentence-transformers/all-MiniLM-L6-v2"
        )
    for pattern in _OF_ENCODERS:
        for path in sorted(Path(folder).glob(pattern)):
            check_model_file(path)


def check_new(folder: Path) -> None:
    """Raise DataError if the path is a file or a folder that is not empty, before any work is done."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise DataError(f"{folder} exists already: choose another folder")


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Yield ``.FOLDER.new`` to write into. It gets the folder's name when everything is written.

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
    """Return the temporary name under which a folder is written: a name that no other process uses."""
    return folder.with_name(f".{folder.name}.new")


def put_in_place(new: Path, folder: Path) -> None:
    """Give a finished folder its name; only then remove what had this name before.

    So a process that is killed in the meantime leaves one of both whole, the old one perhaps as ``.FOLDER.old``.
    """
    old = folder.with_name(f".{folder.name}.old")
    _remove(old)
    if folder.exists():
        folder.rename(old)
    new.rename(folder)
    _remove(old)


def _remove(folder: Path) -> None:
    """Remove a folder if there is one; of a link to one the link."""
    if folder.is_symlink():
        folder.unlink()
    else:
        shutil.rmtree(folder, ignore_errors=True)
