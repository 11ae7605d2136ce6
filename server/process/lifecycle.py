"""Run the service: open its port, keep its workers alive, and end as it was asked to.

One worker is this process itself; several are processes of their own below a supervisor. The port is
opened at once. While the model is loaded, one worker answers: ``/live`` with 200, all else with 503.
SIGTERM and SIGINT end the service: ``/ready`` and new requests are answered 503 at once, what was taken in
is finished, and only then is the port closed. A second signal leaves at once.
"""

from __future__ import annotations

import logging
import os
import resource
import signal
import socket
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING

from bnaparser import models
from bnaparser.errors import SettingsError
from bnaparser.files.temporary import remove_abandoned_folders, temporary_folder
from bnaparser.server import logs
from bnaparser.server.process.exits import end, leave
from bnaparser.server.process.sockets import (
    address_of,
    close_stalling,
    listen,
    open_sockets,
    page_of,
)
from bnaparser.server.process.supervisor import STOP_SIGNALS, Reporter, Supervisor
from bnaparser.server.service_settings import ServerSettings

if TYPE_CHECKING:
    from bnaparser.server.queue.service import Load

log = logging.getLogger(__name__)


def serve(settings: ServerSettings, load: Load | None = None) -> None:
    """Serve until SIGTERM or SIGINT, finish what was taken in, and end the process with status 0.

    Raises BnaparserError when the service cannot start: no such model or a damaged one, a taken
    port, a device that is not there. A second signal ends the process with 128 + its number.
    ``load`` makes the parser, by default of the models that the settings name; with several workers it is
    sent to them, so it can be pickled.
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
        listen(sockets, settings.host)
        log.info("starting on %s", ", ".join(map(address_of, sockets)))
        if settings.workers == 1:
            # What works is imported here and not above: a process that only supervises starts sooner, and stays small.
            from bnaparser.server.process.worker import work

            work(settings, load, sockets, partial(_welcome, settings, sockets))
        else:
            _supervise(settings, load, sockets)
    end()


def _welcome(settings: ServerSettings, sockets: Sequence[socket.socket]) -> None:
    """Tell whoever started the service on a terminal where its page is, now that it parses."""
    if logs.as_text(settings):
        print(f"The page is at {page_of(sockets)} ; Ctrl-C ends it.", file=sys.stderr, flush=True)


def _raise_file_limit() -> None:
    """Allow as many open connections as the system lets us: the usual limit is 1024."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _supervise(
    settings: ServerSettings, load: Load | None, sockets: Sequence[socket.socket]
) -> None:
    """Run several workers; their metrics are summed over files in a folder of this run."""
    from prometheus_client.multiprocess import mark_process_dead

    try:
        tempfile.gettempdir()
    except OSError as error:
        raise SettingsError(
            "several workers share their metrics in a temporary folder, and no folder for temporary files can be"
            " written: set TMPDIR to one that can, or run a single worker"
        ) from error
    with temporary_folder() as folder:
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)  # for the workers, when they start
        target = partial(_worker, settings, load, sockets)
        welcome = partial(_welcome, settings, sockets)
        patience = settings.drain_seconds
        Supervisor(target, settings.workers, patience, mark_process_dead, welcome).run()
    remove_abandoned_folders()  # of workers that were killed while they loaded


def _worker(
    settings: ServerSettings,
    load: Load | None,
    sockets: Sequence[socket.socket],
    pipe: Reporter,
    alone: bool,
) -> None:
    """Be one of several workers."""
    logs.configure(settings)
    from bnaparser.server.process.worker import work_below

    work_below(settings, load, sockets, pipe, alone)
    end()


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
    leave(0)
