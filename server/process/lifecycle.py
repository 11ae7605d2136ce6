"""Run the service: open its port, keep its workers alive, and stop it on signals.

One worker is this process itself; several are processes of their own below a supervisor. The port is
opened at once. While the model is loaded, one worker answers: ``/live`` with 200, all else with 503.
SIGTERM and SIGINT end the service: ``/ready`` and new requests are answered 503 at once, what was taken in
is finished, and only then is the port closed. A second signal leaves at once.
"""

from __future__ import annotations

import errno
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
from multiprocessing.connection import Connection
from types import FrameType
from typing import TYPE_CHECKING, Any

from bnaparser import models
from bnaparser.errors import BnaparserError, SettingsError
from bnaparser.files.temporary import remove_abandoned_folders, restore_folder, temporary_folder
from bnaparser.server import logs
from bnaparser.server.process.supervisor import STOP_SIGNALS, Supervisor, end, leave
from bnaparser.server.settings import BACKLOG, ServerSettings

if TYPE_CHECKING:
    from bnaparser.server.service import Load

log = logging.getLogger(__name__)

_METRICS_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"


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
    """Print the address of the page on a terminal, when the service is ready."""
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
            "several workers share their metrics in a temporary folder, and no folder for temporary files is writable: set"
            " TMPDIR to a writable folder, or run one worker"
        ) from error
    with temporary_folder() as folder:
        os.environ[_METRICS_VARIABLE] = str(folder)  # for the workers, when they start

        def buried(process: int) -> None:
            """Forget what the dead worker was doing, and prepare for the next."""
            try:
                if restore_folder(folder):
                    log.warning(
                        "the temporary folder of the metrics was removed: %s; it is made again, and /metrics has"
                        " the workers that start from now on",
                        folder,
                    )
                mark_process_dead(process)  # type: ignore[no-untyped-call]
            except OSError as error:
                log.warning("the metrics cannot be shared in %s: %s", folder, error)

        target = partial(_worker, settings, load, sockets)
        welcome = partial(_welcome, settings, sockets)
        patience = settings.drain_seconds
        Supervisor(target, settings.workers, patience, buried, welcome).run()
    remove_abandoned_folders()  # of workers that were killed while they loaded


def _worker(
    settings: ServerSettings,
    load: Load | None,
    sockets: Sequence[socket.socket],
    pipe: Connection,
    alone: bool,
) -> None:
    """Be one of several workers."""
    logs.configure(settings)
    if not os.access(os.environ[_METRICS_VARIABLE], os.W_OK):
        log.warning("the folder of the metrics is missing: this worker counts for itself")
        # prometheus_client reads it when it is imported, and then fails.
        del os.environ[_METRICS_VARIABLE]
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


class PortError(BnaparserError):
    """The address cannot be listened on."""


def open_sockets(host: str, port: int) -> list[socket.socket]:
    """Bind one socket for each address of a host; they do not listen yet.

    With port 0 all have the same free port. Raises PortError.
    """
    sockets: list[socket.socket] = []
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, _, _, _, address in dict.fromkeys(found):
            try:
                sockets.append(_bound(family, address, port or port_of(sockets)))
            except OSError as error:
                # "localhost" has an IPv6 address even if there is no IPv6.
                if error.errno not in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT) or len(found) == 1:
                    raise
    except (OSError, UnicodeError) as error:  # a host name may have parts that no name may have
        for one in sockets:
            one.close()
        raise port_error(host, port, error) from error
    if not sockets:
        raise PortError(f"cannot listen on {host}: none of its addresses belongs to this machine")
    return sockets


def _bound(family: int, address: Sequence[Any], port: int) -> socket.socket:
    # asyncio turns Nagle's algorithm off only where the protocol is named: without it each answer on
    # a connection that is kept waits 40 ms for an acknowledgement.
    one = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        one.bind((address[0], port, *address[2:]))
    except OSError:
        one.close()
        raise
    return one


def listen(sockets: Sequence[socket.socket], host: str) -> None:
    """Let connections come, which wait until they are accepted. Raises PortError.

    Two programs may bind the same port as long as neither listens on it.
    """
    for one in sockets:
        try:
            one.listen(BACKLOG)
        except OSError as error:
            raise port_error(host, port_of(sockets), error) from error


def close_stalling(one: socket.socket, seconds: float) -> None:
    """Set the sockets so that the system closes connections whose client reads nothing for this
    time.

    The connections that a socket accepts inherit it. Only Linux has this.
    """
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        milliseconds = max(1, round(1000 * seconds))
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, milliseconds)


def port_of(sockets: Sequence[socket.socket]) -> int:
    """Return the port that all of them have; 0 where there are none yet."""
    return sockets[0].getsockname()[1] if sockets else 0


def address_of(one: socket.socket) -> str:
    """Return the address as a browser takes it."""
    host, port = one.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def page_of(sockets: Sequence[socket.socket]) -> str:
    """Return where a browser on this machine finds the page."""
    local = (
        address_of(sockets[0]).replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")
    )
    return f"{local}/"


def port_error(host: str, port: int, error: OSError | UnicodeError) -> PortError:
    """Return the error that says why an address cannot be listened on, and what to do."""
    if isinstance(error, UnicodeError):
        return PortError(f"cannot listen on {host[:80]!r}: this is not a valid host name")
    advice = {
        errno.EADDRINUSE: "choose another --port, or stop the program that has it",
        errno.EACCES: "ports below 1024 need a privilege; choose another --port",
        errno.EADDRNOTAVAIL: "this machine has no such address; choose another --host",
    }.get(error.errno or 0, "choose another --host or --port")
    return PortError(f"cannot listen on {host} port {port}: {error.strerror or error}: {advice}")
