"""The two threads beside the event loop: one for the models, one that reads long bodies and writes long answers."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import TypeVar, TypeVarTuple

from bnaparser.server.problems import NotReady

Arguments = TypeVarTuple("Arguments")
Result = TypeVar("Result")
Steps = Generator[None, None, Result]
"""Work that yields wherever other work may come between, and returns its result."""

# Characters of text, or bytes of JSON, up to which work is done at once in the event loop: under
# a few milliseconds, less than other requests would notice.
SMALL = 4_000
STOPPING = "the service is stopping: try again later"
_TURN_SECONDS = 0.05
_SWITCH_SECONDS = 0.0002
_LONG = 1_000 * SMALL  # characters of an answer, half a second or more of writing


class TextThread:
    """A thread that works on one text at a time: Python would not run two at once, so each is done
    sooner.

    ``characters`` counts those of bodies that are being read or wait to be; of one body
    ``most_characters`` at most, for it may not hold more text.
    """

    def __init__(self, most_characters: int):
        self.characters = 0
        self._most_characters = most_characters
        self._long = asyncio.Lock()
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="bnaparser-text")

    async def read(
        self, size: int, function: Callable[[*Arguments], Result], *arguments: *Arguments
    ) -> Result:
        """Return ``function(*arguments)``, which reads a body of this number of bytes.

        Until it is done these count as characters of text whose words are about to be queued.
        """
        counted = min(size, self._most_characters)
        self.characters += counted
        try:
            return await self.off_loop(size, function, *arguments)
        finally:
            self.characters -= counted

    async def off_loop(
        self, size: int, function: Callable[[*Arguments], Result], *arguments: *Arguments
    ) -> Result:
        """Return ``function(*arguments)``; in the thread where ``size``, in characters, is large."""
        if size <= SMALL:
            return function(*arguments)
        return await self._run(function, *arguments)

    async def in_turns(self, size: int, work: Steps[Result]) -> Result:
        """Return the result of work; a large one takes turns with all else that the thread is given.

        Not with others that take half a second or more, as all of them would be done late. It goes no
        further once nobody waits for it.
        """
        done: list[Result] = []
        async with self._long if size > _LONG else nullcontext():
            while not done:
                done = _go_on(work) if size <= SMALL else await self._run(_go_on, work)
        return done[0]

    def end(self) -> None:
        """Take no more work."""
        self._executor.shutdown(wait=False)

    async def _run(
        self, function: Callable[[*Arguments], Result], *arguments: *Arguments
    ) -> Result:
        loop = asyncio.get_running_loop()
        try:
            result = loop.run_in_executor(self._executor, _giving_way, function, *arguments)
        except RuntimeError:  # the thread was ended while this request was on its way
            raise NotReady(STOPPING) from None
        return await result


def _go_on(work: Steps[Result]) -> list[Result]:
    """Do a turn of work; return its result where that was the last, else nothing."""
    until = time.perf_counter() + _TURN_SECONDS
    try:
        while time.perf_counter() < until:
            next(work)
    except StopIteration as ended:
        return [ended.value]
    return []


def _giving_way(function: Callable[[*Arguments], Result], *arguments: *Arguments) -> Result:
    """Return ``function(*arguments)``; meanwhile other threads get Python's lock soon after they ask for it.

    A thread that computes gives the lock up at each operation of torch. With Python's usual interval it would wait
    5 ms for each while this thread works, and a batch would take several times as long.
    """
    usual = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_SECONDS)
    try:
        return function(*arguments)
    finally:
        sys.setswitchinterval(usual)


class ModelThread:
    """The one thread in which all models run. ``turn`` says whose batch is computed next.

    A batch is chosen once it is its turn, from all that waits by then.
    """

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="bnaparser-models")
        self.turn = asyncio.Lock()

    async def run(self, function: Callable[[*Arguments], Result], *arguments: *Arguments) -> Result:
        """Return ``function(*arguments)``, done in the thread after what was given it before."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, function, *arguments)

    def end(self) -> None:
        """Take no more work; what the thread is at is left to itself."""
        self._executor.shutdown(wait=False, cancel_futures=True)
