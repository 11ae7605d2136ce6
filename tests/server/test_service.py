"""Reading and writing until the deadline, and garbage collections: the service between requests and queue."""

from __future__ import annotations

import asyncio
import gc
import os
import shutil
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, get_args

import pytest

from bnaparser.compute.code_cache import writable_folder
from bnaparser.parsing.options import Decoder
from bnaparser.parsing.result import Parse
from bnaparser.server import service
from bnaparser.server.service import Service
from bnaparser.server.settings import ServerSettings
from tests.server.answers import problem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fastapi.testclient import TestClient

    from tests.server.conftest import HeldParser

    MakeClient = Callable[..., TestClient]

WAIT = 10.0
PASSED = "the request was not answered within 0.5 s"


def test_reading_ends_at_the_deadline(make_client: MakeClient, parser: HeldParser) -> None:
    gate = threading.Event()
    parser.text = SimpleNamespace(sentence=lambda text: gate.wait(WAIT))  # type: ignore[assignment]
    client = make_client(deadline_seconds=0.5)
    answer = client.post("/v1/parse", json={"sentences": ["long " * 1000]})
    gate.set()
    assert PASSED in problem(answer, 504)


def test_once_it_is_complete_no_request_waits_for_loops_to_be_compiled(parser: HeldParser) -> None:
    async def start() -> None:
        service = Service(ServerSettings(), lambda _: parser)  # type: ignore[arg-type, return-value]
        await service.start()
        await service.load_rest()
        assert service.complete
        await service.stop()

    asyncio.run(start())
    assert {one.decoder for one in parser.options} == set(get_args(Decoder))
    assert any(one.n_best > 1 and one.probabilities for one in parser.options)
    [tree] = [one.dependencies for one in parser.options if one.dependencies is not None]
    assert len(tree.heads) == len(parser.batches[0][0])


START = """
import asyncio, sys
from bnaparser.server.service import Service
from bnaparser.server.settings import ServerSettings
async def start():
    service = Service(ServerSettings(model="en-free"))
    await service.start()
    await service.load_rest()
    await service.stop()
asyncio.run(start())
print("numba" in sys.modules)
"""


def test_a_worker_that_finds_no_machine_code_does_not_import_the_compiler(tmp_path: Path) -> None:
    """It kept 150 MB more memory than a worker that found the code."""

    def started(**variables: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", START],
            env={**os.environ, **variables}, cwd=Path(__file__).parents[2],
            capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip

    assert started() == "False\n"  # compiles what is not compiled
    folder = writable_folder()
    assert folder is not None
    code, loops = tmp_path / "code", ("probability_loops.write_gains", "matrix_loops.add_scaled")
    # Two loops are left out: to compile all of them takes 20 seconds.
    shutil.copytree(folder, code, ignore=shutil.ignore_patterns(*(f"{one}-*" for one in loops)))
    assert started(NUMBA_CACHE_DIR=str(code)) == "False\n"
    for loop in loops:
        assert any(code.glob(f"{loop}-*.code"))


@dataclass(frozen=True)
class SlowlyWritten(Parse):
    """A parse that takes half of the deadline to be written."""

    def to_dict(self) -> dict[str, Any]:
        threading.Event().wait(0.25)
        written.append(self.text)
        return super().to_dict()


written: list[str] = []


def test_writing_ends_at_the_deadline(make_client: MakeClient, parser: HeldParser) -> None:
    """An answer is written tree by tree; nobody writes on once its time is up."""

    def parse(sentences: Sequence[Any], *_: Any, **__: Any) -> list[Parse]:
        return [
            SlowlyWritten(one.text, one.words, offsets=one.offsets, error="slow")
            for one in sentences
        ]

    client = make_client(deadline_seconds=0.5)
    parser.parse_sentences = parse  # type: ignore[method-assign]
    written.clear()
    assert PASSED in problem(client.post("/v1/parse", json={"tokens": [["long"] * 5] * 50}), 504)
    client.get("/live")
    assert len(written) < 50


class Ring:
    """Garbage that only the collector finds."""

    alive = 0

    def __init__(self) -> None:
        self.me = self
        Ring.alive += 1

    def __del__(self) -> None:
        Ring.alive -= 1


def test_full_collections_wait_until_no_request_is_in_flight(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(service, "_COLLECTION_SECONDS", 0.001)
    gc.collect()
    Ring.alive = 0

    async def rings_left(in_flight: int) -> int:
        idle = Service(ServerSettings())
        idle.complete, idle.in_flight = True, in_flight
        before = gc.get_threshold()
        async with idle.full_collections_when_idle():
            full = gc.get_stats()[2]["collections"]
            kept: list[list[object]] = [[[]] for _ in range(500_000)]
            assert gc.get_stats()[2]["collections"] == full  # Python makes none itself
            del kept
            ring = Ring()
            gc.collect(1)
            del ring
            for _ in range(20):
                gc.collect(1)
            for _ in range(20):
                await asyncio.sleep(0.001)
        assert gc.get_threshold() == before
        await idle.stop()
        return Ring.alive

    assert asyncio.run(rings_left(in_flight=1)) == 1
    assert asyncio.run(rings_left(in_flight=0)) == 0
