"""``bnaparser search``: what is printed for trees in files, JSON lines, Parquet and on standard input."""

from __future__ import annotations

import io
import json
import lzma
import sys
from pathlib import Path
from typing import Any

import pytest

from bnaparser.cli import main
from bnaparser.parsing.result import Parse
from bnaparser.trees.tree import Span, Tree

CATS = "(TOP (S (NP (NP (NNS Cats)) (PP (IN of) (NP (NNP Rome)))) (VP (VBP sleep))))"
DOGS = "(TOP (S (NP (NNS Dogs)) (VP (VBP chase) (NP (NNS cats)))))"

Streams = pytest.CaptureFixture[str]


@pytest.fixture
def trees(tmp_path: Path) -> Path:
    """Two trees, the second over several lines."""
    file = tmp_path / "trees.mrg"
    file.write_text(f"{CATS}\n\n{Tree.parse(DOGS).pretty()}\n", encoding="utf-8")
    return file


def run(capsys: Streams, *arguments: object) -> tuple[int, str, str]:
    code = main(["search", *map(str, arguments)])
    return (code, *capsys.readouterr())


def test_each_node_found_is_a_line(trees: Path, capsys: Streams) -> None:
    code, out, err = run(capsys, "NP < (PP << of)", trees)
    assert (code, out) == (0, "(NP (NP (NNS Cats)) (PP (IN of) (NP (NNP Rome))))\n")
    assert err.startswith("bnaparser search: 1 match in 1 of 2 trees, ")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["NP", "-f", "words"], "Cats of Rome\nCats\nRome\nDogs\ncats\n"),
        (["/cats/", "-n"], "{file}:3: cats\n"),
        (["PP=a < NP=b", "--name", "b"], "(NP (NNP Rome))\n"),
        (["PP=a < NP=b", "--name", "b", "--name", "a", "-f", "words"], "Rome\nof Rome\n"),
        (["of", "--whole"], f"{CATS}\n"),
        (["PP", "--invert"], f"{DOGS}\n"),
        (["PP", "--invert", "-c"], "1 tree without a match\n"),
        (["NP", "--invert", "-c"], "0 trees without a match\n"),
        (["S << __", "-c"], "22 matches in 2 trees\n"),
        (["S << __", "-c", "--once"], "2 matches in 2 trees\n"),
        (["S <# NP", "--heads", "collins", "-c"], "0 matches in 0 trees\n"),
        (["PP <# NP", "--heads", "ud", "-c"], "1 match in 1 tree\n"),
        (["PP <# IN", "--heads", "tregex", "-c"], "1 match in 1 tree\n"),
        (["NP", "-c", "-n"], "source\tline\tcount\n{file}\t1\t3\n{file}\t3\t2\n"),
        (["NP > VP", "-c", "-n"], "source\tline\tcount\n{file}\t1\t0\n{file}\t3\t1\n"),
        (["PP", "-c", "-n", "--invert"], "source\tline\tcount\n{file}\t1\t0\n{file}\t3\t1\n"),
        (["ROOT !> __", "-c"], "2 matches in 2 trees\n"),
        (["PP", "-f", "pretty"], "(PP\n  (IN of)\n  (NP (NNP Rome)))\n\n"),
    ],
)
def test_what_is_shown(options: list[str], expected: str, trees: Path, capsys: Streams) -> None:
    code, out, err = run(capsys, *options, "-q", trees)
    assert (code, out, err) == (0, expected.replace("{file}", str(trees)), "")


def test_a_pattern_that_begins_like_an_option_comes_after_two_dashes(
    trees: Path, capsys: Streams
) -> None:
    assert run(capsys, "-cq", "--", "-NONE-", trees)[:2] == (0, "0 matches in 0 trees\n")


@pytest.mark.parametrize("options", [["-c"], ["-c", "-n"], ["--invert"], ["-f", "json"]])
def test_labels_and_words_that_no_tree_has_are_said(
    options: list[str], trees: Path, capsys: Streams
) -> None:
    code, _, err = run(capsys, 'NP|WHNP << "cats"', *options, "-q", trees)
    assert (code, err.splitlines()) == (0, [
        "bnaparser search: no tree has a label or word WHNP",
        'bnaparser search: no tree has a label or word "cats": a word is written without quotes, cats',
    ])  # fmt: skip


def test_that_there_was_no_tree_is_said(tmp_path: Path, capsys: Streams) -> None:
    (tmp_path / "empty.mrg").touch()
    code, out, err = run(capsys, "NP", "-q", tmp_path / "empty.mrg")
    assert (code, out, err) == (0, "", "bnaparser search: the input holds no tree\n")


def test_brackets_in_a_comment_are_no_tree(tmp_path: Path, capsys: Streams) -> None:
    file = tmp_path / "ldc.mrg"
    file.write_text("*x* Copyright (C) 1995 *x*\n; (a note)\n(S (NN dog))\n", encoding="utf-8")
    code, _, err = run(capsys, "NN", "--count", file)
    assert code == 0
    assert "1 match in 1 of 1 trees" in err


def test_json_has_the_places_and_names(trees: Path, tmp_path: Path, capsys: Streams) -> None:
    target = tmp_path / "found.jsonl"
    assert run(capsys, "PP < IN=a << /(R.)/#1%s", trees, "-f", "json", "-q", "-o", target)[0] == 0
    (line,) = target.read_text(encoding="utf-8").splitlines()
    assert json.loads(line) == {
        "source": str(trees), "line": 1, "node": "(PP (IN of) (NP (NNP Rome)))", "start": 1,
        "end": 3, "number": 7, "names": {"a": {"node": "(IN of)", "start": 1, "end": 2}},
        "strings": {"s": "Ro"},
    }  # fmt: skip


def parses() -> list[Parse]:
    """A sentence, one that failed, and one with a bracket."""
    spans = (Span(0, 2, "S::VP", 1.5),)
    return [
        Parse("It rained", ("It", "rained"), ("PRP", "VBD"), spans, 1.0, ((0, 2), (3, 9))),
        Parse("", error="the sentence has no words"),
        Parse("( it", ("(", "it"), ("-LRB-", "PRP"), spans, 1.0, ((0, 1), (2, 4))),
    ]


def test_json_lines_parquet_and_folders(tmp_path: Path, capsys: Streams) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    lines = "".join(f"{parse.to_json()}\n" for parse in parses())
    (tmp_path / "a.jsonl.xz").write_bytes(lzma.compress(lines.encode()))
    with pa.CompressedOutputStream(tmp_path / "c.jsonl.zst", "zstd") as packer:
        packer.write(lines.encode())
    table = pa.table({"n": [1, 2, 3], "tree": [p.tree and str(p.tree) for p in parses()]})
    parquet.write_table(table, tmp_path / "b.parquet")
    code, out, _ = run(capsys, "VP <, /RB-$/", tmp_path, "-f", "words", "-n", "-q")
    assert code == 0
    names = ("a.jsonl.xz", "b.parquet", "c.jsonl.zst")
    assert out == "".join(f"{tmp_path}/{name}:3: ( it\n" for name in names)


def test_errors_of_a_corpus_do_not_hide_the_trees_of_a_folder(trees: Path, capsys: Streams) -> None:
    trees.with_name("errors.jsonl").write_text('{"error": "no words"}\n', encoding="utf-8")
    assert run(capsys, "S", trees.parent)[2].startswith("bnaparser search: 2 matches in 2 of 2")


@pytest.mark.parametrize("text", [f"{CATS}\n{DOGS}\n", f"\n{json.dumps({'tree': CATS})}\n"])
def test_standard_input_is_trees_or_json(
    text: str, monkeypatch: pytest.MonkeyPatch, capsys: Streams
) -> None:
    stream = io.TextIOWrapper(io.BytesIO(text.encode()))
    monkeypatch.setattr(sys, "stdin", stream)
    assert run(capsys, "NP < (PP << of)", "-q", "-f", "words")[1] == "Cats of Rome\n"


@pytest.mark.parametrize(
    ("text", "places"),
    [
        (f"\ufeff{CATS}\n{DOGS}\n", [1, 2]),
        (f"\ufeff{json.dumps({'tree': CATS})}\n", [1]),
        (f"\n\n{CATS}\n", [3]),
        (f"\n\n{json.dumps({'tree': CATS})}\n\n{json.dumps({'tree': DOGS})}\n", [3, 5]),
        ("\n \n", []),
    ],
)
def test_standard_input_may_have_a_mark_and_begin_with_blank_lines(
    text: str, places: list[int], monkeypatch: pytest.MonkeyPatch, capsys: Streams
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    lines = run(capsys, "S", "-q", "-n")[1].splitlines()
    assert [line.split(":")[1] for line in lines] == [str(place) for place in places]


def test_other_bytes_than_utf_8_are_refused_unless_the_encoding_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Streams
) -> None:
    file = tmp_path / "t.mrg"
    latin = CATS.replace("Cats", "Caf\xe9s")
    for given, name in ((file, str(file)), ("-", "standard input")):
        for content, options, said in (
            (latin.encode("utf-16"), (), None),
            (latin.encode("latin-1"), ("--encoding", "latin-1"), None),
            (latin.encode("latin-1"), (), f"{name}, line 1: byte 25 (0xe9) is not UTF-8"),
            (
                latin.encode("latin-1"),
                (),
                f"{name}, line 1: byte 25 (0xe9) is not UTF-8: it may be Windows-1252 ('Cafés))'): give --encoding cp1252",
            ),
            (b"PK\x03\x04 xl/", (), f"{name}: this is an Excel file, not text"),
            (b"%PDF-1.7", (), f"{name}: this is a PDF file, not text"),
        ):
            file.write_bytes(content)
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
            code, out, err = run(capsys, "NNS", given, "-q", "-f", "words", *options)
            if said is None:
                assert (code, out, err) == (0, "Caf\xe9s\n", "")
            else:
                assert (code, out) == (2, "")
                assert err.startswith(f"bnaparser search: {said}")


def test_closed_standard_input_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: Streams
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    said = "bnaparser search: standard input is closed: name a file of trees\n"
    assert run(capsys, "NP", "-q") == (2, "", said)


def test_what_is_searched_is_not_overwritten(
    trees: Path, capsys: Streams, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = trees.read_bytes()
    for where in (trees, trees.parent, f"{trees.parent}/*.mrg"):
        code, _, err = run(capsys, "NP", where, "-o", trees)
        assert code == 2
        assert "which would be overwritten" in err
    with trees.open(encoding="utf-8") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        assert run(capsys, "NP", "-o", trees)[0] == 2
    assert trees.read_bytes() == before


@pytest.mark.parametrize(
    ("name", "content", "arguments", "said"),
    [
        ("t.mrg", CATS, ["NP <"], "the pattern: a node is expected here: "),
        ("t.mrg", CATS, ["NP=a", "--name", "b"], "has no node called 'b'; its names are a\n"),
        ("t.mrg", CATS, ["NP", "--name", "b"], "its names are none: write NP=name\n"),
        ("t.mrg", CATS, ["NP", "--invert", "--once"], "leave out --name and --once"),
        ("t.mrg", "(TOP (NP", ["NP"], "t.mrg:1:1: the tree that starts here is never closed"),
        (
            "t.jsonl",
            '{"a": 1}',
            ["NP"],
            "t.jsonl:1: the line is no JSON object with a field 'tree'\n",
        ),
        ("t.jsonl", "[1]", ["NP"], "t.jsonl:1: the line is no JSON object with a field 'tree'\n"),
        (
            "t.jsonl",
            '{"tree":\n',
            ["NP"],
            "t.jsonl:1: the line is not JSON: line 1, column 9: a value",
        ),
        pytest.param(
            "t.jsonl",
            "[" * 100_000,
            ["NP"],
            "t.jsonl:1: the line is not JSON: the values are nested too deeply\n",
            id="deep",
        ),
        ("t.jsonl", '{"tree": 1}', ["NP"], "t.jsonl:1: the field 'tree' is 1, not brackets"),
        ("t.jsonl", '{"tree": "(NP"}', ["NP"], "t.jsonl:1:1:1: the tree that starts here"),
        ("t.mrg", f"{CATS}\nx\n", ["WHNP"], "t.mrg:2:1: 'x' stands outside all brackets"),
        ("t.parquet", "PAR1", ["NP"], "t.parquet: not a whole Parquet file"),
        ("t.mrg", CATS, ["NP", "none.mrg"], "none.mrg: no such file or folder"),
    ],
)
def test_mistakes_are_one_sentence(
    name: str, content: str, arguments: list[str], said: str, tmp_path: Path, capsys: Streams
) -> None:
    file = tmp_path / name
    file.write_text(content, encoding="utf-8")
    code, out, err = run(capsys, *arguments, *([] if "none.mrg" in arguments else [file]))
    assert (code, out) == (2, "")
    assert said in err


@pytest.mark.parametrize(
    "tree",
    ["(TOP (VP (VB a)", "x", "", "(TOP (VP (VB a))) (NP (NN b))", "(VP (VB a))) ((NN b)", "(VP (VB ) (NN b))", "(VP (NN b)) x"],
)  # fmt: skip
@pytest.mark.parametrize("invert", [False, True])
def test_a_damaged_tree_in_json_is_the_same_error_for_each_pattern(
    tree: str, invert: bool, tmp_path: Path, capsys: Streams
) -> None:
    """It was passed over where the pattern's labels are not in it."""
    file = tmp_path / "t.jsonl"
    lines = [json.dumps({"tree": one}) for one in (CATS, None, tree)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    ends = {
        run(capsys, pattern, file, "-c", *["--invert"] * invert)
        for pattern in ("VP", "NP", "WHNP", "__")
    }
    ((code, out, err),) = ends
    assert (code, out) == (2, "")
    assert f"{file}:3:" in err


def test_a_pattern_s_mistake_has_a_caret(capsys: Streams) -> None:
    assert run(capsys, "NP < )", "x")[2].endswith("\n  NP < )\n       ^\n")


def test_lines_that_cannot_match_are_not_read(tmp_path: Path, capsys: Streams) -> None:
    file = tmp_path / "many.mrg"
    file.write_text(f"(TOP (NP))\n{CATS}\n", encoding="utf-8")  # the first is no tree
    assert run(capsys, "PP", file)[2].startswith("bnaparser search: 1 match in 1 of 2 trees")
    assert "the node 'NP' is empty" in run(capsys, "NP", file)[2]
