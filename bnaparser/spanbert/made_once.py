"""What takes long to make is made once and kept: a folder is whole, or it is not there."""

from __future__ import annotations

import errno
import hashlib
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from bnaparser.errors import DataError, MissingExtraError, in_one_line
from bnaparser.files.compressed import ending

# Errors that have another cause for certain; some come from libraries that lose the number.
_NOT_FULL = {errno.EEXIST, errno.ENOTDIR, errno.EACCES, errno.EPERM, errno.EROFS}


def make_once(folder: Path, make: Callable[[Path], None]) -> None:
    """Have ``make`` write a folder under another name and give it its own, unless it is there.

    Where several processes ask for it, one makes it and the others wait; one that is killed leaves
    it to the next. Raises DataError where it cannot be written, and what ``make`` raises.
    """
    try:
        from filelock import FileLock
    except ImportError as error:
        raise MissingExtraError("filelock", "pretrain") from error
    if folder.is_dir():
        return
    new = folder.with_name(f"{folder.name}.new")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_name(f"{folder.name}.lock")):
            if folder.is_dir():
                return
            shutil.rmtree(new, ignore_errors=True)
            try:
                make(new)
                new.rename(folder)
            finally:
                shutil.rmtree(new, ignore_errors=True)
    except OSError as error:
        full = "" if error.errno in _NOT_FULL else ": is the disk full?"
        raise DataError(f"{new} cannot be written ({in_one_line(error)}){full}") from error


def key_of(told: Iterable[str], files: Iterable[Path]) -> str:
    """Return a name for what is made of these files' contents, as ``told`` and their endings say."""
    digest = hashlib.sha256()
    for text in told:
        digest.update(text.encode())
    for path in files:
        digest.update(f"{ending(path)} {path.suffix}\n".encode())
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:24]
