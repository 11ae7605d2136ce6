"""Everything that goes wrong with a service, many times over. A part of `run_service.py`.

Beside each fault a good request is sent: its answer must be its own trees. Every text carries
words of its request only, so an answer to another's text is noticed.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import signal
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Self

from benchmarks.service.service_process import (
    HOST,
    Fault,
    HttpAnswer,
    Server,
    ask,
    check_own_trees,
    check_refusal,
    tokened,
)

Start = Callable[[Sequence[str]], Server]
# A good request that has no answer after this many seconds hangs.
HANG_SECONDS = 30
CLIENTS = 8
# A request begun so long before SIGTERM had been sent whole by then.
SENT_SECONDS = 0.05


def half_sent_body(server: Server, number: int) -> None:
    """The client goes away in the middle of the body, or goes quiet and never ends it."""
    connection = send_head(server, length=1000)
    connection.sendall(b'{"text": "The cat ')
    if number % 2:
        connection.close()
    check_bystander(server, number)
    connection.close()


def slow_reader(server: Server, number: int) -> None:
    """The answer is taken a few bytes at a time, at first."""
    text, tokens = tokened(number, sentences=40)
    body = json.dumps({"text": text, "format": "json"}).encode()
    with send_head(server, len(body)) as connection:
        connection.settimeout(HANG_SECONDS)
        connection.sendall(body)
        content = bytearray()
        for _ in range(20):
            content += connection.recv(16)
            time.sleep(0.01)
        check_bystander(server, number)
        while part := connection.recv(65536):
            content += part
    head, _, rest = bytes(content).partition(b"\r\n\r\n")
    check_own_trees(HttpAnswer(int(head.split()[1]), {}, rest, 0.0), tokens)


def brackets(server: Server, number: int) -> None:
    """Ten megabytes of "(", and as many as are allowed to be sent."""
    kind = ("text/plain", "application/json")[number % 2]
    for size in (10_000_000, 5_000):
        text = b"(" * size
        body = text if kind == "text/plain" else b'{"text": "' + text + b'"}'
        answer = ask(server.port, "POST", "/v1/parse", body, kind, HANG_SECONDS)
        check_no_crash(answer, refused=size > 5_000)
    check_bystander(server, number)


def invalid_utf8(server: Server, number: int) -> None:
    kind = ("text/plain", "application/json")[number % 2]
    body = b'{"text": "The cat \xff\xfe sat."}' if number % 2 else b"The cat \xff\xfe sat."
    check_no_crash(ask(server.port, "POST", "/v1/parse", body, kind), refused=True)
    check_bystander(server, number)


def lone_surrogates(server: Server, number: int) -> None:
    text = ("\\ud800", "cat \\udc00 sat", "\\ud83d \\ude00")[number % 3]
    for key in ('"text": "%s"', '"sentences": ["%s"]', '"tokens": [["%s"]]'):
        body = ("{" + key % text + "}").encode()
        check_no_crash(ask(server.port, "POST", "/v1/parse", body))
    check_bystander(server, number)


def deep_json(server: Server, number: int) -> None:
    opening, closing = ((b"[", b"]"), (b'{"text":', b"}"))[number % 2]
    body = opening * 50_000 + b"1" + closing * 50_000
    check_no_crash(ask(server.port, "POST", "/v1/parse", body), refused=True)
    check_bystander(server, number)


def long_sentence(server: Server, number: int) -> None:
    """5,000 words without a full stop: an error at its place, the sentence beside it parsed."""
    text, tokens = tokened(number)
    body = json.dumps({"sentences": ["word " * 5000, text], "format": "json"}).encode()
    answer = ask(server.port, "POST", "/v1/parse", body, timeout=HANG_SECONDS)
    if answer.status != 200:
        raise Fault(f"5,000 words: {answer.status} {answer.body[:300]!r}")
    if b'"error":null' not in answer.body.replace(b" ", b"") or b"5,000 words" not in answer.body:
        raise Fault(f"5,000 words: {answer.body[-500:]!r}")
    check_own_trees(answer, tokens)
    check_bystander(server, number)


# Of the request beside each fault no answer may be missing; all faults are given to one server.
IN_ONE_SERVER: tuple[Callable[[Server, int], None], ...] = (
    half_sent_body,
    slow_reader,
    brackets,
    invalid_utf8,
    lone_surrogates,
    deep_json,
    long_sentence,
)


def run_faults(start: Start, times: int, stops: int) -> list[tuple[str, int, str]]:
    """Return name, number and outcome of each kind of fault; ``start`` makes a server.

    Raises Fault at the first failure.
    """
    rows = []
    with start([]) as server:
        for fault in IN_ONE_SERVER:
            for number in range(times):
                fault(server, number)
            rows.append((named(fault), times, "all refused or answered correctly"))
        if server.process.poll() is not None or not server.is_ready():
            raise Fault(f"the service is gone: {server.log()[-1000:]}")
        if (status := server.stop()) != 0:
            raise Fault(f"exit status {status}")
    rows.append(("killed worker", times, shown(killed_workers(start, times))))
    outcomes: Counter[str] = Counter()
    for number in range(stops):
        outcomes += told_to_stop(start, number)
    rows.append(("SIGTERM under load", stops, shown(outcomes)))
    return rows


def killed_workers(start: Start, times: int) -> Counter[str]:
    """Kill one of two workers again and again while clients ask; count the ends of requests.

    A request in the dead worker must get an error and not hang; another worker takes its place.
    """
    with start(["--workers", "2"]) as server, Clients(server) as clients:
        wait_until(lambda: len(server.workers()) == 2)
        for _ in range(times):
            before = server.workers()
            clients.wait_for_answers(CLIENTS)
            os.kill(random.choice(before), signal.SIGKILL)
            wait_until(partial(is_whole, server, before))
        clients.wait_for_answers(CLIENTS)
        clients.end()
        if (status := server.stop()) != 0:
            raise Fault(f"exit status {status}")
    return clients.outcomes


def told_to_stop(start: Start, number: int) -> Counter[str]:
    """SIGTERM while clients ask: what was sent before it is answered, and the exit is clean."""
    with start([]) as server, Clients(server) as clients:
        clients.wait_for_answers(CLIENTS)
        time.sleep(random.Random(number).uniform(0, 0.2))
        clients.stopped_at = time.perf_counter()
        status = server.stop()
        clients.end()
        if status != 0:
            raise Fault(f"exit status {status} after SIGTERM: {server.log()[-1000:]}")
    return clients.outcomes


class Clients:
    """Threads that ask one thing after the other; each answer is checked, each end counted."""

    def __init__(self, server: Server):
        self.server = server
        self._ends: list[str] = []
        self.stopped_at = float("inf")
        self._faults: list[str] = []
        self._numbers = itertools.count()
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=self._run, daemon=True) for _ in range(CLIENTS)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()

    @property
    def outcomes(self) -> Counter[str]:
        """How often requests ended in which way."""
        return Counter(self._ends)

    def end(self) -> None:
        """Wait for the last answers. Raises Fault if any answer was wrong or did not come."""
        self._ended.set()
        for thread in self._threads:
            thread.join(2 * HANG_SECONDS)
        if self._faults:
            raise Fault("; ".join(self._faults[:5]))

    def wait_for_answers(self, count: int) -> None:
        wanted = self.outcomes["answered"] + count
        wait_until(lambda: self.outcomes["answered"] >= wanted or bool(self._faults))

    def _run(self) -> None:
        while not self._ended.is_set():
            start = time.perf_counter()
            try:
                self._ends.append(self._ask_once())
            except ConnectionRefusedError:
                self._ends.append("refused")
                self._ended.wait(0.05)
            except TimeoutError:
                self._faults.append(f"no answer in {HANG_SECONDS} s")
            except OSError as error:
                self._ends.append("closed")
                if start < self.stopped_at - SENT_SECONDS and self.stopped_at != float("inf"):
                    self._faults.append(f"a request sent before SIGTERM was lost: {error!r}")
            except Fault as error:
                self._faults.append(str(error))

    def _ask_once(self) -> str:
        text, tokens = tokened(next(self._numbers))
        answer = self.server.parse(text, HANG_SECONDS)
        if answer.status == 200:
            check_own_trees(answer, tokens)
            return "answered"
        check_refusal(answer)
        return str(answer.status)


def send_head(server: Server, length: int) -> socket.socket:
    """Open a connection and send the head of a request."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.settimeout(HANG_SECONDS)
    connection.connect((HOST, server.port))
    head = f"POST /v1/parse HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    connection.sendall(head.encode())
    return connection


def check_bystander(server: Server, number: int) -> None:
    """A good request must be answered with its own tree, whatever goes on beside it."""
    text, tokens = tokened(900_000 + number)
    check_own_trees(server.parse(text, HANG_SECONDS), tokens)


def check_no_crash(answer: HttpAnswer, refused: bool = False) -> None:
    """An answer, or a refusal of the documented form that blames the request."""
    if answer.status >= 500 or (refused and answer.status < 400):
        raise Fault(f"{answer.status} {answer.body[:300]!r}")
    if answer.status >= 400:
        check_refusal(answer)


def is_whole(server: Server, old: list[int]) -> bool:
    """Whether another worker stands in the dead one's place."""
    now = server.workers()
    return len(now) == len(old) and now != old


def wait_until(true: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            raise Fault("waited in vain")
        time.sleep(0.02)


def named(function: Callable[..., None]) -> str:
    return function.__name__.replace("_", " ")


def shown(outcomes: Counter[str]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in outcomes.most_common())
