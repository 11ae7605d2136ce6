"""A second core for the products of a single sentence.

The helper, a thread, computes the panels of a product from the last one on while its caller computes them from
the first; where they meet the product is done. The caller never waits: what a busy machine keeps the helper from
computing, it computes itself. So the helper may be late, at work on a product that is long done, and
writes to a room of its own alone, from which the caller takes what was finished in time. A panel
is the same whoever computes it: help changes no number.

It helps one sentence that is computed by itself: where several threads compute, each core has work of its own, and
a helper would take time from them.

They talk through a board of numbers, without locks: a product, some tenths of a millisecond long, is over
before a lock would have woken a thread. Between the products of a sentence the helper looks at the board
again and again; between sentences it sleeps.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from queue import SimpleQueue

import numpy as np
from numpy.typing import NDArray

from bnaparser.compute.atomics import look_again, publish, seen
from bnaparser.compute.compiling import compiled
from bnaparser.compute.functions import address
from bnaparser.compute.packed import Floats
from bnaparser.compute.products import PANEL, Product, write_panel

Board = NDArray[np.int64]

# Bytes for rows as a product takes them, for their scales, and for what the helper has computed.
_ROWS_BYTES, _SCALES_BYTES, _OUT_BYTES = 2**20, 2**14, 2**22
# Addresses on the board, in bytes, each on a cache line of its own: which product there is to compute (from 1 on;
# 0 is none, -1 the end), how far the helper is with which, and what the product is.
_NUMBER, _PROGRESS, _DESCRIBED = 0, 64, 128
_BOARD_BYTES = 256
_END = -1
_MOST_PANELS = 2**20


class Room:
    """What caller and helper share while one sentence is computed; all of it outlives the helper's last look."""

    def __init__(self) -> None:
        self.board = np.zeros(_BOARD_BYTES // 8, np.int64)
        self.rows = np.empty(_ROWS_BYTES, np.uint8)
        self.scales = np.empty(_SCALES_BYTES // 4, np.float32)
        self.out = np.empty(_OUT_BYTES // 4, np.float32)
        self.products = 0

    def fits(self, rows: int, row_bytes: int, outputs: int) -> bool:
        """Tell whether there is room for a product."""
        return (
            rows * row_bytes <= _ROWS_BYTES
            and rows <= len(self.scales)
            and rows * outputs <= len(self.out)
        )

    def next_number(self) -> int:
        """Return the number of a new product."""
        self.products += 1
        return self.products


class _HelperThread:
    """The thread, and what is on its way to it. There is one, for whichever sentence comes first."""

    def __init__(self) -> None:
        self.free = threading.Lock()  # taken from a sentence's begin to the helper's last look
        self.counting = threading.Lock()
        self.computing = 0  # threads that compute, helped or not
        self.asked: SimpleQueue[tuple[Room, object]] = SimpleQueue()
        self.room: Room | None = None
        self.thread: threading.Thread | None = None

    def begin(self, owner: object) -> Room | None:
        """Wake the helper, which is ``free`` no more; None where no thread can be started.

        ``owner`` has the weights, and is kept until the helper does not look at them any more.
        """
        if self.thread is None:
            thread = threading.Thread(target=self._work, name="bnaparser-helper", daemon=True)
            try:
                thread.start()
            except RuntimeError:  # a limit is reached, or Python is about to end
                self.free.release()
                return None
            self.thread = thread
        self.room = self.room or Room()
        self.room.board[:] = 0
        self.asked.put((self.room, owner))
        return self.room

    def _work(self) -> None:
        while True:
            room, owner = self.asked.get()
            _help(room.board, room.out)
            del room, owner
            self.free.release()


class _Here(threading.local):
    """What a thread may do: be helped, and the room that it has while it is."""

    allowed = False
    room: Room | None = None


_helper = _HelperThread()
_here = _Here()


@contextmanager
def help_allowed() -> Iterator[None]:
    """Allow a second core for what this thread computes in here."""
    before, _here.allowed = _here.allowed, True
    try:
        yield
    finally:
        _here.allowed = before


@contextmanager
def helped(owner: object) -> Iterator[None]:
    """Have products shared with a second core in here, where that is allowed and no other thread computes."""
    helper = _helper
    _count(helper, 1)
    try:
        if _here.allowed and helper.computing == 1 and helper.free.acquire(blocking=False):
            _here.room = helper.begin(owner)
        yield
    finally:
        _send_home()
        _count(helper, -1)


def room_here() -> Room | None:
    """Return the room that this thread shares with the helper now; none any more once another thread computes."""
    if _here.room is not None and _helper.computing > 1:
        _send_home()
    return _here.room


def _count(helper: _HelperThread, change: int) -> None:
    with helper.counting:
        helper.computing += change


def _send_home() -> None:
    if _here.room is not None:
        _end(_here.room.board)
        _here.room = None


@compiled
def write_product_helped(
    product: Product, number: int, board: Board, theirs: Floats, out: Floats
) -> None:
    """Write a product to ``out`` (rows, outputs), together with the helper, who writes to ``theirs``.

    What it reads must be in the helper's room, or its owner's. ``number`` is one that none before had.
    """
    place = address(board)
    for index in range(len(product)):
        publish(place + _DESCRIBED + index * 8, product[index])
    publish(place + _NUMBER, number)
    panels = (product[0] + PANEL - 1) // PANEL
    panel, of_helper = 0, 0
    while panel < panels - of_helper:
        write_panel(product, panel, panel + 1, address(out))
        panel += 1
        progress = seen(place + _PROGRESS)
        of_helper = progress % _MOST_PANELS if progress // _MOST_PANELS == number else 0
    publish(place + _NUMBER, 0)
    width = out.shape[1]
    for row in range(out.shape[0]):
        line, found = out[row, panel * PANEL :], theirs[row * width + panel * PANEL :]
        for column in range(line.shape[0]):
            line[column] = found[column]


@compiled
def _help(board: Board, out: Floats) -> None:
    """Compute panels of what is on the board, from the last one on, until the end stands there."""
    place = address(board)
    last = 0
    while True:
        number = seen(place + _NUMBER)
        if number == _END:
            return
        if number == 0 or number == last:
            look_again()
            continue
        last = number
        product = _described(place)
        panel, done = (product[0] + PANEL - 1) // PANEL - 1, 0
        # Asked before each panel, the first too: what was read of a product that is over may be half the next one's.
        while panel >= 0 and seen(place + _NUMBER) == number:
            write_panel(product, panel, panel - 1, address(out))
            panel, done = panel - 1, done + 1
            publish(place + _PROGRESS, number * _MOST_PANELS + done)


@compiled
def _described(place: int) -> Product:
    at = place + _DESCRIBED
    return (
        seen(at),
        seen(at + 8),
        seen(at + 16),
        seen(at + 24),
        seen(at + 32),
        seen(at + 40),
        seen(at + 48),
        seen(at + 56),
        seen(at + 64),
        seen(at + 72),
        seen(at + 80),
        seen(at + 88),
    )


@compiled
def _end(board: Board) -> None:
    publish(address(board) + _NUMBER, _END)


def _forget_helper() -> None:
    """Begin anew: a forked process has none of its parent's threads, and perhaps their locks."""
    global _helper, _here
    _helper, _here = _HelperThread(), _Here()


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(after_in_child=_forget_helper)
