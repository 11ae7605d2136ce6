"""Shards parsed by this process, or by several that share its weights."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import Any

from bnaparser.errors import DataError
from bnaparser.files.temporary import remove_abandoned_folders
from bnaparser.parsing.corpus.shards import ParsedShard, Shard, ShardSettings, parse_shard, where
from bnaparser.parsing.parser import Parser

logger = logging.getLogger(__name__)

Results = Iterator[tuple[Shard, ParsedShard]]
Notice = Callable[[str], None]

MOST_DEATHS = 3
"""How many workers one shard may take with it."""

_LOOKS = 1.0  # seconds between two looks at whether the parent is there


def in_this_process(parser: Parser, shards: Iterator[Shard], settings: ShardSettings) -> Results:
    """Parse one shard after another."""
    for shard in shards:
        yield shard, parse_shard(parser, shard, settings)


def in_processes(
    parser: Parser, shards: Iterator[Shard], settings: ShardSettings, count: int, notice: Notice
) -> Results:
    """Parse shards in ``count`` processes, one each at a time, and yield them as they are done.

    On Linux the processes are forked, and share the weights with this one; elsewhere, and with a GPU,
    each loads them. One that dies is replaced and its shard parsed again; DataError where a shard takes
    ``MOST_DEATHS`` with it.
    """
    forks = sys.platform == "linux" and str(parser.model.device).startswith("cpu")
    context = multiprocessing.get_context("fork" if forks else "spawn")
    if forks:  # the loops are compiled, or read, once and not in each process
        parser.parse_many([["."]])
    helpers = [_Helper(context, parser, settings) for _ in range(count)]
    again: deque[Shard] = deque()
    deaths: dict[int, int] = {}

    def replaced(dead: _Helper, shard: Shard) -> _Helper:
        deaths[shard.number] = deaths.get(shard.number, 0) + 1
        _note_death(dead, shard, deaths[shard.number], notice)
        again.append(shard)
        dead.end()
        return _Helper(context, parser, settings)

    try:
        while True:
            for place, helper in enumerate(helpers):
                if helper.shard is not None:
                    continue
                shard = again.popleft() if again else next(shards, None)
                if shard is not None and not helper.give(shard):
                    helpers[place] = replaced(helper, shard)
            busy = [helper for helper in helpers if helper.shard is not None]
            if not busy and not again:
                return
            ready = wait([helper.pipe for helper in busy]) if busy else []
            for place, helper in enumerate(helpers):
                shard = helper.shard
                if shard is None or helper.pipe not in ready:
                    continue
                answer = helper.take()
                if isinstance(answer, ParsedShard):
                    yield shard, answer
                    continue
                if isinstance(answer, str):
                    raise DataError(f"{where(shard)}: {answer}")
                helpers[place] = replaced(helper, shard)
    finally:
        for helper in helpers:
            helper.end()
        remove_abandoned_folders()  # of those that were loading their model


class _Helper:
    """A process that parses one shard after another, and the pipe to it."""

    def __init__(self, context: Any, parser: Parser, settings: ShardSettings):
        self.pipe, theirs = context.Pipe()
        self.shard: Shard | None = None
        arguments = (parser, settings, theirs, os.getpid())
        self.process = context.Process(target=_work, args=arguments, daemon=True)
        self.process.start()
        theirs.close()

    def give(self, shard: Shard) -> bool:
        """Hand a shard over; False where the process is dead."""
        try:
            self.pipe.send(shard)
        except OSError:
            return False
        self.shard = shard
        return True

    def take(self) -> ParsedShard | str | None:
        """Return the shard, or what went wrong; None where the process is dead."""
        try:
            answer: ParsedShard | str = self.pipe.recv()
        except (EOFError, OSError):
            return None
        self.shard = None
        return answer

    def end(self) -> None:
        """End the process, now."""
        self.pipe.close()
        with suppress(ValueError):
            self.process.kill()
            self.process.join()


def _note_death(helper: _Helper, shard: Shard, deaths: int, notice: Notice) -> None:
    helper.process.join()
    code = helper.process.exitcode or 0
    how = f"by signal {signal.Signals(-code).name}" if code < 0 else f"with code {code}"
    memory = "; is there too little memory for so many --workers?" if code == -9 else ""
    if deaths >= MOST_DEATHS:
        raise DataError(
            f"{where(shard)}: {deaths} workers ended {how} at it{memory}; run the same command again"
            " to go on"
        )
    notice(f"{where(shard)}: its worker ended {how}, another one takes it{memory}")


def _work(parser: Parser, settings: ShardSettings, pipe: Connection, parent: int) -> None:
    """Parse what comes through the pipe, until the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    threading.Thread(target=_leave_with, args=(parent,), daemon=True).start()
    while True:
        try:
            shard: Shard = pipe.recv()
        except (EOFError, OSError):
            os._exit(0)
        try:
            answer: ParsedShard | str = parse_shard(parser, shard, settings)
        except Exception as error:  # told to whoever started the run
            logger.debug("a shard failed", exc_info=True)
            answer = f"{type(error).__name__}: {error}"
        try:
            pipe.send(answer)
        except OSError:
            os._exit(0)


def _leave_with(parent: int) -> None:
    """End this process soon after its parent. Siblings hold the pipe open, too, so it says nothing."""
    while os.getppid() == parent:
        time.sleep(_LOOKS)
    os._exit(1)
