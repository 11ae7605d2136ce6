"""Compiling with Numba: without Python's lock, the machine code kept on disk wherever that is possible."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable
from contextlib import suppress
from copy import copy
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import event as events

from bnaparser.errors import SettingsError

Function = TypeVar("Function", bound=Callable[..., Any])
_HERE = Path(__file__).parent


def compiled(function: Function) -> Function:
    """Compile on first use. All arithmetic is as written, so that every processor computes the same numbers."""
    return kept_on_disk(function)


def check_compiler() -> None:
    """Raise SettingsError where Numba was told to compile nothing: a parser is made of compiled functions."""
    if numba.config.DISABLE_JIT:
        raise SettingsError(
            "NUMBA_DISABLE_JIT is set, so nothing is compiled, and a parser consists of compiled functions:"
            " unset this variable"
        )


def when_compiling(tell: Callable[[], None]) -> None:
    """Call ``tell`` once, as soon as this process compiles anything whose machine code is not kept yet."""
    events.register("numba:compile", _Once(tell))


class _Once(events.Listener):  # type: ignore[misc]
    """Waits for the first function that is compiled."""

    def __init__(self, tell: Callable[[], None]):
        self._tell: Callable[[], None] | None = tell

    def on_start(self, event: Any) -> None:
        tell, self._tell = self._tell, None
        if tell is not None:
            tell()

    def on_end(self, event: Any) -> None:
        pass


def kept_on_disk(
    function: Function,
    liberties: frozenset[str] | set[str] = frozenset(),
    borrowing: bool = False,
) -> Function:
    """Compile on first use, with these liberties in arithmetic, as LLVM names them.

    With ``borrowing`` it makes no array of its own, and counts no references to those it is given.

    Numba writes the machine code beside the source file or, where it may not, to the user's cache
    folder; where there is neither (a read-only container without a home), to the folder for
    temporary files. Where it may write nowhere, or the disk is full, each process compiles anew.
    """
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": set(liberties)}
    if borrowing:
        options["_nrt"] = False
    try:
        return cast(Function, _stamped(numba.njit(cache=True, **options)(function)))
    except RuntimeError:
        folder = _own_folder(Path(tempfile.gettempdir()))
    if folder is not None:
        numba.config.CACHE_DIR = str(folder)
        try:
            return cast(Function, _stamped(numba.njit(cache=True, **options)(function)))
        except RuntimeError:
            pass
    return cast(Function, numba.njit(**options)(function))


def _stamped(dispatcher: Any) -> Any:
    """Let machine code count as old when any file of its function's room, or of this one, is newer; return it.

    Numba looks only at the file that a function stands in, and would run old machine code of what
    it calls in others, in this room's above all. And it reads what is kept before it looks at its age: what another version of
    this package kept may name classes that are no more. What cannot be read is compiled anew, and what
    cannot be written is not kept: neither keeps anybody from parsing.
    """
    kept: Any = getattr(dispatcher, "_cache", None)
    file: Any = getattr(kept, "_cache_file", None)
    if hasattr(file, "_source_stamp") and hasattr(file, "_load_index"):
        file._source_stamp = _stamp(Path(dispatcher.py_func.__code__.co_filename).parent)
        file._load_index = _or_nothing(file._load_index, {})
        file.load = _or_nothing(file.load, None)
        kept.save_overload = _if_possible(kept.save_overload)
    return dispatcher


def _or_nothing(load: Callable[..., Any], nothing: Any) -> Callable[..., Any]:
    """Let what reads a file return ``nothing``, a copy of it, where that is damaged."""

    def loaded(*given: Any) -> Any:
        try:
            return load(*given)
        except Exception:  # noqa: BLE001 (of a damaged file pickle raises whatever comes)
            return copy(nothing)

    return loaded


def _if_possible(save: Callable[..., None]) -> Callable[..., None]:
    def saved(*given: Any) -> None:
        with suppress(OSError):
            save(*given)

    return saved


@cache
def _stamp(room: Path) -> tuple[float, int]:
    stats = [path.stat() for one in {room, _HERE} for path in one.glob("*.py")]
    return max((one.st_mtime for one in stats), default=0.0), sum(one.st_size for one in stats)


def _own_folder(temporary: Path) -> Path | None:
    """Return this user's folder for machine code; None where it cannot be made, or is another's.

    What lies there is run: nobody else may have put it there.
    """
    if not hasattr(os, "getuid"):  # Windows has a folder of its own for each user's temporary files
        return temporary / "bnaparser"
    folder = temporary / f"bnaparser-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return None
    mine = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
    return folder if mine and not found.st_mode & 0o022 else None
