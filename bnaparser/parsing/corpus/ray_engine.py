"""Shards parsed on a Ray cluster: actors hold the model, the driver reads the input and writes the output.

Ray restarts an actor that dies, on another node if it must, and gives it its shard again. No actor has
more than two shards: so the driver reads no faster than they parse. Actors that do not fit the cluster
wait, which is what makes its autoscaler add nodes; shards go to those that are there.
"""

from __future__ import annotations

import os
import socket
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bnaparser.errors import DataError, MissingExtraError, SettingsError, in_one_line
from bnaparser.parsing.corpus.process_engine import MOST_DEATHS, Results
from bnaparser.parsing.corpus.shards import ParsedShard, Shard, ShardSettings, parse_shard, where
from bnaparser.parsing.parser import Parser

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
        """Raise SettingsError where Ray knows no such share of a GPU."""
        if not (0 <= self.gpus <= 1 or (self.gpus > 1 and self.gpus.is_integer())):
            raise SettingsError(
                f"{self.gpus:g} of a GPU for each worker: give 0 to 1, or whole ones"
            )


def on_ray(
    parser: Parser,
    shards: Iterator[Shard],
    settings: ShardSettings,
    count: int,
    cluster: RaySettings,
) -> Results:
    """Parse shards by ``count`` actors, and yield them as they are done.

    Raises MissingExtraError without Ray, DataError where there is no such cluster, or a shard takes
    ``MOST_DEATHS`` actors with it.
    """
    try:
        import ray
    except ImportError:
        raise MissingExtraError("ray", "ray") from None
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
    """Join the cluster, or start one; whether it is ours, to be ended."""
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
        raise DataError(f"no Ray cluster at {cluster.address}: {in_one_line(error)}") from error
    return True


def _knock(address: str) -> None:
    """Raise OSError where nobody listens at HOST:PORT, which Ray would try for many minutes."""
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
        message = f"{doing}: {type(error).__name__}, again and again: run the same command to go on"
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
