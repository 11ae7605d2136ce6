"""How Numba compiles the functions that kernels are made of: without Python's lock, and without an array of their own.

Heavy: imports Numba, so it is imported only to compile.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(
    function: Function, liberties: frozenset[str] | set[str] = frozenset(), apart: bool = False
) -> Function:
    """Compile a function that other compiled functions call.

    Args:
        function: the function. It makes no array, but views of those that it is given.
        liberties: what LLVM may do with its arithmetic, in LLVM's names, such as "reassoc". By default nothing:
            every processor computes the same numbers.
        apart: compile it once and not anew in each of its callers. It pays for what many call.
    """
    # If a function is not inlined, Numba compiles it by itself and again in each of its callers. This takes half of the
    # compile time. A function with liberties cannot be inlined.
    return cast(
        Function,
        numba.njit(
            nogil=True,
            error_model="numpy",
            fastmath=set(liberties),
            inline="never" if apart or liberties else "always",
            _nrt=False,
            no_cpython_wrapper=True,
            no_cfunc_wrapper=True,
        )(function),
    )


def compiled_apart(function: Function) -> Function:
    """Compile a function once, not anew in each of its callers."""
    return compiled(function, apart=True)


def compiled_reordering(function: Function) -> Function:
    """Compile a function whose sums may be added up in any order, and so side by side."""
    return compiled(function, {"reassoc", "nsz"})


def compiled_fusing(function: Function) -> Function:
    """Compile a function whose products may be added without being rounded before."""
    return compiled(function, {"contract"})
