"""How the loops of the chart are compiled: without liberties in arithmetic, unless a name says which."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from bnaparser.compute.compiling import compiled

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled_apart(function: Function) -> Function:
    """Compile a function once, not anew in each of its callers."""
    return compiled(function, apart=True)


def compiled_reordering(function: Function) -> Function:
    """Compile a function whose sums may be added up in any order, and so side by side."""
    return compiled(function, {"reassoc", "nsz"})


def compiled_fusing(function: Function) -> Function:
    """Compile a function whose products may be added without being rounded before."""
    return compiled(function, {"contract"})
