"""What parses shards: this process, several processes, or the actors of a Ray cluster."""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import wait
from typing import Any

from bnaparser.errors import DataError, SettingsError, import_extra, in_one_line
from bnaparser.files.temporary import remove_abandoned_folders
from bnaparser.parsing.corpus.shards import ParsedShard, Shard, ShardSettings, parse_shard, where
from bnaparser.parsing.parser import Parser
from bnaparser.worker import Worker

logger = logging.getLogger(__name__)

Results = Iterator[tuple[Shard, ParsedShard]]
Notice = Callable[[str], None]

MOST_DEATHS = 3
"""How many workers one shard may take with it."""

_ShardWorker = Worker[Shard, "ParsedShard | str"]


def in_this_process(parser: Parser, shards: Iterator[Shard], settings: ShardSettings) -> Results:
    """Parse one shard after another."""
    for shard in shards:
        yield shard, parse_shard(parser, shard, settings)


def in_processes(
    parser: Parser, shards: Iterator[Shard], settings: ShardSettings, count: int, notice: Notice
) -> Results:
    """Parse shards in ``count`` processes, one each at a time, and yield them as they are done.

    On Linux the processes are forked, and share the weights with this one; elsewhere, and with a GPU,
    each loads them. One that dies is replaced and its shard parsed again; DataError if a shard takes
    ``MOST_DEATHS`` with it.
    """
    forks = sys.platform == "linux" and str(parser.model.device).startswith("cpu")
    if forks:  # the loops are compiled, or read, once and not in each process
        parser.parse_many([["."]])
    work = partial(_work, parser, settings)
    workers: list[_ShardWorker] = [Worker(work, forks) for _ in range(count)]
    again: deque[Shard] = deque()
    deaths: dict[int, int] = {}

    def replaced(dead: _ShardWorker, shard: Shard) -> _ShardWorker:
        deaths[shard.number] = deaths.get(shard.number, 0) + 1
        _note_death(dead, shard, deaths[shard.number], notice)
        again.append(shard)
        dead.end()
        return Worker(work, forks)

    try:
        while True:
            for place, worker in enumerate(workers):
                if worker.item is not None:
                    continue
                shard = again.popleft() if again else next(shards, None)
                if shard is not None and not worker.give(shard):
                    workers[place] = replaced(worker, shard)
            busy = [worker for worker in workers if worker.item is not None]
            if not busy and not again:
                return
            ready = wait([worker.pipe for worker in busy]) if busy else []
            for place, worker in enumerate(workers):
                shard = worker.item
                if shard is None or worker.pipe not in ready:
                    continue
                answer = worker.take()
                if isinstance(answer, ParsedShard):
                    yield shard, answer
                    continue
                if isinstance(answer, str):
                    raise DataError(f"{where(shard)}: {answer}")
                workers[place] = replaced(worker, shard)
    finally:
        for worker in workers:
            worker.end()
        remove_abandoned_folders()  # of those that were loading their model


def _note_death(worker: _ShardWorker, shard: Shard, deaths: int, notice: Notice) -> None:
    worker.process.join()
    code = worker.process.exitcode or 0
    how = f"by signal {signal.Signals(-code).name}" if code < 0 else f"with code {code}"
    memory = (
        "; the machine may have too little memory for this number of --workers"
        if code == -9
        else ""
    )
    if deaths >= MOST_DEATHS:
        raise DataError(
            f"{where(shard)}: {deaths} workers ended {how} on this part{memory}; run the same command"
            " again to resume"
        )
    notice(f"{where(shard)}: its worker ended {how}, another one takes it{memory}")


def _work(parser: Parser, settings: ShardSettings, shard: Shard) -> ParsedShard | str:
    """Return the parsed shard, or what went wrong."""
    try:
        return parse_shard(parser, shard, settings)
    except Exception as error:  # passed to the caller of the run
        logger.debug("a shard failed", exc_info=True)
        return f"{type(error).__name__}: {error}"


_KNOCKS = 20.0  # seconds that a cluster has to take a connection
_AHEAD = 2  # shards of an actor: one that it parses, one that waits


@dataclass(frozen=True, slots=True)
class RaySettings:
    """The cluster and what each actor takes of it.

    ``address`` is a cluster's, "auto" for that of this machine, or None: a cluster of this process's own.
    """

    address: str | None = None
    cpus: float = 1
    gpus: float = 0
    """A share of a GPU for each actor, such as 0.25, or whole ones."""

    def check(self) -> None:
        """Raise SettingsError if Ray knows no such fraction of a GPU."""
        if not (0 <= self.gpus <= 1 or (self.gpus > 1 and self.gpus.is_integer())):
            raise SettingsError(
                f"{self.gpus:g} GPUs for each worker: give a number from 0 to 1, or a whole number"
            )


def on_ray(
    parser: Parser,
    shards: Iterator[Shard],
    settings: ShardSettings,
    count: int,
    cluster: RaySettings,
) -> Results:
    """Parse shards by ``count`` actors, and yield them as they are done.

    Raises MissingExtraError without Ray, DataError if there is no such cluster, or a shard takes
    ``MOST_DEATHS`` actors with it.
    """
    ray = import_extra("ray", "ray")
    started = _join(ray, cluster, count)
    try:
        remote = ray.remote(_ShardParser).options(
            num_cpus=cluster.cpus,
            num_gpus=cluster.gpus,
            max_restarts=-1,
            max_task_retries=MOST_DEATHS - 1,
        )
        # Ray keeps what is put once a node, in memory that its processes share.
        held = ray.put(parser)
        actors = [remote.remote(held, settings) for _ in range(count)]
        yield from _results(ray, actors, shards)
    finally:
        if started:
            ray.shutdown()


def _join(ray: Any, cluster: RaySettings, count: int) -> bool:
    """Join the cluster, or start one; return whether it was started here and must be stopped."""
    if ray.is_initialized():
        return False
    quiet = {"logging_level": "error", "log_to_driver": False}
    try:
        if cluster.address is None:
            own = {"num_cpus": max(1, int(count * cluster.cpus)), "include_dashboard": False}
            ray.init(**own, **quiet)
        else:
            _knock(cluster.address)
            ray.init(address=cluster.address, **quiet)
    except (ConnectionError, ValueError, RuntimeError, OSError) as error:
        raise DataError(
            f"there is no Ray cluster at {cluster.address}: {in_one_line(error)}"
        ) from error
    return True


def _knock(address: str) -> None:
    """Raise OSError if nobody listens at HOST:PORT, which Ray would try for many minutes."""
    host, _, port = address.rpartition(":")
    if host and port.isdigit() and "/" not in host:
        socket.create_connection((host.strip("[]"), int(port)), _KNOCKS).close()


def _results(ray: Any, actors: list[Any], shards: Iterator[Shard]) -> Results:
    starting = {actor.ready.remote(): actor for actor in actors}
    idle: deque[Any] = deque()
    running: dict[Any, tuple[Any, Shard]] = {}
    more = True
    while True:
        while idle and more:
            shard = next(shards, None)
            if shard is None:
                more = False
            else:
                actor = idle.popleft()
                running[actor.parse.remote(shard)] = actor, shard
        if not more and not running:
            return
        done, _ = ray.wait([*running, *starting])
        for reference in done:
            if reference in starting:
                _got(ray, reference, "an actor could not load the model")
                idle.extend([starting.pop(reference)] * _AHEAD)
            else:
                actor, shard = running.pop(reference)
                idle.append(actor)
                yield shard, _got(ray, reference, where(shard))


def _got(ray: Any, reference: Any, doing: str) -> Any:
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        raise DataError(f"{doing}: {in_one_line(error.cause or error)}") from error
    except ray.exceptions.RayError as error:
        message = f"{doing}: {type(error).__name__}, repeatedly: run the same command to resume"
        raise DataError(message) from error


class _ShardParser:
    """An actor: a parser that parses shards."""

    def __init__(self, parser: Parser, settings: ShardSettings):
        self.parser, self.settings = parser, settings

    def ready(self) -> int:
        """Answer, with the number of its process, when the parser is loaded."""
        return os.getpid()

    def parse(self, shard: Shard) -> ParsedShard:
        """Parse a shard."""
        return parse_shard(self.parser, shard, self.settings)
