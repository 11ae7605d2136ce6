"""The commands ``bnaparse`` and ``bnaparser``; ``python -m bnaparser VERB ...`` is the latter.

Nothing is imported at first: from here on Ctrl-C ends a command with one line, also while the
command's own modules are imported.
"""

import os
import sys

INTERRUPTED = 130


def bnaparse() -> int:
    """Run ``bnaparse`` and return its exit code."""
    return _run("bnaparse", "bnaparser.cli.parse")


def bnaparser() -> int:
    """Run ``bnaparser VERB ...`` and return its exit code."""
    return _run("bnaparser", "bnaparser.cli")


def _run(command: str, module: str) -> int:
    """Import a command's module and call its ``main``, which handles Ctrl-C once it runs (`bnaparser.cli.console`)."""

    def end(*_: object) -> None:
        begin = "\n" if os.isatty(2) else ""  # ^C stands on the line
        os.write(2, f"{begin}{command}: interrupted\n".encode())
        os._exit(INTERRUPTED)

    try:
        import signal

        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not ignored
            signal.signal(signal.SIGINT, end)
    except KeyboardInterrupt:
        end()
    from importlib import import_module

    code: int = import_module(module).main()
    return code


if __name__ == "__main__":
    sys.exit(bnaparser())
