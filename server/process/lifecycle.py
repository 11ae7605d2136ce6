"""Run the service: open its port, keep its workers alive, and end as it was asked to.

One worker is this process itself; several are processes of their own below a supervisor. SIGTERM
and SIGINT end the service: ``/ready`` and new requests are answered 503 at once, what was taken in
is finished, and only then is the port closed. A second signal leaves at once.
"""

from __future__ import annotations

import asyncio
import logging
import os
import resource
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

import uvicorn

from bnaparser import models
from bnaparser.files.temporary import (
    remove_abandoned_folders,
    remove_temporary_folders,
    temporary_folder,
)
from bnaparser.server import logs
from bnaparser.server.process.connection import Connection, ConnectionLimit, most_connections
from bnaparser.server.process.sockets import (
    address_of,
    close_stalling,
    open_sockets,
    page_of,
    port_error,
    port_of,
)
from bnaparser.server.process.supervisor import (
    READY,
    STOP_SIGNALS,
    Reporter,
    Supervisor,
    accept_signals,
    parent_is_gone,
)
from bnaparser.server.queue.service import Load, Service, load_parser
from bnaparser.server.service_settings import ServerSettings

if TYPE_CHECKING:
    from fastapi import FastAPI

log = logging.getLogger(__name__)

# Longer than the 60 seconds for which nginx keeps a connection, so that it is nginx that closes it
# and no request is sent into a connection that is just being closed.
KEEP_ALIVE_SECONDS = 75
BACKLOG = 2048
# Of the time to drain, what is left to answer those who could not be served in it.
LAST_WORDS_SECONDS = 1.0


def serve(settings: ServerSettings, load: Load = load_parser) -> None:
    """Serve until SIGTERM or SIGINT, finish what was taken in, and end the process with status 0.

    Raises BnaparserError when the service cannot start: no such model or a damaged one, a taken
    port, a device that is not there. A second signal ends the process with 128 + its number.
    ``load`` makes the parser; with several workers it is sent to them, so it can be pickled.
    """
    with _leaving_quietly():
        logs.configure(settings)
        _raise_file_limit()
        for name in (*models.model_names(settings.model), settings.classifier):
            if name is not None:
                models.find(name)
        sockets = open_sockets(settings.host, settings.port)
        for one in sockets:
            close_stalling(one, settings.stall_seconds)
        log.info("starting on %s", ", ".join(map(address_of, sockets)))
        if settings.workers == 1:
            _run(_work(settings, load, sockets))
        else:
            _supervise(settings, load, sockets)
    _end()


def _welcome(settings: ServerSettings, sockets: Sequence[socket.socket]) -> None:
    """Tell whoever started the service on a terminal where its page is, now that it is there."""
    if logs.as_text(settings):
        print(f"The page is at {page_of(sockets)} ; Ctrl-C ends it.", file=sys.stderr, flush=True)


def _raise_file_limit() -> None:
    """Allow as many open connections as the system lets us: the usual limit is 1024."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _supervise(settings: ServerSettings, load: Load, sockets: Sequence[socket.socket]) -> None:
    """Run several workers; their metrics are summed over files in a folder of this run."""
    from prometheus_client.multiprocess import mark_process_dead

    with temporary_folder() as folder:
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)  # for the workers, when they start
        target = partial(_worker, settings, load, sockets)
        welcome = partial(_welcome, settings, sockets)
        patience = settings.drain_seconds
        Supervisor(target, settings.workers, patience, mark_process_dead, welcome).run()
    remove_abandoned_folders()  # of workers that were killed while they loaded


def _worker(
    settings: ServerSettings, load: Load, sockets: Sequence[socket.socket], pipe: Reporter
) -> None:
    """Be one of several workers."""
    logs.configure(settings)
    _run(_work(settings, load, sockets, pipe))
    _end()


async def _work(
    settings: ServerSettings,
    load: Load,
    sockets: Sequence[socket.socket],
    pipe: Reporter | None = None,
) -> None:
    """Load the model and serve on the sockets until a signal comes; ``pipe``: to a supervisor."""
    # The routes are imported here and not above: a process that only supervises stays small.
    from bnaparser.server.app import create_app

    app = create_app(settings, load)
    listening = partial(_welcome, settings, sockets) if pipe is None else partial(pipe.send, READY)
    server = _Server(_configuration(app, settings), app.state.service, settings, listening)
    loop = asyncio.get_running_loop()
    if pipe is not None:
        loop.add_signal_handler(signal.SIGTERM, server.stop)
        loop.add_reader(parent_is_gone(), _exit, 1)
        accept_signals()
    else:
        for number in STOP_SIGNALS:
            loop.add_signal_handler(number, server.stop_once)
    async with app.router.lifespan_context(app):
        try:
            await server.serve(list(sockets))
        except OSError as error:  # another program began to listen after we had bound the port
            raise port_error(settings.host, port_of(sockets), error) from error


def _run(work: Coroutine[Any, Any, None]) -> None:
    """Run it in the event loop that uvicorn prefers: uvloop's, or asyncio's where that is missing."""
    loop_factory = uvicorn.Config("", log_config=None).get_loop_factory()
    with asyncio.Runner(loop_factory=loop_factory) as runner:
        runner.run(work)


def _configuration(app: FastAPI, settings: ServerSettings) -> uvicorn.Config:
    service: Service = app.state.service
    limit = ConnectionLimit(most_connections(), service.metrics.connections_refused.inc)
    return uvicorn.Config(
        app,
        lifespan="off",  # it is entered by _work, so that its errors come out as they are
        log_config=None,
        access_log=False,
        server_header=False,
        ws="none",
        http=partial(  # type: ignore[arg-type]
            Connection, head_seconds=settings.body_seconds, limit=limit
        ),
        # How many connections are accepted at once: of several workers each is to get its share.
        backlog=1 if settings.workers > 1 else 100,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
    )


class _Server(uvicorn.Server):
    """uvicorn's server, but it answers while it drains, and does not end by the signal itself."""

    def __init__(
        self,
        config: uvicorn.Config,
        service: Service,
        settings: ServerSettings,
        listening: Callable[[], None],
    ):
        super().__init__(config)
        self._service, self._drain_seconds = service, settings.drain_seconds
        self._listening = listening  # called when it listens
        self._stop_by = 0.0

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals alone: they have their handlers."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen. Raises OSError where another program does so since the port was bound."""
        for one in sockets or []:
            one.listen(BACKLOG)  # uvloop would not say that it failed
        await super().startup(sockets)
        # asyncio takes one number for two things: how many connections it accepts at once (all of
        # a burst would go to one worker), and how many may wait in the system, which is set here.
        for one in sockets or []:
            one.listen(BACKLOG)
        self._listening()

    def stop(self) -> None:
        """Begin to drain; to be called from the event loop, as often as one likes."""
        if not self.started:
            _exit(0)  # nothing was taken in, and a model that is being loaded cannot be stopped
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
            log.warning("%d requests are given up", self._service.in_flight)
            await self._service.stop()
        self._cut_half_sent()
        # What is left are answers that their clients are still reading.
        remaining = max(0.1, self._stop_by - time.monotonic() - 0.2)
        self.config.timeout_graceful_shutdown = remaining  # type: ignore[assignment]  # seconds
        await super().shutdown(sockets)

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


@contextmanager
def _leaving_quietly() -> Iterator[None]:
    """End with status 0 on a signal that comes before anything was taken in."""
    before = {number: signal.signal(number, _leave_early) for number in STOP_SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _leave_early(number: int, frame: FrameType | None) -> None:
    _exit(0)


def _leave(number: int, frame: FrameType | None) -> None:
    _exit(128 + number)


def _end_anyway() -> None:
    log.warning("the time to drain is over, and not all is finished")
    _end()


def _end() -> None:
    """End the process at once: Python would take a second to take itself apart, with torch in it,
    and wait for a batch that is still being computed for nobody."""
    log.info("ended")
    logging.shutdown()
    _exit(0)


def _exit(status: int) -> NoReturn:
    """End the process at once; its temporary folders go with it, such as that of a zip that is being loaded."""
    remove_temporary_folders()
    os._exit(status)
