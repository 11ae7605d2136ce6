"""What is noted of a request while it is answered."""

from __future__ import annotations

import time
from dataclasses import dataclass

CLIENT_CLOSED_REQUEST = 499  # nginx's number for a client that left before its answer; never sent


@dataclass
class Record:
    """What the access log and the metrics tell of a request, and since when its time runs.

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
