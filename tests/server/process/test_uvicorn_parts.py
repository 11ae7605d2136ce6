"""Private parts of uvicorn that the service builds on, in the installed version.

`server/process/connection.py` and `server/process/worker.py` override and read them. A new version may change them
without a word, so `pyproject.toml` allows only versions that these tests have seen.
"""

from __future__ import annotations

import asyncio
import inspect
import tomllib
from collections import deque
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import httptools
import pytest
import uvicorn
from packaging.requirements import Requirement
from packaging.version import Version
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from bnaparser.server.process.connection import Connection

ROOT = Path(__file__).parents[3]
CHANGED = (
    f"uvicorn {version('uvicorn')} has changed a private part that the service uses: {{}}. Compare server/process/connection.py"
    " and server/process/worker.py with the new version, then set its bound in pyproject.toml"
)

METHODS: dict[type, dict[str, list[str]]] = {
    uvicorn.Config: {"get_loop_factory": []},
    uvicorn.Server: {
        "serve": ["sockets"],
        "startup": ["sockets"],
        "shutdown": ["sockets"],
        "capture_signals": [],
    },
    HttpToolsProtocol: {
        "__init__": ["config", "server_state", "app_state", "_loop"],
        "connection_made": ["transport"],
        "connection_lost": ["exc"],
        "data_received": ["data"],
        "send_400_response": ["msg"],
        "on_message_begin": [],
        "on_url": ["url"],
        "on_header": ["name", "value"],
        "on_headers_complete": [],
        "on_message_complete": [],
        "on_response_complete": [],
        "_start_asgi_task": ["cycle", "app"],
    },
    FlowControl: {"__init__": ["transport"], "pause_reading": [], "resume_reading": []},
}


@pytest.mark.parametrize("owner", METHODS)
def test_methods_that_are_overridden_or_called(owner: type) -> None:
    for name, parameters in METHODS[owner].items():
        method = getattr(owner, name, None)
        part = f"{owner.__name__}.{name}({', '.join(['self', *parameters])})"
        assert method is not None, CHANGED.format(part)
        assert list(inspect.signature(method).parameters) == ["self", *parameters], CHANGED.format(
            part
        )


class Transport(asyncio.Transport):
    """Takes what is written, and goes nowhere."""

    def write(self, data: Any) -> None: ...
    def pause_reading(self) -> None: ...
    def resume_reading(self) -> None: ...
    def close(self) -> None: ...
    def is_closing(self) -> bool:
        return False


async def no_app(scope: Any, receive: Any, send: Any) -> None: ...


def test_attributes_that_are_read_or_set() -> None:
    kinds: dict[str, type] = {
        "Server.started": bool,
        "Server.should_exit": bool,
        "ServerState.connections": set,
        "ServerState.default_headers": list,
        "HttpToolsProtocol.loop": asyncio.AbstractEventLoop,
        "HttpToolsProtocol.transport": asyncio.Transport,
        "HttpToolsProtocol.parser": httptools.HttpRequestParser,
        "HttpToolsProtocol.connections": set,
        "HttpToolsProtocol.pipeline": deque,
        "HttpToolsProtocol.flow": FlowControl,
        "HttpToolsProtocol.url": bytes,
        "HttpToolsProtocol.headers": list,
        "RequestResponseCycle.body": bytearray,
        "RequestResponseCycle.more_body": bool,
        "RequestResponseCycle.response_started": bool,
        "RequestResponseCycle.response_complete": bool,
        "RequestResponseCycle.disconnected": bool,
        "RequestResponseCycle.message_event": asyncio.Event,
        "FlowControl.read_paused": bool,
    }

    async def check() -> None:
        server = uvicorn.Server(uvicorn.Config(no_app, log_config=None, lifespan="off", ws="none"))
        state = server.server_state
        protocol = HttpToolsProtocol(config=server.config, server_state=state, app_state={})
        protocol.connection_made(Transport())
        protocol.data_received(b"POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n")
        cycle = getattr(protocol, "cycle", None)
        assert cycle is not None, CHANGED.format("HttpToolsProtocol.cycle")
        parts = (server, state, protocol, cycle, protocol.flow)
        for owner in parts:
            for part, kind in kinds.items():
                kind_of_owner, _, name = part.partition(".")
                if kind_of_owner == type(owner).__name__:
                    assert isinstance(getattr(owner, name, None), kind), CHANGED.format(part)
        owners = {type(owner).__name__ for owner in parts}
        assert {part.partition(".")[0] for part in kinds} == owners, CHANGED.format(
            "a class's name"
        )
        assert protocol in state.connections, CHANGED.format("ServerState.connections")
        assert cycle.more_body, CHANGED.format("RequestResponseCycle.more_body")
        protocol.data_received(b"x")
        assert not cycle.more_body, CHANGED.format("RequestResponseCycle.more_body")

    asyncio.run(check())


def test_settings_that_are_given() -> None:
    http: Any = partial(Connection, head_seconds=1)
    config = uvicorn.Config(no_app, log_config=None, ws="none", http=http, backlog=1)
    config.load()
    assert config.http_protocol_class is http, CHANGED.format("Config.http_protocol_class")
    assert config.backlog == 1, CHANGED.format("Config.backlog")
    assert hasattr(config, "timeout_graceful_shutdown"), CHANGED.format(
        "Config.timeout_graceful_shutdown"
    )


def test_no_newer_version_is_installed_than_the_one_that_was_tried() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    requirements = map(Requirement, project["dependencies"])
    [specifier] = [one.specifier for one in requirements if one.name == "uvicorn"]
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    [pinned] = [line.partition("==")[2] for line in lines if line.startswith("uvicorn==")]
    tried = Version(pinned)
    assert tried in specifier
    assert Version(f"{tried.major}.{tried.minor + 1}") not in specifier
