"""One client's connection: uvicorn's HTTP protocol, with limits on a request's head: its time and its size."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_BYTES = 65_536
"""What a request's line and headers may have together."""


class Connection(HttpToolsProtocol):
    """Closes a connection on which no request, or only part of its head, came for ``head_seconds``.

    uvicorn itself limits only the time between an answer and the next request, and no head's size: one of
    more than ``HEAD_BYTES`` is answered by 400.
    """

    def __init__(self, *arguments: Any, head_seconds: float, **named: Any):
        super().__init__(*arguments, **named)
        self._head_seconds = head_seconds
        self._head_timer: asyncio.TimerHandle | None = None
        self._in_head = False
        self._head_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        """Take in bytes; those of a head that is not whole do not extend its time."""
        super().data_received(data)
        if self._in_head:
            self._head_bytes += len(data)
            if self._head_bytes > HEAD_BYTES and not self.transport.is_closing():
                self.send_400_response(f"The head of the request has more than {HEAD_BYTES} bytes.")

    def on_message_begin(self) -> None:
        """Note that a request's head begins."""
        super().on_message_begin()
        self._in_head, self._head_bytes = True, 0
        self._wait_for_head()

    def on_headers_complete(self) -> None:
        """Note that it is whole."""
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
