"""One client's connection: uvicorn's HTTP protocol, stricter, and with limits on a request's head and on connections.

A client that would rather speak another protocol (``Upgrade: h2c``, as Java's does by default) is answered in this one.
"""

from __future__ import annotations

import asyncio
import logging
import os
import resource
import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

log = logging.getLogger(__name__)

HEAD_BYTES = 65_536
"""What a request's line and headers may have together; and what stands between and after the chunks of its body."""

# A chunk of one byte has five more.
_FRAMING_A_BYTE = 8

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
    by 501 one with a transfer coding besides chunked (RFC 9112). ``limit`` bounds the connections.
    """

    parser: _Parser

    def __init__(
        self,
        *arguments: Any,
        head_seconds: float,
        limit: ConnectionLimit | None = None,
        **named: Any,
    ):
        super().__init__(*arguments, **named)
        self.parser = _Parser(self)
        self._head_seconds, self._limit = head_seconds, limit
        self._head_timer: asyncio.TimerHandle | None = None
        self._in_head = False
        self._head_bytes = 0
        # Of the body that is read: its own bytes, and those around its chunks and after them.
        self._body_bytes = self._framing_bytes = 0
        # Whether the bytes that are read now begin a request, or end an earlier one.
        self._began_one = self._ended_one = False
        # What is wrong with a request, and with one after others that are still to be answered.
        self._wrong: tuple[int, str] | None = None
        self._refusal: str | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request; a connection that is one too many is closed."""
        super().connection_made(transport)
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
        self._began_one = self._ended_one = False
        in_body, before = not self._in_head, self._body_bytes
        super().data_received(data)
        # How many of the bytes stand after an earlier request, the parser does not tell: one read at most.
        if self._in_head and not self._ended_one:
            self._head_bytes += len(data)
            if self._head_bytes > HEAD_BYTES and not self.transport.is_closing():
                self.send_400_response(f"The head of the request has more than {HEAD_BYTES} bytes.")
        elif in_body and not (self._began_one or self._ended_one):
            self._framing_bytes += len(data) - (self._body_bytes - before)
            most = HEAD_BYTES + _FRAMING_A_BYTE * self._body_bytes
            if self._framing_bytes > most and not self.transport.is_closing():
                self.send_400_response(
                    f"The body has more than {HEAD_BYTES} bytes of chunk extensions and trailers."
                )
        if not self._in_head and (self.cycle is None or self.cycle.response_complete):
            # Blank lines between two requests: uvicorn no longer counts the time to the next one.
            self._wait_for_head()

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
        if self._refusal is not None and not self.transport.is_closing():
            self.send_400_response(self._refusal)

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
        """Take a header; those that follow a body, its trailers, are passed over."""
        if self._in_head:
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
        """Forget the connection."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait_for_head(self) -> None:
        if self._head_timer is None:
            self._head_timer = self.loop.call_later(self._head_seconds, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None
