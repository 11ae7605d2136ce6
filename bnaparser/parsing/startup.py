"""For programs that load a model: Python's garbage collector out of the way of the start."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading() -> Iterator[None]:
    """Let the collector rest while libraries are imported and models are loaded in here.

    They make a million objects that stay: going through them again and again takes a second here,
    and later, now and then, would hold everything up for half a second. So what is there at the end
    is left out for good.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
