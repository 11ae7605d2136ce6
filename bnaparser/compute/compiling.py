"""Compiling with Numba: without Python's lock, the machine code kept on disk wherever that is possible."""

from __future__ import annotations

import getpass
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile on first use. Sums keep their order, and a not-a-number stays one.

    Numba writes the machine code beside the source file or, where it may not, to the user's cache
    folder; where there is neither (a read-only container without a home), to the folder for
    temporary files.
    """
    return _kept_on_disk(function, {"contract"})


def compiled_freely(function: Function) -> Function:
    """The same for sums and maxima, in whichever order is fastest; what goes in are numbers."""
    return _kept_on_disk(function, {"contract", "reassoc", "nnan", "ninf", "nsz"})


def _kept_on_disk(function: Function, liberties: set[str]) -> Function:
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": liberties}
    try:
        return cast(Function, numba.njit(cache=True, **options)(function))
    except RuntimeError:
        folder = Path(tempfile.gettempdir()) / f"bnaparser-{getpass.getuser()}"
        numba.config.CACHE_DIR = str(folder)
    try:
        return cast(Function, numba.njit(cache=True, **options)(function))
    except (RuntimeError, OSError):
        return cast(Function, numba.njit(**options)(function))
