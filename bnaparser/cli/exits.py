"""Exit codes, and one clear sentence on standard error instead of a traceback.

0: all went well; 1: some sentences failed; 2: wrong usage, settings or files; 130: interrupted.
"""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Callable

from bnaparser.errors import BnaparserError

SUCCESS, SOME_FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130


def guarded(run: Callable[[argparse.Namespace], int], namespace: argparse.Namespace) -> int:
    """Call a verb and turn what it raises into an exit code and one sentence."""
    try:
        code = run(namespace)
        sys.stdout.flush()
        return code
    except BnaparserError as error:
        return complain(str(error))
    except KeyboardInterrupt:
        return complain("interrupted", INTERRUPTED)
    except BrokenPipeError:
        # The reader has what it wanted (``bnaparse | head``). Python would complain once more when
        # it flushes at exit, so standard output is led nowhere.
        silence_output()
        return SUCCESS
    except OSError as error:
        silence_output()
        return complain(_describe(error))
    except MemoryError:
        return complain("out of memory: try a smaller --batch-tokens")


def complain(message: str, code: int = USAGE) -> int:
    """Print one line to standard error and return the exit code."""
    print(f"bnaparser: {message}", file=sys.stderr)
    return code


def silence_output() -> None:
    """Point standard output at the null device: what is still buffered is dropped quietly."""
    try:
        output = sys.stdout.fileno()
    except (OSError, ValueError):  # not a file (a test, a notebook)
        return
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, output)
    os.close(null)


def _describe(error: OSError) -> str:
    where = f"{error.filename}: " if error.filename else ""
    if error.errno == errno.ENOSPC:
        return f"{where}the disk is full: free some space or write elsewhere; the output is cut off"
    return f"{where}{error.strerror or error}"
