"""One client's connection: uvicorn's HTTP protocol, stricter, and with limits on a request's head and on connections.

A client that would rather speak another protocol (``Upgrade: h2c``, as Java's does by default) is answered in this one.
"""

from __future__ import annotations

import asyncio
import logging
import os
import resource
import select
import socket
import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import httptools
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

log = logging.getLogger(__name__)

HEAD_BYTES = 65_536
"""What a request's line and headers may have together; and what stands between and after the chunks of its body."""
MOST_HEADERS = 100
"""The number of headers a request may have: a parsed header of four bytes takes a hundred bytes of memory."""
MOST_PIPELINED = 16
"""The number of requests that are parsed while an earlier request of their connection is answered."""
MOST_UNREAD_BYTES = 16_000_000
"""What all connections may have together of unfinished heads and of what was read after the request that is answered."""

# A chunk of n bytes has at least 5 more: chunks of fewer than 5 bytes are read up to HEAD_BYTES of these.
_FRAMING_A_BYTE = 1
# Heads that are always taken.
_SMALL_HEAD = 4_096
# Bytes that the parser gets at once. The shortest request has 18 bytes, which end with an empty line.
_PART_BYTES, _SHORTEST_REQUEST = 1_024, 18
# How often a connection that is not read is checked for a client that has left.
_CHECK_SECONDS = 1.0

# Files that are left to the process besides its connections, for searches say.
_FILES_LEFT = 64
_FEWEST_CONNECTIONS = 16
# So many refused connections are read on for a while: of one that is closed at once the client, which still sends
# its request, may see a reset instead of the answer.
_LINGERING, _LINGER_SECONDS = 32, 2.0
_LOG_SECONDS = 10.0


class ConnectionLimit:
    """How many connections may be open; ``refused`` is called for each that is one too many.

    The system would close these itself, without a word to anybody.
    """

    def __init__(self, most: int, refused: Callable[[], object]):
        self.most, self._refused = most, refused
        self._next_log = 0.0

    def refuse(self) -> None:
        """Count a connection that is one too many, and log it, once in ten seconds."""
        self._refused()
        now = time.monotonic()
        if now >= self._next_log:
            self._next_log = now + _LOG_SECONDS
            log.warning(
                "all %d connections are in use, and further connections get 503: raise the limit on open"
                " files (ulimit -n), or find the clients that keep connections open",
                self.most,
            )


def most_connections() -> int:
    """Return how many connections this process can have open besides the files that it needs."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most == resource.RLIM_INFINITY:
        return 1_000_000
    return max(_FEWEST_CONNECTIONS, most - len(os.listdir("/dev/fd")) - _FILES_LEFT)


class UnreadBytes:
    """Counts the bytes that the connections of a process have read and that are not yet part of a whole request."""

    def __init__(self, most: int = MOST_UNREAD_BYTES):
        self.most, self.bytes = most, 0


class _Flow(FlowControl):
    """uvicorn's, which reads no further as long as it is ``blocked``, although a request waits for its body."""

    blocked = False

    def resume_reading(self) -> None:
        """Read on, unless blocked."""
        if not self.blocked:
            super().resume_reading()


class _Refused(Exception):
    """A request's head is whole, and is not accepted."""


class _Parser(httptools.HttpRequestParser):
    """llhttp's, which reads no body after a head with ``Upgrade``; this one passes over that."""

    def __init__(self, connection: Connection):
        super().__init__(connection)
        self.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn's own
        self._connection = connection

    @property
    def asks_for_upgrade(self) -> bool:
        """Whether the head asks for another protocol; a proxy's CONNECT counts as such, and is none."""
        return bool(self.should_upgrade()) and self.get_method() != b"CONNECT"

    def feed_data(self, data: Any) -> None:
        """Read on; a head with ``Upgrade`` is read once more without it."""
        try:
            super().feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            if not self.asks_for_upgrade:
                raise
            self._connection.read_without_upgrade(data[upgrade.args[0] :])


class Connection(HttpToolsProtocol):
    """Closes a connection on which no request, or only part of its head, came for ``head_seconds``.

    uvicorn itself limits only the time between an answer and the next request, and no head's size: one of
    more than ``HEAD_BYTES`` is answered by 400. So is a request of HTTP/1.1 that does not have one Host, and
    by 501 one with a transfer coding besides chunked (RFC 9112), and by 431 one with more than ``MOST_HEADERS``
    headers. ``limit`` bounds the connections, ``unread`` what all of them have read of unfinished requests.

    What is read goes to the parser in parts, until ``MOST_PIPELINED`` requests wait for the answers before them:

        read -> _unread -> parser -> pipeline -> app
    """

    parser: _Parser
    flow: _Flow

    def __init__(
        self,
        *arguments: Any,
        head_seconds: float,
        limit: ConnectionLimit | None = None,
        unread: UnreadBytes | None = None,
        **named: Any,
    ):
        super().__init__(*arguments, **named)
        self.parser = _Parser(self)
        self._head_seconds, self._limit = head_seconds, limit
        self._all_unread = unread or UnreadBytes()
        self._counted = 0  # of this connection, in the count of all
        self._unread = bytearray()
        self._running: Any = None  # the cycle of the request that is being answered
        self._head_timer: asyncio.TimerHandle | None = None
        self._check_timer: asyncio.TimerHandle | None = None
        self._in_head = False
        self._head_bytes = 0
        # Of the body that is read: its own bytes, and those around its chunks and after them.
        self._body_bytes = self._framing_bytes = 0
        # Whether the part that is parsed now begins a request, or ends an earlier one.
        self._began_one = self._ended_one = False
        # What is wrong with a request, and with one after others that are still to be answered.
        self._wrong: tuple[int, str] | None = None
        self._refusal: str | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request; a connection that is one too many is closed."""
        super().connection_made(transport)
        self.flow = _Flow(transport)
        if self._limit is not None and len(self.connections) > self._limit.most:
            self._limit.refuse()
            self._wrong = (503, "All connections are in use: try again later.")
            self._refusal = ""  # what comes is passed over
            linger = len(self.connections) <= self._limit.most + _LINGERING
            self._write_refusal("", linger)
            return
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        """Take in bytes; those of a head that is not whole do not extend its time."""
        if self._refusal is not None or self.transport.is_closing():
            return
        self._unread += data
        self._parse_unread()

    def _parse_unread(self) -> None:
        """Parse what was read, until enough requests wait for the answers before them; read on when nothing is left."""
        while self._unread and len(self.pipeline) < MOST_PIPELINED:
            end = self._end_of_part()
            part = bytes(self._unread[:end])
            del self._unread[:end]
            self._parse(part)
            if self._refusal is not None or self.transport.is_closing():
                self._unread.clear()
        if self._unread:
            self.flow.blocked = True
            self.flow.pause_reading()
        elif self.flow.blocked:
            self.flow.blocked = False
            self.flow.resume_reading()
        self._count_unread()
        if self.flow.read_paused and self._check_timer is None and not self.transport.is_closing():
            self._check_timer = self.loop.call_later(_CHECK_SECONDS, self._check_client)

    def _end_of_part(self) -> int:
        """Return how many bytes to parse at once: no more than a head, so that hardly a part begins two requests."""
        if self.cycle is not None and self.cycle.more_body and not self._in_head:
            return _PART_BYTES
        # Blank lines may stand before a request.
        least = 0 if self._in_head else _SHORTEST_REQUEST - 4
        found = self._unread.find(b"\r\n\r\n", least, _PART_BYTES)
        return found + 4 if found >= 0 else _PART_BYTES

    def _parse(self, part: bytes) -> None:
        """Give a part of the bytes to the parser, and check the limits on heads and on what surrounds chunks."""
        self._began_one = self._ended_one = False
        in_body, before = not self._in_head, self._body_bytes
        super().data_received(part)
        # How many of the bytes stand after an earlier request, the parser does not tell: one part at most.
        if self._in_head and not self._ended_one:
            self._head_bytes += len(part)
            if self._head_bytes > HEAD_BYTES and not self.transport.is_closing():
                self.send_400_response(f"The head of the request has more than {HEAD_BYTES} bytes.")
        elif in_body and not (self._began_one or self._ended_one):
            self._framing_bytes += len(part) - (self._body_bytes - before)
            most = HEAD_BYTES + _FRAMING_A_BYTE * self._body_bytes
            if self._framing_bytes > most and not self.transport.is_closing():
                self.send_400_response(
                    f"The body has more than {HEAD_BYTES} bytes of chunk extensions and trailers."
                )
        if not self._in_head and (self.cycle is None or self.cycle.response_complete):
            # Blank lines between two requests: uvicorn no longer counts the time to the next one.
            self._wait_for_head()

    def _count_unread(self) -> None:
        """Count the bytes of a head that is not whole, those not parsed, and the bodies of requests that are not begun.

        Where all connections have too many, a connection that adds some is refused; or closed, if requests wait in it.
        """
        size = len(self._unread) + (self._head_bytes if self._in_head else 0)
        size += sum(len(cycle.body) for cycle, _ in self.pipeline)
        if self._refusal is not None or self.transport.is_closing():
            size = 0
        grows = size > self._counted
        self._all_unread.bytes += size - self._counted
        self._counted = size
        if grows and size > _SMALL_HEAD and self._all_unread.bytes > self._all_unread.most:
            log.info("a connection is closed: all have too many bytes of unfinished requests")
            self._unread.clear()
            if self.pipeline:
                self.transport.close()
            else:
                self._wrong = (503, "Too many unfinished requests: try again later.")
                self.send_400_response("")
            self._count_unread()

    def _check_client(self) -> None:
        """Close the connection if its client has left, which no read tells as long as none is made."""
        self._check_timer = None
        if self.transport.is_closing() or not self.flow.read_paused:
            return
        if _has_left(self.transport.get_extra_info("socket")):
            self.transport.close()
        else:
            self._check_timer = self.loop.call_later(_CHECK_SECONDS, self._check_client)

    def send_400_response(self, msg: str) -> None:
        """Refuse what was sent, after the answers to the whole requests before it; read no more."""
        is_last = self.cycle is not None and self.cycle.more_body and not self.pipeline
        if self.cycle is None or self.cycle.response_complete or is_last:
            self._write_refusal(msg)
        else:
            self._refusal = msg
            self._stop_waiting()

    def on_response_complete(self) -> None:
        """Go on to the next request, or to its refusal."""
        super().on_response_complete()
        if self.transport.is_closing():
            return
        if self._refusal is not None:
            self.send_400_response(self._refusal)
        else:
            self._parse_unread()

    def _start_asgi_task(self, cycle: Any, app: Any) -> None:
        """Begin to answer a request; sending raises ConnectionResetError once its client has left."""
        self._running = cycle
        transport = self.transport

        async def until_closed(scope: Any, receive: Any, send: Any) -> Any:
            async def send_if_open(message: Any) -> None:
                if cycle.disconnected or transport.is_closing():
                    cycle.disconnected = True
                    raise ConnectionResetError("the client has left")
                await send(message)

            try:
                return await app(scope, receive, send_if_open)
            except ConnectionResetError:
                if not cycle.disconnected:
                    raise

        super()._start_asgi_task(cycle, until_closed)

    def _write_refusal(self, msg: str, linger: bool = False) -> None:
        """Refuse with what is wrong with the head, or else with 400 and a message; then close the connection.

        If ``linger``, it is closed when the client has closed its side, or some seconds later.
        """
        status, message = self._wrong or (400, msg)
        lines = [
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
            "content-type: text/plain; charset=utf-8",
            f"content-length: {len(message)}",
            *(["retry-after: 5"] if status == 503 else []),
            "connection: close",
        ]
        self.transport.write("\r\n".join([*lines, "", message]).encode())
        if linger:
            self.transport.write_eof()
            self._head_timer = self.loop.call_later(_LINGER_SECONDS, self.transport.close)
        else:
            self.transport.close()

    def on_message_begin(self) -> None:
        """Note that a request's head begins."""
        super().on_message_begin()
        self._in_head, self._head_bytes = True, 0
        self._began_one = True
        self._body_bytes = self._framing_bytes = 0
        self._wait_for_head()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header; those that follow a body, its trailers, are passed over. Raise _Refused for one too many."""
        if self._in_head:
            if len(self.headers) >= MOST_HEADERS:
                self._wrong = (431, f"A request has at most {MOST_HEADERS} headers.")
                raise _Refused
            super().on_header(name, value)

    def on_body(self, body: bytes) -> None:
        """Take a part of the body."""
        self._body_bytes += len(body)
        super().on_body(body)

    def read_without_upgrade(self, rest: bytes) -> None:
        """Read the head that is whole again, without its ``Upgrade``, and then what came after it."""
        version = self.parser.get_http_version().encode()
        lines = [b"%s %s HTTP/%s" % (self.parser.get_method(), self.url, version)]
        lines += [b"%s: %s" % header for header in self.headers if header[0] != b"upgrade"]
        self.parser = _Parser(self)
        self.parser.feed_data(b"\r\n".join([*lines, b"", b""]) + rest)

    def on_message_complete(self) -> None:
        """Note that a request is whole, unless only its head was read, to be read again."""
        if not self.parser.asks_for_upgrade:
            self._ended_one = True
            super().on_message_complete()

    def on_headers_complete(self) -> None:
        """Note that it is whole; raise _Refused where it is not accepted."""
        if self.parser.asks_for_upgrade:
            return
        self._in_head = False
        self._stop_waiting()
        self._wrong = self._wrong_head()
        if self._wrong is not None:
            raise _Refused
        super().on_headers_complete()

    def _wrong_head(self) -> tuple[int, str] | None:
        """Return the status and the reason to refuse a request that can be read, if there is one."""
        size = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
        if size > HEAD_BYTES:
            return 400, f"The head of the request has more than {HEAD_BYTES} bytes."
        hosts = sum(name == b"host" for name, _ in self.headers)
        if hosts > 1 or (hosts < 1 and self.parser.get_http_version() != "1.0"):
            return 400, "A request of HTTP/1.1 has one Host header."
        codings = [value for name, value in self.headers if name == b"transfer-encoding"]
        if codings and b",".join(codings).strip().lower() != b"chunked":
            return 501, "Of transfer codings the service knows chunked only."
        return None

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection, and tell the request that is being answered; uvicorn tells the last one only."""
        self._stop_waiting()
        if self._check_timer is not None:
            self._check_timer.cancel()
        self._all_unread.bytes -= self._counted
        self._counted = 0
        self._unread.clear()
        self.pipeline.clear()
        if self._running is not None and not self._running.response_complete:
            self._running.disconnected = True
            self._running.message_event.set()
        super().connection_lost(exc)

    def _wait_for_head(self) -> None:
        if self._head_timer is None:
            self._head_timer = self.loop.call_later(self._head_seconds, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None


def _has_left(client: socket.socket) -> bool:
    """Return whether the other side has closed a connection, even if it sent more that was not read."""
    if not hasattr(select, "POLLRDHUP"):  # only Linux tells
        return False
    poll = select.poll()
    poll.register(client.fileno(), select.POLLRDHUP)
    return bool(poll.poll(0))
