"""A short request behind long ones: how long it waits, and what that costs the long ones. A part of `run_service.py`."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice
from typing import NamedTuple

from benchmarks.service.service_process import Fault, Server, ask

LONG_REQUESTS, SENTENCES_EACH = 9, 80
SHORT = "It rained all night."
# Between two short requests, so that they meet batches at different moments.
PAUSE_SECONDS = 0.3


class Turn(NamedTuple):
    """What a turn found: seconds of each short request, and the long ones' sentences a second."""

    short_seconds: list[float]
    service_rate: float
    library_rate: float


def one_turn(
    server: Server, parse: Callable[[Sequence[str]], object], sentences: Sequence[str]
) -> Turn:
    """Send nine requests of 80 sentences at once, and short ones until all nine are answered.

    The library then parses the same sentences in one call. Raises Fault where a request fails.
    """
    given = list(islice(cycle(sentences), LONG_REQUESTS * SENTENCES_EACH))
    parts = [given[number::LONG_REQUESTS] for number in range(LONG_REQUESTS)]
    start = time.perf_counter()
    with ThreadPoolExecutor(LONG_REQUESTS) as pool:
        long = [pool.submit(_answered, server, part) for part in parts]
        short_seconds = []
        while not all(one.done() for one in long):
            time.sleep(PAUSE_SECONDS)
            # One that begins when all others are done says nothing.
            if not all(one.done() for one in long):
                short_seconds.append(_answered(server, [SHORT]))
        for one in long:
            one.result()
    service_seconds = time.perf_counter() - start
    start = time.perf_counter()
    parse(given)
    library_seconds = time.perf_counter() - start
    return Turn(short_seconds, len(given) / service_seconds, len(given) / library_seconds)


def _answered(server: Server, sentences: Sequence[str]) -> float:
    """The seconds until these sentences are answered."""
    body = json.dumps({"sentences": sentences, "format": "bracket"}).encode()
    answer = ask(server.port, "POST", "/v1/parse", body)
    if answer.status != 200 or len(answer.json()["parses"]) != len(sentences):
        raise Fault(f"{answer.status} {answer.body[:300]!r} for {len(sentences)} sentences")
    return answer.seconds
