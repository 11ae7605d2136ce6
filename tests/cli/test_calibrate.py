"""``bnaparser calibrate``: it finds a temperature, writes the same parser with it, and refuses the rest."""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest
import torch

from bnaparser import Parser
from bnaparser.cli import main, model_tools
from bnaparser.network import storage
from bnaparser.network.model import BnaModel
from bnaparser.network.model_settings import TagSettings
from bnaparser.network.precision import load_network
from bnaparser.treebanks.reading import load_trees
from bnaparser.trees.cleaning import clean

if TYPE_CHECKING:
    from bnaparser.network.parsing_network import ParsingNetwork

TREES = Path(__file__).parent.parent / "data" / "tiny.mrg"
UNKNOWN = "(TOP (FOO (BAR (NNP Mira)) (VBD sang)))\n"


@pytest.fixture
def calibrate(tiny_model_dir: Path) -> Callable[..., int]:
    """A function that calibrates the tiny parser on the invented trees, with more options."""
    base = ["calibrate", str(tiny_model_dir), "--data", str(TREES), "--precision", "float32"]
    return lambda *options: main([*base, *options])


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_the_parser_is_written_with_its_temperature(
    calibrate: Callable[..., int],
    tiny_model_dir: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    target = tmp_path / "calibrated"
    assert calibrate("--output", str(target)) == 0
    first, head, *table, last = capsys.readouterr().out.splitlines()
    assert first.startswith("60 sentences, ")
    assert head.split() == ["before", "after"]
    rows = {line[:32].strip(): tuple(map(float, line[32:].split())) for line in table}
    assert rows["temperature"][0] == 1
    loss, error = rows["log loss of a constituent, nats"], rows["calibration error, %"]
    assert loss[1] < loss[0]
    assert error[1] < error[0]
    assert last == f"{target} is written: bnaparse --model {target} ..."
    old, new = files(tiny_model_dir), files(target)
    assert {name for name in old | new if old.get(name) != new.get(name)} == {
        "config.json",
        "metrics.json",
    }
    found = json.loads(new["metrics.json"])["calibration"]
    assert found == {
        "data": [str(TREES)],
        "sentences": 60,
        "temperature": pytest.approx(rows["temperature"][1], rel=1e-3),
    }
    assert "loss" in json.loads(new["metrics.json"])  # what was there before
    # Both networks have it, and the trees are the same.
    for network in (storage.load(target), load_network(target, "cpu")):
        assert network.settings.chart.temperature == found["temperature"]
    words = ["Mira", "sang"]
    before, after = Parser.load(tiny_model_dir, "cpu"), Parser.load(target, "cpu")
    assert str(before.parse_words(words).tree) == str(after.parse_words(words).tree)


def test_a_calibrated_parser_is_calibrated_again_from_its_own_temperature(
    calibrate: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = str(tmp_path / "calibrated")
    assert calibrate("--output", target) == 0
    capsys.readouterr()
    assert main(["calibrate", target, "--data", str(TREES), "--precision", "float32"]) == 0
    lines = capsys.readouterr().out.splitlines()
    (temperatures,) = (line.split()[1:] for line in lines if line.startswith("temperature"))
    assert temperatures[0] == temperatures[1]
    assert not any("is written" in line for line in lines)


def test_each_language_has_its_own_temperature(
    tiny_model_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both, once, twice = (tmp_path / name for name in ("both", "once", "twice"))
    shutil.copytree(tiny_model_dir, both)
    config = json.loads((both / "config.json").read_text(encoding="utf-8"))
    config["text"]["languages"] = ["de", "es"]
    (both / "config.json").write_text(json.dumps(config), encoding="utf-8")
    names = json.loads((both / "labels.json").read_text(encoding="utf-8"))
    own_names = {"labels": names["labels"][1:], "tags": names["tags"]}
    names["languages"] = {"de": own_names, "es": own_names}
    (both / "labels.json").write_text(json.dumps(names), encoding="utf-8")
    some = tmp_path / "some.mrg"
    some.write_text("".join(TREES.read_text(encoding="utf-8").splitlines(True)[:20]))
    options = ["--precision", "float32", "--data", str(TREES)]
    capsys.readouterr()
    assert main(["calibrate", str(both), *options, "--language", "es", "-o", str(once)]) == 0
    assert capsys.readouterr().out.startswith("es:\n60 sentences, ")
    found = json.loads((once / "metrics.json").read_text(encoding="utf-8"))["calibration"]
    assert found["temperature"].keys() == {"es"}
    # The other language keeps what it has.
    old, new = Parser.load(both, "cpu"), Parser.load(once, "cpu")
    kept, spanish = (new.networks[code].settings.chart.temperature for code in ("de", "es"))
    assert (kept, spanish) == (1, found["temperature"]["es"])
    words = ["Mira", "sang"]
    sure = [
        [
            one.in_language(code).parse_words(words, probabilities=True).confidence
            for one in (old, new)
        ]
        for code in ("de", "es")
    ]
    assert sure[0][0] == sure[0][1] == sure[1][0] != sure[1][1]
    command = [*options, str(some), "--language", "de", "es", "-o", str(twice)]
    assert main(["calibrate", str(once), *command]) == 0
    written = json.loads((twice / "config.json").read_text(encoding="utf-8"))["chart"]
    own = written["language_temperatures"]
    assert (own["de"], written["temperature"]) == (spanish, 1)  # of the same trees
    assert own["es"] not in (1, spanish)


def test_several_treebanks_and_fewer_sentences(
    calibrate: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.mrg"
    other.write_text(UNKNOWN, encoding="utf-8")
    labels = tmp_path / "maps.toml"
    labels.write_text('[map.mine.labels]\nBAR = "NP"\n', encoding="utf-8")
    command = ["--data", str(TREES), str(other), "--sentences", "50"]
    assert calibrate(*command, "--map", str(labels), "--map-set", "mine") == 0
    out = capsys.readouterr().out
    assert out.startswith("51 sentences, ")
    assert out.endswith(
        "\n1 trees are impossible under the model; the log-likelihood leaves these trees out\n"
    )


def test_fewer_sentences_have_their_own_rows_of_a_file_of_tags(
    build_model: Callable[..., BnaModel], tmp_path: Path
) -> None:
    model, tags = build_model(tagging=TagSettings(given=True)), tmp_path / "tags"
    trees = [tree for tree in map(clean, load_trees(TREES)) if tree is not None]
    rows = [" ".join(tree.tags) for tree in [*trees, *trees]]
    tags.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    parser = argparse.ArgumentParser()
    model_tools.add_calibrate_arguments(parser)
    given = ["m", "--data", str(TREES), str(TREES), "--tags", str(tags), "--sentences", "2"]
    examples = model_tools._calibration_examples(
        parser.parse_args(given), cast("ParsingNetwork", model)
    )
    assert [one.given_tags for one in examples] == [tree.tags for tree in 2 * trees[:2]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--sentences", "0"], "--sentences 0: it must be at least 1"),
        (["--map-set", "gum"], "--map FILE and --map-set NAME need each other"),
        (["--data", "nowhere.mrg"], "nowhere.mrg: no such file or folder"),
        (["--tags", "nowhere.tags"], "nowhere.tags"),
        (["--output", str(TREES)], "tiny.mrg exists already: choose another folder"),
        (["--output", str(TREES.parent)], "exists already: choose another folder"),
    ],
)
def test_what_cannot_be_is_one_sentence(
    calibrate: Callable[..., int],
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    message: str,
) -> None:
    capsys.readouterr()
    assert calibrate(*options) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("trees", "message"),
    [
        ("\n", "holds no tree"),
        (
            UNKNOWN + "(TOP (S (NP (NNP Mira)) (VP (VBD sang))))\n" + UNKNOWN,
            "no parser is written: 2 of 3 gold trees have labels that",
        ),
    ],
)
def test_trees_that_do_not_serve(
    calibrate: Callable[..., int],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    trees: str,
    message: str,
) -> None:
    file = tmp_path / "trees.mrg"
    file.write_text(trees, encoding="utf-8")
    target = tmp_path / "calibrated"
    capsys.readouterr()
    assert calibrate("--data", str(file), "--output", str(target)) == 2
    assert message in capsys.readouterr().err
    assert not target.exists()


def test_trees_of_other_labels_are_said(
    calibrate: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A parser was written whose temperature was that of the trees of another language."""
    file = tmp_path / "trees.mrg"
    file.write_text(UNKNOWN, encoding="utf-8")
    capsys.readouterr()
    assert calibrate("--data", str(file)) == 2
    err = capsys.readouterr().err
    assert "1 of 1 gold trees have labels that the model " in err
    assert "(en) does not know, such as " in err and "FOO" in err and "BAR" in err
    assert "determine no best temperature" in err


def test_what_is_printed_can_be_typed(
    calibrate: Callable[..., int],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    for target, typed in (("in two", '"in two"'), ("en", "./en")):
        assert calibrate("--output", target) == 0
        assert capsys.readouterr().out.endswith(f"bnaparse --model {typed} ...\n")


def test_a_zip_is_to_be_made_a_folder_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    packed = tmp_path / "parser.zip"
    packed.touch()
    options = ["calibrate", str(packed), "--data", str(TREES), "--output", str(tmp_path / "new")]
    assert main(options) == 2
    assert f"'bnaparser models import {packed} DEST'" in capsys.readouterr().err


def test_what_a_kill_leaves_is_no_model_at_the_old_temperature(
    tiny_model_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.copyfile", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        storage.copy_at_temperature(tiny_model_dir, tmp_path / "new", 0.5, {})
    written = json.loads((tmp_path / "new" / "config.json").read_text(encoding="utf-8"))
    assert written["chart"]["temperature"] == 0.5


def test_scores_that_are_no_numbers_are_told(
    build_model: Callable[..., BnaModel], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = build_model()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.fill_(float("nan"))
    storage.save(model, tmp_path / "m", "float32", {})
    assert main(["calibrate", str(tmp_path / "m"), "--data", str(TREES)]) == 2
    assert "its scores are not finite numbers: " in capsys.readouterr().err


def test_a_model_that_reads_tags_wants_them(
    build_model: Callable[..., BnaModel], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    storage.save(build_model(tagging=TagSettings(given=True)), tmp_path / "m", "float32", {})
    command = ["calibrate", str(tmp_path / "m"), "--data", str(TREES)]
    assert main(command) == 2
    assert "give --tags FILE, or --tags gold" in capsys.readouterr().err
    assert main([*command, "--tags", "gold"]) == 2
    assert "determine no best temperature" in capsys.readouterr().err  # it has learned nothing
