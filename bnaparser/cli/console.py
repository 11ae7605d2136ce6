"""What a command says on standard error, its exit code, and how it ends on a signal.

0: all went well; 1: some sentences failed; 2: wrong usage, settings or files; 130: interrupted by Ctrl-C;
143: ended by SIGTERM; 129: by SIGHUP.
"""

from __future__ import annotations

import argparse
import errno
import logging
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from bnaparser.errors import BnaparserError, TrainingInterrupted
from bnaparser.files.temporary import remove_temporary_folders

SUCCESS, SOME_FAILED, USAGE = 0, 1, 2

# What is left to do when a signal ends the command, such as to close its output; the last one is done first.
_unfinished: list[Callable[[bool], None]] = []
_held = 0  # blocks of `uninterrupted` that are running
_waiting: int | None = None  # the signal that waits for their end

# What ends a process without a word, where the system has these signals.
_ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]

_CONTROLS = {code: repr(chr(code))[1:-1] for code in (*range(32), 127) if chr(code) != "\t"}

# The command as the user typed it: every message on standard error begins with it. It is a global
# because signal handlers need it, and a process runs one command only.
_typed = "bnaparser"


def guarded(run: Callable[[argparse.Namespace], int], namespace: argparse.Namespace) -> int:
    """Call a verb and turn what it raises into an exit code and one sentence.

    The sentence begins with ``namespace.command``, if there is one.
    """
    global _typed
    _typed = getattr(namespace, "command", "bnaparser")
    _prepare_streams()
    if _typed != "bnaparser serve":  # whose log says it
        log_compiling()
    try:
        with leaving_on_signals():
            code = run(namespace)
            if sys.stdout is not None:
                sys.stdout.flush()
        return code
    except BnaparserError as error:
        return complain(str(error))
    except TrainingInterrupted as stop:
        return complain(str(stop), 128 + stop.signal)
    except BrokenPipeError:
        # The reader of the pipe has ended (``bnaparse | head``). Python would complain once more when
        # it flushes at exit, so standard output is led nowhere.
        silence_output()
        return SUCCESS
    except OSError as error:
        silence_output()
        return complain(_describe(error, namespace))
    except MemoryError:
        return complain("out of memory: use a smaller --batch-tokens")


@contextmanager
def leaving_on_signals() -> Iterator[None]:
    """Leave at once on Ctrl-C, SIGTERM and SIGHUP, with what was written so far and without temporary folders.

    A KeyboardInterrupt would be lost where Python cannot raise it, as in a destructor that a
    library happens to run at that moment. SIGTERM and SIGHUP stay ignored where they are, as with nohup.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {signal.SIGINT: signal.signal(signal.SIGINT, _leave)}
    for number in _ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            before[number] = signal.signal(number, _leave)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def finishing(finish: Callable[[bool], None]) -> Iterator[None]:
    """Call ``finish`` once when the block ends, after an error and before a signal ends the process, too.

    It gets True if the block ended without an error.
    """
    _unfinished.append(finish)
    complete = False
    try:
        yield
        complete = True
    finally:
        with uninterrupted():
            if finish in _unfinished:  # not in a forked process, whose parent does it
                _unfinished.remove(finish)
                finish(complete)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let a signal wait until the block ends, which must not wait for anything, such as the reader of a pipe."""
    global _held
    _held += 1
    try:
        yield
    finally:
        _held -= 1
        if _waiting is not None and not _held:
            _finish_and_exit(_waiting)


def _leave(signal_number: int, frame: FrameType | None) -> None:
    global _waiting
    is_first, _waiting = _waiting is None, signal_number
    if not is_first:  # it waits for nothing
        _exit(signal_number)
    elif not _held:
        _finish_and_exit(signal_number)


def _finish_and_exit(signal_number: int) -> None:
    while _unfinished:
        with suppress(Exception):  # it may be in the middle of a write
            _unfinished.pop()(False)
    _exit(signal_number)


def _exit(signal_number: int) -> None:
    remove_temporary_folders()
    with suppress(Exception):  # it may be closed, or in the middle of a write
        sys.stdout.flush()
    if signal_number == signal.SIGINT:
        begin = "\n" if os.isatty(2) else ""  # a bar, or ^C, stands on the line
        os.write(2, f"{begin}{_typed}: interrupted\n".encode())
    os._exit(128 + signal_number)


def _reset_signals() -> None:
    """Give a forked process, which ends by itself, the usual handlers: C code may run in it for long."""
    global _held, _waiting
    _unfinished.clear()  # the files are its parent's
    _held, _waiting = 0, None
    for number in _ENDING:
        if signal.getsignal(number) is _leave:
            signal.signal(number, signal.SIG_DFL)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_signals)


def _prepare_streams() -> None:
    """Write UTF-8 to standard output whatever the terminal's settings are, each line at once.

    A file's name may hold what UTF-8 cannot. Where standard error is closed, print() would take
    standard output in its place.
    """
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (open to the end)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(
            encoding="utf-8", errors="backslashreplace", newline="\n", line_buffering=True
        )


def complain(message: str, code: int = USAGE) -> int:
    """Print one line to standard error and return the exit code."""
    say(message)
    return code


def say(message: str) -> None:
    """Print one line to standard error, under the name of the command that was typed.

    Line breaks and other control characters are escaped: a file's name may hold them.
    """
    line = f"{_typed}: {message}".translate(_CONTROLS)
    tqdm = sys.modules.get("tqdm")
    if tqdm is None:
        print(line, file=sys.stderr)
    else:  # above the bar, if one is shown
        tqdm.tqdm.write(line, file=sys.stderr)


def silence_output() -> None:
    """Point standard output at the null device: what is still buffered is dropped quietly."""
    try:
        output = sys.stdout.fileno()
    except (AttributeError, OSError, ValueError):  # closed, or no file (a test, a notebook)
        return
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, output)
    os.close(null)


_FULL = {
    errno.ENOSPC: "the disk is full: free some space",
    errno.EDQUOT: "the disk quota is used up: free some space",
    errno.EFBIG: "the file is larger than files may be here: raise the limit (ulimit -f)",
}


def _describe(error: OSError, namespace: argparse.Namespace) -> str:
    where = f"{error.filename}: " if error.filename else ""
    if error.errno in _FULL:
        output = error.filename or getattr(namespace, "output", None)
        where = f"{output}: " if output else ""
        return f"{where}{_FULL[error.errno]} or write elsewhere; the output is cut off"
    return f"{where}{error.strerror or error}"


def quiet_libraries() -> None:
    """Silence warnings, chatter and spinning threads of torch and the rest; call before importing them."""
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    warnings.simplefilter("ignore")
    # Threads that wait sleep, and leave their cores to others; it is read once, with torch.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    logging.getLogger("transformers").setLevel(logging.ERROR)


def log_compiling() -> None:
    """Write to standard error that loops of the parser are compiled, or that no folder can keep them."""
    compiling = logging.getLogger("bnaparser.compute.code_cache")
    if compiling.handlers:
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    compiling.addHandler(handler)
    compiling.setLevel(logging.INFO)
    compiling.propagate = False


def log_progress() -> None:
    """Write how a training goes to standard error, each line with its time, above a progress bar."""
    handler = _AboveTheBar()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("bnaparser").setLevel(logging.INFO)


class _AboveTheBar(logging.Handler):
    """Writes lines to standard error as it is now, without destroying the bar that tqdm shows there."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record."""
        try:
            tqdm = sys.modules.get("tqdm")
            if tqdm is None:
                print(self.format(record), file=sys.stderr, flush=True)
            else:
                tqdm.tqdm.write(self.format(record), file=sys.stderr)
        except (OSError, ValueError, RuntimeError):  # closed, or in the middle of a write
            self.handleError(record)
