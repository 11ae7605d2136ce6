"""Ray's clusters: one that is not there. What Ray writes is in test_corpus_run.py."""

from __future__ import annotations

import socket
import time
from dataclasses import replace
from pathlib import Path

import pytest

from bnaparser.errors import DataError
from bnaparser.parsing.corpus.engines import RaySettings
from bnaparser.parsing.parser import Parser
from tests.parsing.corpus.corpora import SMALL, run


def test_a_cluster_that_is_not_there_is_told_at_once(tiny_model_dir: Path, tmp_path: Path) -> None:
    """Ray tries for many minutes."""
    pytest.importorskip("ray")
    parser = Parser.load(tiny_model_dir, "cpu")
    (tmp_path / "in.txt").write_text("It rained.\n", encoding="utf-8")
    with socket.socket() as taken:  # a port at which nobody listens
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        settings = replace(SMALL, engine="ray", cluster=RaySettings(address))
        began = time.monotonic()
        with pytest.raises(DataError, match=f"there is no Ray cluster at {address}: "):
            run(parser, [tmp_path / "in.txt"], tmp_path / "out", settings)
    assert time.monotonic() - began < 60
