"""Folders: the files in one at any depth, those of a model, how a new folder takes an old one's place, and locks."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bnaparser.errors import DataError, ModelError, SettingsError

if sys.platform != "win32":
    import fcntl

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


def files_below(folder: Path) -> list[Path]:
    """Return the regular files in a folder at any depth, sorted; links to folders are followed, each folder once.

    Raises DataError if a folder cannot be read, or if a link leads to nothing: a file would be left out without a word.
    """

    def fail(error: OSError) -> None:
        raise DataError(f"{error.filename}: this folder cannot be read: {error.strerror or error}")

    seen: set[str] = set()
    found: list[Path] = []
    waiting = [folder]
    while waiting:
        for place, folders, names in os.walk(waiting.pop(0), onerror=fail):
            real = os.path.realpath(place)
            if real in seen:
                folders.clear()
                continue
            seen.add(real)
            # Hidden links are passed over: an editor's lock is one that leads to nothing.
            links = [
                one
                for one in map(Path(place).joinpath, sorted((*folders, *names)))
                if one.is_symlink() and not one.name.startswith(".")
            ]
            waiting += [one for one in links if one.is_dir()]
            if broken := [one for one in links if not one.exists()]:
                raise DataError(f"{broken[0]}: this link leads to nothing: mend or remove it")
            found += [file for name in names if (file := Path(place, name)).is_file()]
    return sorted(found)


@contextmanager
def only_one(folder: Path, what: str) -> Iterator[None]:
    """Make a folder, if there is none, and keep other processes that call this out of it.

    A folder that is made here and stays empty is removed.

    Args:
        folder: the folder.
        what: what another process does in it, for the message.

    Raises:
        SettingsError: another process is in there, or the folder cannot be made.
    """
    is_new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = None if sys.platform == "win32" else os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise SettingsError(f"{folder} cannot be written: {error.strerror or error}") from error
    try:
        if descriptor is not None and not lock(descriptor):
            raise SettingsError(
                f"{what} in {folder} in another process: wait for its end, or choose another folder with --output"
            )
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)
        with suppress(OSError):
            if is_new:
                folder.rmdir()


def lock(descriptor: int) -> bool:
    """Lock an open file or folder until it is closed; False if another process has it locked.

    Where there are no locks (on Windows, in some file systems) the answer is True.
    """
    if sys.platform != "win32":
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            pass
    return True


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
