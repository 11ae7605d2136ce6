"""The addresses that the service listens on, from its start: before a model is loaded."""

from __future__ import annotations

import errno
import socket
from collections.abc import Sequence
from typing import Any

from bnaparser.errors import BnaparserError

BACKLOG = 2048
"""Connections that may wait in the system until they are accepted."""


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
                # "localhost" has an IPv6 address even where there is no IPv6.
                if error.errno not in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT) or len(found) == 1:
                    raise
    except (OSError, UnicodeError) as error:  # a host name may have parts that no name may have
        for one in sockets:
            one.close()
        raise port_error(host, port, error) from error
    if not sockets:
        raise PortError(f"cannot listen on {host}: no address of it is this machine's")
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
    """Have the system close connections whose client takes nothing of what is sent for so long.

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
        return PortError(f"cannot listen on {host[:80]!r}: no host can have this name")
    advice = {
        errno.EADDRINUSE: "choose another --port, or stop the program that has it",
        errno.EACCES: "ports below 1024 need a privilege; choose another --port",
        errno.EADDRNOTAVAIL: "this machine has no such address; choose another --host",
    }.get(error.errno or 0, "choose another --host or --port")
    return PortError(f"cannot listen on {host} port {port}: {error.strerror or error}: {advice}")
