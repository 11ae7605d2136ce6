"""How many threads PyTorch computes with: as many as there are idle cores, one in a forked process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from bnaparser.parsing.idle_cores import IdleCores

_idle_cores = IdleCores()


@contextmanager
def on_idle_cores(on_cpu: bool = True) -> Iterator[None]:
    """Compute in here with no more threads than cores are idle, and afterwards with as many as before.

    Of its own accord PyTorch takes all cores that it may. The number is that of the calling thread;
    for a moment it is also that with which a new thread begins, as PyTorch knows no other way.
    """
    before = torch.get_num_threads()
    count = int(min(before, _idle_cores.count())) if on_cpu and before > 1 else before
    if count == before:
        yield
        return
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _compute_alone() -> None:
    """Let a forked process compute with one thread: it has none of its parent's helpers.

    OpenMP does not know, and would wait for them for ever.
    """
    torch.set_num_threads(1)


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(after_in_child=_compute_alone)
