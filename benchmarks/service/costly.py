"""Requests that cost much: what they take of memory, of time, and of others' time. A part of `run_service.py`.

Each is legal: within the limits on a body's bytes. While it is answered, another client asks for ``/live`` and a
third has a sentence of one request parsed, again and again.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path
from typing import NamedTuple

from benchmarks.service.service_process import Fault, Server, ask

BODY_BYTES = 1_900_000
SHORT = {"text": "It rained all night."}
PATTERN = {"pattern": "NP < NN", "trees": ["(TOP (S (NP (DT A) (NN dog)) (VP (VBD sat))))"]}
_TEXT = (
    "the man who saw a dog in the garden of his house said that he had never been there before and that all"
    " of this would soon be over , because nobody else knew what it was about"
)


class Cost(NamedTuple):
    """What a request took: status, seconds, megabytes at most; and the slowest answers to others, in seconds."""

    status: int
    seconds: float
    megabytes: float
    live: float
    short: float


def bodies() -> Iterator[tuple[str, str, str]]:
    """Yield a name, a path and a body: lists that are as long as a body may be, of wrong and of right items."""
    # A list is told by where its items stand, and what they are.
    places = {
        "constraints of a text": ("/v1/parse", '{"text": "a", "constraints": [%s]}'),
        "constraints": ("/v1/parse", '{"tokens": [["a"]], "constraints": [[%s]]}'),
        "lists of constraints": ("/v1/parse", '{"tokens": [["a"]], "constraints": [%s]}'),
        "words": ("/v1/parse", '{"tokens": [[%s]]}'),
        "lists of words": ("/v1/parse", '{"tokens": [%s]}'),
        "sentences": ("/v1/parse", '{"sentences": [%s]}'),
        "tags": ("/v1/parse", '{"tokens": [["a"]], "tags": [[%s]]}'),
        "lists of tags": ("/v1/parse", '{"tokens": [["a"]], "tags": [%s]}'),
        "dependencies": ("/v1/parse", '{"tokens": [["a"]], "dependencies": [%s]}'),
        "heads": ("/v1/parse", '{"tokens": [["a"]], "dependencies": [{"heads": [%s]}]}'),
        "labels": (
            "/v1/parse",
            '{"tokens": [["a"]], "constraints": [[{"kind": "not", "start": 0, "end": 1, "labels": [%s]}]]}',
        ),
        "trees": ("/v1/search", '{"pattern": "NP", "trees": [%s]}'),
        "texts": ("/v1/classify", '{"texts": [%s]}'),
        "nothing": ("/v1/parse", "[%s]"),
    }
    items = {
        "objects": "{}",
        "numbers": "1",
        "empty lists": "[]",
        "empty strings": '""',
        "letters": '"a"',
        "nulls": "null",
        "constraints": '{"kind":"not","start":0,"end":1}',
        "trees": '"(A a)"',
    }
    for place, (path, body) in places.items():
        for item, written in items.items():
            count = (BODY_BYTES - len(body)) // (len(written) + 1)
            yield f"{count:,} {item} as {place}", path, body % ",".join([written] * count)
    mixed = ",".join(['["a"]', "[1]"] * (BODY_BYTES // 10))
    yield "right and wrong lists of words", "/v1/parse", f'{{"tokens": [{mixed}]}}'
    names = ",".join(f'"n{number}":1' for number in range(BODY_BYTES // 11))
    yield "an object of many names", "/v1/parse", f'{{"text": "a", {names}}}'
    yield "brackets", "/v1/parse", "[" * BODY_BYTES
    yield "brackets to CoreNLP", "/", "[" * BODY_BYTES
    yield "one long word", "/v1/parse", json.dumps({"tokens": [["x" * 199_000]]})
    yield "one long text", "/v1/parse", json.dumps({"text": "a " * 99_000})
    yield "short sentences", "/v1/parse", json.dumps({"sentences": ["A b c ."] * 4_900})
    sentence = list(islice(cycle(_TEXT.split()), 500))
    everything = {"n_best": 100, "probabilities": True, "format": "svg"}
    yield (
        "100 drawn trees of 500 words",
        "/v1/parse",
        json.dumps({"tokens": [sentence], **everything}),
    )
    label = "[" + "X" * 199_000 + " a]"
    yield "a long label", "/v1/parse", json.dumps({"text": label, "markup": True})


def measure(server: Server, path: str, body: str) -> Cost:
    """Send one request, and ask meanwhile how the service is."""
    [pid] = server.workers()
    Path(f"/proc/{pid}/clear_refs").write_text("5")  # memory at most, from now on
    with _asking(server) as slowest:
        time.sleep(0.1)
        answer = ask(server.port, "POST", path, body.encode())
        time.sleep(0.1)
    status = Path(f"/proc/{pid}/status").read_text()
    peak = int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) / 1024
    return Cost(answer.status, answer.seconds, peak, *slowest())


def waits_beside(
    server: Server, clients: int, words: int, seconds: float, more: dict[str, object]
) -> tuple[list[float], int]:
    """Return how long requests of a sentence take while clients send long ones again and again, and how many of these.

    ``more`` is what the long requests ask besides.
    """
    ended = threading.Event()
    sentence = list(islice(cycle(_TEXT.split()), words))
    long = json.dumps({"tokens": [sentence], **more}).encode()

    def send() -> int:
        answered = 0
        while not ended.is_set():
            answer = ask(server.port, "POST", "/v1/parse", long, timeout=120)
            answered += answer.status == 200
            if answer.status != 200:
                time.sleep(0.5)
        return answered

    with ThreadPoolExecutor(clients) as pool:
        sent = [pool.submit(send) for _ in range(clients)]
        try:
            time.sleep(1.0)
            took = list(_again_and_again(server, "/v1/parse", SHORT, seconds))
        finally:
            ended.set()
        return took, sum(one.result() for one in sent)


def waits_beside_searches(server: Server, clients: int) -> list[float]:
    """Return how long a search takes while each of some clients sends one that takes too long."""
    tree = "(TOP " + "(X a) " * 26 + ")"
    slow = {"pattern": "/(((a|b)*)*)*c/ " + "< a " * 2, "trees": [tree.replace("X", "a" * 60)] * 9}
    with ThreadPoolExecutor(clients) as pool:
        body = json.dumps(slow).encode()
        sent = [pool.submit(ask, server.port, "POST", "/v1/search", body) for _ in range(clients)]
        time.sleep(0.2)
        took = list(_again_and_again(server, "/v1/search", PATTERN, 3.0))
        for one in sent:
            one.result()
    return took


def _again_and_again(server: Server, path: str, given: object, seconds: float) -> Iterator[float]:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        answer = ask(server.port, "POST", path, json.dumps(given).encode(), timeout=120)
        if answer.status != 200:
            raise Fault(f"{path}: {answer.status} {answer.body[:200]!r}")
        yield answer.seconds
        time.sleep(0.1)


@contextmanager
def _asking(server: Server) -> Iterator[Callable[[], Sequence[float]]]:
    """Ask for ``/live``, and have a sentence parsed, again and again; gives the slowest of both."""
    ended = threading.Event()
    slowest = [0.0, 0.0]

    def go_on(place: int, method: str, path: str, body: bytes | None) -> None:
        while not ended.is_set():
            answer = ask(server.port, method, path, body)
            if answer.status != 200:
                raise Fault(f"{path}: {answer.status}")
            slowest[place] = max(slowest[place], answer.seconds)
            time.sleep(0.02)

    with ThreadPoolExecutor(2) as pool:
        asked = [
            pool.submit(go_on, 0, "GET", "/live", None),
            pool.submit(go_on, 1, "POST", "/v1/parse", json.dumps(SHORT).encode()),
        ]
        try:
            yield lambda: slowest
        finally:
            ended.set()
            for one in asked:
                one.result()
