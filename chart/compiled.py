"""How the loops of this room are compiled: without liberties, but where a name says which."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from bnaparser.compute.compiling import kept_on_disk

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile on first use; sums keep their order, and a not-a-number stays one."""
    return kept_on_disk(function)


def compiled_borrowing(function: Function) -> Function:
    """The same for a function that makes no array: counting references costs 10 ns an array and call."""
    return kept_on_disk(function, borrowing=True)


def compiled_reordering(function: Function) -> Function:
    """The same for a function whose sums may be added up in any order, and so side by side."""
    return kept_on_disk(function, {"reassoc", "nsz"}, borrowing=True)


def compiled_fusing(function: Function) -> Function:
    """The same for a function whose products may be added without being rounded before."""
    return kept_on_disk(function, {"contract"}, borrowing=True)
