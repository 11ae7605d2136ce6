"""The number of cores that this process may use: the cores that it is bound to, limited by a container's CPU quota.

A container that may use two cores' time on a machine of sixty-four sees all sixty-four. Threads on each of them would use
its quota up in a fraction of every tenth of a second, and wait for the rest.
"""

from __future__ import annotations

import functools
import math
import os
import sys
from collections.abc import Iterator
from pathlib import Path

_forked = False
_GROUPS, _MOUNTED = Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")


def usable_cores() -> int:
    """Return how many threads can compute at once, at least one."""
    bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return within_quota(bound or 1)


def usable_threads() -> int:
    """Return how many threads may compute: OMP_NUM_THREADS, or PyTorch's number of threads if
    PyTorch is loaded.

    Else the usable cores. PyTorch does not know a container's CPU quota, so its number is limited to the quota. A forked process
    has one thread, unless OMP_NUM_THREADS says more: who forks mostly forks one process a core.
    """
    setting = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0]
    chosen = int(setting) if setting.isdecimal() else 0
    if _forked:
        return chosen or 1
    if "torch" in sys.modules:
        threads: int = sys.modules["torch"].get_num_threads()
        return threads if chosen else within_quota(threads)
    return chosen or usable_cores()


def within_quota(threads: int) -> int:
    """Return the number of threads, or the smaller number that a container's CPU quota allows."""
    quota = _quota()
    return threads if quota is None else max(1, min(threads, math.ceil(quota)))


@functools.cache
def _quota() -> float | None:
    return cpu_quota(_GROUPS, _MOUNTED)


def cpu_quota(groups: Path, mounted: Path) -> float | None:
    """Return the seconds that Linux lets this process compute in a second; None if it sets no limit.

    ``groups`` names the control groups that the process is in, ``mounted`` is where they all are. The limit of a
    group holds for those in it, too. Of version 2 the file is cpu.max, of version 1 two of the controller "cpu".
    """
    try:
        lines = groups.read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    shares = [
        share
        for _, controllers, path in (line.split(":", 2) for line in lines)
        for share in _limits(controllers.split(","), path, mounted)
    ]
    return min(shares, default=None)


def _limits(controllers: list[str], path: str, mounted: Path) -> Iterator[float]:
    """Yield the limits of a group and of those around it."""
    names: tuple[str, ...] = ("cpu.max",)
    if controllers == [""]:
        root = mounted
    elif "cpu" in controllers:
        root, names = mounted / ",".join(controllers), ("cpu.cfs_quota_us", "cpu.cfs_period_us")
        root = root if root.is_dir() else mounted / "cpu"
    else:
        return
    # A container may know its name outside, which does not exist inside: then the topmost group is its own.
    inside = root / path.strip("/")
    for group in (inside, *inside.parents):
        if group.is_relative_to(root):
            yield from _limit(group, names)


def _limit(group: Path, names: tuple[str, ...]) -> Iterator[float]:
    """Yield a group's limit, if it has one: two numbers, the first being "max" or -1 if it has none."""
    try:
        text = " ".join((group / name).read_text(encoding="utf-8") for name in names)
        quota, period = map(int, text.split())
    except (OSError, ValueError):
        return
    if quota > 0 and period > 0:
        yield quota / period


def _one_thread() -> None:
    global _forked
    _forked = True


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(after_in_child=_one_thread)
