"""Whoever waits while the machine code is made is told so, once: at a terminal, in a log, with --quiet."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from bnaparser.cli import main
from bnaparser.compute.code_cache import writable_folder

ROOT = Path(__file__).parents[2]
SAID = "compiling loops of the parser for this processor"


def test_a_first_run_says_what_takes_the_time_and_a_second_says_nothing(tmp_path: Path) -> None:
    given = ["-q", "--model", "en-free", "It rained."]
    assert main(["parse", *given]) == 0  # compiles what is not compiled
    folder = writable_folder()
    assert folder is not None
    # All machine code except that of one loop: to compile all of it takes ten seconds.
    shutil.copytree(folder, tmp_path / "code", ignore=shutil.ignore_patterns("cky_loops.*"))
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "code")}
    command = [sys.executable, "-m", "bnaparser", "parse", *given]
    for times in (1, 0):
        done = subprocess.run(
            command, env=environment, cwd=ROOT, capture_output=True, text=True, check=True
        )
        assert done.stdout.startswith("(TOP ")
        assert done.stderr.count(SAID) == times, done.stderr
