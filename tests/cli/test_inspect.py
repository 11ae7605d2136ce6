"""``bnaparser inspect``: two figures and a table; what cannot be looked at is said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from bnaparser.cli import main

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def model_dir(
    tmp_path_factory: pytest.TempPathFactory, encoder_folder: Callable[[str], Path]
) -> Callable[..., str]:
    """A function from a table of [syntax] to the folder of an untrained model of a task."""
    from bnaparser.settings import validate
    from bnaparser.tasks.model import create, save_model
    from bnaparser.tasks.settings import TaskModelSettings

    def make(**syntax: Any) -> str:
        trees = {"trees": "random", **syntax}
        table = {"encoder": {"name": str(encoder_folder("bert"))}, "syntax": trees}
        folder = tmp_path_factory.mktemp("model")
        settings = validate(TaskModelSettings, table, "test")
        save_model(create(settings, ("negative", "positive")), folder, "float32", {})
        return str(folder)

    return make


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: str) -> tuple[int, str, str]:
        where = ["--output", str(tmp_path / "out"), "--device", "cpu"]
        capsys.readouterr()  # what building a model has written
        code = main(["inspect", *arguments, *where])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_figures_and_a_table_of_two_models(
    run: Run, model_dir: Callable[..., str], tmp_path: Path
) -> None:
    sla, wla = model_dir(sla={}), model_dir(wla={})
    code, out, err = run("Mira sang.", "It fell.", "--model", sla, "--model", wla)
    assert (code, err) == (0, "")
    header, *rows = [line.split("\t") for line in out.splitlines()]
    assert header == ["model", "layer", "mean", "deviation", "minimum", "maximum", "tokens"]
    assert [row[:2] for row in rows] == [[sla, "1"], [sla, "2"], [wla, "1"], [wla, "2"]]
    for row in rows:
        mean, _, least, most = map(float, row[2:6])
        assert 0 < least <= mean <= most < 1 and int(row[6]) > 6
    letters = {
        name: [node.text for node in ElementTree.parse(tmp_path / "out" / name).iter()]
        for name in ("gates.svg", "attention.svg")
    }
    assert {"SLA", "WLA"} <= set(letters["gates.svg"])
    assert {"SLA: local", "WLA: local", "Mira"} <= set(letters["attention.svg"])
    assert "fell" not in letters["attention.svg"]  # the first text alone


def test_texts_of_a_file_and_one_layer_and_head(
    run: Run, model_dir: Callable[..., str], tmp_path: Path
) -> None:
    source = tmp_path / "in.txt"
    source.write_text("\nMira sang.\n\nIt fell.\n", encoding="utf-8")
    code, _, err = run(
        "--input", str(source), "--model", model_dir(sla={}), "--layer", "2", "--head", "1"
    )
    assert (code, err) == (0, "")
    figure = (tmp_path / "out" / "attention.svg").read_text(encoding="utf-8")
    assert "layer 2, head 1" in figure


def test_a_text_without_words_is_left_out(run: Run, model_dir: Callable[..., str]) -> None:
    code, out, err = run("\u200b", "Mira sang.", "--model", model_dir(sla={}))
    assert code == 1 and out
    assert "text 1 is left out: the text has no words" in err
    code, _, err = run("\u200b", "--model", model_dir(sla={}))
    assert code == 2 and "none of the texts can be inspected" in err


def test_a_variant_without_gates_has_maps_alone(
    run: Run, model_dir: Callable[..., str], tmp_path: Path
) -> None:
    code, out, err = run("Mira sang.", "--model", model_dir(lisa={}))
    assert (code, out) == (0, "")
    assert "LISA has no gates" in err
    assert (tmp_path / "out" / "attention.svg").is_file()
    assert not (tmp_path / "out" / "gates.svg").exists()


@pytest.mark.parametrize(
    ("syntax", "reason"), [({}, "plain encoder"), ({"sgnet": {}}, "stacks layers on top")]
)
def test_a_model_with_nothing_to_see(
    run: Run, model_dir: Callable[..., str], syntax: dict[str, Any], reason: str
) -> None:
    code, _, err = run("Mira sang.", "--model", model_dir(**syntax))
    assert code == 2 and reason in err


def test_wrong_usage(run: Run, model_dir: Callable[..., str], tmp_path: Path) -> None:
    sla = model_dir(sla={})
    assert run("--model", sla)[0] == 2
    assert run("It sang.", "--input", "x", "--model", sla)[0] == 2
    code, _, err = run("It sang.", "--model", sla, "--layer", "3")
    assert code == 2 and "no layer 3: this encoder has the numbers 1 to 2" in err
    (tmp_path / "config.json").write_text("{}")
    code, _, err = run("It sang.", "--model", str(tmp_path))
    assert code == 2 and "is a parser, not a task model" in err
    parsed = model_dir(sla={}, trees="parser")
    code, _, err = run("It sang.", "--model", parsed, "--parser", "nowhere")
    assert code == 2 and "no model 'nowhere'" in err
    (tmp_path / "out").rmdir()
    (tmp_path / "out").write_text("")
    code, _, err = run("It sang.", "--model", sla)
    assert code == 2 and "cannot write to" in err
