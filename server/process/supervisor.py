"""Keep worker processes running: start them, replace those that die, stop them all.

Nothing here knows what a worker does. Every worker has a pipe to this process, through which it
says how far it is (READY, then SETTLED) or why it cannot start. Until one worker is SETTLED no other is
started beside it. A worker is stopped by SIGTERM, which it may be sent more than once; it notices by
itself that this process is gone.
"""

from __future__ import annotations

import logging
import math
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import connection, resource_tracker
from multiprocessing.context import SpawnProcess
from types import FrameType
from typing import NoReturn

from bnaparser.errors import BnaparserError
from bnaparser.files.temporary import remove_temporary_folders

log = logging.getLogger(__name__)

STOP_SIGNALS = [signal.SIGTERM, signal.SIGINT]
# A terminal that is closed stops the service as Ctrl-C does, but not below nohup.
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
    STOP_SIGNALS.append(signal.SIGHUP)
# Deaths in a row of workers that were not ready yet, after which there is no sense in another try
# at once: none at all if no worker was ever ready, else after a pause.
MOST_FAILED_STARTS = 3
PAUSE_SECONDS = 2.0
# A worker that has not ended by itself when its time is over is killed this number of seconds later.
GRACE_SECONDS = 0.5
READY = "ready"
SETTLED = "settled"


Target = Callable[[connection.Connection, bool], None]
"""What a worker does.

It is given the pipe through which it sends READY (it answers), then SETTLED (what it made for all workers, such as
compiled code, is made), or the reason why it cannot start; and whether it is the only worker.
"""


class WorkerError(BnaparserError):
    """A worker cannot start, and neither could another in its place."""


class _Worker:
    """A process and this process's end of its pipe."""

    def __init__(self, target: Target, number: int, alone: bool):
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe(duplex=False)
        self.process: SpawnProcess = context.Process(
            target=_run, args=(target, theirs, alone), name=f"worker-{number}"
        )
        self.ready = self.settled = self.heard = False
        self.failure: str | None = None
        self.process.start()
        theirs.close()

    def listen(self) -> None:
        """Take in what the worker has sent; ``heard`` is set once it will send nothing more."""
        while not self.heard and self.pipe.poll():
            try:
                message = self.pipe.recv()
            except (EOFError, OSError):  # it has died
                self.heard = True
                return
            self.ready = self.ready or message == READY
            self.settled = message == SETTLED
            self.failure = None if message in (READY, SETTLED) else message
            self.heard = message != READY

    def stop(self) -> None:
        """Ask the worker to finish; one that has not begun to work is killed."""
        self.listen()
        if self.ready:
            self.process.terminate()
        else:
            self.process.kill()


class Supervisor:
    """``count`` processes that each call ``target``, until a signal stops them.

    ``target`` can be pickled. ``patience`` is the time in seconds that a worker may take to end
    after SIGTERM. ``buried`` is called with the process id of each worker that ended, ``begun``
    once, when the first worker is ready.
    """

    def __init__(
        self,
        target: Target,
        count: int,
        patience: float,
        buried: Callable[[int], None],
        begun: Callable[[], None] = lambda: None,
    ):
        self._target, self._count, self._patience = target, count, patience
        self._buried, self._begun = buried, begun
        self._workers: list[_Worker] = []
        self._started = self._failed_starts = 0
        self._proven = False  # whether a worker was ever ready
        self._not_before = 0.0  # when workers that are missing may be started; 0: now
        self._stop_by: float | None = None
        self._failure: str | None = None
        self._signals = 0
        self._wake_reader, self._wake_writer = os.pipe()

    def run(self) -> None:
        """Return when all workers have ended after the first SIGTERM or SIGINT.

        A second signal kills the workers and leaves at once. Raises WorkerError, once the other
        workers have finished, when one cannot start.
        """
        with self._handling_signals():
            try:
                while self._workers or self._stop_by is None:
                    self._fill()
                    self._wait()
            finally:
                self._kill()
        if self._failure is not None:
            raise WorkerError(self._failure)

    def _fill(self) -> None:
        """Start the workers that are missing; but only one as long as none is settled."""
        if self._stop_by is not None or time.monotonic() < self._not_before:
            return
        self._not_before = 0.0
        most = self._count if any(worker.settled for worker in self._workers) else 1
        while len(self._workers) < most:
            with _signals_blocked():
                self._started += 1
                alone = not self._workers
                self._workers.append(_Worker(self._target, self._started, alone))

    def _wait(self) -> None:
        """Wait for the next thing to happen, and do what it asks for."""
        sentinels = [worker.process.sentinel for worker in self._workers]
        pipes = [worker.pipe for worker in self._workers if not worker.heard]
        happened = connection.wait([self._wake_reader, *sentinels, *pipes], self._timeout())
        if self._wake_reader in happened:
            os.read(self._wake_reader, 1)
            self._stop()
        for worker in list(self._workers):
            if worker.pipe in happened:
                worker.listen()
                if worker.ready:
                    if not self._proven:
                        self._begun()
                    self._proven, self._failed_starts = True, 0
            if worker.process.sentinel in happened:
                self._bury(worker)
        if self._remaining() == 0:
            self._kill()
            self._stop_by = math.inf

    def _timeout(self) -> float | None:
        """Seconds until something is to be done of itself, if anything is."""
        if self._stop_by is not None:
            return self._remaining()
        return max(0.0, self._not_before - time.monotonic()) if self._not_before else None

    def _remaining(self) -> float | None:
        """Seconds until workers that have to stop are killed; None: no worker has to stop."""
        if self._stop_by in (None, math.inf):
            return None
        return max(0.0, self._stop_by - time.monotonic())

    def _bury(self, worker: _Worker) -> None:
        """Draw the conclusion from a worker's end: another in its place, or an end of all."""
        worker.process.join()
        worker.listen()
        worker.pipe.close()
        self._workers.remove(worker)
        pid, code = worker.process.pid or 0, worker.process.exitcode
        self._buried(pid)
        if self._stop_by is not None:
            return
        if worker.failure is not None:
            self._fail(worker.failure)
            return
        log.warning("worker %d ended (%s) and is restarted", pid, _how(code))
        self._failed_starts += 0 if worker.ready else 1
        if self._failed_starts < MOST_FAILED_STARTS:
            return
        if self._proven:
            self._not_before = time.monotonic() + PAUSE_SECONDS
        else:
            self._fail(
                f"{self._failed_starts} workers in a row ended before they were ready, the last "
                f"{_how(code)}; is there memory for {self._count} of them?"
            )

    def _fail(self, reason: str) -> None:
        self._failure = reason
        self._stop()

    def _stop(self) -> None:
        """Ask all workers to finish."""
        if self._stop_by is None:
            self._stop_by = time.monotonic() + self._patience + GRACE_SECONDS
            for worker in self._workers:
                worker.stop()

    def _kill(self) -> None:
        for worker in self._workers:
            if worker.process.is_alive():
                if worker.ready:
                    log.warning("worker %d did not end in time", worker.process.pid)
                worker.process.kill()

    @contextmanager
    def _handling_signals(self) -> Iterator[None]:
        before = {number: signal.signal(number, self._on_signal) for number in STOP_SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._signals += 1
        if self._signals == 1:
            os.write(self._wake_writer, b".")  # ends the wait
            return
        for worker in list(self._workers):
            worker.process.kill()
        raise SystemExit(128 + number)


def _run(target: Target, pipe: connection.Connection, alone: bool) -> None:
    # Ctrl-C and SIGHUP reach all processes of a terminal; the first one tells the workers what to do.
    for number in STOP_SIGNALS:
        if number != signal.SIGTERM:
            signal.signal(number, signal.SIG_IGN)
    try:
        target(pipe, alone)
    except BnaparserError as error:
        pipe.send(str(error))
        sys.exit(2)


@contextmanager
def _signals_blocked() -> Iterator[None]:
    """Hold signals back here, and in the process that is started in the meantime until it lets them in."""
    # Starting this helper of the standard library, as the first process does, would let them in.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _how(code: int | None) -> str:
    """Say how a process ended."""
    if code is not None and code < 0:
        return f"by {signal.Signals(-code).name}"
    return f"with status {code}"


def end() -> NoReturn:
    """End the process in order: log it, and leave with status 0.

    Python would take a second to take itself apart, with torch in it, and wait for a batch that is
    still being computed for nobody.
    """
    log.info("ended")
    logging.shutdown()
    leave(0)


def leave(status: int) -> NoReturn:
    """End the process at once; its temporary folders go with it, such as that of a zip that is being loaded."""
    remove_temporary_folders()
    os._exit(status)
