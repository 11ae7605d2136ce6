"""Ctrl-C while a command's own modules are imported: one line."""

import signal
import subprocess
import sys

# Interrupts itself when the module of the first argument is imported.
INTERRUPTED = """
import os, sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            os.kill(os.getpid(), 2)

loaded = set(sys.modules)
from bnaparser.__main__ import bnaparse
assert set(sys.modules) - loaded <= {"__future__", "bnaparser", "bnaparser.__main__"}
sys.meta_path.insert(0, Interrupting())
bnaparse()
"""


def restore_interrupts() -> None:
    """A job of a script that runs in the background ignores them, and so do its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_ctrl_c_at_the_start_is_one_line() -> None:
    """It was a traceback of 34 lines until the command handled the signal itself."""
    done = subprocess.run(
        [
            sys.executable,
            "-S",
            "-c",
            f"import sys; sys.path[:0] = {sys.path!r}\n{INTERRUPTED}",
            "numpy",
        ],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
        preexec_fn=restore_interrupts,
    )
    assert (done.returncode, done.stderr) == (130, "bnaparse: interrupted\n")
