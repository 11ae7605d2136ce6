"""How the loops of this room are compiled, and where their machine code is kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile on first use, run without Python's lock, keep the machine code on disk.

    Numba writes beside the file or, where it may not, to the user's cache folder. Where it may do
    neither (a read-only container without a home) it refuses to cache at all; then each process
    compiles anew.
    """
    return _compile(function, {})


def compiled_reordering(function: Function) -> Function:
    """The same for a function whose sums may be added up in any order, and so side by side."""
    return _compile(function, {"fastmath": {"reassoc", "nsz"}, "_nrt": False})


def compiled_borrowing(function: Function) -> Function:
    """The same for a function that makes no array: it counts no references, 10 ns an array and call."""
    return _compile(function, {"_nrt": False})


def compiled_fusing(function: Function) -> Function:
    """The same for a function whose products may be added without being rounded before."""
    return _compile(function, {"fastmath": {"contract"}, "_nrt": False})


def _compile(function: Function, options: dict[str, Any]) -> Function:
    try:
        dispatcher = numba.njit(nogil=True, cache=True, **options)(function)
    except RuntimeError:
        return cast(Function, numba.njit(nogil=True, **options)(function))
    _stamp_with_whole_room(dispatcher)
    return cast(Function, dispatcher)


def _stamp_with_whole_room(dispatcher: Any) -> None:
    """Let machine code count as old when any file of this room is newer.

    Numba looks only at the file that a function stands in, and would run old machine code of what
    it calls in others.
    """
    file = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if hasattr(file, "_source_stamp"):
        file._source_stamp = _stamp()


def _stamp() -> tuple[float, int]:
    stats = [path.stat() for path in sorted(Path(__file__).parent.glob("*.py"))]
    return max(one.st_mtime for one in stats), sum(one.st_size for one in stats)
