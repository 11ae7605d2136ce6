"""A process that parses: it answers from the start, loads the model in the meantime, and drains when it is to stop."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import multiprocessing.connection
import signal
import socket
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import Any

import uvicorn

from bnaparser.parsing.startup import loading
from bnaparser.server.process.connection import (
    Connection,
    ConnectionLimit,
    UnreadBytes,
    most_connections,
)
from bnaparser.server.process.supervisor import (
    READY,
    SETTLED,
    STOP_SIGNALS,
    end,
    leave,
)
from bnaparser.server.settings import BACKLOG, ServerSettings

with loading():
    from bnaparser.server.app import create_app
    from bnaparser.server.service import Load, Service, load_parser

log = logging.getLogger(__name__)

# Longer than the 60 seconds for which nginx keeps a connection, so that it is nginx that closes it
# and no request is sent into a connection that is just being closed.
KEEP_ALIVE_SECONDS = 75
# Of the time to drain, what is left to answer those who could not be served in it.
LAST_WORDS_SECONDS = 1.0


def work(
    settings: ServerSettings,
    load: Load | None,
    sockets: Sequence[socket.socket],
    begun: Callable[[], None],
) -> None:
    """Be the only process: answer until SIGTERM or SIGINT; ``begun`` is called when it is ready.

    Raises BnaparserError when the model cannot be loaded.
    """

    def report(message: str) -> None:
        if message == READY:
            begun()

    async def answer() -> None:
        server = _Server(settings, load)
        for number in STOP_SIGNALS:
            asyncio.get_running_loop().add_signal_handler(number, server.stop_once)
        await server.work(sockets, report)

    _run(answer())


def work_below(
    settings: ServerSettings,
    load: Load | None,
    sockets: Sequence[socket.socket],
    pipe: multiprocessing.connection.Connection,
    alone: bool,
) -> None:
    """Be one of several processes below a supervisor, until SIGTERM; raises as `work` does.

    One that is not ``alone`` lets the others answer as long as it loads.
    """

    async def answer() -> None:
        server = _Server(settings, load)
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, server.stop)
        parent = multiprocessing.parent_process()
        assert parent is not None, "only a worker has a parent"
        loop.add_reader(parent.sentinel, leave, 1)  # once the parent has ended
        # SIGTERM was held back from the start until its handler was there.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
        await server.work(sockets, pipe.send, answering_first=alone)

    _run(answer())


def _run(work: Coroutine[Any, Any, None]) -> None:
    """Run it in the event loop that uvicorn prefers: uvloop's, or asyncio's where that is missing."""
    loop_factory = uvicorn.Config("", log_config=None).get_loop_factory()
    with asyncio.Runner(loop_factory=loop_factory) as runner:
        runner.run(work)


class _Server(uvicorn.Server):
    """uvicorn's server, but it answers while it drains, and does not end by the signal itself."""

    def __init__(self, settings: ServerSettings, load: Load | None):
        app = create_app(settings, load or load_parser)
        self._service: Service = app.state.service
        self._service.unsent = self._unsent
        self._drain_seconds = settings.drain_seconds
        self._stop_by = 0.0
        refused = self._service.metrics.connections_refused.inc
        limit = ConnectionLimit(most_connections(), refused)
        configuration = uvicorn.Config(
            app,
            lifespan="off",  # the model is loaded while it answers
            log_config=None,
            access_log=False,
            server_header=False,
            ws="none",
            http=partial(  # type: ignore[arg-type]
                Connection, head_seconds=settings.body_seconds, limit=limit, unread=UnreadBytes()
            ),
            # How many connections are accepted at once: of several workers each is to get its share.
            backlog=1 if settings.workers > 1 else 100,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
        )
        super().__init__(configuration)

    async def work(
        self,
        sockets: Sequence[socket.socket],
        report: Callable[[str], object],
        *,
        answering_first: bool = True,
    ) -> None:
        """Load the model and answer until it is to stop; ``report`` is given READY, then SETTLED.

        Before the model is loaded it answers only if it is ``answering_first``.
        """
        service = self._service
        start = asyncio.ensure_future(service.start())
        try:
            if not answering_first:
                await start
            answers = asyncio.ensure_future(self.serve(list(sockets)))
            # Compiling makes many objects, most of which stay.
            async with service.full_collections_when_idle():
                await asyncio.wait({start, answers}, return_when=asyncio.FIRST_COMPLETED)
                if start.done():
                    start.result()  # raises what kept the model from being loaded
                    report(READY)
                    rest = asyncio.ensure_future(service.load_rest())
                    rest.add_done_callback(lambda _: report(SETTLED))
                await answers
        finally:
            await service.stop()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals alone: they have their handlers."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept connections."""
        await super().startup(sockets)
        # asyncio takes one number for two things: how many connections it accepts at once (all of
        # a burst would go to one worker), and how many may wait in the system, which is set here.
        for one in sockets or []:
            one.listen(BACKLOG)

    def stop(self) -> None:
        """Begin to drain; to be called from the event loop, as often as one likes."""
        if not self._service.loaded:
            end()  # nothing was taken in, and a model that is being loaded cannot be stopped
        if self.should_exit:
            return
        self.should_exit = True
        self._stop_by = time.monotonic() + self._drain_seconds
        self._service.drain()
        self._close_after_answers()
        log.info("draining: %d requests to finish", self._service.in_flight)
        # A batch that is being computed cannot be interrupted, nor can a process end without it.
        watchdog = threading.Timer(self._drain_seconds, _end_anyway)
        watchdog.daemon = True
        watchdog.start()

    def stop_once(self) -> None:
        """Begin to drain, and leave at once when another signal comes."""
        for number in STOP_SIGNALS:
            asyncio.get_running_loop().remove_signal_handler(number)
            signal.signal(number, _leave)
        self.stop()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Finish what was taken in, still listening; then close the connections and the port."""
        self._close_after_answers()  # again: uvicorn renews the headers every second until now
        finish_by = self._stop_by - min(LAST_WORDS_SECONDS, self._drain_seconds / 4)
        while self._service.in_flight and time.monotonic() < finish_by:
            await asyncio.sleep(0.02)
        if self._service.in_flight:
            log.warning("%d requests are dropped", self._service.in_flight)
            await self._service.stop()
        self._cut_half_sent()
        # What is left are answers that their clients are still reading.
        remaining = max(0.1, self._stop_by - time.monotonic() - 0.2)
        self.config.timeout_graceful_shutdown = remaining  # type: ignore[assignment]  # seconds
        await super().shutdown(sockets)

    def _unsent(self) -> int:
        """Return the bytes of answers that their clients have not yet taken."""
        connections = list(self.server_state.connections)
        return sum(one.transport.get_write_buffer_size() for one in connections)

    def _close_after_answers(self) -> None:
        """Have each further answer close its connection: the client is to go elsewhere."""
        closing = (b"connection", b"close")
        others = [header for header in self.server_state.default_headers if header != closing]
        self.server_state.default_headers = [*others, closing]

    def _cut_half_sent(self) -> None:
        """Close connections whose request has not come whole: it could only be answered 503."""
        for connection in list(self.server_state.connections):
            cycle = getattr(connection, "cycle", None)
            if cycle is not None and cycle.more_body and not cycle.response_started:
                connection.transport.close()


def _leave(number: int, frame: FrameType | None) -> None:
    leave(128 + number)


def _end_anyway() -> None:
    log.warning("drain_seconds are over: some requests are unfinished")
    end()
