"""Temporary folders are gone when the process is, however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from bnaparser.files.temporary import temporary_folder

COMMAND = """
import signal, sys, threading
from bnaparser.cli.console import guarded
from bnaparser.files.temporary import temporary_folder

def fill(folder):
    for number in range(10**9):
        try:
            (folder / f"{number % 500}.bin").write_bytes(bytes(9))
        except FileNotFoundError:
            return

def run(options):
    with temporary_folder() as folder:
        threading.Thread(target=fill, args=(folder,), daemon=True).start()
        while not (folder / "0.bin").exists():
            pass
        print("ready", flush=True)
        sys.stdin.read()

signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup has told its children to ignore it
guarded(run, None)
"""


def running(folder: Path) -> subprocess.Popen[str]:
    """Return a command that has a temporary folder, which it writes into."""
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(folder)},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.parametrize(
    ("number", "status"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)],
)
def test_a_signal_leaves_no_folder(number: int, status: int, tmp_path: Path) -> None:
    process = running(tmp_path)
    process.send_signal(number)
    _, errors = process.communicate()
    assert (process.returncode, list(tmp_path.iterdir())) == (status, [])
    assert "Traceback" not in errors


def test_what_a_killed_process_left_is_removed_and_what_is_in_use_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    mine = tmp_path / "bnaparser-temporary"
    mine.mkdir()  # of another program
    killed, living = running(tmp_path), running(tmp_path)
    killed.kill()
    killed.communicate()
    (left,) = tmp_path.glob(f"bnaparser-temporary-{killed.pid}-*")
    (used,) = tmp_path.glob(f"bnaparser-temporary-{living.pid}-*")
    with temporary_folder() as first, temporary_folder() as second:
        assert sorted(tmp_path.iterdir()) == sorted([mine, used, first, second])
        assert not left.exists()
    living.communicate("")
    assert list(tmp_path.iterdir()) == [mine]
