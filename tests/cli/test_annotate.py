"""``bnaparser annotate``: from files to a page, killed and opened again, and to a file of trees."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from bnaparser.cli import main
from bnaparser.trees.tree import Tree, parse_trees

TREES = Path(__file__).parent.parent / "data" / "tiny.mrg"


def run(*arguments: object) -> int:
    return main(["annotate", *map(str, arguments)])


@contextmanager
def annotating(*arguments: object) -> Iterator[tuple[subprocess.Popen[str], str, list[str]]]:
    """The command's process, the address of its page, and what it has said."""
    command = [sys.executable, "-m", "bnaparser", "annotate", "--no-browser", "--port", "0"]
    with subprocess.Popen(
        [*command, *map(str, arguments)], stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        said = []
        try:
            for line in process.stderr:
                said.append(line)
                if found := re.search(r"the page is at (http://127\.0\.0\.1:\d+/)", line):
                    yield process, found[1], said
                    return
            pytest.fail("".join(said))
        finally:
            process.kill()


def ask(address: str, path: str, **body: Any) -> Any:
    sent = json.dumps(body).encode() if body else None
    with urlopen(Request(address + path, sent, {"Content-Type": "application/json"})) as answer:
        return json.load(answer)


def test_from_files_to_accepted_trees(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project, text, trees = tmp_path / "new" / "project", tmp_path / "a.txt", tmp_path / "b.mrg"
    text.write_text("The cat sat. (Dogs) bark.\n", encoding="utf-8")
    first, second = [str(tree) for tree in parse_trees(TREES.read_text())][:2]
    trees.write_text(f"{first}\n{second}\n", encoding="utf-8")
    given = ("--annotator", "Anna")
    with annotating(project, text, trees, *given) as (process, address, _):
        found = ask(address, "project")
        assert (found["name"], found["by"], len(found["sentences"])) == ("project", "Anna", 4)
        assert all(0 < one["probability"] <= 1 for one in found["sentences"])
        shown = ask(address, "sentences/2?by=Anna")
        assert shown["tree"]["tree"] == first  # the file's, which is to be corrected
        assert [one["name"] for one in shown["candidates"]] == ["file", "1", "2", "3", "4", "5"]
        changed = ask(address, "sentences/2", by="Anna", steps=0, do="relabel", node=1, label="Q")
        ask(address, "sentences/2", by="Anna", steps=1, do="accept")
        assert ask(address, "sentences/1", by="Anna", steps=0, do="accept")["state"] == "accepted"
        process.send_signal(signal.SIGKILL)
    assert run(project, "--export", "-") == 0
    dogs, exported = capsys.readouterr().out.splitlines()
    assert exported == changed["tree"]["tree"]
    assert exported == first.replace(f"({Tree.parse(first).subtrees[0].label}", "(Q", 1)
    assert Tree.parse(dogs).words == ("-LRB-", "Dogs", "-RRB-", "bark", ".")
    # The same files again, after the kill: nothing is added, no model is loaded, all is there.
    with annotating(project, text, trees) as (process, address, said):
        assert sum("is in the project already" in line for line in said) == 2
        states = [one["state"] for one in ask(address, "project?by=Anna")["sentences"]]
        assert states == ["open", "accepted", "accepted", "open"]
        assert run(project, "--export", tmp_path / "out.mrg") == 0
        assert run(project) == 2
        assert "project is open already (http://127.0.0.1:" in capsys.readouterr().err
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0
    assert (tmp_path / "out.mrg").read_text() == f"{dogs}\n{exported}\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0", "this is a picture, not text"),
        (
            b"caf\xe9 au lait\n",
            "byte 4 (0xe9) is not UTF-8: it may be Windows-1252 ('café'): give --encoding cp1252",
        ),
        (b" \n", "there is no sentence in it"),
        (b"(TOP (S (NP (NN cat)", "never closed"),
    ],
)
def test_bad_files_make_no_project(
    tmp_path: Path, content: bytes, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file.mrg" if content.startswith(b"(") else tmp_path / "file.txt"
    file.write_bytes(content)
    assert run(tmp_path / "project", file) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "project").exists()


def test_wrong_use_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "text.txt"
    file.write_text("Dogs bark.\n")
    for arguments, said in (
        ([tmp_path / "none"], "none is not a project yet: name files to annotate"),
        ([file], "text.txt is a file: name the project's folder first"),
        ([file, file], "text.txt is a file: name the project's folder first"),
        ([tmp_path, file], "holds other files and no annotation project: name a new folder"),
        (
            [tmp_path, "--export", "-"],
            "is not an annotation project: it has no file annotation.jsonl",
        ),
        ([tmp_path, file, "--export", "-"], "--export adds no files"),
        ([tmp_path / "p", file, "--port", "70000"], "--port 70000"),
        ([tmp_path / "p", file, "--annotator", " "], "--annotator must be a name of 1 to 60"),
        ([tmp_path / "p", file, "--annotator", "A\x00B"], "without control characters"),
    ):
        assert run(*arguments) == 2
        assert said in capsys.readouterr().err
    assert sorted(tmp_path.iterdir()) == [file]
