"""What the service says to whoever starts it on a terminal; the parser is a stand-in."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest

STAND_IN = Path(__file__).parents[1] / "stand_in.py"
PAGE = r"^The page is at (http://127\.0\.0\.1:\d+/) ; Ctrl-C ends it\.$"


class PseudoTerminal:
    """A service whose standard error is a terminal; ``lines`` are those that came there."""

    def __init__(self, *options: str):
        self._ours, theirs = pty.openpty()
        command = [sys.executable, str(STAND_IN), "load", "--port", "0", *options]
        self.process = subprocess.Popen(command, stderr=theirs)
        os.close(theirs)
        self.lines: list[str] = []
        self._rest = ""

    def read(self) -> Iterator[str]:
        """Yield lines as they come, until the service has ended."""
        while True:
            try:
                piece = os.read(self._ours, 4096).decode()
            except OSError:  # so Linux tells that nobody holds the other end
                return
            *whole, self._rest = (self._rest + piece).split("\r\n")
            self.lines += whole
            yield from whole

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._ours)


@pytest.fixture
def terminal(request: pytest.FixtureRequest) -> Iterator[PseudoTerminal]:
    made = PseudoTerminal(*request.param)
    yield made
    made.close()


@pytest.mark.parametrize("terminal", [["--workers=2", "--host=0.0.0.0"]], indirect=True)
def test_it_says_in_plain_words_where_the_page_is(terminal: PseudoTerminal) -> None:
    lines = terminal.read()
    found = next(match for line in lines if (match := re.match(PAGE, line)))
    with urlopen(found[1]) as answer:
        assert b"<title>bnaparser" in answer.read()
    next(line for line in lines if "GET /: 200 in " in line)
    terminal.process.send_signal(signal.SIGINT)
    assert list(lines)[-1].endswith(" ended")
    assert terminal.process.wait(60) == 0
    assert sum(bool(re.match(PAGE, line)) for line in terminal.lines) == 1
    assert not any(line.startswith("{") for line in terminal.lines)


@pytest.mark.parametrize("terminal", [["--log-format=json"]], indirect=True)
def test_json_is_written_there_on_request(terminal: PseudoTerminal) -> None:
    lines = terminal.read()
    next(line for line in lines if '"message": "ready"' in line)
    terminal.process.send_signal(signal.SIGINT)
    rest = list(lines)
    assert terminal.process.wait(60) == 0
    assert rest
    assert all(line.startswith("{") for line in terminal.lines)
