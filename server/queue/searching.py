"""Searches in trees: one at a time beside the models, each in a process that is ended when its time is up."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from bnaparser.server.problems import Failure, NotReady, QueueFull, SlowSearch
from bnaparser.server.queue.search_process import TOO_MUCH

log = logging.getLogger(__name__)

MOST_WAITING = 8


class Searching:
    """Searches wait for each other, so that none takes more than a core from the parser."""

    def __init__(self, seconds: float):
        self.seconds = seconds
        self._waiting = 0
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="bnaparser-search")

    async def find(self, pattern: str, trees: Sequence[str]) -> bytes:
        """Return the answer as JSON (``rest.search_routes.SearchAnswer``).

        Raises QueueFull where enough are waiting, and SlowSearch when its time is up.
        """
        if self._waiting >= MOST_WAITING:
            raise QueueFull(self.seconds)
        self._waiting += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._thread, self._run, pattern, trees)
        except RuntimeError as error:
            if "shutdown" not in str(error):
                raise
            raise NotReady("the service is stopping: ask another one, or try again later") from None
        finally:
            self._waiting -= 1

    def end(self) -> None:
        """Take no more; one that runs ends within its time."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _run(self, pattern: str, trees: Sequence[str]) -> bytes:
        asked = json.dumps({"pattern": pattern, "trees": trees}).encode()
        # Whatever this process imports from, that one does, and not from the folder it is run in.
        path = os.pathsep.join(map(os.path.abspath, sys.path))
        command = [sys.executable, "-P", "-m", "bnaparser.server.queue.search_process"]
        try:
            done = subprocess.run(
                [*command, str(math.ceil(self.seconds) + 1)],
                input=asked,
                capture_output=True,
                check=False,
                timeout=self.seconds,
                env={**os.environ, "PYTHONPATH": path},
                start_new_session=True,  # Ctrl-C ends the service, which lets it finish
            )
        except subprocess.TimeoutExpired:
            raise SlowSearch(self.seconds) from None
        if done.returncode == TOO_MUCH:
            raise SlowSearch(self.seconds)
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
            log.error("a search broke down", extra={"fields": {"error": " ".join(said)}})
            raise Failure("the search broke down; the service's log says why")
        return done.stdout
