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
from contextlib import asynccontextmanager, suppress
from threading import Lock

from bnaparser.server.problems import Failure, NotReady, QueueFull, SlowSearch
from bnaparser.server.queue.search_process import TOO_MUCH

log = logging.getLogger(__name__)

MOST_WAITING = 16
"""Searches that may wait in a line."""
MOST_SLOW_OF_ONE = 4
"""Slow searches of one caller that may wait."""
_QUICK_SECONDS = 0.1
# On a busy machine a search that computes little may take this much longer until it ends.
_LATE = 10


class _Line:
    """One search of at most ``seconds`` at a time, ``most_of_one`` of a caller at most.

    Next is a search of the caller who had the fewest turns since the line was empty. The process for the next search
    is started while one is at work: that takes longer than most searches.
    """

    def __init__(self, name: str, seconds: float, most_of_one: int):
        self.thread = ThreadPoolExecutor(1, thread_name_prefix=f"bnaparser-{name}")
        self.seconds = seconds
        self._spare: subprocess.Popen[bytes] | None = None
        self._ended = False
        self._changing = Lock()
        self.waiting: list[tuple[str, asyncio.Future[None]]] = []
        self._most_of_one = most_of_one
        self._turns: Counter[str] = Counter()
        self._busy = False

    @asynccontextmanager
    async def turn(self, caller: str, retry_after: float) -> AsyncIterator[None]:
        """Wait for a turn, and have it in here. Raises QueueFull if too many wait."""
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
            if mine in self.waiting:  # cancelled before its turn
                self.waiting.remove(mine)
            else:
                self._busy = False
                self._next()

    def search(self, request: bytes, patience: float) -> tuple[int, bytes, bytes]:
        """Return exit code, answer and errors of a search; to be called in the thread.

        Raises subprocess.TimeoutExpired after ``patience`` seconds.
        """
        with self._changing:
            process, self._spare = self._spare, None
        if process is None or process.poll() is not None:
            process = _start(self.seconds)
        with self._changing:
            if not self._ended:
                self._spare = _start(self.seconds)
        try:
            answer, errors = process.communicate(request, patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise
        return process.returncode, answer, errors

    def end(self) -> None:
        """Take no more; a search that is at work ends within its time."""
        self.thread.shutdown(wait=False, cancel_futures=True)
        with self._changing:
            self._ended = True
            spare, self._spare = self._spare, None
        if spare is not None:
            spare.kill()
            spare.communicate()

    def _next(self) -> None:
        # Who was given up just now has not yet left the line.
        waiting = [one for one in self.waiting if not one[1].done()]
        if not waiting:
            self._turns.clear()
        elif not self._busy:
            mine = min(waiting, key=lambda one: self._turns[one[0]])
            self.waiting.remove(mine)
            self._turns[mine[0]] += 1
            self._busy = True
            mine[1].set_result(None)


class Searching:
    """Searches for all callers: each is tried in one line, and the slow ones have another."""

    def __init__(self, seconds: float):
        self.seconds = seconds
        self._quick = _Line("search", min(_QUICK_SECONDS, seconds), MOST_WAITING)
        self._slow = _Line("slow-search", seconds, MOST_SLOW_OF_ONE)

    @property
    def waiting(self) -> int:
        """How many searches wait."""
        return len(self._quick.waiting) + len(self._slow.waiting)

    async def find(self, pattern: str, trees: Sequence[str], caller: str) -> bytes:
        """Return the answer as JSON (``rest.search_routes.SearchAnswer``).

        ``caller`` is whoever asks, by the address say. Raises QueueFull if enough are waiting, and SlowSearch when
        its time is up.
        """
        request = json.dumps({"pattern": pattern, "trees": trees}).encode()
        for line in (self._quick, self._slow):
            async with line.turn(caller, self.seconds):
                with suppress(SlowSearch):
                    return await self._run(line, request)
        raise SlowSearch(self.seconds)

    def end(self) -> None:
        """Take no more; one that runs ends within its time."""
        self._quick.end()
        self._slow.end()

    async def _run(self, line: _Line, request: bytes) -> bytes:
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(line.thread, self._search, line, request)
        except RuntimeError as error:
            if "shutdown" not in str(error):
                raise
            raise NotReady("the service is stopping: try again later") from None

    def _search(self, line: _Line, request: bytes) -> bytes:
        """Search in a process with this time limit in seconds. Raises SlowSearch, Failure."""
        try:
            code, answer, errors = line.search(request, min(self.seconds, _LATE * line.seconds))
        except subprocess.TimeoutExpired:
            raise SlowSearch(self.seconds) from None
        if code in (TOO_MUCH, -signal.SIGPROF):
            raise SlowSearch(self.seconds)
        if code:
            last_line = errors.decode(errors="replace").strip().splitlines()[-1:]
            log.error("a search failed", extra={"fields": {"error": " ".join(last_line)}})
            raise Failure("the search failed: the log of the service has the reason")
        return answer


def _start(seconds: float) -> subprocess.Popen[bytes]:
    """Start a process that waits for a search of this number of seconds."""
    # Whatever this process imports from, that one does, and not from the folder it is run in.
    path = os.pathsep.join(map(os.path.abspath, sys.path))
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "bnaparser.server.queue.search_process", str(seconds)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
        start_new_session=True,  # Ctrl-C ends the service, which lets it finish
    )
