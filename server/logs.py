"""Logs without the users' text: as lines of JSON, or for people who watch a terminal."""

from __future__ import annotations

import json
import logging
import sys
import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

from bnaparser.server.settings import ServerSettings


class JsonLines(logging.Formatter):
    """One JSON object a record: time (UTC), level, logger, message, and the record's ``fields``.

    An exception is logged with its type and its stack of lines, without its message: that
    may quote a user's text.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[0] is not None:
            line["exception"] = record.exc_info[0].__name__
            line["traceback"] = _places(record.exc_info[2])
        return json.dumps(line, ensure_ascii=True, default=str)


class TextLines(logging.Formatter):
    """A line a record, to be read: time of day, message, and the record's ``fields`` in words.

    A level other than "info" is named. Of exceptions it tells what JsonLines tells. What could steer
    a terminal, in a path say, is escaped.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line, or of an exception several."""
        time = datetime.fromtimestamp(record.created).strftime("%H:%M:%S")
        level = "" if record.levelno == logging.INFO else f"{record.levelname.lower()}: "
        fields = getattr(record, "fields", {})
        said = _answered(fields) if "path" in fields else _with(record.getMessage(), fields)
        lines = [f"{time} {level}{said}"]
        if record.exc_info and record.exc_info[0] is not None:
            lines += [record.exc_info[0].__name__, *_places(record.exc_info[2])]
        return "\n    ".join(map(_harmless, lines))


def as_text(settings: ServerSettings) -> bool:
    """Return whether logs are for people: as the settings say, else where they go to a terminal."""
    if settings.log_format is not None:
        return settings.log_format == "text"
    return sys.stderr is not None and sys.stderr.isatty()


def configure(settings: ServerSettings) -> None:
    """Write logs to standard error, unless the program has set up logging itself.

    Of this package and of uvicorn, records from ``settings.log_level`` on; of others, warnings.
    uvicorn's access log is turned off: this log has the same fields without the query string, which may
    hold text. What uvicorn says of its start and end is left out of logs that people read.
    """
    logging.getLogger("uvicorn.access").disabled = True
    level = settings.log_level.upper()
    logging.getLogger("bnaparser").setLevel(level)
    quiet = as_text(settings) and settings.log_level == "info"
    logging.getLogger("uvicorn").setLevel("WARNING" if quiet else level)
    if not logging.getLogger().handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(TextLines() if as_text(settings) else JsonLines())
        logging.getLogger().addHandler(handler)


def _answered(fields: Mapping[str, Any]) -> str:
    """Say what became of a request; its number only where something went wrong."""
    counts = [
        f"{fields[name]:,} {name if fields[name] != 1 else name[:-1]}"
        for name in ("sentences", "words", "errors")
        if fields.get(name)
    ]
    parts = [f"{fields['status']} in {fields['seconds']:.3f} s", *counts]
    if fields["status"] >= 400:
        parts.append(f"request {fields['request_id']}")
    return f"{fields['method']} {fields['path']}: {', '.join(parts)}"


def _with(message: str, fields: Mapping[str, Any]) -> str:
    return ", ".join([message, *(f"{name} {value}" for name, value in fields.items())])


def _harmless(line: str) -> str:
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in line)


def _places(trace: TracebackType | None) -> list[str]:
    return [
        f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in traceback.extract_tb(trace)
    ]


CLIENT_CLOSED_REQUEST = 499  # nginx's number for a client that left before its answer; never sent


@dataclass
class RequestRecord:
    """The fields of a request for the access log and the metrics, and the start of its time.

    The outermost layer makes it; the routes find it as ``request.state.record`` and hand it down.
    ``started`` and ``body_read`` are of ``time.monotonic()``, ``body_read`` is None until the whole
    body is there.
    """

    request_id: str
    started: float
    status: int = CLIENT_CLOSED_REQUEST
    body_read: float | None = None
    body_bytes: int = 0
    sentences: int = 0
    words: int = 0
    errors: int = 0

    @property
    def seconds_since_body(self) -> float:
        """The seconds since the body was read; 0 before that."""
        return 0.0 if self.body_read is None else time.monotonic() - self.body_read
