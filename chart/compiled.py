"""How the loops of the chart are compiled: without liberties in arithmetic, unless a name says which."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from bnaparser.compute.compiling import compiled

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled_borrowing(function: Function) -> Function:
    """Compile a function that makes no array: counting references costs 10 ns an array and call."""
    return compiled(function, borrowing=True)


def compiled_reordering(function: Function) -> Function:
    """Compile a function whose sums may be added up in any order, and so side by side."""
    return compiled(function, {"reassoc", "nsz"}, borrowing=True)


def compiled_fusing(function: Function) -> Function:
    """Compile a function whose products may be added without being rounded before."""
    return compiled(function, {"contract"}, borrowing=True)
