"""The log: JSON where programs read it, lines for people on a terminal; the users' text in neither."""

from __future__ import annotations

import json
import logging
import os
import pty
import sys
from typing import TYPE_CHECKING, Any

import pytest

from bnaparser.server.logs import TextLines, as_text
from bnaparser.server.settings import ServerSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapi.testclient import TestClient


def record(message: str, level: int = logging.INFO, **fields: Any) -> logging.LogRecord:
    made = logging.LogRecord("bnaparser.server", level, "", 0, message, (), None)
    made.fields = fields
    return made


ANSWERED: dict[str, Any] = {
    "method": "POST",
    "path": "/v1/parse",
    "status": 200,
    "seconds": 0.0412,
    "sentences": 1,
    "words": 1200,
    "errors": 0,
    "request_id": "r1",
}


def test_a_request_is_one_line_that_can_be_read() -> None:
    line = TextLines().format(record("request", **ANSWERED))
    assert line[8:] == " POST /v1/parse: 200 in 0.041 s, 1 sentence, 1,200 words"
    line = TextLines().format(record("request", **{**ANSWERED, "status": 503}))
    assert line.endswith("request r1")


def test_what_is_no_request_tells_its_fields() -> None:
    assert TextLines().format(record("ready", model="en", seconds=2.5))[8:] == (
        " ready, model en, seconds 2.5"
    )
    assert " warning: " in TextLines().format(record("slow", logging.WARNING))


def test_an_exception_tells_its_places_and_not_its_message() -> None:
    failed = record("a request crashed", logging.ERROR)
    try:
        raise ValueError("a user's text")
    except ValueError:
        failed.exc_info = sys.exc_info()
    line = TextLines().format(failed)
    assert "ValueError" in line
    assert "test_logs.py" in line
    assert "a user's text" not in line


def test_nothing_in_a_path_steers_the_terminal() -> None:
    line = TextLines().format(record("request", **{**ANSWERED, "path": "/\x1b[2J\n12:00:00 x"}))
    assert line.isprintable()
    assert "\\x1b[2J\\x0a" in line


@pytest.mark.parametrize("given", [None, "json", "text"])
def test_text_goes_to_a_terminal_unless_the_settings_say_else(
    given: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = pty.openpty()
    settings = ServerSettings(log_format=given)
    with open(theirs, "w") as terminal, open(os.devnull, "w") as file:
        monkeypatch.setattr(sys, "stderr", terminal)
        assert as_text(settings) is (given != "json")
        monkeypatch.setattr(sys, "stderr", file)
        assert as_text(settings) is (given == "text")
    os.close(ours)


def test_json_lines_are_what_they_were(
    make_client: Callable[..., TestClient], capsys: pytest.CaptureFixture[str]
) -> None:
    root = logging.getLogger()
    before, root.handlers = root.handlers, []
    try:
        client = make_client(log_format="json")
        client.post("/v1/parse", json={"text": "It rained."})
        lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    finally:
        root.handlers = before
    assert lines[-1]["path"] == "/v1/parse"
