"""Switch off garbage collection while millions of long-lived objects are made."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def gc_disabled() -> Iterator[None]:
    """Switch off garbage collection inside the block; afterwards restore the former state.

    Trees hold no reference cycles. The collector's passes over millions of new objects would find
    nothing, and would take longer than making the objects.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
