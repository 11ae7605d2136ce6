"""How the loops of this room are compiled: without liberties, but where a name says which."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from bnaparser.compute.compiling import kept_on_disk

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile on first use; sums keep their order, and a not-a-number stays one."""
    return kept_on_disk(function)


def compiled_reordering(function: Function) -> Function:
    """The same for a function whose sums may be added up in any order, and so side by side."""
    return kept_on_disk(function, {"reassoc", "nsz"})


def compiled_fusing(function: Function) -> Function:
    """The same for a function whose products may be added without being rounded before."""
    return kept_on_disk(function, {"contract"})


def compiled_inline(function: Function) -> Function:
    """The same for what becomes part of whatever calls it: handing arrays over costs 100 ns a call."""
    return kept_on_disk(function, inline=True)
