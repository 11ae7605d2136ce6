"""``bnaparser corpus``: what is typed, said, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bnaparser.cli import main
from bnaparser.parsing.result import Parse

Streams = pytest.CaptureFixture[str]


@pytest.fixture
def given(tiny_model_dir: Path, tmp_path: Path) -> list[str]:
    """A file of two texts, the folder to write to, and a tiny model."""
    file = tmp_path / "in.txt"
    file.write_text("It rained. Dogs bark.\nThe cat sat.\n", encoding="utf-8")
    return [str(file), str(tmp_path / "out"), "--model", str(tiny_model_dir), "--device", "cpu"]


def test_a_corpus_is_parsed_searched_and_complete(given: list[str], capsys: Streams) -> None:
    assert main(["corpus", "--workers", "1", *given]) == 0
    out, err = capsys.readouterr()
    assert (out, err) == (
        "",
        f"bnaparser corpus: {given[1]} is complete. Sentences: 3; documents: 1\n",
    )
    assert main(["corpus", "--workers", "1", *given, "-q"]) == 0
    assert capsys.readouterr().err == f"bnaparser corpus: {given[1]} is complete\n"
    assert main(["search", "__ !> __", given[1], "-c", "-q"]) == 0
    assert capsys.readouterr().out == "3 matches in 3 trees\n"


def test_sentences_without_a_tree_make_the_exit_code_1(given: list[str], capsys: Streams) -> None:
    Path(given[0]).write_text("word " * 2100 + "\nDogs bark.\n", encoding="utf-8")
    assert main(["corpus", "--workers", "1", "--split", "line", *given]) == 1
    assert f"cannot be read: 1; {given[1]}/errors.jsonl" in capsys.readouterr().err
    (line,) = (Path(given[1]) / "errors.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["place"] == f"{given[0]}:1"
    for parsed in (given[1], f"{given[1]}/*.jsonl"):  # which stopped at the errors
        assert main(["search", "__ !> __", parsed, "-c", "-q"]) == 0
        assert capsys.readouterr().out == "1 match in 1 tree\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["only.txt"], "last the output folder"),
        (["{in}", "{in}"], "in.txt is a file, but the last argument must be the output folder"),
        (["none.txt", "{out}"], "none.txt: no such file or folder"),
        (["-", "{out}"], "standard input cannot be read again"),
        (["{in}", "{out}", "--workers", "0"], "0 workers: give at least 1 worker"),
        (["{in}", "{out}", "--from", "csv"], "in.txt: no field 'text', its fields are It rained."),
        (["{in}", "{out}", "--model", "none"], "no model 'none'"),
        (["{in}", "{out}", "--batch-tokens", "0"], "--batch-tokens 0: it must be at least 1"),
        (["{in}", "{out}", "--ray-address", "auto"], "need --engine ray"),
    ],
)
def test_mistakes_are_one_sentence(
    arguments: list[str], said: str, given: list[str], capsys: Streams
) -> None:
    names = {"{in}": given[0], "{out}": given[1]}
    assert main(["corpus", *(names.get(one, one) for one in arguments)]) == 2
    err = capsys.readouterr().err
    assert err.startswith("bnaparser corpus: ")
    assert said in err
    assert err.count("\n") == 1


@pytest.mark.skipif(sys.platform != "linux", reason="forks")
def test_interrupted_it_ends_with_130_and_goes_on_later(given: list[str]) -> None:
    Path(given[0]).write_text("It rained. Dogs bark.\n" * 1500, encoding="utf-8")
    command = [sys.executable, "-m", "bnaparser", "corpus", *given, "--workers", "2"]
    command += ["--shard-size", "500", "-q"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while not (Path(given[1]) / "part-000003.jsonl").exists():
        assert process.poll() is None
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "bnaparser corpus: interrupted\n")
    parts = sorted(Path(given[1]).glob("part-*.jsonl"))
    before = [part.read_bytes() for part in parts]
    assert main(["corpus", *given, "--workers", "2", "--shard-size", "500", "-q"]) == 0
    assert [part.read_bytes() for part in parts] == before
    manifest = json.loads((Path(given[1]) / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["totals"]["sentences"] == 3000


def test_probabilities_and_several_trees(given: list[str], capsys: Streams) -> None:
    asked = ["--probabilities", "--n-best", "2"]
    assert main(["corpus", "--workers", "1", *given, *asked]) == 0
    (part,) = Path(given[1]).glob("part-*.jsonl")
    rows = [json.loads(line) for line in part.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 3
    for row in rows:
        assert len(row["alternatives"]) == 1
        assert 0 < row["probability"] <= row["confidence"] <= 1
    capsys.readouterr()
    assert main(["corpus", "--workers", "1", *given, "--probabilities"]) == 2
    assert "is the output of another run (n_best: 2, now None)" in capsys.readouterr().err
    assert main(["corpus", "--workers", "1", *given, "--n-best", "0"]) == 2
    assert "--n-best is 0: it must be at least 1" in capsys.readouterr().err


@pytest.mark.parametrize("to", ["jsonl", "parquet"])
def test_each_sentence_has_its_measures(
    given: list[str], capsys: Streams, tmp_path: Path, to: str
) -> None:
    if to == "parquet":
        pytest.importorskip("pyarrow")
    assert main(["corpus", "--workers", "1", *given, "--measures", "--to", to]) == 0
    capsys.readouterr()
    if to == "jsonl":
        lines = (Path(given[1]) / "part-000000.jsonl").read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines]
    else:
        from pyarrow import parquet

        rows = parquet.read_table(Path(given[1]) / "part-000000.parquet").to_pylist()
    assert main(["measure", given[1], "--by", "sentence", "-f", "json"]) == 0
    measured = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(rows) == 3
    for row, same in zip(rows, measured, strict=True):
        assert row["measures"].items() <= same.items()


@pytest.mark.parametrize("to", ["jsonl", "parquet"])
def test_each_sentence_has_its_clauses(given: list[str], capsys: Streams, to: str) -> None:
    if to == "parquet":
        pytest.importorskip("pyarrow")
    assert main(["corpus", "--workers", "1", *given, "--clauses", "--to", to]) == 0
    if to == "jsonl":
        lines = (Path(given[1]) / "part-000000.jsonl").read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines]
    else:
        from pyarrow import parquet

        rows = parquet.read_table(Path(given[1]) / "part-000000.parquet").to_pylist()
    assert len(rows) == 3
    for row in rows:
        assert row["clauses"] == Parse.from_dict(row).clauses_to_dict()["clauses"]
    assert main(["corpus", "--workers", "1", *given, "--to", to]) == 2
    assert "is the output of another run (clauses: True, now None)" in capsys.readouterr().err


def test_documents_that_cannot_be_read_are_no_sentences_without_a_tree(
    tiny_model_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text('{"text": 1}\n{"text": 2}\n{"text": "It rained."}\n', encoding="utf-8")
    asked = ["corpus", str(source), str(tmp_path / "out"), "--model", str(tiny_model_dir)]
    assert main([*asked, "--workers", "1"]) == 1
    assert "documents that cannot be read: 2; " in capsys.readouterr().err
