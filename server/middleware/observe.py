"""The outermost layer: request ids, security headers, the access log, metrics, and crashes."""

from __future__ import annotations

import logging
import re
import time
import uuid
from collections.abc import MutableMapping
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bnaparser.server.metrics import Metrics
from bnaparser.server.problems import Failure, path_below_prefix, problem_response
from bnaparser.server.record import Record

log = logging.getLogger(__name__)

_SANE_ID = re.compile(r"[A-Za-z0-9._:/+=@-]{1,128}\Z")
_SECURITY = {
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


class Observe:
    """ASGI middleware around all others; answers 500 where something below it crashed."""

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
        asked = Headers(scope=scope).get("x-request-id", "")
        request_id = asked if _SANE_ID.match(asked) else uuid.uuid4().hex
        record = Record(request_id, time.monotonic())
        state = scope.setdefault("state", {})
        state["record"], state["request_id"] = record, request_id
        began = False

        async def send_marked(message: Message) -> None:
            nonlocal began
            if message["type"] == "http.response.start":
                began = True
                record.status = message["status"]
                _mark(message, record.request_id)
            await send(message)

        metrics.in_flight.inc()
        try:
            await self.app(scope, receive, send_marked)
        except Exception:
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
    for name, value in _SECURITY.items():
        headers.setdefault(name, value)


def _account(scope: Scope, method: str, record: Record, metrics: Metrics) -> None:
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


_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"})
