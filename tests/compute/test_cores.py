"""Cores that a container may use, from control groups of both versions, written as Linux writes them."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
import torch

from bnaparser.compute import cores
from bnaparser.compute.cores import cpu_quota, usable_cores, usable_threads, within_quota


@pytest.fixture(autouse=True)
def _asked_anew() -> Iterator[None]:
    cores._quota.cache_clear()
    yield
    cores._quota.cache_clear()


def written(folder: Path, groups: str, files: dict[str, str]) -> tuple[Path, Path]:
    """Return the paths of a list of groups and of their folder, with such files in it."""
    listed, mounted = folder / "cgroup", folder / "mounted"
    listed.write_text(groups, encoding="utf-8")
    mounted.mkdir()
    for name, text in files.items():
        file = mounted / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return listed, mounted


@pytest.mark.parametrize(
    ("groups", "files", "share"),
    [
        # Version 2, as Docker and Kubernetes show it within a container.
        ("0::/\n", {"cpu.max": "200000 100000\n"}, 2.0),
        ("0::/\n", {"cpu.max": "max 100000\n"}, None),
        ("0::/\n", {}, None),
        # A service of systemd, within a slice that has a smaller limit.
        ("0::/a.slice/b.service\n",
         {"a.slice/cpu.max": "50000 100000\n", "a.slice/b.service/cpu.max": "150000 100000\n"}, 0.5),
        ("0::/a.slice/b.service\n",
         {"a.slice/cpu.max": "max 100000\n", "a.slice/b.service/cpu.max": "150000 100000\n"}, 1.5),
        # Version 1; the container's name outside is none of its folders.
        ("12:cpu,cpuacct:/docker/0f3a\n3:memory:/docker/0f3a\n",
         {"cpu,cpuacct/cpu.cfs_quota_us": "300000\n", "cpu,cpuacct/cpu.cfs_period_us": "100000\n"}, 3.0),
        ("12:cpu,cpuacct:/docker/0f3a\n",
         {"cpu/cpu.cfs_quota_us": "25000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 0.25),
        ("4:cpu:/\n", {"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, None),
        # Both at once: version 2 without the controller.
        ("1:cpu:/\n0::/\n", {"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, None),
        ("0::/\n", {"cpu.max": "what is this\n"}, None),
        ("0::/\n", {"cpu.max": "\n"}, None),
    ],
)  # fmt: skip
def test_the_smallest_limit_holds(
    tmp_path: Path, groups: str, files: dict[str, str], share: float | None
) -> None:
    assert cpu_quota(*written(tmp_path, groups, files)) == share


def test_no_linux_no_limit(tmp_path: Path) -> None:
    assert cpu_quota(tmp_path / "none", tmp_path) is None


@pytest.mark.parametrize(("share", "found"), [(None, 8), (2.0, 2), (1.5, 2), (0.2, 1), (64.0, 8)])
def test_no_more_threads_than_are_within_quota(
    monkeypatch: pytest.MonkeyPatch, share: float | None, found: int
) -> None:
    monkeypatch.setattr(cores, "cpu_quota", lambda groups, mounted: share)
    assert within_quota(8) == found


def test_cores_are_those_bound_to_and_within_quota(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {1, 5, 6}, raising=False)
    listed, mounted = written(tmp_path, "0::/\n", {"cpu.max": "max 100000\n"})
    monkeypatch.setattr(cores, "_GROUPS", listed)
    monkeypatch.setattr(cores, "_MOUNTED", mounted)
    assert usable_cores() == 3
    cores._quota.cache_clear()
    (mounted / "cpu.max").write_text("100000 100000\n", encoding="utf-8")
    assert usable_cores() == 1


def test_as_many_threads_as_pytorch_would_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 3)
    assert usable_threads() == 3
    monkeypatch.delitem(sys.modules, "torch")
    monkeypatch.setenv("OMP_NUM_THREADS", "7,2")
    assert usable_threads() == 7
    for said in ("", "0", "many"):
        monkeypatch.setenv("OMP_NUM_THREADS", said)
        assert 1 <= usable_threads() <= (os.cpu_count() or 1)


def test_of_pytorch_s_threads_those_that_are_within_quota_but_all_that_a_user_asks_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cores, "cpu_quota", lambda groups, mounted: 2.0)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 64)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert usable_threads() == 2
    monkeypatch.setenv("OMP_NUM_THREADS", "64")
    assert usable_threads() == 64


def _told(sender: Connection) -> None:
    given = usable_threads()
    torch.set_num_threads(2)  # as where it is loaded only here
    with_torch = usable_threads()
    sys.modules.pop("torch", None)
    sender.send((given, with_torch, usable_threads()))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # it has threads
@pytest.mark.parametrize(("said", "threads"), [("", 1), ("3", 3)])
def test_a_forked_process_has_one_thread_unless_more_are_asked_for(
    monkeypatch: pytest.MonkeyPatch, said: str, threads: int
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1, 2, 3}, raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", said)
    receiver, sender = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(target=_told, args=(sender,))
    child.start()
    assert receiver.poll(60)
    assert receiver.recv() == (threads, threads, threads)
    child.join()
