"""How many workers parse a corpus where nobody says."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from bnaparser.parsing.corpus import run
from bnaparser.parsing.corpus.engines import RaySettings
from bnaparser.parsing.corpus.run import CorpusRun, CorpusSettings
from bnaparser.parsing.parser import Parser


@pytest.mark.parametrize(
    ("device", "gpus", "workers"),
    [("cpu", 0.0, 5), ("cuda:0", 0.0, 1), ("mps", 0.0, 1), ("cpu", 0.5, 1)],
)
def test_each_core_has_a_worker_and_a_gpu_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, device: str, gpus: float, workers: int
) -> None:
    (tmp_path / "in.txt").write_text("Dogs bark.\n", encoding="utf-8")
    given: list[int] = []
    monkeypatch.setattr(run, "usable_cores", lambda: 5)
    monkeypatch.setattr(run, "on_ray", lambda *args: given.append(args[3]))
    settings = CorpusSettings(workers=None, engine="ray", cluster=RaySettings(gpus=gpus))
    parser = cast(Parser, SimpleNamespace(model=SimpleNamespace(device=device)))
    corpus = CorpusRun([str(tmp_path / "in.txt")], tmp_path / "out", settings)
    corpus._parsed(parser, iter(()), print)
    assert given == [workers]
