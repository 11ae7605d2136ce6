"""``bnaparser evaluate``: EVALB's table on standard output, and what stands around it."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from bnaparser.cli import evaluate
from bnaparser.errors import DataError, SettingsError
from bnaparser.eval import evalb, score
from bnaparser.trees.tree import Tree

COLLINS = str(Path(evalb.__file__).with_name("COLLINS.prm"))
GOLD = "(TOP (S (NP (DT The) (NN cat)) (VP (VBD sat))))\n(TOP (S (NP (PRP It)) (VP (VBZ works))))\n"
PRED = "(TOP (S (NP (DT The) (NN cat)) (XP (VBD sat))))\n(TOP (S (NP (PRP It)) (VP (VBZ works))))\n"


def run(*arguments: object) -> int:
    parser = argparse.ArgumentParser()
    evaluate.add_arguments(parser)
    return evaluate.run(parser.parse_args([str(argument) for argument in arguments]))


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    gold, pred = tmp_path / "gold", tmp_path / "pred"
    gold.write_text(GOLD)
    pred.write_text(PRED)
    return gold, pred


@pytest.mark.parametrize("options", [[], ["--prm", COLLINS]])
def test_prints_what_evalb_prints(
    options: list[str], files: tuple[Path, Path], capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert evalb.main(["-p", COLLINS, *map(str, files)]) == 0
    expected = capsysbinary.readouterr()
    assert run(*files, *options) == 0
    assert capsysbinary.readouterr() == expected


INDENTED = """
*x*  Copyright (C) 1995 (c  *x*
( (S
    (NP-SBJ (DT The) (NN cat) )
    (VP (VBD sat)
      (NP (-NONE- *T*-1) ))) )

( (S (NP (PRP It)) (VP (VBZ works)))
)
"""
LINES = (
    "(TOP (S (NP (DT The) (NN cat)) (VP (VBD sat))))\n(TOP (S (NP (PRP It)) (VP (VBZ works))))\n"
)
UNLABELLED = LINES.replace("(TOP (", "( (")


@pytest.mark.parametrize(
    ("gold", "pred"),
    [
        (INDENTED, LINES),
        (LINES, INDENTED),
        (INDENTED, INDENTED),
        (INDENTED, UNLABELLED),
        (UNLABELLED, INDENTED),
    ],
)
def test_trees_over_several_lines_are_read(
    gold: str, pred: str, files: tuple[Path, Path], capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """EVALB takes each line for a tree, and finds none."""
    files[0].write_text(gold)
    files[1].write_text(pred)
    assert run(*files) == 0
    printed = capsysbinary.readouterr()
    assert printed.err == b""
    for line in (
        b"Number of Valid sentence  =      2",
        b"FMeasure       = 100.00",
        b"Precision      = 100.00",
    ):
        assert line in printed.out
    assert (
        b"\n   2    2    0  100.00 100.00     3      3    3" in printed.out
    )  # no bracket for the top
    scores = score(*files)
    assert (scores.valid, scores.f1, scores.gold) == (2, 100.0, 6)
    assert run(*files, "--significance", files[0]) == 0


def test_a_tree_over_several_lines_that_is_never_closed(files: tuple[Path, Path]) -> None:
    files[0].write_text(INDENTED.removesuffix(")\n"))
    with pytest.raises(
        DataError, match=r"gold:8: the tree that begins here has no closing bracket"
    ):
        run(*files)
    files[0].write_text(INDENTED + ")")
    with pytest.raises(DataError, match=r"gold:10: a closing bracket has no opening bracket"):
        run(*files)


def test_a_broken_line_among_trees_a_line_is_evalbs(
    files: tuple[Path, Path], capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    files[1].write_text(
        "(TOP (S (NP (DT The) (NN cat)) (VP (VBD sat)))\n" + PRED.splitlines()[1] + "\n"
    )
    evalb.main(["-p", COLLINS, *map(str, files)])
    expected = capsysbinary.readouterr()
    assert b"Bracketing is unbalanced" in expected.err
    run(*files)
    assert capsysbinary.readouterr() == expected


def test_a_closed_standard_output_is_one_sentence(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    said = "standard output is closed: the scores cannot be written"
    with pytest.raises(DataError, match=said):
        run(*files)
    assert evalb.main(list(map(str, files))) == 1
    assert capsys.readouterr().err == f"{said}\n"


def test_missing_files(
    files: tuple[Path, Path], capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    gold, pred = files
    assert run(gold, "none") == 1
    assert capsysbinary.readouterr() == (b"", b"Can't open test file (none)\n")
    assert run(gold, pred, "--prm", "none") == 1
    assert capsysbinary.readouterr() == (b"", b"Can't open parameter file (none)\n")


def test_a_file_that_is_not_text_is_refused(files: tuple[Path, Path]) -> None:
    """A Word file had the file holds no sentence, exit code 0."""
    gold, pred = files
    gold.write_bytes(b"PK\x03\x04\x14\x00\x06\x00word/document.xml")
    for arguments in ((gold, pred), (pred, gold), (gold, "--model", "en")):
        with pytest.raises(
            DataError, match="gold: this is a Word file, not text: save the document as"
        ):
            run(*arguments)


def test_too_many_errors(
    tmp_path: Path, files: tuple[Path, Path], capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    prm = tmp_path / "prm"
    prm.write_text("MAX_ERROR -1\n")
    (tmp_path / "bad").write_text("no parse\n")
    assert run(files[0], tmp_path / "bad", "--prm", prm) == 1
    assert capsysbinary.readouterr().err == b"1 : Reading sentence\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["GOLD"],
        ["GOLD", "PRED", "--model", "en"],
        ["GOLD", "PRED", "--scorer", "pyevalb", "--prm", "P"],
    ],
)
def test_arguments_that_do_not_fit_together(arguments: list[str]) -> None:
    with pytest.raises(SettingsError):
        run(*arguments)


def test_what_can_be_read_only_once_is_no_file_for_significance(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(
        SettingsError, match="pipe is a pipe, which can be read only once: --significance needs a"
    ):
        run(tmp_path / "pipe", files[1], "--significance", files[0])


def test_significance_follows_the_table(
    files: tuple[Path, Path], capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    gold, pred = files
    assert run(gold, pred, "--significance", gold) == 0
    table, _, test = capsysbinary.readouterr().out.decode().partition("\n-- Significance --\n")
    assert "Bracketing FMeasure       =  83.33" in table
    assert f"FMeasure                  =  83.33  {pred}\n" in test
    assert f"FMeasure                  = 100.00  {gold}\n" in test
    assert "Difference                = -16.67  (95% interval -33.33 to +0.00)" in test
    assert "p-value                   = 1.0000" in test
    with pytest.raises(DataError):
        run(gold, pred, "--significance", "none")


def test_pyevalb(files: tuple[Path, Path], capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    pytest.importorskip("PYEVALB")
    assert run(*files, "--scorer", "pyevalb") == 0
    out = capsysbinary.readouterr().out
    assert out.startswith(b"-- PYEVALB --\n")
    assert b"Bracketing FMeasure       =  87.50\n" in out


class FakeParser:
    """Parses "The cat sat" as GOLD does and fails on all else."""

    predicts_tags = True
    reads_tags = False
    labels = frozenset({"S", "S::VP", "NP"})
    languages = ("en",)

    def __init__(self) -> None:
        self.loaded: tuple[str, str | None] | None = None
        self.given: list[Sequence[str]] = []

    def load(self, model: str, device: str | None, **options: object) -> FakeParser:
        self.loaded = (model, device)
        return self

    def parse_many(
        self, sentences: Iterable[Sequence[str]], tags: object = None
    ) -> list[SimpleNamespace]:
        self.given = list(sentences)
        good = Tree.parse(GOLD.splitlines()[0])
        return [
            SimpleNamespace(tree=good, error=None)
            if words == ("The", "cat", "sat")
            else SimpleNamespace(tree=None, error="too odd")
            for words in self.given
        ]


@pytest.fixture
def fake_parser(monkeypatch: pytest.MonkeyPatch) -> FakeParser:
    parser, module = FakeParser(), ModuleType("bnaparser.parsing.parser")
    monkeypatch.setattr(module, "Parser", parser, raising=False)
    monkeypatch.setitem(sys.modules, "bnaparser.parsing.parser", module)
    return parser


def test_a_model_is_scored_on_the_words_of_the_gold_trees(
    fake_parser: FakeParser, files: tuple[Path, Path], capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    gold, _ = files
    assert run("--model", "en", gold, "--device", "cpu") == 1  # one sentence has no tree
    assert fake_parser.loaded == ("en", "cpu")
    assert fake_parser.given == [("The", "cat", "sat"), ("It", "works")]
    printed = capsysbinary.readouterr()
    assert b"Number of Skip  sentence  =      1" in printed.out
    assert b"Bracketing FMeasure       = 100.00" in printed.out
    scored = f"model: en\ndata: {gold}\nparameter file: COLLINS.prm\ntags: predicted\n".encode()
    assert printed.out.endswith(b"\n-- Scored --\n" + scored)
    assert b"2 : too odd\n" in printed.err
    assert b"speed: 2 sentences, 5 words in" in printed.err


def test_a_treebank_of_other_labels_is_said_last(
    fake_parser: FakeParser, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Hundreds of lines said that lengths differ, and none that the trees are of another language."""
    gold = tmp_path / "french.mrg"
    french = "(SENT (NP (D Le) (N chat)) (VN (V dort)))\n"
    english = GOLD.splitlines()[0] + "\n"
    for trees, number in (([french, french, english], 2), ([french, english], 0)):
        gold.write_text("".join(trees))
        run("--model", "en", gold)
        err = capsysbinary.readouterr().err.decode()
        notes = [line for line in err.splitlines() if "gold trees have labels" in line]
        assert len(notes) == (number > 0)
        if number:
            assert err.endswith(notes[0] + "\n")
            assert notes[0].startswith(
                "note: 2 of 3 gold trees have labels that the model en (en) does not know, such as "
            )
            assert "SENT" in notes[0] and "VN" in notes[0] and "NP" not in notes[0]


def test_a_model_can_be_compared_and_scored_by_the_other_scorer(
    fake_parser: FakeParser, files: tuple[Path, Path], capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    gold, pred = files
    gold.write_text(GOLD.splitlines()[0] + "\n")
    pred.write_text(PRED.splitlines()[0] + "\n")
    assert run("--model", "en", gold, "--significance", pred) == 0
    assert b"FMeasure                  = 100.00  en\n" in capsysbinary.readouterr().out
    pytest.importorskip("PYEVALB")
    assert run("--model", "en", gold, "--scorer", "pyevalb") == 0
    assert capsysbinary.readouterr().out.startswith(b"-- PYEVALB --\n")


def test_a_model_parses_no_traces(
    fake_parser: FakeParser, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    gold = tmp_path / "raw.mrg"
    gold.write_text("( (S (NP-SBJ (DT The) (NN cat))\n  (VP (VBD sat) (NP (-NONE- *)))) )\n")
    assert run("--model", "en", gold) == 0
    assert fake_parser.given == [("The", "cat", "sat")]
    assert b"Bracketing FMeasure       = 100.00" in capsysbinary.readouterr().out


def test_a_model_is_scored_to_the_end_however_many_its_errors(
    fake_parser: FakeParser, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Predicted tags say what is punctuation: COLLINS.prm would stop at the twelfth misfit."""
    gold = tmp_path / "gold.mrg"
    odd = "(TOP (S (NP (DT The) (NN cat)) (VP (: sat))))\n"
    gold.write_text(odd * 12 + GOLD.splitlines()[0] + "\n")
    assert run("--model", "en", gold) == 0
    out = capsysbinary.readouterr().out
    assert b"Number of Error sentence  =     12" in out
    assert b"Bracketing FMeasure       = 100.00" in out
    assert run("--model", "en", gold, "--prm", COLLINS) == 1
    assert b"FMeasure" not in capsysbinary.readouterr().out


def test_scoring_files_loads_neither_torch_nor_numpy(files: tuple[Path, Path]) -> None:
    code = (
        "import argparse, sys; from bnaparser.cli import evaluate\n"
        "parser = argparse.ArgumentParser(); evaluate.add_arguments(parser)\n"
        "code = evaluate.run(parser.parse_args(sys.argv[1:]))\n"
        "heavy = {'torch', 'numpy', 'numba', 'nltk', 'transformers'} & set(sys.modules)\n"
        "sys.exit(f'{heavy}' if heavy else code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, files)], capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
