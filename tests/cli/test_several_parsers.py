"""``bnaparser ensemble``: text or trees in, trees out, and what does not fit together."""

from __future__ import annotations

from pathlib import Path

import pytest

from bnaparser import Parser, Tree
from bnaparser.cli import main
from bnaparser.treebanks.reading import load_trees
from bnaparser.trees.cleaning import clean


def test_text_becomes_trees_and_a_bad_line_an_empty_one(
    tiny_model_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "The cat sat .\n" + "It " * 2001 + "\nShe sang .\n"
    (tmp_path / "text").write_text(text, encoding="utf-8")
    command = ["ensemble", str(tiny_model_dir), str(tiny_model_dir), "--split", "token", "--quiet"]
    command += ["--weights", "2", "1", "-i", str(tmp_path / "text"), "-o", str(tmp_path / "trees")]
    capsys.readouterr()  # what building the model printed
    assert main(command) == 1
    assert "line 2: the sentence has 2,001 words" in capsys.readouterr().err
    first, second, third = (tmp_path / "trees").read_text(encoding="utf-8").splitlines()
    assert Tree.parse(first).words == ("The", "cat", "sat", ".") and not second
    assert Tree.parse(third).words == ("She", "sang", ".")


def test_an_empty_line_stays_one(
    tiny_model_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "text").write_text("\nIt rained.\n\nDogs bark.\n", encoding="utf-8")
    command = ["ensemble", str(tiny_model_dir), str(tiny_model_dir), "--split", "line", "--quiet"]
    capsys.readouterr()
    assert main([*command, "-i", str(tmp_path / "text")]) == 0
    out, err = capsys.readouterr()
    assert not err
    assert [bool(line) for line in out.splitlines()] == [False, True, False, True]
    (tmp_path / "text").write_text("\n\n", encoding="utf-8")
    assert main([*command, "-i", str(tmp_path / "text")]) == 0
    assert capsys.readouterr() == ("\n\n", "")


def test_words_of_trees_are_parsed_as_one_model_alone_would(
    tiny_model_dir: Path, treebank: Path, tmp_path: Path
) -> None:
    found = tmp_path / "found.mrg"
    command = ["ensemble", str(tiny_model_dir), str(tiny_model_dir)]
    assert main([*command, "--trees", str(treebank), "-o", str(found)]) == 0
    cleaned = [clean(tree) for tree in load_trees(treebank)]
    words = [tree.words for tree in cleaned if tree is not None]
    alone = Parser.load(tiny_model_dir).parse_many(words)
    assert load_trees(found) == [parse.tree for parse in alone]


def test_the_trees_are_not_overwritten(
    tiny_model_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trees = tmp_path / "trees.mrg"
    trees.write_text("(TOP (S (NP (PRP It)) (VP (VBD rained))))\n", encoding="utf-8")
    before = trees.read_bytes()
    command = ["ensemble", str(tiny_model_dir), str(tiny_model_dir), "--trees", str(trees)]
    assert main([*command, "-o", str(trees)]) == 2
    assert "which would be overwritten" in capsys.readouterr().err
    assert trees.read_bytes() == before


def test_an_output_is_not_emptied_for_trees_that_are_not_there(
    tiny_model_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "silver.mrg"
    output.write_text("(TOP (S (VB Go)))\n", encoding="utf-8")
    command = ["ensemble", str(tiny_model_dir), str(tiny_model_dir), "--trees"]
    assert main([*command, str(tmp_path / "none.mrg"), "-o", str(output)]) == 2
    assert "none.mrg: no such file or folder" in capsys.readouterr().err
    assert output.read_text(encoding="utf-8") == "(TOP (S (VB Go)))\n"
    assert main([*command, str(tmp_path), "-o", str(output)]) == 2  # it is of that folder
    assert "which would be overwritten" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["a"], "an ensemble needs two models or more"),
        (["a", "b", "--weights", "1"], "1 weights for 2 models"),
        (["a", "b", "--trees", "x", "--input", "x"], "either --input or --trees"),
        (["nowhere", "nobody"], "no model 'nowhere'"),
    ],
)
def test_what_does_not_fit_is_one_sentence(
    arguments: list[str], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x").write_text("It rained.\n", encoding="utf-8")
    found = [str(tmp_path / "x") if one == "x" else one for one in arguments]
    given = [] if "x" in arguments else ["--input", str(tmp_path / "x")]
    assert main(["ensemble", *found, *given]) == 2
    assert reason in capsys.readouterr().err
