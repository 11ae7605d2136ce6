"""The smaller verbs: train, models, check, prune; and how the command line begins and ends."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from bnaparser import models
from bnaparser.cli import main, model_tools
from bnaparser.models.about import about

RECIPE = """
[layers]
layer_types = ["bimsa"]
hidden_size = 32
num_attention_heads = 2
head_dim = 16
intermediate_size = 32
[train]
data = [{{ path = "{trees}" }}]
dev = [{{ path = "{trees}" }}]
max_steps = 3
dev_sentences = 5
"""
TREES = Path(__file__).parent.parent / "data" / "tiny.mrg"


@pytest.fixture
def recipe(tmp_path: Path) -> str:
    """The file of a recipe of three updates."""
    file = tmp_path / "small.toml"
    file.write_text(RECIPE.format(trees=TREES), encoding="utf-8")
    return str(file)


def test_train_writes_a_model_that_evaluates(
    recipe: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "run"
    assert main(["train", recipe, "--output", str(output), "--set", "train.seed=3"]) == 0
    assert capsys.readouterr().out.startswith("best development F1 ")
    assert json.loads((output / "model" / "config.json").read_text())["layers"]["hidden_size"] == 32
    assert main(["evaluate", "--model", str(output / "model"), str(TREES)]) == 0
    out, err = capsys.readouterr()
    assert "Number of sentence        =     60" in out
    assert "tags" in out.partition("-- Scored --")[2]  # gold ones: the model predicts none
    assert "sentences/s" in err


def test_without_development_data_train_tells_no_f1(
    recipe: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "run"
    assert main(["train", recipe, "--output", str(output), "--set", "train.dev=[]"]) == 0
    assert capsys.readouterr().out == f"after update 3: {output}/model\n"


def test_an_unknown_setting_is_named(recipe: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", recipe, "--set", "train.lr=1"]) == 2
    assert "train.lr" in capsys.readouterr().err


def test_a_missing_recipe(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "nowhere.toml"]) == 2
    assert "cannot read the recipe nowhere.toml" in capsys.readouterr().err


def test_models_lists_what_ships_in_columns_with_licences(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bnaparser.models.packages.installed", list)  # of this machine
    monkeypatch.setattr("bnaparser.models.hub.cached", list)
    assert main(["models"]) == 0
    head, *lines, empty, advice = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == models.shipped()
    columns = [head.index(name) for name in ("size", "language", "licence", "F1")]
    for name, line in zip(models.shipped(), lines, strict=True):
        told = about(models.find(name))
        size, language, licence, scores = (line[column:] for column in columns)
        assert size.startswith(f"{told.size_bytes / 1e6:.0f} MB ")
        assert language.startswith(f"{told.language} ")
        assert licence.startswith(f"{told.license} ")
        assert scores.startswith(next(f"{test} {f1:.2f}" for test, f1 in told.f1.items()))
    assert empty == ""
    assert "--model en" in advice


def test_check_parses_a_sentence_and_tells_threads(
    tiny_model_dir: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("OMP_WAIT_POLICY", "active")
    assert main(["check", "--model", str(tiny_model_dir)]) == 0
    out = capsys.readouterr().out
    assert "torch " in out
    assert "\nthreads: " in out
    assert "OMP_NUM_THREADS=1, OMP_WAIT_POLICY=active" in out
    assert "(TOP " in out
    assert "extra [spacy]: spacy " in out


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ([], r"compiled"),
        (["--backend", "torch"], r"torch \(it was chosen\)"),
        (["--precision", "bfloat16"], r"torch \(compiled loops do not compute in bfloat16\)"),
    ],
)
def test_check_says_what_computes_and_why(
    tiny_model_dir: Path, options: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "-m", str(tiny_model_dir), "--device", "cpu", *options]) == 0
    assert re.search(f"^backend: {reason}$", capsys.readouterr().out, re.MULTILINE)


def test_check_parses_with_a_model_of_other_languages(
    two_languages_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "--model", str(two_languages_dir)]) == 0
    assert "(TOP " in capsys.readouterr().out


def test_prune_keeps_the_pieces_that_count(
    encoder_folder: Callable[[str], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "text.txt"
    text.write_text("the cat sat on the mat\n", encoding="utf-8")
    target = tmp_path / "small"
    folder = str(encoder_folder("bert"))
    arguments = ["prune", folder, str(target), "--size", "300", "--text", str(text), str(TREES)]
    assert main(arguments) == 0
    assert capsys.readouterr().out.endswith(
        "of the subwords of the text are in the new vocabulary\n"
    )
    assert (target / "tokenizer.json").is_file()


def test_prune_counts_the_words_of_trees_alone(tmp_path: Path) -> None:
    trees = tmp_path / "WSJ.MRG"
    trees.write_text("( (S (NP-SBJ (NNP Mira)\n  (-NONE- *T*-1)) (-LRB- -LRB-)))\n")
    text = tmp_path / "text.txt"
    text.write_text("(TOP SECRET) It (S) rained.\n(TOP (S (NP (-NONE- *)) (VBD fell)))\n")
    lines = model_tools._lines([str(trees), str(text)])
    assert [line.strip() for line in lines] == ["Mira (", "(TOP SECRET) It (S) rained.", "fell"]


@pytest.mark.parametrize(
    ("text", "size", "message"),
    [
        ("It rained.\n(TOP (S (NP (DT The", 300, "text.txt:2:1: the tree that starts here"),
        ("\n\n", 300, "text.txt: no text in it"),
        ("It rained.\n", -3, "--size -3: it must be at least 1"),
    ],
)
def test_prune_says_where_it_cannot(
    encoder_folder: Callable[[str], Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    text: str,
    size: int,
    message: str,
) -> None:
    file = tmp_path / "text.txt"
    file.write_text(text, encoding="utf-8")
    target = tmp_path / "small"
    folder = str(encoder_folder("bert"))
    assert main(["prune", folder, str(target), "--size", str(size), "--text", str(file)]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1
    assert not target.exists()


@pytest.mark.parametrize("arguments", [[], ["no-such-verb"], ["parse", "--no-such-option"]])
def test_wrong_usage_exits_with_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
