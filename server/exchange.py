"""The two ends of every request for work: its body is read, and its answer is written.

A route admits a request (``Service.admit``), reads its body here, has the service parse or classify
what it read, and writes the answer here. The readers and writers are the protocol's own; once the
request's time is up, DeadlinePassed is raised.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, TypeVar, TypeVarTuple

from fastapi import Request

from bnaparser.server.queue.service import Service, before
from bnaparser.server.queue.text_thread import Steps

Given = TypeVarTuple("Given")
Result = TypeVar("Result")


async def read_body(
    request: Request,
    read: Callable[[bytes, *Given], Result],
    *given: *Given,
    has_words: bool = True,
) -> Result:
    """Return ``read(body, *given)``, what an admitted request asks for. Raises what it raises.

    A long body is read beside the event loop; one that ``has_words`` for the queue counts as waiting
    until it is read.
    """
    service: Service = request.app.state.service
    body = await request.body()
    beside = service.texts.read if has_words else service.texts.off_loop
    return await _in_time(request, beside(len(body), read, body, *given))


async def write_answer(
    request: Request, size: int, write: Callable[[*Given], Result], *given: *Given
) -> Result:
    """Return ``write(*given)``, an answer of about ``size`` characters; a long one beside the event loop."""
    service: Service = request.app.state.service
    return await _in_time(request, service.texts.off_loop(size, write, *given))


async def write_in_turns(request: Request, size: int, work: Steps[Result]) -> Result:
    """Return the answer that ``work`` writes, one that may be very long: others come in between."""
    service: Service = request.app.state.service
    return await _in_time(request, service.texts.in_turns(size, work))


async def _in_time(request: Request, work: Coroutine[Any, Any, Result]) -> Result:
    service: Service = request.app.state.service
    return await before(service.settings.deadline_seconds, request.state.record, work)
