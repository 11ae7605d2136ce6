"""Clients that would rather speak another protocol are answered in HTTP/1.1, whatever the pieces their request comes in."""

from __future__ import annotations

import asyncio
import logging
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from http.client import HTTPResponse
from typing import Any

import pytest
import uvicorn

from bnaparser.server.process.connection import (
    HEAD_BYTES,
    MOST_HEADERS,
    MOST_PIPELINED,
    Connection,
    ConnectionLimit,
    UnreadBytes,
)

WISH = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAAB"
PATIENCE = 60  # seconds; a busy machine is no failure


HELD: list[Any] = []
LEFT: list[str] = []


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """Answer with method, path, names of headers, and body; for the path /slow a little later, for /held when released."""
    if scope["path"] == "/slow":
        await asyncio.sleep(0.1)
    if scope["path"] == "/held":
        HELD.append(asyncio.current_task())
        while (await receive())["type"] != "http.disconnect":
            pass
        LEFT.append(scope["path"])
        await send({"type": "http.response.start", "status": 200, "headers": []})
        return
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message.get("body", b""), message.get("more_body", False)
    names = b" ".join(sorted(name for name, _ in scope["headers"]))
    told = b"\n".join([scope["method"].encode(), scope["path"].encode(), names, body])
    head = [(b"content-length", str(len(told)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": head})
    await send({"type": "http.response.body", "body": told})


@contextmanager
def listening_port(
    limit: ConnectionLimit | None = None,
    unread: UnreadBytes | None = None,
    kind: type[Connection] = Connection,
) -> Iterator[int]:
    """Serve `echo`; gives the port."""
    http: Any = partial(kind, head_seconds=30, limit=limit, unread=unread)
    config = uvicorn.Config(echo, log_config=None, lifespan="off", ws="none", http=http)
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield int(listening.getsockname()[1])
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with listening_port() as found:
        yield found


def answer(client: socket.socket) -> tuple[int, str]:
    with HTTPResponse(client) as response:
        response.begin()
        return response.status, response.read().decode()


def request(body: str, *more: str, method: str = "POST") -> bytes:
    length = f"Content-Length: {len(body)}"
    return "\r\n".join([f"{method} /a?b=c HTTP/1.1", "Host: x", length, *more, "", body]).encode()


TOLD = "POST\n/a\nconnection content-length host http2-settings\nIt rained."


@pytest.mark.parametrize("piece", [10_000, 40, 7, 1])
def test_a_wish_for_another_protocol_is_passed_over(port: int, piece: int) -> None:
    sent = request("It rained.", WISH)
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(2):  # on one connection
            for begin in range(0, len(sent), piece):
                client.sendall(sent[begin : begin + piece])
            assert answer(client) == (200, TOLD)
        client.sendall(request("Dogs bark."))
        assert answer(client) == (200, "POST\n/a\ncontent-length host\nDogs bark.")


def test_so_is_one_of_a_request_in_chunks_without_body_and_for_websockets(port: int) -> None:
    chunked = f"POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n{WISH}\r\n\r\n"
    websocket = "GET /a HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
        client.sendall(f"{chunked}3\r\nDog\r\n1\r\ns\r\n0\r\n\r\n".encode())
        names = "connection host http2-settings transfer-encoding"
        assert answer(client) == (200, f"POST\n/a\n{names}\nDogs")
        client.sendall(websocket.encode())
        assert answer(client) == (200, "GET\n/a\nconnection host\n")


def test_two_requests_at_once_have_two_answers(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
        client.sendall(request("It rained.", WISH) + request("Dogs bark.", "Connection: close"))
        received = b""
        while piece := client.recv(65536):
            received += piece
    assert received.count(b"HTTP/1.1 200") == 2
    assert b"\nIt rained." in received
    assert received.endswith(b"\nDogs bark.")


def all_answers(port: int, *pieces: bytes) -> bytes:
    """Send pieces, each in a read of its own, say that there is no more, and return what comes."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for piece in pieces:
            client.sendall(piece)
            time.sleep(0.02)
        received = b""
        while piece := client.recv(65536):
            received += piece
    return received


def test_only_the_bytes_of_a_head_count_as_its_own(port: int) -> None:
    last = request("Dogs bark.", "Connection: close")
    received = all_answers(port, request("a" * 70_000) + last[:10], last[10:])
    assert received.count(b"HTTP/1.1 200") == 2
    small = request("", method="GET")
    many = small * 3_000 + last
    received = all_answers(port, many[: len(small) * 2_000 + 10], many[len(small) * 2_000 + 10 :])
    assert received.count(b"HTTP/1.1 200") == 3_001


BROKEN_BODY = b"POST /b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n"
LONG = b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"a" * HEAD_BYTES


@pytest.mark.parametrize(
    ("status", "lines"),
    [
        (400, []),
        (400, ["Host: a", "Host: a"]),
        (400, ["Host: a", "X: " + "a" * HEAD_BYTES]),
        (400, ["Host: a", *(f"X{number}: {'a' * 5_000}" for number in range(14))]),
        (431, ["Host: a", *["a:"] * MOST_HEADERS]),
        (501, ["Host: a", "Transfer-Encoding: gzip, chunked"]),
        (501, ["Host: a", "Transfer-Encoding: gzip", "Transfer-Encoding: chunked"]),
    ],
    ids=[
        "no Host",
        "two Hosts",
        "a long header",
        "long headers",
        "many headers",
        "gzip",
        "gzip apart",
    ],
)
def test_a_head_that_is_not_accepted_is_refused_whatever_its_pieces(
    port: int, status: int, lines: list[str]
) -> None:
    head = "\r\n".join(["POST /a HTTP/1.1", *lines, "", ""]).encode()
    chunks = b"1\r\na\r\n0\r\n\r\n" if status == 501 else b""
    for pieces in ([head + chunks], [head[:20], head[20:], chunks]):
        received = all_answers(port, request("It rained."), *pieces)
        assert received.startswith(b"HTTP/1.1 200")
        assert received.index(b"It rained.HTTP/1.1 %d" % status) > 0
        assert received.count(b"connection: close") == 1


IN_CHUNKS = b"POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    "endless", [b"X: a\r\n" * 5_000, b"X: " + b"a" * 30_000, b"1;" + b"a" * 30_000]
)
def test_trailers_and_extensions_of_chunks_are_read_to_a_limit(port: int, endless: bytes) -> None:
    """They would fill the memory, and no limit on a body's bytes counts them."""
    more = endless.replace(b"1;", b"") if endless.startswith(b"1;") else endless
    last = b"" if endless.startswith(b"1;") else b"1\r\na\r\n0\r\n"
    received = all_answers(port, IN_CHUNKS, last + endless, *[more] * 3)
    assert received.startswith(b"HTTP/1.1 400")
    assert b"of chunk extensions and trailers" in received


def test_small_chunks_and_trailers_are_read_and_trailers_passed_over(port: int) -> None:
    chunks = b"1;a=b\r\na\r\n" * 7_000
    again = request("Dogs bark.", "Connection: close")
    received = all_answers(
        port, IN_CHUNKS, chunks[:50_000], chunks[50_000:] + b"0\r\nX: a\r\n\r\n", again
    )
    assert received.count(b"HTTP/1.1 200") == 2
    assert b"\nhost transfer-encoding\n" + b"a" * 7_000 in received
    chunks = b"5\r\naaaaa\r\n" * 50_000  # of five bytes there may be any number
    received = all_answers(port, IN_CHUNKS, chunks + b"0\r\n\r\n" + again)
    assert received.count(b"HTTP/1.1 200") == 2


def test_chunks_of_one_byte_are_read_to_a_limit(port: int) -> None:
    """Each costs as much time as a large one."""
    received = all_answers(port, IN_CHUNKS, b"1\r\na\r\n" * 17_000)
    assert received.startswith(b"HTTP/1.1 400")


def test_a_request_has_as_many_headers_as_browsers_and_proxies_send(port: int) -> None:
    lines = [f"X-{number}: a" for number in range(MOST_HEADERS - 3)]
    received = all_answers(port, request("It rained.", *lines, "Connection: close"))
    assert received.startswith(b"HTTP/1.1 200")


def test_unfinished_heads_of_all_connections_are_bounded() -> None:
    unread = UnreadBytes(most=100_000)
    half = b"GET / HTTP/1.1\r\nHost: a\r\nX: "
    with listening_port(unread=unread) as port, ExitStack() as stack:
        clients = []
        for _ in range(20):
            client = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
            stack.enter_context(client).sendall(half + b"a" * 20_000)
            clients.append(client)
        told = all_answers(port, half + b"a" * 20_000)
        assert told.startswith(b"HTTP/1.1 503")
        assert unread.bytes <= 120_000
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as small:
            small.sendall(half + b"a" * 3_000)  # small heads are always taken
            time.sleep(0.1)
            small.sendall(b"\r\n\r\n")
            assert answer(small)[0] == 200
        for client in clients:
            client.close()
        wait_until(lambda: unread.bytes == 0)


def test_bodies_of_pipelined_requests_are_bounded() -> None:
    unread = UnreadBytes(most=100_000)
    held = request("It rained.").replace(b"/a?b=c", b"/held")
    with listening_port(unread=unread) as port, ExitStack() as stack:
        clients = []
        for _ in range(20):
            client = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
            clients.append(stack.enter_context(client))
            client.sendall(held + request("a" * 20_000))
        wait_until(lambda: unread.bytes > 80_000)
        for client in clients[10:]:
            assert client.recv(1) == b""
        assert unread.bytes <= 120_000
        for client in clients:
            client.close()
        wait_until(lambda: unread.bytes == 0)


def wait_until(done: Any) -> None:
    end = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < end
        time.sleep(0.02)


class Watched(Connection):
    """Tells the largest number of pipelined requests and of bytes that were not parsed."""

    pipelined = unread = 0

    def _parse_unread(self) -> None:
        super()._parse_unread()
        Watched.pipelined = max(Watched.pipelined, len(self.pipeline))
        Watched.unread = max(Watched.unread, len(self._unread))


def test_few_pipelined_requests_are_parsed_before_their_turn() -> None:
    """A parsed request takes a hundred times the memory of its bytes."""
    tiny = b"GET / HTTP/1.1\r\nHost:\r\n\r\n"
    last = request("Dogs bark.", "Connection: close")
    slow = request("It rained.").replace(b"/a", b"/slow")
    Watched.pipelined = Watched.unread = 0
    with listening_port(kind=Watched) as port:
        received = all_answers(port, slow, tiny * 9_000, tiny * 9_000 + last)
    assert received.count(b"HTTP/1.1 200") == 18_002
    # A part may have the last byte of a head, and the next request.
    assert MOST_PIPELINED <= Watched.pipelined <= MOST_PIPELINED + 1
    assert Watched.unread < 600_000  # one read or two


@pytest.mark.parametrize("reset", [False, True])
@pytest.mark.parametrize("count", [0, 3, 9_000])
def test_a_client_that_leaves_is_noticed_behind_its_pipelined_requests(
    port: int, count: int, reset: bool, caplog: pytest.LogCaptureFixture
) -> None:
    tiny = b"GET / HTTP/1.1\r\nHost:\r\n\r\n"
    HELD.clear()
    LEFT.clear()
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
        client.sendall(request("It rained.").replace(b"/a?b=c", b"/held") + tiny * count)
        wait_until(lambda: HELD)
        if reset:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    wait_until(lambda: LEFT and HELD[0].done())
    assert not [one for one in caplog.records if one.levelno >= logging.ERROR]


def test_a_request_of_http_1_0_needs_no_host(port: int) -> None:
    assert all_answers(port, b"GET /a HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.1 200")


def test_a_connection_that_is_one_too_many_is_refused_logged_and_counted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    refused: list[None] = []
    limit = ConnectionLimit(2, lambda: refused.append(None))
    with listening_port(limit) as port, ExitStack() as stack:
        for _ in range(2):
            client = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
            stack.enter_context(client)
            client.sendall(request("It rained."))
            assert answer(client)[0] == 200
        for _ in range(3):
            with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as third:
                assert answer(third) == (503, "All connections are in use: try again later.")
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as slow:
            for _ in range(3):  # which is still sending, and sees no reset
                time.sleep(0.05)
                slow.sendall(request("It rained."))
            assert answer(slow)[0] == 503
            assert slow.recv(1) == b""
        assert len(refused) == 4
        client.close()
    said = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert [one.partition(":")[0] for one in said] == [
        "all 2 connections are in use, and further connections get 503"
    ]


@pytest.mark.parametrize("wrong", [LONG, b"\0\r\n\r\n", BROKEN_BODY])
def test_what_is_wrong_is_told_behind_the_answers_that_are_owed(port: int, wrong: bytes) -> None:
    slow = request("It rained.").replace(b"/a", b"/slow")
    received = all_answers(port, slow, wrong)
    assert received.startswith(b"HTTP/1.1 200")
    assert received.index(b"It rained.HTTP/1.1 400") > 0
    assert all_answers(port, wrong).startswith(b"HTTP/1.1 400")
