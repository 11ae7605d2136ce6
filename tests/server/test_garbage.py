"""Full collections: while nobody waits, and not while somebody does."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable

import pytest

from bnaparser.server import garbage
from bnaparser.server.garbage import full_collections_when


class Ring:
    """Garbage that only the collector finds."""

    alive = 0

    def __init__(self) -> None:
        self.me = self
        Ring.alive += 1

    def __del__(self) -> None:
        Ring.alive -= 1


def old_garbage() -> None:
    """Leave a cycle that is past the young generations, and enough work for a full collection."""
    ring = Ring()
    gc.collect(1)
    del ring
    for _ in range(garbage._ENOUGH):
        gc.collect(1)


async def rounds() -> None:
    for _ in range(20):
        await asyncio.sleep(0.001)


async def _run(quiet: Callable[[], bool]) -> int:
    async with full_collections_when(quiet):
        old_garbage()
        await rounds()
        return Ring.alive


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage, "_LOOK_SECONDS", 0.001)
    gc.collect()
    Ring.alive = 0


def test_it_waits_for_quiet() -> None:
    assert asyncio.run(_run(lambda: True)) == 0
    assert asyncio.run(_run(lambda: False)) == 1


def test_it_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage, "_AT_LATEST_SECONDS", 0.005)
    assert asyncio.run(_run(lambda: False)) == 0


def test_python_never_makes_a_full_one_itself_meanwhile() -> None:
    async def check() -> None:
        before = gc.get_threshold()
        async with full_collections_when(lambda: False):
            full = gc.get_stats()[2]["collections"]
            kept: list[list[object]] = [[[]] for _ in range(2_000_000)]
            assert gc.get_stats()[2]["collections"] == full
            del kept
        assert gc.get_threshold() == before

    asyncio.run(check())
