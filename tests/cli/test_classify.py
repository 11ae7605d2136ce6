"""``bnaparser classify`` and ``bnaparser train`` with a task: one answer a line, and exit codes."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bnaparser.cli import main
from bnaparser.trees.tree import Tree

Run = Callable[..., tuple[int, str, str]]

DATA = Path(__file__).parents[1] / "data" / "tasks"


@pytest.fixture(scope="module")
def classifier_dir(
    tmp_path_factory: pytest.TempPathFactory,
    encoder_folder: Callable[[str], Path],
    tiny_model_dir: Path,
) -> Path:
    from bnaparser.settings import validate
    from bnaparser.tasks.model import create, save_model
    from bnaparser.tasks.settings import TaskModelSettings

    table = {"encoder": {"name": str(encoder_folder("bert"))}, "syntax": {"sla": {}}}
    folder = tmp_path_factory.mktemp("classifier")
    settings = validate(TaskModelSettings, table, "test")
    save_model(create(settings, ("negative", "positive")), folder, "float32", {})
    return folder


@pytest.fixture
def run(classifier_dir: Path, tiny_model_dir: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: str) -> tuple[int, str, str]:
        models = ["--model", str(classifier_dir), "--parser", str(tiny_model_dir)]
        code = main(["classify", *arguments, *models, "--device", "cpu"])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_a_text_gives_label_probabilities_and_trees(run: Run) -> None:
    code, out, err = run("Mira sang.", "It fell.")
    assert (code, err) == (0, "")
    label, shares, trees = out.rstrip("\n").split("\t")
    found = dict(part.split() for part in shares.split(", "))
    assert label == max(found, key=lambda name: float(found[name]))
    assert list(found) == ["negative", "positive"]
    assert trees.count("(TOP") == 2


def test_a_line_out_for_a_line_in(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "in.txt"
    source.write_text("\ufeffMira sang. It fell.\r\n\n  \nDogs bark.\n\n", encoding="utf-8")
    code, out, err = run("--input", str(source), "--format", "json")
    lines = out.split("\n")
    assert (code, err) == (0, "")
    assert [bool(line) for line in lines] == [True, False, False, True, False, False]
    answer = json.loads(lines[0])
    assert answer["label"] in ("negative", "positive")
    assert [Tree.parse(tree).words[0] for tree in answer["trees"]] == ["Mira", "It"]


def test_standard_input_and_a_file_for_output(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(b"It sang.\nKaro fell."), encoding="utf-8")
    monkeypatch.setattr("sys.stdin", stdin)
    code, out, _ = run("--output", str(tmp_path / "out.txt"))
    assert (code, out) == (0, "")
    assert len((tmp_path / "out.txt").read_text(encoding="utf-8").splitlines()) == 2


def test_what_fails_has_its_line_and_is_said(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "in.txt"
    source.write_bytes("It sang.\n\u200b\n".encode() + b"dog " * 2001 + b"\nIt fell\n")
    code, out, err = run("--input", str(source))
    lines = out.split("\n")
    assert code == 1
    assert len(lines) == 5 and lines[0] and not lines[1] and lines[2] and lines[3]
    assert "text 2: the text has no words" in err
    assert "the plain encoder served the text" in err
    source.write_bytes(b"It sang.\ncaf\xe9 fell\n")
    code, out, err = run("--input", str(source))
    assert code == 2 and "line 2: byte 4 (0xe9) is not UTF-8" in err
    assert "give --encoding cp1252" in err
    assert run("--input", str(source), "--encoding", "cp1252")[0] == 0


def test_wrong_usage(run: Run, tmp_path: Path) -> None:
    assert run("It sang.", "--input", "x")[0] == 2
    code, _, err = run("--input", str(tmp_path / "none"))
    assert code == 2 and "cannot read" in err


def test_a_model_that_is_none(tiny_model_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["classify", "It sang.", "--model", str(tiny_model_dir)]) == 2
    assert "is a parser, not a task model" in capsys.readouterr().err


@pytest.fixture
def recipe(encoder_folder: Callable[[str], Path], tiny_model_dir: Path, tmp_path: Path) -> Path:
    file = tmp_path / "small.toml"
    table = f'{{ path = "{DATA / "sentiment.tsv"}" }}'
    file.write_text(
        f"""
[task]
[encoder]
name = "{encoder_folder("bert")}"
[syntax]
parser = "{tiny_model_dir}"
[syntax.sla]
[train]
data = [{table}]
dev = [{table}]
max_steps = 2
batch_size = 8
threads = 1
device = "cpu"
seeds = [1, 2]
"""
    )
    return file


def test_a_recipe_with_a_task_trains_it(
    recipe: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    output = tmp_path / "out"
    assert main(["train", str(recipe), "--output", str(output)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("dev accuracy ") and "deviation" in out
    assert (output / "model" / "model.safetensors").is_file()
    again = ["train", str(recipe), "--output", str(output), "--against", str(output)]
    assert main(again) == 0
    assert "p = 1.0000" in capsys.readouterr().out


def test_wrong_recipes(recipe: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", str(recipe), "--set", "task.metrics=1"]) == 2
    assert "task.metrics" in capsys.readouterr().err
    parser = Path(__file__).parents[2] / "recipes" / "tiny.toml"
    assert main(["train", str(parser), "--against", "x"]) == 2


@pytest.fixture(scope="module")
def answers_dir(
    tmp_path_factory: pytest.TempPathFactory, encoder_folder: Callable[[str], Path]
) -> Path:
    from bnaparser.settings import validate
    from bnaparser.tasks.model import create, save_model
    from bnaparser.tasks.settings import TaskModelSettings

    table = {"encoder": {"name": str(encoder_folder("bert"))}, "task": {"kind": "answers"}}
    folder = tmp_path_factory.mktemp("answers")
    save_model(create(validate(TaskModelSettings, table, "test"), ()), folder, "float32", {})
    return folder


def test_questions_about_a_passage(
    answers_dir: Path, tiny_model_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    passage, questions = tmp_path / "passage.txt", tmp_path / "questions.txt"
    passage.write_bytes(b"Mira sang.\r\n\r\nThe old dog fell.\r\n")
    questions.write_text("Who sang?\n\nWho fell?\n", encoding="utf-8")
    models = ["--model", str(answers_dir), "--parser", str(tiny_model_dir), "--device", "cpu"]
    asking = ["classify", *models, "--passage", str(passage)]
    assert main([*asking, "Who", "sang?"]) == 0
    answer, shares, trees = capsys.readouterr().out.rstrip("\n").split("\t")
    first = shares.split(", ")[0].split()
    start, end = map(int, first[0].split("-"))
    assert " ".join(passage.read_bytes().decode()[start:end].split()) == answer
    assert 0 < float(first[1]) <= 1 and trees.count("(TOP") == 3
    assert main([*asking, "--input", str(questions), "--format", "json"]) == 0
    lines = capsys.readouterr().out.split("\n")
    assert [bool(line) for line in lines] == [True, False, True, False]
    assert json.loads(lines[0])["answer"] == json.loads(lines[0])["answers"][0]["text"]
    assert main(["classify", *models, "Who sang?\tMira sang."]) == 0
    assert capsys.readouterr().out
    assert main(["classify", *models, "Who sang?"]) == 1
    assert "takes a question and a passage" in capsys.readouterr().err


def test_a_passage_that_cannot_be_had(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = run("Who?", "--passage", str(tmp_path / "none.txt"))
    assert code == 2 and "none.txt: no such file" in err
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9")
    code, _, err = run("Who?", "--passage", str(tmp_path / "latin.txt"))
    assert code == 2 and "latin.txt, line 1: byte 4 (0xe9) is not UTF-8" in err
    (tmp_path / "a.txt").write_text("It sang.")
    code, _, err = run("Who?", "--passage", str(tmp_path / "a.txt"))
    assert code == 2 and "is not a model for question answering: leave --passage out" in err


def test_the_passage_is_not_overwritten(run: Run, tmp_path: Path) -> None:
    passage = tmp_path / "passage.txt"
    passage.write_text("Mira sang.\n", encoding="utf-8")
    code, _, err = run("Who?", "--passage", str(passage), "-o", str(passage))
    assert code == 2 and "which would be overwritten" in err
    assert passage.read_text(encoding="utf-8") == "Mira sang.\n"
