"""The layers around every route: request ids, access log, metrics, key, body, a client that goes away."""

from __future__ import annotations

import asyncio
import base64
import binascii
import hmac
import logging
import re
import time
import uuid
from collections.abc import Callable, MutableMapping
from contextlib import suppress
from typing import Any

from pydantic import SecretStr
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bnaparser.server.limits import OPEN_PATHS
from bnaparser.server.logs import CLIENT_CLOSED_REQUEST, RequestRecord
from bnaparser.server.metrics import Metrics
from bnaparser.server.problems import (
    Failure,
    Problem,
    SlowBody,
    TooLarge,
    Unauthorized,
    path_below_prefix,
    problem_response,
)
from bnaparser.server.settings import ServerSettings

log = logging.getLogger(__name__)

_SANE_ID = re.compile(r"[A-Za-z0-9._:/+=@-]{1,128}\Z")
SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none';"
        " form-action 'self'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"})
# A body that is refused is read a little longer: a client that still sends would otherwise find
# its connection reset, and never see why.
_LINGER_SECONDS = 2.0
_LINGER_BYTES = 16_000_000


class Observe:
    """ASGI middleware around all others; answers 500 where something below it crashed.

    A request whose client has left before the end of the answer has the status 499.
    """

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        method = scope["method"]
        if method == "HEAD":  # as GET; the server sends the headers only
            scope = {**scope, "method": "GET"}
        metrics: Metrics = scope["app"].state.service.metrics
        sent_id = Headers(scope=scope).get("x-request-id", "")
        request_id = sent_id if _SANE_ID.match(sent_id) else uuid.uuid4().hex
        record = RequestRecord(request_id, time.monotonic())
        state = scope.setdefault("state", {})
        state["record"], state["request_id"] = record, request_id
        began = left = False

        async def send_marked(message: Message) -> None:
            nonlocal began, left
            if message["type"] == "http.response.start":
                began = True
                record.status = message["status"]
                _mark(message, record.request_id)
            try:
                await send(message)
            except OSError:
                left = True
                if message["type"] == "http.response.start" or message.get("body"):
                    record.status = CLIENT_CLOSED_REQUEST
                raise

        metrics.in_flight.inc()
        try:
            await self.app(scope, receive, send_marked)
        except Exception:
            if left:
                return
            log.exception("a request crashed", extra={"fields": {"request_id": record.request_id}})
            record.status = Failure.status
            if not began:
                problem = Failure("an unexpected error; it is in the service's log")
                await problem_response(problem, scope)(scope, receive, send_marked)
        finally:
            metrics.in_flight.dec()
            _account(scope, method, record, metrics)


def _mark(message: MutableMapping[str, Any], request_id: str) -> None:
    headers = MutableHeaders(raw=message.setdefault("headers", []))
    headers["X-Request-ID"] = request_id
    for name, value in SECURITY_HEADERS.items():
        headers.setdefault(name, value)


def _account(scope: Scope, method: str, record: RequestRecord, metrics: Metrics) -> None:
    seconds = time.monotonic() - record.started
    route = _route(scope)
    method = method if method in _METHODS else "other"
    metrics.requests.labels(method, route, str(record.status)).inc()
    metrics.seconds.labels(route).observe(seconds)
    fields = {
        "method": method,
        "path": scope["path"],
        "status": record.status,
        "seconds": round(seconds, 4),
        "sentences": record.sentences,
        "words": record.words,
        "errors": record.errors,
        "request_id": record.request_id,
    }
    # Probes come every few seconds and say nothing while all is well, or the model is being loaded.
    well = record.status < 400 or not scope["app"].state.service.loaded
    quiet = well and route in ("/live", "/ready", "/metrics")
    log.log(logging.DEBUG if quiet else logging.INFO, "request", extra={"fields": fields})


def _route(scope: Scope) -> str:
    """Return the route's pattern, not the path: an endless number of wrong paths is one series."""
    if "route" in scope:
        return str(scope["route"].path)
    path = path_below_prefix(scope)  # of a request that was refused before it was routed
    return path if path in scope["app"].openapi()["paths"] else "other"


class RequireKey:
    """ASGI middleware that lets through what bears the key, as a bearer or as a Basic password.

    Browsers and CoreNLP's clients know Basic authentication only; any user name will do.
    """

    def __init__(self, app: ASGIApp, key: SecretStr):
        self.app = app
        self.key = key.get_secret_value().encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 401, or hand the request on."""
        if (
            scope["type"] != "http"
            or path_below_prefix(scope) in OPEN_PATHS
            or hmac.compare_digest(_sent_key(Headers(scope=scope)), self.key)
        ):
            await self.app(scope, receive, send)
        else:
            await refuse(Unauthorized(), scope, receive, send)


class ReadBody:
    """ASGI middleware that reads a request's whole body before the routes see it, or refuses it.

    So a slow or half-sent body takes no place in the queue. While the answer is made it watches
    the connection, and cancels the work when the client has gone.
    """

    def __init__(self, app: ASGIApp, settings: ServerSettings):
        self.app = app
        self.max_bytes = settings.max_body_bytes
        self.seconds = settings.body_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 413, 408 or 503, or hand the request on with its body."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        service = scope["app"].state.service
        with service.body_memory() as count:
            try:
                body = await self._read(scope, receive, count)
            except Problem as found:
                problem = found.with_traceback(None)  # which holds what was read
            else:
                if body is not None:
                    record: RequestRecord = scope["state"]["record"]
                    record.body_read, record.body_bytes = time.monotonic(), len(body)
                    service.in_flight += 1
                    try:
                        await self._answer(body, scope, receive, send)
                    finally:
                        service.in_flight -= 1
                return
        await refuse(problem, scope, receive, send)

    async def _read(
        self, scope: Scope, receive: Receive, count: Callable[[bytes], None]
    ) -> bytes | None:
        """Return the body; None when the client went away in the meantime."""
        self._check_size(_announced(scope))
        chunks: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(self.seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return None
                    chunks.append(message.get("body", b""))
                    size += len(chunks[-1])
                    self._check_size(size)
                    count(chunks[-1])
                    if not message.get("more_body", False):
                        return b"".join(chunks)
        except TimeoutError:
            raise SlowBody(f"the body was incomplete after {self.seconds:g} s") from None

    def _check_size(self, size: int) -> None:
        if size > self.max_bytes:
            raise TooLarge(
                f"the body has more than the {self.max_bytes:,} bytes that this service accepts"
            )

    async def _answer(self, body: bytes, scope: Scope, receive: Receive, send: Send) -> None:
        left = asyncio.Event()
        answered = False
        pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            if pending:
                return pending.pop()
            await left.wait()
            return {"type": "http.disconnect"}

        async def send_on(message: Message) -> None:
            nonlocal answered
            await send(message)
            answered = message["type"] == "http.response.body" and not message.get("more_body")

        work = asyncio.ensure_future(self.app(scope, replay, send_on))
        watch = asyncio.ensure_future(_disconnection(receive))
        try:
            await asyncio.wait({work, watch}, return_when=asyncio.FIRST_COMPLETED)
            # A server reports the end of the answer as a disconnection, too.
            if answered:
                await asyncio.wait({work})
        finally:
            left.set()
            await _end(watch)
            if not work.done():
                await _end(work)
        if not work.cancelled():
            work.result()


async def refuse(problem: Problem, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a problem before the body is read, then close the connection gently."""
    if not _announced(scope) and "transfer-encoding" not in Headers(scope=scope):
        await problem_response(problem, scope)(scope, receive, send)
        return
    problem.headers["Connection"] = "close"
    response = problem_response(problem, scope)
    start: Message = {
        "type": "http.response.start",
        "status": response.status_code,
        "headers": response.raw_headers,
    }
    await send(start)
    await send({"type": "http.response.body", "body": response.body, "more_body": True})
    with suppress(TimeoutError):
        async with asyncio.timeout(_LINGER_SECONDS):
            await _discard(receive)
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _discard(receive: Receive) -> None:
    size = 0
    while size < _LINGER_BYTES:
        message = await receive()
        size += len(message.get("body", b""))
        if message["type"] == "http.disconnect" or not message.get("more_body", False):
            return


async def _disconnection(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _end(task: asyncio.Future[None]) -> None:
    """Cancel a task and wait until it is over; what it raised is kept in it."""
    task.cancel()
    await asyncio.wait({task})


def _announced(scope: Scope) -> int:
    """Return the size that the headers say; 0 where they say none."""
    value = Headers(scope=scope).get("content-length", "")
    return int(value) if value.isascii() and value.isdigit() else 0


def _sent_key(headers: Headers) -> bytes:
    """Return the key that a request bears, empty if none."""
    scheme, _, value = headers.get("authorization", "").partition(" ")
    value = value.strip()
    if scheme.lower() == "bearer":
        return value.encode("latin-1", errors="replace")
    if scheme.lower() == "basic":
        with suppress(binascii.Error, ValueError):
            return base64.b64decode(value, validate=True).partition(b":")[2]
    return b""
