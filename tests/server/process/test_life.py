"""How the service starts, drains and ends: real processes, real signals.

The parser in them is a stand-in (`stand_in.py`), which SLEEPs for as long as a text says.
`tests/cli/test_serve.py` runs the service with a model.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

STAND_IN = Path(__file__).parents[1] / "stand_in.py"
START_SECONDS = 60  # a busy machine is no failure


class ServedProcess:
    """A running service."""

    def __init__(self, *options: str, kind: str = "load"):
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as the service)
        command = [sys.executable, str(STAND_IN), kind, "--port", "0", *options]
        self.process = subprocess.Popen(command, stderr=self.errors)
        try:
            found = self.wait_for(lambda: self._logged(r"starting on http://[\d.]+:(\d+)"))
        except BaseException:
            self.errors.close()
            raise
        self.port = int(found)

    def _logged(self, pattern: str) -> str | None:
        found = re.findall(pattern, self.log())
        assert found or self.process.poll() is None, self.log()
        return found[0] if found else None

    def log(self) -> str:
        """What was written to standard error."""
        # Read without moving the place where the service writes, which is the same as ours.
        written = os.fstat(self.errors.fileno()).st_size
        return os.pread(self.errors.fileno(), written, 0).decode()

    def wait_for(self, what: Callable[[], Any]) -> Any:
        deadline = time.monotonic() + START_SECONDS
        while not (found := what()):
            assert time.monotonic() < deadline, self.log()
            time.sleep(0.01)
        return found

    def start(self) -> ServedProcess:
        """Wait until it is ready."""
        self.wait_for(lambda: self.status("/ready") == 200)
        return self

    def ask(
        self, method: str, path: str, body: str | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """Return status, headers and body. Raises OSError or HTTPException without an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=START_SECONDS)
        try:
            connection.request(method, path, body, {"Content-Type": "text/plain"})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def status(self, path: str) -> int | None:
        """The status of an answer to GET; None when nobody listens."""
        with suppress(OSError, http.client.HTTPException):
            return self.ask("GET", path)[0]
        return None

    def metric(self, name: str) -> float:
        page = self.ask("GET", "/metrics")[2].decode()
        return sum(float(n) for n in re.findall(rf"^{name}(?:{{.*}})? (\S+)$", page, re.MULTILINE))

    def workers(self) -> list[int]:
        pid = self.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [c for c in map(int, children) if b"spawn_main" in command_line(c)]

    def sockets(self) -> int:
        """How many sockets the process has open."""
        found = 0
        for name in Path(f"/proc/{self.process.pid}/fd").iterdir():
            with suppress(OSError):
                found += os.readlink(name).startswith("socket:")
        return found

    def signal(self, number: int = signal.SIGTERM) -> float:
        """Send a signal and return the time."""
        self.process.send_signal(number)
        return time.monotonic()

    def end(self) -> int:
        """Wait for the end and return the exit status."""
        return self.process.wait(START_SECONDS)


class Asking(threading.Thread):
    """Asks for the parse of one text; ``status`` and ``body`` are the answer's, or ``error``."""

    def __init__(self, service: ServedProcess, text: str):
        super().__init__(daemon=True)
        self.service, self.text = service, text
        self.status: int | None = None
        self.body = b""
        self.error: Exception | None = None
        self.start()

    def run(self) -> None:
        try:
            self.status, _, self.body = self.service.ask("POST", "/v1/parse", self.text)
        except (OSError, http.client.HTTPException) as error:
            self.error = error


def command_line(pid: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


Run = Callable[..., ServedProcess]


@pytest.fixture
def run() -> Iterator[Run]:
    """A function that runs a service, which is gone after the test."""
    services: list[ServedProcess] = []

    def start(*options: str, kind: str = "load") -> ServedProcess:
        services.append(ServedProcess(*options, kind=kind))
        return services[-1]

    yield start
    for service in services:
        service.process.kill()
        service.process.wait()
        service.errors.close()


def in_work(service: ServedProcess, count: int) -> bool:
    """Whether so many requests are being answered, the one for the metrics left out."""
    return service.metric("bnaparser_requests_in_flight") - 1 >= count


def test_what_was_taken_in_is_finished_and_who_comes_later_is_told(run: Run) -> None:
    service = run("--drain-seconds=20").start()
    asking = [Asking(service, f"SLEEP 1.5 q{place}q sat .") for place in range(3)]
    service.wait_for(lambda: in_work(service, 3))
    kept = http.client.HTTPConnection("127.0.0.1", service.port, timeout=START_SECONDS)
    kept.request("GET", "/ready")
    assert kept.getresponse().read() is not None
    half = send_half(service)
    service.signal()
    service.wait_for(lambda: service.status("/ready") == 503)
    status, headers, body = service.ask("POST", "/v1/parse", "The cat sat .")
    assert status == 503
    assert int(headers["retry-after"]) > 0
    assert headers["connection"] == "close"
    assert json.loads(body)["status"] == 503
    assert service.status("/live") == 200
    kept.request("GET", "/ready")  # on a connection from before
    assert kept.getresponse().status == 503
    kept.close()
    for place, one in enumerate(asking):
        one.join(START_SECONDS)
        assert one.status == 200, (one.error, service.log())
        assert b"(XX q%dq)" % place in one.body
    assert service.end() == 0
    assert half.recv(100) == b""  # closed, and not waited for
    half.close()
    assert "Traceback" not in service.log()


def send_half(service: ServedProcess) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", service.port), timeout=START_SECONDS)
    head = b"POST /v1/parse HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n"
    connection.sendall(head + b"Content-Length: 100\r\n\r\nThe cat")
    return connection


def test_it_is_gone_in_time_even_if_work_is_left(run: Run) -> None:
    service = run("--drain-seconds=2").start()
    asking = Asking(service, "SLEEP 50 seconds .")
    service.wait_for(lambda: in_work(service, 1))
    service.signal()
    assert service.end() == 0
    asking.join(START_SECONDS)
    assert asking.status == 503  # an answer, not a broken connection
    assert "1 requests are dropped" in service.log()


def test_a_second_signal_leaves_at_once(run: Run) -> None:
    service = run("--drain-seconds=40").start()
    asking = Asking(service, "SLEEP 50 seconds .")
    service.wait_for(lambda: in_work(service, 1))
    service.signal()
    service.wait_for(lambda: service.status("/ready") == 503)
    service.signal()
    assert service.end() == 128 + signal.SIGTERM
    asking.join(START_SECONDS)
    assert asking.error is not None


@pytest.mark.parametrize("workers", [1, 2])
def test_it_answers_and_ends_while_the_model_is_loaded(run: Run, workers: int) -> None:
    service = run(f"--workers={workers}", kind="dawdle")
    assert service.status("/live") == 200
    for method, path in (("GET", "/ready"), ("POST", "/v1/parse"), ("GET", "/v1/models")):
        status, headers, body = service.ask(
            method, path, "It rained." if method == "POST" else None
        )
        assert status == 503
        assert int(headers["retry-after"]) > 0
        assert json.loads(body)["detail"].startswith(
            "the service is starting: its model is being loaded"
        )
    assert service.status("/metrics") == 200
    with socket.socket() as other:  # the port is the service's
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with pytest.raises(OSError, match="Address already in use"):
            other.bind(("127.0.0.1", service.port))
    # A terminal that is closed sends SIGHUP to all processes.
    for process in (*service.workers(), service.process.pid):
        os.kill(process, signal.SIGINT if workers == 1 else signal.SIGHUP)
    assert service.end() == 0
    assert "Traceback" not in service.log()


def test_a_model_that_cannot_be_loaded_is_told_once(run: Run) -> None:
    service = run(kind="refuse")
    assert service.end() == 2
    assert service.log().count("bnaparser: model.safetensors is cut short") == 1
    assert "Traceback" not in service.log()


def test_a_dead_worker_is_replaced_and_its_request_gets_an_error(run: Run) -> None:
    service = run("--workers=2", "--drain-seconds=20", kind="third_dawdles").start()
    service.wait_for(lambda: len(service.workers()) == 2)
    service.wait_for(lambda: service.log().count('"message": "ready"') == 2)
    asking = [Asking(service, f"SLEEP 1 q{place}q sat .") for place in range(8)]
    service.wait_for(lambda: in_work(service, 8))
    victim = service.workers()[0]
    os.kill(victim, signal.SIGKILL)
    for one in asking:
        one.join(START_SECONDS)
    assert all(one.status == 200 or one.error is not None for one in asking)
    answered = sum(one.status == 200 for one in asking)
    service.wait_for(lambda: victim not in service.workers() and len(service.workers()) == 2)
    # The new worker loads for ever, and leaves the requests to the other one.
    assert {service.status("/ready") for _ in range(30)} == {200}
    assert service.ask("POST", "/v1/parse", "The cat sat .")[0] == 200
    # Summed over workers, the dead one's among them; its own open requests are forgotten.
    assert service.metric("bnaparser_sentences_total") >= answered + 1
    service.wait_for(lambda: not in_work(service, 1))
    service.signal()
    assert service.end() == 0
    assert not list(
        Path(tempfile.gettempdir()).glob(f"bnaparser-temporary-{service.process.pid}-*")
    )


@pytest.mark.parametrize("usable", [True, False])
def test_workers_are_replaced_after_the_folder_of_the_metrics_was_removed(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, usable: bool
) -> None:
    """Programs that clean the temporary files may remove it; and it may be that it cannot be made again."""
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    service = run("--workers=2", "--drain-seconds=20").start()
    service.wait_for(lambda: service.log().count('"message": "ready"') == 2)
    [folder] = temporary.glob(f"bnaparser-temporary-{service.process.pid}-*")
    shutil.rmtree(temporary)
    if not usable:
        temporary.touch()
    assert service.ask("GET", "/metrics")[0] == 200
    assert service.ask("POST", "/v1/parse", "The cat sat .")[0] == 200
    for victim in service.workers():
        os.kill(victim, signal.SIGKILL)
    service.wait_for(lambda: service.log().count('"message": "ready"') == 4)
    assert service.ask("POST", "/v1/parse", "The cat sat .")[0] == 200
    assert service.status("/metrics") == 200
    if usable:
        assert service.metric("bnaparser_sentences_total") == 1
    assert "Traceback" not in service.log()
    service.signal()
    assert service.end() == 0
    assert not folder.exists()


def test_a_client_that_resets_its_connection_is_no_crash(run: Run) -> None:
    service = run().start()
    body = b"SLEEP 1 and sit ."
    head = b"POST /v1/parse HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n"
    more = b"GET /live HTTP/1.1\r\nHost: a\r\n\r\n" * 300
    with socket.create_connection(("127.0.0.1", service.port)) as client:
        client.sendall(head % len(body) + body + more)
        service.wait_for(lambda: in_work(service, 1))
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    service.wait_for(lambda: '"status": 499' in service.log())
    service.signal()
    assert service.end() == 0
    assert '"level": "error"' not in service.log()
    assert '"status": 500' not in service.log()


def test_a_taken_port_and_a_wrong_host() -> None:
    from bnaparser.server.process.lifecycle import PortError, open_sockets

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(PortError, match=f"port {port}: Address already in use: choose another"):
            open_sockets("127.0.0.1", port)
    with pytest.raises(PortError, match=r"192\.0\.2\.1 port 0: .*no such address"):
        open_sockets("192.0.2.1", 0)
    with pytest.raises(PortError, match=r"cannot listen on no-such-host\.invalid"):
        open_sockets("no-such-host.invalid", 0)
    with pytest.raises(
        PortError, match=r"cannot listen on 'a\.\.b': this is not a valid host name"
    ):
        open_sockets("a..b", 0)


def test_a_port_that_another_program_has_bound_too() -> None:
    """Two programs may bind the same port as long as neither listens on it."""
    from bnaparser.server.process.lifecycle import PortError, listen, open_sockets

    sockets = open_sockets("127.0.0.1", 0)
    port = sockets[0].getsockname()[1]
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", port))
        other.listen()
        with pytest.raises(PortError, match=f"port {port}: Address already in use: choose another"):
            listen(sockets, "127.0.0.1")
    sockets[0].close()


def test_all_addresses_of_a_name_have_the_same_port() -> None:
    from bnaparser.server.process.lifecycle import open_sockets

    sockets = open_sockets("localhost", 0)
    assert len({one.getsockname()[1] for one in sockets}) == 1
    # asyncio turns Nagle's algorithm off only where the protocol is named.
    assert {one.proto for one in sockets} == {socket.IPPROTO_TCP}
    assert "127.0.0.1" in {one.getsockname()[0] for one in sockets}
    for one in sockets:
        one.close()


def test_who_takes_nothing_of_an_answer_loses_the_connection(run: Run) -> None:
    """Its rest must not stay in memory for as long as the client likes."""
    service = run("--stall-seconds=1").start()
    time.sleep(0.5)  # until the connections of the start are closed
    idle = service.sockets()
    body = json.dumps({"sentences": ["a " * 400] * 100}).encode()
    head = (
        "POST /v1/parse HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.settimeout(START_SECONDS)
        client.connect(("127.0.0.1", service.port))
        client.sendall(head.encode() + body)
        assert client.recv(15) == b"HTTP/1.1 200 OK"
        assert service.sockets() == idle + 1
        service.wait_for(lambda: service.sockets() == idle)
        with pytest.raises(ConnectionResetError):
            while client.recv(65536):
                pass


def test_half_of_a_head_and_one_without_end_lose_the_connection(run: Run) -> None:
    service = run("--body-seconds=1").start()
    address = ("127.0.0.1", service.port)
    live = "GET /live HTTP/1.1\r\nHost:"
    for sent in ("", live, f"{live} a\r\n\r\nGET /li"):
        with socket.create_connection(address, timeout=START_SECONDS) as client:
            client.sendall(sent.encode())
            answers = b""
            while piece := client.recv(65536):
                answers += piece
        assert answers.count(b"HTTP/1.1 200") == sent.count("\r\n\r\n")
    with socket.create_connection(address, timeout=START_SECONDS) as client:
        client.sendall(f"{live} a\r\n\r\n".encode())
        assert client.recv(65536).startswith(b"HTTP/1.1 200")
        for _ in range(2):  # blank lines before a request that never comes
            client.sendall(b"\r\n")
        while client.recv(65536):
            pass
    with socket.create_connection(address, timeout=START_SECONDS) as client:
        client.sendall(f"{live} a\r\n".encode())
        sent_bytes = 0
        with pytest.raises(ConnectionError):
            while sent_bytes < 4_000_000:
                client.sendall(b"X-More: " + b"a" * 10_000 + b"\r\n")
                sent_bytes += 10_000
    assert sent_bytes < 4_000_000
    assert service.status("/live") == 200
