"""``bnaparser measure``: tables by text, sentence and word, of trees, of parses and of text."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import polars
import pytest

from bnaparser.cli import main
from bnaparser.measures.table import SENTENCE_COLUMNS, WORD_COLUMNS

CATS = "(TOP (S (NP (NP (NNS Cats)) (PP (IN of) (NP (NNP Rome)))) (VP (VBP sleep)) (. .)))"
DOGS = "(TOP (S (NP (NNS Dogs)) (VP (VBP chase) (NP (NNS cats)))))"

Streams = pytest.CaptureFixture[str]


@pytest.fixture
def trees(tmp_path: Path) -> Path:
    """Two trees, in a file whose name says nothing."""
    file = tmp_path / "two"
    file.write_text(f"{CATS}\n{DOGS}\n", encoding="utf-8")
    return file


def run(capsys: Streams, *arguments: object) -> tuple[int, str, str]:
    code = main(["measure", *map(str, arguments)])
    return (code, *capsys.readouterr())


def rows_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_text_is_a_row_of_csv(trees: Path, capsys: Streams) -> None:
    code, out, err = run(capsys, trees)
    (row,) = csv.DictReader(io.StringIO(out))
    assert (code, err) == (0, "")
    assert list(row) == ["document", *SENTENCE_COLUMNS, "failed"]
    assert (row["document"], row["W"], row["S"], row["MLS"]) == (str(trees), "7", "2", "3.5")


def test_a_sentence_is_an_object_of_json(trees: Path, capsys: Streams) -> None:
    _, out, _ = run(capsys, trees, "--by", "sentence", "-f", "json")
    first, second = rows_of(out)
    assert list(first) == ["document", "sentence", *SENTENCE_COLUMNS, "error"]
    assert (first["sentence"], first["W"], first["CN"], first["error"]) == (1, 4, 1, None)
    assert (second["sentence"], second["W"], second["C"]) == (2, 3, 1)


@pytest.mark.parametrize("count", [2, 1000])
@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_a_damaged_tree_of_parses_is_named_by_file_and_line(
    ending: str, count: int, tmp_path: Path, capsys: Streams
) -> None:
    """It was "<string>:1:1", in which of many files nobody knew."""
    file = tmp_path / f"d.{ending}"
    trees = [CATS] * (count - 1) + ["(TOP (S"]
    if ending == "parquet":
        pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        pq.write_table(pa.table({"tree": trees}), file)
    else:
        file.write_text("".join(json.dumps({"tree": one}) + "\n" for one in trees), "utf-8")
    code, _, err = run(capsys, file, "--workers", "2", "-q")
    assert code == 2
    assert err.startswith(f"bnaparser measure: {file}:{count}:1:1: the tree that starts here is")


def test_a_word_is_a_line_with_tabs(trees: Path, capsys: Streams) -> None:
    _, out, _ = run(capsys, trees, "--by", "word", "-f", "tsv")
    rows = list(csv.DictReader(io.StringIO(out), dialect="excel-tab"))
    assert list(rows[0]) == ["document", "sentence", *WORD_COLUMNS]
    assert [row["token"] for row in rows] == [
        "Cats",
        "of",
        "Rome",
        "sleep",
        ".",
        "Dogs",
        "chase",
        "cats",
    ]
    assert [row["closed"] for row in rows] == ["1", "0", "3", "1", "1", "1", "0", "3"]
    assert {row["entropy"] for row in rows} == {""}


def test_parquet_has_the_same_rows(trees: Path, tmp_path: Path, capsys: Streams) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    output = tmp_path / "table.parquet"
    assert run(capsys, trees, "--by", "sentence", "-f", "parquet", "-o", output)[0] == 0
    _, out, _ = run(capsys, trees, "--by", "sentence", "-f", "json")
    for stored, shown in zip(parquet.read_table(output).to_pylist(), rows_of(out), strict=True):
        assert list(stored) == list(shown)
        assert [
            float(f"{one:.6g}") if isinstance(one, float) else one for one in stored.values()
        ] == [*shown.values()]


def test_the_documents_of_a_corpus_are_texts(tmp_path: Path, capsys: Streams) -> None:
    file = tmp_path / "parsed.jsonl"
    parses = [("a", CATS, None), ("a", DOGS, None), ("b", None, "too long"), ("b", DOGS, None)]
    file.write_text(
        "".join(
            json.dumps({"document": document, "tree": tree, "error": error}) + "\n"
            for document, tree, error in parses
        ),
        encoding="utf-8",
    )
    code, out, err = run(capsys, file, "-f", "json")
    one, other = rows_of(out)
    assert (one["document"], one["S"], one["failed"]) == ("a", 2, 0)
    assert (other["document"], other["S"], other["failed"]) == ("b", 1, 1)
    assert code == 1
    assert "1 sentences without a tree" in err
    _, out, _ = run(capsys, file, "-f", "json", "--by", "sentence")
    assert [(row["document"], row["sentence"], row["error"]) for row in rows_of(out)] == [
        ("a", 1, None),
        ("a", 2, None),
        ("b", 1, "too long"),
        ("b", 2, None),
    ]


def test_several_processes_give_the_rows_of_one(tmp_path: Path, capsys: Streams) -> None:
    file = tmp_path / "many.mrg"
    file.write_text(f"{CATS}\n{DOGS}\n" * 700, encoding="utf-8")
    for by in ("text", "sentence"):
        _, alone, _ = run(capsys, file, "--by", by, "--workers", 1)
        _, together, _ = run(capsys, file, "--by", by, "--workers", 2)
        assert alone == together


def test_matches_of_a_count(trees: Path, capsys: Streams) -> None:
    _, out, _ = run(capsys, trees, "--matches", "CN", "--matches", "W", "-f", "json")
    first, *words = rows_of(out)
    assert (first["count"], first["words"], first["start"], first["end"]) == (
        "CN",
        "Cats of Rome",
        0,
        3,
    )
    assert [row["words"] for row in words] == [
        "Cats",
        "of",
        "Rome",
        "sleep",
        "Dogs",
        "chase",
        "cats",
    ]


def test_patterns_of_ones_own_are_columns(trees: Path, tmp_path: Path, capsys: Streams) -> None:
    own = tmp_path / "own.txt"
    own.write_text("# mine\nof = PP <\n   (IN < of)\nnouns = NNS\nnouns = NNP\n", encoding="utf-8")
    _, out, _ = run(capsys, trees, "--patterns", own, "-f", "json", "--by", "sentence")
    assert [(row["of"], row["nouns"]) for row in rows_of(out)] == [(1, 2), (0, 2)]
    _, out, _ = run(capsys, trees, "--patterns", own, "-f", "json", "--matches", "of")
    assert [row["words"] for row in rows_of(out)] == ["of Rome"]


def test_labels_and_words_of_patterns_that_no_tree_has_are_said(
    tiny_model_dir: Path, tmp_path: Path, capsys: Streams
) -> None:
    """A pattern with a slip was a column of zeros, without a word."""
    own, file, text = (tmp_path / name for name in ("own.txt", "many.mrg", "text.txt"))
    own.write_text('x = NNS < "dog"\ny = V* < __\nz = /^QQ/ < NNS\nnp = NP\n', encoding="utf-8")
    file.write_text(f"{CATS}\n{DOGS.replace('(NP ', '(NP-SBJ ', 1)}\n" * 700, encoding="utf-8")
    said = [
        'no tree has a label or word "dog": a word is written without quotes, dog',
        "no tree has a label or word V*: * stands for no other letters, a regular expression does, /^V/",
        "no label and no word of the trees fits /^QQ/",
    ]
    functions = "NP does not match NP-SBJ, which is in the trees: @NP matches both"
    for workers in (1, 2):
        for more in ([], ["--matches", "np"]):
            given = ["--patterns", own, "--workers", workers, *more]
            err = run(capsys, file, *given)[2]
            assert [one.split(": ", 1)[1] for one in err.splitlines()][-4:] == [*said, functions]
    assert run(capsys, file, "--patterns", own, "-q")[2] == ""
    text.write_text("Dogs chase cats.\n", encoding="utf-8")
    err = run(capsys, text, "--model", tiny_model_dir, "--patterns", own)[2]
    assert f"bnaparser measure: {said[0]}\n" in err


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("ok = NP\nbad = NP < (VP\n", ":2: the pattern 'NP < (VP', character 9: "),
        ("just words\n", ":1: 'just words' is not NAME = PATTERN"),
        ("W = NN\n", ":1: W is the name of a column"),
        ("# nothing\n", ": the file holds no pattern: "),
    ],
)
def test_a_wrong_file_of_patterns_is_told_with_its_line(
    trees: Path, tmp_path: Path, capsys: Streams, text: str, told: str
) -> None:
    own = tmp_path / "own.txt"
    own.write_text(text, encoding="utf-8")
    code, out, err = run(capsys, trees, "--patterns", own)
    assert (code, out) == (2, "")
    assert f"{own}{told}" in err


@pytest.mark.parametrize(
    "tree",
    [
        "[S [NP This] [VP [V is] [NP a wug]]]",
        "(TOP (S (NP This) (VP is (NP a wug))))",
        "(S (NP (DT This)) (VP (VBZ is) (NP a wug)))",
    ],
)
def test_words_without_tags_are_measured_by_what_needs_none(
    tmp_path: Path, capsys: Streams, tree: str
) -> None:
    file = tmp_path / "one.txt"
    file.write_text(f"{tree}\n", encoding="utf-8")
    code, out, err = run(capsys, file, "-f", "json")
    (row,) = rows_of(out)
    assert (code, row["tokens"], row["words"], row["S"], row["T"]) == (0, 4, 4, 1, 1)
    assert (row["yngve_sum"], row["frazier_max"]) == (3, 2.5 if "DT" in tree else 1.5)
    assert (row["W"], row["C"]) == (None, None)
    assert "1 trees without part-of-speech tags" in err


@pytest.mark.parametrize(
    ("tree", "note"),
    [
        ("(S (NP (_ This)) (VP (_ is)))", "without part-of-speech tags"),
        ("(TOP (SENT (VN (CLS Il) (V dort))))", "not the Penn Treebank's"),
        ("(TOP (S (NP-SBJ (PRP I)) (VP (VBP go))))", "labels with functions"),
        ("", "the file holds no tree"),
    ],
)
def test_what_a_reader_should_know_is_said(
    tmp_path: Path, capsys: Streams, tree: str, note: str
) -> None:
    file = tmp_path / "one.mrg"
    file.write_text(f"{tree}\n", encoding="utf-8")
    code, _, err = run(capsys, file)
    assert code == 0
    assert note in err
    assert run(capsys, file, "-q")[2] == ""


def test_text_is_parsed(tiny_model_dir: Path, tmp_path: Path, capsys: Streams) -> None:
    file, nothing = tmp_path / "text.txt", tmp_path / "nothing.txt"
    file.write_text("The cat sleeps. (See (1)).\n\nDogs chase cats.\n", encoding="utf-8")
    nothing.write_text("\n", encoding="utf-8")
    model = ["--model", tiny_model_dir, "--device", "cpu", "-f", "json"]
    code, out, _ = run(capsys, file, nothing, *model)
    one, other = rows_of(out)
    assert code == 0
    assert (one["document"], one["S"] > 1, one["entropy"]) == (str(file), True, None)
    assert (other["document"], other["S"], other["MLS"]) == (str(nothing), 0, 0)
    _, out, _ = run(capsys, file, *model, "--by", "word", "--probabilities")
    last = [row for row in rows_of(out) if row["sentence"] == 1][-1]
    assert 0 < last["closed_probability_min"] <= last["closed_probability"] <= 1
    assert last["entropy"] > 0


def test_a_text_in_another_encoding_is_told_the_option(
    tiny_model_dir: Path, tmp_path: Path, capsys: Streams
) -> None:
    essay = tmp_path / "essay.txt"
    essay.write_bytes("The café isn\u2019t open.\n".encode("cp1252"))
    code, out, err = run(capsys, essay, "--model", tiny_model_dir)
    assert (code, out) == (2, "")
    assert err.endswith("it may be Windows-1252 ('café'): give --encoding cp1252\n")
    code, out, _ = run(
        capsys, essay, "--model", tiny_model_dir, "--encoding", "cp1252", "-f", "json"
    )
    assert (code, rows_of(out)[0]["W"]) == (0, 5)


def test_trees_on_standard_input_are_known_as_such(
    monkeypatch: pytest.MonkeyPatch, capsys: Streams
) -> None:
    stream = io.TextIOWrapper(io.BytesIO(f"{CATS}\n{DOGS}\n".encode()))
    monkeypatch.setattr(sys, "stdin", stream)
    _, out, _ = run(capsys, "-f", "json")
    assert [(row["document"], row["S"]) for row in rows_of(out)] == [("<stdin>", 2)]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            ["--matches", "Q"],
            "--matches Q: there is no count of this name; the counts are W, S, VP",
        ),
        (["--workers", "0"], "--workers 0: it must be at least 1"),
        (
            ["-f", "parquet"],
            "parquet is a binary format, which a terminal cannot show: give --output FILE",
        ),
    ],
)
def test_wrong_options(trees: Path, capsys: Streams, options: list[str], told: str) -> None:
    code, _, err = run(capsys, trees, *options)
    assert code == 2
    assert told in err


@pytest.mark.skipif(sys.platform != "linux", reason="children are found in /proc")
def test_a_process_that_is_killed_loses_no_row(tmp_path: Path) -> None:
    output = tmp_path / "table.csv"
    typed = [sys.executable, "-m", "bnaparser", "measure", "--by", "sentence", "--workers", "2"]
    tree = b"(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))\n"
    with subprocess.Popen([*typed, "-o", str(output)], stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(8_000 * tree)
        process.stdin.flush()
        part = tmp_path / "table.csv.part"
        while not part.exists() or part.read_bytes().count(b"\n") < 400:
            time.sleep(0.05)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        os.kill(int(children[0]), signal.SIGKILL)
        process.stdin.write(4_000 * tree)
        process.stdin.close()
        assert process.wait(timeout=120) == 0
    rows = output.read_text(encoding="utf-8").splitlines()
    assert [row.split(",")[1] for row in rows[1:]] == [str(number) for number in range(1, 12_001)]


def row_count(file: Path, output_format: str) -> int:
    if output_format == "parquet":
        return len(polars.read_parquet(file))
    lines = file.read_text(encoding="utf-8").count("\n")
    return lines - 1 if output_format == "csv" else lines


@pytest.mark.skipif(sys.platform != "linux", reason="a signal ends the process with its number")
def test_an_interrupted_table_is_whole(tmp_path: Path) -> None:
    output, part = tmp_path / "table.parquet", tmp_path / "table.parquet.part"
    typed = [sys.executable, "-m", "bnaparser", "measure", "--by", "sentence", "-f", "parquet"]
    tree = b"(TOP (S (NP (PRP It)) (VP (VBD rained)) (. .)))\n"
    with subprocess.Popen([*typed, "-o", str(output)], stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(8_000 * tree)
        process.stdin.flush()
        while not part.exists() or part.stat().st_size < 1000:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=120) == 130
    assert row_count(part, "parquet") >= 1024
    assert not output.exists()


@pytest.mark.parametrize("output_format", ["csv", "json", "parquet"])
def test_a_table_that_cannot_be_completed_changes_no_file(
    tmp_path: Path, capsys: Streams, output_format: str
) -> None:
    (tmp_path / "trees.mrg").write_text(f"{DOGS}\n" * 500 + "(TOP (NP (NN x)\n", encoding="utf-8")
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    old.write_text("kept", encoding="utf-8")
    for output in (old, new):
        output.with_name(f"{output.name}.part").touch()  # of an earlier run
        code, _, told = run(
            capsys, tmp_path / "trees.mrg", "--by", "sentence", "-f", output_format, "-o", output
        )
        assert (code, "never closed" in told) == (2, True)
        assert f"the rows so far are in {output}.part" in told
        part = output.with_name(f"{output.name}.part")
        assert row_count(part, output_format) == 500
    assert old.read_text(encoding="utf-8") == "kept"
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["new.csv.part", "old.csv", "old.csv.part", "trees.mrg"]


@pytest.mark.parametrize("output_format", ["csv", "json", "parquet"])
def test_a_table_without_a_row_leaves_no_file(
    tmp_path: Path, capsys: Streams, output_format: str
) -> None:
    (tmp_path / "trees.mrg").write_text("(TOP (NP (NN x)\n", encoding="utf-8")
    code, _, told = run(
        capsys, tmp_path / "trees.mrg", "-f", output_format, "-o", tmp_path / "new.csv"
    )
    assert (code, ".part" in told) == (2, False)
    assert [path.name for path in tmp_path.iterdir()] == ["trees.mrg"]
