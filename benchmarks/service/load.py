"""Load by outside tools, beside the library in the same run. A part of `run_service.py`.

`wrk` sends many different sentences as fast as answers come: throughput at saturation. `hey` sends
at a given rate and says of every request how long it took and how it ended: overload.
"""

from __future__ import annotations

import csv
import json
import math
import re
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple, Self

from benchmarks.service.service_process import (
    Fault,
    Server,
    check_own_trees,
    check_refusal,
    checked,
    tokened,
)

# Connections of one hey where there are many.
GROUP = 10
# What wrk runs: each request is the next line of a file.
LUA = """
local bodies, place = {}, 0
for line in io.lines("%s") do bodies[#bodies + 1] = line end
request = function()
  place = place %% #bodies + 1
  return wrk.format("POST", "/v1/parse", {["Content-Type"] = "application/json"}, bodies[place])
end
"""


class Ends(NamedTuple):
    """How the requests of a time ended; times in seconds."""

    accepted: list[float]
    refused: list[float]
    others: int


def throughput(server: Server, sentences: Sequence[str], seconds: float, connections: int) -> float:
    """Requests a second that wrk gets answered, one sentence each. Raises Fault on any other."""
    with tempfile.TemporaryDirectory() as folder:
        bodies, script = Path(folder) / "bodies", Path(folder) / "post.lua"
        bodies.write_text("".join(json.dumps({"text": one}) + "\n" for one in sentences))
        script.write_text(LUA % bodies)
        command = ["wrk", "-t1", f"-c{connections}", f"-d{math.ceil(seconds)}s", "--timeout", "60s"]
        out = checked([*command, "-s", str(script), server.address])
    if "Non-2xx" in out or "Socket errors" in out:
        raise Fault(f"requests failed at saturation: {out}")
    return float(re.findall(r"Requests/sec: +([\d.]+)", out)[0])


def library_throughput(
    parse: Callable[[Sequence[str]], object], sentences: Sequence[str], seconds: float
) -> float:
    """Sentences a second that the library parses, all of them given at once, again and again."""
    parse(sentences)
    start, rounds = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        parse(sentences)
        rounds += 1
    return rounds * len(sentences) / (time.perf_counter() - start)


def saturation(server: Server, sentence: str, seconds: float) -> float:
    """The highest rate of answers over numbers of connections, in requests a second."""
    rates = []
    for connections in (1, 2, 4, 8, 16, 32, 64):
        ends = hey(server, sentence, seconds, connections)
        if ends.refused or ends.others:
            raise Fault(
                f"{connections} connections: {len(ends.refused)} refused, {ends.others} lost"
            )
        rates.append(len(ends.accepted) / seconds)
    return max(rates)


def hey(
    server: Server, sentence: str, seconds: float, connections: int, rate: float | None = None
) -> Ends:
    """Send one sentence over and over; ``rate`` is requests a second over all connections.

    All connections of one hey send at the same moment. At a given rate many of them therefore take
    turns, each with a few connections: else requests would come by thousands at a time.
    """
    groups = 1 if rate is None else math.ceil(connections / GROUP)
    each = math.ceil(connections / groups)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as body:
        json.dump({"text": sentence}, body)
        body.flush()
        command = ["hey", "-z", f"{seconds}s", "-c", str(each), "-m", "POST", "-t", "60"]
        command += [] if rate is None else ["-q", str(rate / (each * groups))]
        command += ["-T", "application/json", "-D", body.name, "-o", "csv"]

        def run(group: int) -> str:
            time.sleep(0 if rate is None else group * each / rate)
            return checked([*command, f"{server.address}/v1/parse"])

        with ThreadPoolExecutor(groups) as pool:
            outputs = list(pool.map(run, range(groups)))
    rows = [
        (int(row["status-code"]), float(row["response-time"]))
        for out in outputs
        for row in csv.DictReader(out.splitlines())
    ]
    accepted = [took for status, took in rows if status == 200]
    refused = [took for status, took in rows if status == 503]
    return Ends(accepted, refused, len(rows) - len(accepted) - len(refused))


class Watch:
    """While it is open, samples memory and asks as one more client, whose answers it checks."""

    def __init__(self, server: Server):
        self.server = server
        self.memory: list[tuple[float, float]] = []  # seconds since the start, megabytes
        self.answered = self.refused = 0
        self.slowest_refusal = 0.0
        self.faults: list[str] = []
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=run) for run in (self._sample, self._ask)]

    def __enter__(self) -> Self:
        self._start = time.perf_counter()
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def memory_at(self, seconds: float) -> float:
        """Megabytes at a time: the median of the samples around it."""
        near = sorted(self.memory, key=lambda sample: abs(sample[0] - seconds))[:5]
        return statistics.median(size for _, size in near)

    def _sample(self) -> None:
        while not self._ended.wait(0.5):
            self.memory.append((time.perf_counter() - self._start, self.server.memory()))

    def _ask(self) -> None:
        number = 0
        while not self._ended.wait(0.1):
            number += 1
            text, tokens = tokened(number)
            try:
                answer = self.server.parse(text)
                if answer.status == 200:
                    check_own_trees(answer, tokens)
                    self.answered += 1
                    continue
                check_refusal(answer)
                self.refused += 1
                self.slowest_refusal = max(self.slowest_refusal, answer.seconds)
            except (Fault, OSError) as error:
                self.faults.append(repr(error))


def lone_latency(server: Server, sentences: Sequence[str], times: int) -> float:
    """Median time of requests of which there is one at a time, in seconds."""
    took = []
    for number in range(times):
        answer = server.parse(sentences[number % len(sentences)])
        if answer.status != 200:
            raise Fault(f"{answer.status} {answer.body[:300]!r}")
        took.append(answer.seconds)
    return statistics.median(took)


def library_latency(
    parse: Callable[[Sequence[str]], object], sentences: Sequence[str], times: int
) -> float:
    """Median time in which the library parses one sentence alone, in seconds."""
    took = []
    for number in range(times):
        start = time.perf_counter()
        parse([sentences[number % len(sentences)]])
        took.append(time.perf_counter() - start)
    return statistics.median(took)


def percentile(values: Sequence[float], percent: float) -> float:
    """The value that so many percent of the values do not exceed; NaN of none."""
    ordered = sorted(values)
    return ordered[math.ceil(len(ordered) * percent / 100) - 1] if ordered else math.nan
