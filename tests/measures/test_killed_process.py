"""A process of `bnaparser measure` that is killed while it sends its result."""

from __future__ import annotations

import os
import sys
from multiprocessing.connection import Connection
from typing import Any

import pytest

from bnaparser.measures.files import Located, measured


@pytest.mark.skipif(sys.platform != "linux", reason="the processes are forked")
def test_half_a_result_holds_up_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    send, parent = Connection.send, os.getpid()

    def half(self: Connection, result: Any) -> None:
        if os.getpid() != parent:
            os.write(self.fileno(), b"\0\0")
            os._exit(1)
        send(self, result)

    monkeypatch.setattr(Connection, "send", half)
    sentences = [Located(f"{number}", "(TOP (NN x))", None, 1) for number in range(2000)]
    found = list(measured(iter(sentences), "sentence", {}, workers=2))
    assert [one.document for one in found] == [f"{number}" for number in range(2000)]
