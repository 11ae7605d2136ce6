"""Python's full garbage collections, held back to moments at which they hold up nobody.

Reference counts free nearly all memory at once; the collector looks for cycles. Young objects it
goes through often and quickly. A full collection goes through all, and with thousands of requests
waiting the whole service stands still for half a second.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

_LOOK_SECONDS = 5.0
# As many collections of the middle generation make a full one worth its while, as in Python itself.
_ENOUGH = 10
# While the service is never quiet: cycles then make up some megabytes.
_AT_LATEST_SECONDS = 600.0
_NEVER = 1_000_000_000


@asynccontextmanager
async def full_collections_when(quiet: Callable[[], bool]) -> AsyncIterator[None]:
    """In here, let full collections happen only while ``quiet()``, or every ten minutes."""
    thresholds = gc.get_threshold()
    gc.set_threshold(*thresholds[:2], _NEVER)
    task = asyncio.get_running_loop().create_task(_collect(quiet))
    try:
        yield
    finally:
        task.cancel()
        gc.set_threshold(*thresholds)


async def _collect(quiet: Callable[[], bool]) -> None:
    last = time.monotonic()
    while True:
        await asyncio.sleep(_LOOK_SECONDS)
        due = time.monotonic() - last >= _AT_LATEST_SECONDS
        if due or (quiet() and gc.get_count()[2] >= _ENOUGH):
            gc.collect()
            last = time.monotonic()
