"""Python's garbage collector at rest while very many objects are made that stay."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """Keep the collector off within, and leave it after as it was.

    Trees and what is made of them hold no cycles: its passes over millions of new objects find nothing,
    and take longer than the making.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
