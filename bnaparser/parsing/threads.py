"""Many batches are parsed in as many threads, and PyTorch computes a batch with one.

So the numbers do not depend on how many cores there are or what else runs: PyTorch would share a sum
out among its threads, and add it up in another order with another number of them. Nor do its threads
wait for each other, which costs much where another program uses one of their cores.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def on_one_thread() -> Iterator[None]:
    """Let PyTorch, where it is loaded, compute in here with the calling thread only."""
    if "torch" not in sys.modules:
        yield
        return
    import torch

    before = torch.get_num_threads()
    if before == 1:
        yield
        return
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _compute_alone() -> None:
    """Let a forked process compute with one thread: it has none of its parent's helpers.

    OpenMP does not know, and would wait for them for ever.
    """
    if "torch" in sys.modules:
        import torch

        torch.set_num_threads(1)


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(after_in_child=_compute_alone)
