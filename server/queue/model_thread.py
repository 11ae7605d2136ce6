"""The one thread in which all models of a process run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar, TypeVarTuple

Given = TypeVarTuple("Given")
Returned = TypeVar("Returned")


class ModelThread:
    """The one thread that all models run in, and whose ``turn`` it is of those who give it batches.

    A batch is chosen once it is its turn, from all that waits by then.
    """

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="bnaparser-models")
        self.turn = asyncio.Lock()

    async def run(self, function: Callable[[*Given], Returned], *arguments: *Given) -> Returned:
        """Return ``function(*arguments)``, done in the thread after what was given it before."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, function, *arguments)

    def end(self) -> None:
        """Take no more work; what the thread is at is left to itself."""
        self._executor.shutdown(wait=False, cancel_futures=True)
