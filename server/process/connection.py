"""One client's connection: uvicorn's HTTP protocol, with limits on a request's head: its time and its size.

A client that would rather speak another protocol (``Upgrade: h2c``, as Java's does by default) is answered in this one.
"""

from __future__ import annotations

import asyncio
from typing import Any

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_BYTES = 65_536
"""What a request's line and headers may have together."""


class _Parser(httptools.HttpRequestParser):
    """llhttp's, which reads no body behind a head with ``Upgrade``; this one passes over that."""

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
    more than ``HEAD_BYTES`` is answered by 400.
    """

    parser: _Parser

    def __init__(self, *arguments: Any, head_seconds: float, **named: Any):
        super().__init__(*arguments, **named)
        self.parser = _Parser(self)
        self._head_seconds = head_seconds
        self._head_timer: asyncio.TimerHandle | None = None
        self._in_head = False
        self._head_bytes = 0
        self._ended_one = False  # whether the bytes that are read now end an earlier request
        self._refusal: str | None = (
            None  # what is wrong with a request behind others to be answered
        )

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        """Take in bytes; those of a head that is not whole do not extend its time."""
        if self._refusal is not None:
            return
        self._ended_one = False
        super().data_received(data)
        # How many of the bytes stand behind an earlier request, the parser does not tell: one read at most.
        if self._in_head and not self._ended_one:
            self._head_bytes += len(data)
            if self._head_bytes > HEAD_BYTES and not self.transport.is_closing():
                self.send_400_response(f"The head of the request has more than {HEAD_BYTES} bytes.")

    def send_400_response(self, msg: str) -> None:
        """Refuse what was sent, behind the answers to the whole requests before it; read no more."""
        is_last = self.cycle is not None and self.cycle.more_body and not self.pipeline
        if self.cycle is None or self.cycle.response_complete or is_last:
            super().send_400_response(msg)
        else:
            self._refusal = msg
            self._stop_waiting()

    def on_response_complete(self) -> None:
        """Go on to the next request, or to its refusal."""
        super().on_response_complete()
        if self._refusal is not None and not self.transport.is_closing():
            self.send_400_response(self._refusal)

    def on_message_begin(self) -> None:
        """Note that a request's head begins."""
        super().on_message_begin()
        self._in_head, self._head_bytes = True, 0
        self._wait_for_head()

    def read_without_upgrade(self, rest: bytes) -> None:
        """Read the head that is whole again, without its ``Upgrade``, and then what came behind it."""
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
        """Note that it is whole."""
        if self.parser.asks_for_upgrade:
            return
        self._in_head = False
        self._stop_waiting()
        super().on_headers_complete()

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
