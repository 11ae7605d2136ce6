"""Searches in trees, in processes beside the models that are ended when their time is up.

A search is first tried for a tenth of a second. One that takes longer is begun again in another line, where those of
all callers take turns. So nobody's slow searches hold up the quick ones of others for more than these tries.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

from bnaparser.server.problems import Failure, NotReady, QueueFull, SlowSearch
from bnaparser.server.queue.search_process import TOO_MUCH

log = logging.getLogger(__name__)

MOST_WAITING = 16
"""Searches that may wait in a line."""
MOST_SLOW_OF_ONE = 4
"""Slow searches of one caller that may wait."""
_QUICK_SECONDS = 0.1
# A try that computes little, on a busy machine, may take so much longer until it ends.
_LATE = 10


class _Line:
    """One search at a time. Next is a search of the caller who had the fewest turns since the line was empty."""

    def __init__(self, name: str, most_of_one: int):
        self.thread = ThreadPoolExecutor(1, thread_name_prefix=f"bnaparser-{name}")
        self.waiting: list[tuple[str, asyncio.Future[None]]] = []
        self._most_of_one = most_of_one
        self._turns: Counter[str] = Counter()
        self._busy = False

    @asynccontextmanager
    async def turn(self, caller: str, retry_after: float) -> AsyncIterator[None]:
        """Wait for a turn, and have it in here. Raises QueueFull where too many wait."""
        own = sum(other == caller for other, _ in self.waiting)
        if len(self.waiting) >= MOST_WAITING or own >= self._most_of_one:
            raise QueueFull(retry_after)
        mine = (caller, asyncio.get_running_loop().create_future())
        self.waiting.append(mine)
        self._next()
        try:
            await mine[1]
            yield
        finally:
            if mine in self.waiting:  # given up before its turn
                self.waiting.remove(mine)
            else:
                self._busy = False
                self._next()

    def _next(self) -> None:
        if not self.waiting:
            self._turns.clear()
        elif not self._busy:
            mine = min(self.waiting, key=lambda one: self._turns[one[0]])
            self.waiting.remove(mine)
            self._turns[mine[0]] += 1
            self._busy = True
            mine[1].set_result(None)


class Searching:
    """Searches for all callers: each is tried in one line, and the slow ones have another."""

    def __init__(self, seconds: float):
        self.seconds = seconds
        self._quick = _Line("search", MOST_WAITING)
        self._slow = _Line("slow-search", MOST_SLOW_OF_ONE)

    @property
    def waiting(self) -> int:
        """How many searches wait."""
        return len(self._quick.waiting) + len(self._slow.waiting)

    async def find(self, pattern: str, trees: Sequence[str], caller: str) -> bytes:
        """Return the answer as JSON (``rest.search_routes.SearchAnswer``).

        ``caller`` is whoever asks, by the address say. Raises QueueFull where enough are waiting, and SlowSearch when
        its time is up.
        """
        asked = json.dumps({"pattern": pattern, "trees": trees}).encode()
        quick = min(_QUICK_SECONDS, self.seconds)
        try:
            async with self._quick.turn(caller, self.seconds):
                return await self._run(self._quick, asked, quick)
        except SlowSearch:
            if self.seconds <= quick:
                raise
        async with self._slow.turn(caller, self.seconds):
            return await self._run(self._slow, asked, self.seconds)

    def end(self) -> None:
        """Take no more; one that runs ends within its time."""
        for line in (self._quick, self._slow):
            line.thread.shutdown(wait=False, cancel_futures=True)

    async def _run(self, line: _Line, asked: bytes, seconds: float) -> bytes:
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(line.thread, self._search, asked, seconds)
        except RuntimeError as error:
            if "shutdown" not in str(error):
                raise
            raise NotReady("the service is stopping: ask another one, or try again later") from None

    def _search(self, asked: bytes, seconds: float) -> bytes:
        """Search in a process that may take so many seconds. Raises SlowSearch, Failure."""
        # Whatever this process imports from, that one does, and not from the folder it is run in.
        path = os.pathsep.join(map(os.path.abspath, sys.path))
        command = [sys.executable, "-P", "-m", "bnaparser.server.queue.search_process"]
        try:
            done = subprocess.run(
                [*command, str(seconds)],
                input=asked,
                capture_output=True,
                check=False,
                timeout=max(seconds, min(self.seconds, _LATE * seconds)),
                env={**os.environ, "PYTHONPATH": path},
                start_new_session=True,  # Ctrl-C ends the service, which lets it finish
            )
        except subprocess.TimeoutExpired:
            raise SlowSearch(self.seconds) from None
        if done.returncode in (TOO_MUCH, -signal.SIGPROF):
            raise SlowSearch(self.seconds)
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
            log.error("a search broke down", extra={"fields": {"error": " ".join(said)}})
            raise Failure("the search broke down; the service's log says why")
        return done.stdout
