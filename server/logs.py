"""Logs as lines of JSON, without the users' text."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

from bnaparser.server.service_settings import ServerSettings


class JsonLines(logging.Formatter):
    """One JSON object a record: time (UTC), level, logger, message, and the record's ``fields``.

    Of an exception its type and the lines that it passed through are told, not its message: that
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


def configure(settings: ServerSettings) -> None:
    """Write logs to standard error, unless the program has set up logging itself.

    Of this package and of uvicorn, records from ``settings.log_level`` on; of others, warnings.
    uvicorn's access log is turned off: ours tells the same without the query string, which may
    hold text.
    """
    logging.getLogger("uvicorn.access").disabled = True
    for name in ("bnaparser", "uvicorn"):
        logging.getLogger(name).setLevel(settings.log_level.upper())
    if not logging.getLogger().handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(JsonLines())
        logging.getLogger().addHandler(handler)


def _places(trace: TracebackType | None) -> list[str]:
    return [
        f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in traceback.extract_tb(trace)
    ]
