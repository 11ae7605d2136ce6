"""One text has one answer: as an argument, on standard input, in a file, and in the library."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bnaparser import Parser
from bnaparser.cli.parse import main as bnaparse
from bnaparser.text.sentence import Split

Answer = tuple[int, str, str]
TEXT = "It rained. Dogs bark.\nThe cat slept.\n\nIt is so."
WRAPPED = "It rained. The cat\nslept on the mat."


@pytest.fixture
def ask(
    tiny_model_dir: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[..., Answer]:
    """Give a text to ``bnaparse`` by one of the doors; exit code, standard output and error."""

    def call(text: str, *options: str, door: str = "argument") -> Answer:
        given = [*options, "--model", str(tiny_model_dir), "--device", "cpu"]
        if door == "argument":
            given.append(text)
        elif door == "input":
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        else:
            source = tmp_path / "in.txt"
            source.write_text(text, encoding="utf-8", newline="")
            given += ["-i", str(source)]
        code = bnaparse(given)
        return code, *capsys.readouterr()

    return call


@pytest.mark.parametrize("split", [None, "paragraph", "text", "line", "token"])
def test_one_text_has_one_answer(
    ask: Callable[..., Answer], tiny_model_dir: Path, split: Split | None
) -> None:
    options = ["-f", "json"] if split is None else ["-f", "json", "--split", split]
    code, out, err = ask(TEXT, *options)
    assert (code, err) == (0, "")
    assert ask(TEXT, *options, door="input") == ask(TEXT, *options, door="file") == (code, out, err)
    parser = Parser.load(tiny_model_dir, "cpu")
    library = parser(TEXT) if split is None else parser(TEXT, split)
    found = [json.loads(line) if line else None for line in out.splitlines()]
    assert [one and one["text"] for one in found] == [parse.text or None for parse in library]
    for one, parse in zip(found, library, strict=True):
        if one is not None:
            assert [(t["start"], t["end"]) for t in one["tokens"]] == list(parse.offsets)
            assert one["tree"] == str(parse.tree)


def test_sentences_are_found_within_lines_and_a_line_ends_one(ask: Callable[..., Answer]) -> None:
    """``bnaparse "A. B."`` gave two trees, the same text on standard input one."""
    for door in ("argument", "input", "file"):
        code, out, _ = ask(TEXT, door=door)
        assert (code, len(out.splitlines())) == (0, 4)
        assert len(ask(WRAPPED, door=door)[1].splitlines()) == 3


def test_with_text_a_sentence_continues_in_the_next_line(ask: Callable[..., Answer]) -> None:
    code, out, err = ask(WRAPPED, "--split", "text")
    assert (code, len(out.splitlines()), err) == (0, 2, "")


def test_lines_that_look_wrapped_are_told_once_where_nothing_is_said(
    ask: Callable[..., Answer],
) -> None:
    for door in ("argument", "input", "file"):
        code, _, err = ask(f"{WRAPPED}\n{WRAPPED}", door=door)
        assert code == 0
        assert err == (
            "bnaparse: the sentence of line 1 seems to continue in line 2, but is cut at the line break:"
            " use --split text for hard-wrapped text, or --split paragraph to hide this note\n"
        )
        for options in (["-q"], ["--split", "paragraph"], ["--split", "line"]):
            assert ask(WRAPPED, *options, door=door)[2] == ""


def test_a_sentence_without_a_tree_is_told_with_its_line(ask: Callable[..., Answer]) -> None:
    text = "It rained. Dogs bark.\n\n" + "word " * 3000
    code, out, err = ask(text)
    assert (code, [bool(line) for line in out.split("\n")]) == (1, [True, True, False, False])
    assert err.startswith("bnaparse: line 3: the sentence has 3,000 words")
    assert ask(text, "--split", "text")[2].startswith("bnaparse: sentence 3: the sentence has")
