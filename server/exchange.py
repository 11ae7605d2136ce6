"""The two ends of every request for work: its body is read, and its answer is written.

A route admits a request (``Service.admit``), reads its body here, has the service parse or classify
what it read, and writes the answer here. The readers and writers are the protocol's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar, TypeVarTuple

from fastapi import Request

from bnaparser.server.bounds import size_of
from bnaparser.server.queue.service import Service
from bnaparser.text.sentence import Sentence

Given = TypeVarTuple("Given")
Result = TypeVar("Result")


async def read_body(
    request: Request, read: Callable[[bytes, *Given], Result], *given: *Given
) -> Result:
    """Return ``read(body, *given)``, what an admitted request asks for. Raises what it raises.

    A long body is read beside the event loop, and counts as waiting until it is read.
    """
    service: Service = request.app.state.service
    body = await request.body()
    return await service.read(len(body), read, body, *given)


async def write_answer(
    request: Request,
    sentences: Iterable[Sentence],
    write: Callable[[*Given], Result],
    *given: *Given,
) -> Result:
    """Return ``write(*given)``, the answer about these sentences; a long one beside the event loop."""
    service: Service = request.app.state.service
    return await service.off_loop(size_of(sentences), write, *given)
