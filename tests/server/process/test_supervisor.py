"""The supervisor keeps its workers alive, ends with them, and leaves none behind.

Its workers here are processes that load nothing: what they do is written in this file.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

# A program that supervises; its workers write their process ids into a folder.
PROGRAM = """
import os, signal, sys, time
from functools import partial
from pathlib import Path
from bnaparser.errors import BnaparserError
from bnaparser.server.process.supervisor import (
    READY, SETTLED, STOP_SIGNALS, Supervisor
)

def worker(kind, folder, pipe, alone):
    (folder / str(os.getpid())).write_text(str(alone))
    if kind == "cannot load":
        raise BnaparserError("there is no such model")
    if kind == "dies":
        os.abort()
    if kind == "never ready":
        time.sleep(60)
    first = len(list(folder.iterdir())) == 1
    if kind == "second dies" and not first:
        os.abort()
    if kind == "second cannot load" and not first:
        raise BnaparserError("the model has gone")
    told = []
    signal.signal(signal.SIGTERM, lambda *_: told.append(1))
    pipe.send(READY)
    while kind == "settles later" and not (folder / "settle").exists():
        time.sleep(0.01)
    pipe.send(SETTLED)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
    import multiprocessing, select
    while not told:
        if select.select([multiprocessing.parent_process().sentinel], [], [], 0.02)[0]:
            os._exit(1)
    (folder / "told").touch()
    while kind == "stubborn":
        time.sleep(0.02)
    time.sleep(0.2)
    (folder / f"{os.getpid()}").unlink()

if __name__ == "__main__":
    kind, folder, count = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    patience = float(sys.argv[4])
    buried = lambda pid: print("buried", pid, flush=True)
    try:
        Supervisor(partial(worker, kind, folder), count, patience, buried).run()
    except BnaparserError as error:
        sys.exit(str(error))
"""


class Program:
    """A supervising program and the folder where its workers write."""

    def __init__(self, kind: str, count: int, folder: Path, patience: float):
        self.workers = folder / "workers"
        self.workers.mkdir()
        source = folder / "program.py"
        source.write_text(PROGRAM, encoding="utf-8")
        command = [sys.executable, str(source), kind, str(self.workers), str(count)]
        command.append(str(patience))
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def pids(self, count: int) -> list[int]:
        """Wait until so many workers have written their number."""
        return [int(path.name) for path in self._wait(self._files, count)]

    def _files(self) -> list[Path]:
        return [path for path in self.workers.iterdir() if path.name.isdigit()]

    def _wait(self, read: Callable[[], list[Path]], count: int) -> list[Path]:
        deadline = time.monotonic() + 60
        while len(found := read()) < count:
            assert time.monotonic() < deadline, f"{len(found)} workers of {count}"
            time.sleep(0.01)
        return found

    def end(self) -> tuple[int, str, str]:
        """Return exit status, standard output and standard error."""
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err


Run = Callable[..., Program]


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    """A function that starts a supervisor of workers of a kind."""
    programs: list[Program] = []

    def start(kind: str, count: int = 2, patience: float = 60) -> Program:
        programs.append(Program(kind, count, tmp_path, patience))
        return programs[-1]

    yield start
    for program in programs:
        program.process.kill()
        program.process.communicate()


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and waits for its parent does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until_gone(pids: list[int]) -> None:
    deadline = time.monotonic() + 10
    while any(alive(pid) for pid in pids):
        assert time.monotonic() < deadline, "a worker is left"
        time.sleep(0.01)


def test_a_dead_worker_is_replaced_and_the_end_is_clean(run: Run) -> None:
    program = run("works")
    first, second = program.pids(2)
    os.kill(first, signal.SIGKILL)
    third = (set(program.pids(3)) - {first, second}).pop()
    # Ctrl-C in a terminal reaches the workers as well: only their parent takes it for an order.
    os.kill(second, signal.SIGINT)
    os.kill(third, signal.SIGINT)
    program.process.send_signal(signal.SIGINT)
    code, out, _ = program.end()
    assert code == 0
    assert out.split("\n")[0] == f"buried {first}"
    assert not (program.workers / str(second)).exists()  # it came to its own end


def test_workers_told_twice_still_finish(run: Run) -> None:
    """systemd signals all processes of a service, and then their parent does so as well."""
    program = run("works")
    pids = program.pids(2)
    wait_until_ready(pids)
    for pid in pids:
        os.kill(pid, signal.SIGTERM)
    program.process.send_signal(signal.SIGTERM)
    assert program.end()[0] == 0


def wait_until_ready(pids: list[int]) -> None:
    """Wait until the workers catch SIGTERM, as the kernel shows it."""
    deadline = time.monotonic() + 60
    while not all(map(catches_sigterm, pids)):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def catches_sigterm(pid: int) -> bool:
    fields = dict(
        line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines()
    )
    bit = 1 << (signal.SIGTERM - 1)
    return bool(int(fields["SigCgt"], 16) & bit) and not int(fields["SigBlk"], 16) & bit


def test_a_worker_that_does_not_end_in_time_is_killed(run: Run) -> None:
    program = run("stubborn", patience=1)
    pids = program.pids(2)
    wait_until_ready(pids)
    program.process.send_signal(signal.SIGTERM)
    code, _, err = program.end()
    assert code == 0
    assert err.count("did not end in time") == 2
    wait_until_gone(pids)


def test_a_second_signal_leaves_at_once(run: Run) -> None:
    program = run("stubborn")
    pids = program.pids(2)
    wait_until_ready(pids)
    program.process.send_signal(signal.SIGTERM)
    program._wait(lambda: list(program.workers.glob("told")), 1)
    program.process.send_signal(signal.SIGTERM)
    assert program.end()[0] == 128 + signal.SIGTERM
    wait_until_gone(pids)


def test_workers_that_are_not_ready_are_not_waited_for(run: Run) -> None:
    program = run("never ready")
    pids = program.pids(1)
    program.process.send_signal(signal.SIGTERM)
    assert program.end()[0] == 0
    wait_until_gone(pids)


def test_the_others_are_started_once_the_first_is_settled(run: Run) -> None:
    program = run("settles later", 3)
    [first] = program.pids(1)
    time.sleep(0.5)
    assert len(program.pids(1)) == 1
    (program.workers / "settle").touch()
    pids = program.pids(3)
    wait_until_ready(pids)
    # Where another worker answers, one that is started leaves the requests to it.
    assert {pid: (program.workers / str(pid)).read_text() for pid in pids} == {
        pid: str(pid == first) for pid in pids
    }
    os.kill(first, signal.SIGKILL)
    [fourth] = set(program.pids(4)) - set(pids)
    wait_until_ready([fourth])
    assert (program.workers / str(fourth)).read_text() == "False"


def test_a_worker_that_cannot_start_ends_all_with_its_reason_once(run: Run) -> None:
    program = run("cannot load", 3)
    assert program.end()[::2] == (1, "there is no such model\n")


def test_a_replacement_that_cannot_start_ends_all(run: Run) -> None:
    program = run("second cannot load", 1)
    (first,) = program.pids(1)
    wait_until_ready([first])
    os.kill(first, signal.SIGKILL)
    code, _, err = program.end()
    assert code == 1
    assert err.endswith("the model has gone\n")


def test_workers_that_die_while_they_start_are_not_started_for_ever(run: Run) -> None:
    program = run("dies")
    code, out, err = program.end()
    assert code == 1
    assert "3 workers in a row ended before they were ready, the last by SIGABRT" in err
    assert out.count("buried") == 3


def test_replacements_that_die_while_they_start_are_tried_again_after_a_pause(run: Run) -> None:
    program = run("second dies", 1)
    (first,) = program.pids(1)
    wait_until_ready([first])
    os.kill(first, signal.SIGKILL)
    program.pids(5)  # the first, three in a row, and one after the pause
    program.process.send_signal(signal.SIGTERM)
    assert program.end()[0] == 0


def test_no_worker_outlives_a_killed_parent(run: Run) -> None:
    program = run("works")
    pids = program.pids(2)
    wait_until_ready(pids)
    program.process.kill()
    wait_until_gone(pids)
