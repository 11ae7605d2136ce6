"""The first parse on a machine compiles for some seconds: who waits at a terminal is told why."""

from __future__ import annotations

import sys

_MESSAGE = "compiling the parser's kernels for this machine, once: this takes some seconds"


def tell_of_compiling(quiet: bool) -> None:
    """Say so on standard error when this process compiles for the first time, if that is a terminal."""
    if quiet or not sys.stderr.isatty():
        return
    from bnaparser.compute.compiling import when_compiling

    when_compiling(lambda: print(_MESSAGE, file=sys.stderr, flush=True))
