"""The walks of docs/architecture.md are what happens: the functions, in the order in which they are called."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from starlette.testclient import TestClient

from bnaparser import cli
from bnaparser.cli import parse
from bnaparser.server.app import create_app
from bnaparser.server.service_settings import ServerSettings

ROOT = Path(__file__).parents[2]
SENTENCE = "The cat sat on the mat."


def walk(title: str) -> list[str]:
    """The functions that a walk names, in order, each once."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    part = text.partition(f"\n### {title}\n")[2].partition("\n#")[0]
    rows = re.findall(r"^\| (\w+) \| (`.+?`) \|", part, re.MULTILINE)
    names = [
        f"bnaparser.{room}.{name}" for room, cell in rows for name in re.findall("`(.+?)`", cell)
    ]
    assert len(names) > 10
    return list(dict.fromkeys(names))


@contextmanager
def called() -> Iterator[dict[str, None]]:
    """The package's functions, in the order of their first call, in this thread and all new ones."""
    names: dict[str, None] = {}

    def note(frame: FrameType, event: str, _: Any) -> None:
        module = frame.f_globals.get("__name__", "")
        if event == "call" and module.startswith("bnaparser."):
            names.setdefault(f"{module}.{frame.f_code.co_qualname}")

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield names
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def test_from_the_command_line_to_a_tree(
    tiny_model_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = walk("From the command line to a tree")
    with called() as found:
        assert parse.main([SENTENCE, "--model", str(tiny_model_dir)]) == 0
    assert capsys.readouterr().out.startswith("(TOP ")
    assert [name for name in found if name in names] == names


def test_from_a_treebank_to_a_loss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = walk("From a treebank to a loss")
    monkeypatch.chdir(ROOT)  # where the recipe's paths begin
    options = [
        "train",
        "recipes/tiny.toml",
        "--output",
        str(tmp_path),
        "--set",
        "train.max_updates=1",
    ]
    with called() as found:
        assert cli.main(options) == 0
    assert [name for name in found if name in names] == names


def test_from_a_request_to_its_answer(tiny_model_dir: Path) -> None:
    names = walk("From a request to its answer")
    app = create_app(ServerSettings(model=str(tiny_model_dir)))
    with called() as found, TestClient(app) as client:
        found.clear()  # at its start the service has parsed a sentence
        answer = client.post("/v1/parse", json={"text": SENTENCE})
    assert answer.json()["parses"][0]["error"] is None
    assert [name for name in found if name in names] == names
