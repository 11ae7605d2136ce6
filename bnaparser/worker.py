"""Worker processes: each applies a function to one item after another."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_LOOKS = 1.0  # seconds between two looks at whether the parent is there


class Worker(Generic[Item, Result]):
    """A process that applies a function to one item after another, and the pipe to it.

    Each worker has its own pipe. So the parent sees the death of a worker, also in the middle of a message, and no other
    worker is disturbed. A worker ignores Ctrl-C, since the parent decides, and ends soon after its parent.

    Args:
        work: The function. It must not raise: an exception ends the process.
        fork: Fork the process, which then shares the memory of this one; on Linux only. Otherwise the process is a new
            interpreter, to which ``work`` is pickled.
    """

    def __init__(self, work: Callable[[Item], Result], fork: bool = True):
        method = "fork" if fork and sys.platform == "linux" else "spawn"
        context: Any = multiprocessing.get_context(method)
        self.pipe, theirs = context.Pipe()
        self.item: Item | None = None
        """The item that it works on."""
        self.process = context.Process(target=_serve, args=(work, theirs, os.getpid()), daemon=True)
        self.process.start()
        theirs.close()

    def give(self, item: Item) -> bool:
        """Send an item to the idle worker; return False if the worker is dead."""
        self.item = item
        try:
            self.pipe.send(item)
        except OSError:
            return False
        return True

    def take(self) -> Result | None:
        """Return the result, when it is there; None if the worker is dead."""
        try:
            result: Result = self.pipe.recv()
        except (EOFError, OSError):
            return None
        self.item = None
        return result

    def end(self) -> None:
        """End the process at once."""
        self.pipe.close()
        with suppress(ValueError):
            self.process.kill()
            self.process.join()


def _serve(work: Callable[[Item], Result], pipe: Connection, parent: int) -> None:
    """Apply the function to what comes through the pipe until the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_after, args=(parent,), daemon=True).start()
    while True:
        try:
            pipe.send(work(pipe.recv()))
        except (EOFError, OSError):
            os._exit(0)


def _end_after(parent: int) -> None:
    """End this process soon after its parent: forked siblings hold the pipe open too, so it does not show the parent's end."""
    while os.getppid() == parent:
        time.sleep(_LOOKS)
    os._exit(1)
