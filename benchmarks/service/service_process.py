"""A running ``bnaparser serve``: start it, ask it, measure it, end it. For `run_service.py`."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

HOST = "127.0.0.1"
SERVE = (sys.executable, "-m", "bnaparser", "serve")
START_SECONDS = 300
TOKEN = re.compile(r"q\d+q")


class Fault(Exception):
    """The service did what it must not do."""


class HttpAnswer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes
    seconds: float

    def json(self) -> Any:
        return json.loads(self.body)


class Server:
    """``with Server(options) as server``: ready on entry, with all its workers, and gone after."""

    def __init__(
        self,
        options: Sequence[str],
        command: Sequence[str] = SERVE,
        environment: Mapping[str, str] | None = None,
    ):
        self.port = free_port()
        self.command = [*command, "--port", str(self.port), *options]
        self.environment = environment
        place = options.index("--workers") + 1 if "--workers" in options else 0
        self._workers = int(options[place]) if place else 1
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as the server)

    def begin(self) -> None:
        """Start it, and wait for nothing."""
        # A group of its own, so that nothing is left behind whatever happens.
        self.process = subprocess.Popen(
            self.command, stderr=self.errors, env=self.environment, start_new_session=True
        )

    def end(self) -> None:
        """Kill it; a service that has ended is left alone."""
        self._kill()
        self.errors.close()

    def __enter__(self) -> Self:
        self.begin()
        deadline = time.monotonic() + START_SECONDS
        while not (self.is_ready() and self.log().count('"message": "ready"') >= self._workers):
            if self.process.poll() is not None or time.monotonic() > deadline:
                self._kill()
                raise Fault(f"the service does not start: {self.log()[-2000:]}")
            time.sleep(0.05)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()

    def _kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.port}"

    def log(self) -> str:
        """What the service has written to standard error."""
        # Read without moving the place where the service writes, which is the same as ours.
        written = os.fstat(self.errors.fileno()).st_size
        return os.pread(self.errors.fileno(), written, 0).decode(errors="replace")

    def is_ready(self) -> bool:
        try:
            return self.get("/ready").status == 200
        except OSError:
            return False

    def get(self, path: str) -> HttpAnswer:
        return ask(self.port, "GET", path, timeout=10)

    def parse(self, text: str, timeout: float = 60) -> HttpAnswer:
        body = json.dumps({"text": text, "format": "json"}).encode()
        return ask(self.port, "POST", "/v1/parse", body, timeout=timeout)

    def stop(self, timeout: float = 60) -> int:
        """Send SIGTERM and return the exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout)

    def workers(self) -> list[int]:
        """The processes that parse: those below the supervisor, or the one there is."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        found = [int(pid) for pid in children.split() if b"spawn_main" in command_line(int(pid))]
        return found or [self.process.pid]

    def memory(self) -> float:
        """Megabytes of all processes of the service; what they share is counted once."""
        return sum(map(_megabytes, {self.process.pid, *self.workers()}))

    def memory_by_worker(self) -> list[float]:
        """Megabytes of each process that parses; what several share is divided among them."""
        return list(map(_megabytes, self.workers()))


def _megabytes(pid: int) -> float:
    with suppress(OSError):
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
        return int(re.findall(r"^Pss: +(\d+)", rollup, re.MULTILINE)[0]) / 1024
    return 0.0


def free_port() -> int:
    with socket.create_server((HOST, 0)) as found:
        return int(found.getsockname()[1])


def command_line(pid: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def ask(
    port: int,
    method: str,
    path: str,
    body: bytes | None = None,
    kind: str = "application/json",
    timeout: float = 60,
) -> HttpAnswer:
    """Send one request on a connection of its own. Raises OSError when no whole answer comes."""
    connection = http.client.HTTPConnection(HOST, port, timeout=timeout)
    start = time.perf_counter()
    try:
        headers = {"Content-Type": kind, "Connection": "close"}
        # Who refuses a body early may have answered before all of it was sent.
        with suppress(BrokenPipeError, ConnectionResetError):
            connection.request(method, path, body, headers)
        if connection.sock is None:
            raise ConnectionError("the connection was closed before the request was sent")
        response = connection.getresponse()
        content = response.read()
        names = {name.lower(): value for name, value in response.getheaders()}
        return HttpAnswer(response.status, names, content, time.perf_counter() - start)
    except http.client.HTTPException as error:
        raise ConnectionError(f"no whole answer: {error!r}") from error
    finally:
        connection.close()


def tokened(number: int, sentences: int = 1) -> tuple[str, list[str]]:
    """A text whose every sentence holds a word of its own, and those words in order."""
    tokens = [f"q{number:06}{place:03}q" for place in range(sentences)]
    return " ".join(f"The cat {token} sat on the mat ." for token in tokens), tokens


def check_own_trees(answer: HttpAnswer, tokens: Sequence[str]) -> None:
    """Raise Fault unless these are the trees of this request: its words, all, in order."""
    found = TOKEN.findall(answer.body.decode())
    # A word stands in a parse's text, its tree and its list of words: in each the same.
    each, rest = divmod(len(found), len(tokens))
    expected = [token for token in tokens for _ in range(each)]
    if answer.status != 200 or rest or found != expected or b"(TOP" not in answer.body:
        raise Fault(f"{answer.status} {answer.body[:300]!r} is no answer for {tokens}")


def check_refusal(answer: HttpAnswer) -> None:
    """Raise Fault unless the answer is an error of the documented form."""
    kind = answer.headers.get("content-type", "")
    if answer.status < 400 or not kind.startswith("application/problem+json"):
        raise Fault(f"{answer.status} {kind} {answer.body[:300]!r} is no proper refusal")
    if answer.status == 503 and "retry-after" not in answer.headers:
        raise Fault("503 without Retry-After")


def checked(command: Sequence[str], allowed: Sequence[int] = (0,)) -> str:
    """Run an outside tool and return its standard output; Fault for another exit status."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise Fault(f"{command[0]} is not installed") from error
    if done.returncode not in allowed:
        raise Fault(f"{command[0]} failed: {done.stdout[-1000:]} {done.stderr[-1000:]}")
    return done.stdout
