"""Temporary folders that are removed however the process ends.

TMPDIR/bnaparser-temporary-PID-...    locked (flock) as long as the process that made it lives
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform != "win32":  # which has no such locks: there only killed processes leave folders
    import fcntl

_PREFIX = "bnaparser-temporary-"
# The folders that are in use, each with the process that made it: a forked process inherits the table.
_in_use: dict[Path, int] = {}


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Make a new folder among the temporary files, and remove it at the end of the block.

    A process that is about to end in another way calls `remove_temporary_folders`. Folders of processes that were
    killed are removed, too, when a new one is made.
    """
    remove_abandoned_folders()
    folder, lock = _new_folder()
    try:
        yield folder
    finally:
        _remove(folder)
        _in_use.pop(folder, None)
        if lock is not None:
            os.close(lock)


def restore_folder(folder: Path) -> bool:
    """Make a folder of this process again if somebody has removed it, and return whether that was so. Raises OSError.

    Programs that clean TMPDIR remove what is old. The new folder is locked until the process ends.
    """
    try:
        folder.mkdir(0o700, parents=True)
    except FileExistsError:
        return False
    if sys.platform != "win32":
        with suppress(OSError):  # the file system has no locks
            _lock(folder, fcntl.LOCK_EX)
    return True


def remove_temporary_folders() -> None:
    """Remove the folders of this process, which is about to end, even if another thread still
    writes into them.
    """
    for folder, process in list(_in_use.items()):
        if process == os.getpid():
            _remove(folder)


def remove_abandoned_folders() -> None:
    """Remove the folders of processes that were killed and could not remove them."""
    if sys.platform == "win32":
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):  # in use, or of another user
            lock = _lock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            try:
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)


def _remove(folder: Path) -> None:
    """Remove a folder; it is renamed first, so that no other thread makes a further file in it."""
    going = folder.with_name(f"{folder.name}-going")
    with suppress(OSError):
        folder.rename(going)
    shutil.rmtree(going, ignore_errors=True)


def _new_folder() -> tuple[Path, int | None]:
    """Return a new folder, and its lock where the system has locks."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))
        _in_use[folder] = os.getpid()
        if sys.platform == "win32":
            return folder, None
        with suppress(OSError):  # the file system has no locks, so nobody removes it as abandoned
            lock = _lock(folder, fcntl.LOCK_EX)
            if folder.exists():
                return folder, lock
            os.close(lock)
        if folder.exists():
            return folder, None
        _in_use.pop(folder)  # another process was faster with its lock, and removed it


def _lock(folder: Path, how: int) -> int:
    """Lock a folder and return its open descriptor; OSError where that cannot be done."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, how)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor
