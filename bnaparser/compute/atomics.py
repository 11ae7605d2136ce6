"""Numbers that two threads share without a lock, in LLVM's own language.

Each is an int64 at an address. Who sees a number sees all that was written before it was published.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from bnaparser.compute.float_vectors import LONG, declared

_BYTES = 8


@intrinsic  # type: ignore[untyped-decorator]
def seen(typing_context: Any, place: Any) -> Any:
    """Return the number at an address as it is now."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, given: Any) -> ir.Value:
        pointer = builder.inttoptr(given[0], LONG.as_pointer())
        return builder.load_atomic(pointer, "acquire", _BYTES)

    return types.intp(types.intp), generate


@intrinsic  # type: ignore[untyped-decorator]
def publish(typing_context: Any, place: Any, number: Any) -> Any:
    """Write a number to an address."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, given: Any) -> ir.Value:
        pointer = builder.inttoptr(given[0], LONG.as_pointer())
        builder.store_atomic(given[1], pointer, "release", _BYTES)
        return context.get_dummy_value()

    return types.void(types.intp, types.intp), generate


@intrinsic  # type: ignore[untyped-decorator]
def look_again(typing_context: Any) -> Any:
    """Tell the processor that this thread waits for a number, where it wants to know."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, given: Any) -> ir.Value:
        if llvmlite.binding.get_process_triple().startswith(("x86_64", "i686")):
            pause = declared(builder, "llvm.x86.sse2.pause", ir.FunctionType(ir.VoidType(), []))
            builder.call(pause, [])
        return context.get_dummy_value()

    return types.void(), generate
