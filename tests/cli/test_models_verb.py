"""`bnaparser models ...`: lists, describes, exports, removes; each refusal in one sentence."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from bnaparser import models
from bnaparser.cli import main
from bnaparser.models import hub
from bnaparser.models.hub import CachedModel
from bnaparser.models.packages import ModelPackage

PACKAGES = "bnaparser.models.packages.installed"


@pytest.fixture
def elsewhere(tiny_model_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three models beside those that ship: of a package, of a broken one, of a hub."""
    good = ModelPackage("good", "a-package", "1.5", tiny_model_dir)
    bad = ModelPackage("bad", "b-package", "2.0", tiny_model_dir, "has no config.json")
    monkeypatch.setattr(PACKAGES, lambda: [bad, good])
    monkeypatch.setattr(hub, "cached", lambda: [CachedModel("org/far", tiny_model_dir, "0123")])


def test_every_model_is_listed_and_a_broken_one_said(
    elsewhere: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["models", "list"]) == 0
    listed = capsys.readouterr()
    assert main(["models"]) == 0
    out, err = capsys.readouterr()
    assert listed == (out, err)
    rows = [line.split("  ")[:2] for line in out.replace("   ", "  ").splitlines()[1:-2]]
    assert [row[0] for row in rows] == [*models.shipped(), "good", "org/far"]
    assert "a-package 1.5" in out
    assert err.strip() == "bnaparser models: the package b-package 2.0 has no config.json"


def test_the_labels_of_a_model_are_explained(capsys: pytest.CaptureFixture[str]) -> None:
    multi = Path(__file__).parents[2] / "models" / "multi"
    assert main(["models", "describe", str(multi), "--labels"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "es\tlabel\tsn\tnoun-phrase\tnoun phrase" in lines
    assert "is\ttag\tHVDI\tverb\tthe verb “have”: hafa, past indicative" in lines
    assert all(len(line.split("\t")) == 5 and all(line.split("\t")) for line in lines)
    assert main(["models", "describe", "sst2", "--labels"]) == 2
    assert "sst2 is not a parser" in capsys.readouterr().err


def test_a_model_is_described(elsewhere: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "describe", "sst2"]) == 0
    lines = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert (lines["model"], lines["from"], lines["kind"]) == (
        "sst2",
        "ships with bnaparser",
        "classification",
    )
    assert lines["F1"] == "half of SST-2's test set, macro 89.54"
    assert main(["models", "describe", "good"]) == 0
    out = capsys.readouterr().out
    assert "the package a-package 1.5" in out and "F1" not in out


def test_a_model_that_was_just_trained_is_described(
    tiny_model_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its configuration and its metrics tell the language and the scores that ``about.json`` would."""
    trained = shutil.copytree(tiny_model_dir, tmp_path / "model")
    metrics = {"update": 3, "seconds": 9.0, "dev.mrg f1": 91.284, "dev.mrg tags": 95.0, "f1": 91.3}
    (trained / "metrics.json").write_text(json.dumps(metrics))
    assert main(["models", "describe", str(trained)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "language     en" in lines and "dev F1       dev.mrg 91.28" in lines
    (trained / "about.json").write_text('{"language": "fr", "f1": {"test.mrg": 90.5}}')
    assert main(["models", "describe", str(trained)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "language     fr" in lines and "F1           test.mrg 90.50" in lines
    assert not any(line.startswith("dev F1") for line in lines)


def test_json_of_other_types_in_a_model_is_one_sentence(
    tiny_model_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Labels and scores of other types were a traceback."""
    made = shutil.copytree(tiny_model_dir, tmp_path / "made")
    (made / "metrics.json").write_text('{"dev f1": "high", "test f1": [1], "old f1": 90.125}')
    assert main(["models", "export", str(made), str(tmp_path / "new"), "--name", "mine"]) == 0
    assert json.loads((tmp_path / "new" / "about.json").read_text(encoding="utf-8"))["f1"] == {
        "old (development)": 90.12
    }
    capsys.readouterr()
    for labels in ('{"languages": ["en"]}', '{"labels": 1, "tags": []}', '{"labels": [1]}', "{}"):
        (made / "labels.json").write_text(labels)
        assert main(["models", "describe", str(made), "--labels"]) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1)
        assert f"{made / 'labels.json'} does not hold the labels of a model: " in err


def test_a_card_is_printed(tiny_model_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "card", "en"]) == 0
    card = (models.SHIPPED / "en" / "card.md").read_text(encoding="utf-8")
    assert capsys.readouterr().out == card
    assert main(["models", "card", str(tiny_model_dir)]) == 2
    assert "has no model card" in capsys.readouterr().err


def test_a_card_that_is_not_utf8_and_a_zip_are_told_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "card.md").write_bytes(b"caf\xe9")
    assert main(["models", "card", str(tmp_path)]) == 2
    assert "card.md cannot be read: 'utf-8' codec" in capsys.readouterr().err
    packed = tmp_path / "parser.zip"
    packed.touch()
    for command in ("card", "describe"):
        assert main(["models", command, str(packed)]) == 2
        assert f"{packed} is not a whole zip file of a model" in capsys.readouterr().err


def test_a_zip_is_a_model_wherever_one_is_named(
    tiny_model_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = shutil.copytree(tiny_model_dir, tmp_path / "made")
    (made / "card.md").write_text("# Its card\n")
    (made / "LICENSE").write_text("Yours.\n")
    packed = shutil.make_archive(str(tmp_path / "packed"), "zip", tmp_path, "made")
    assert main(["models", "card", packed]) == 0
    assert capsys.readouterr().out == "# Its card\n"
    assert main(["models", "describe", packed]) == 0
    assert f"folder   {packed}" in capsys.readouterr().out.replace("       ", "   ")
    assert main(["models", "import", str(made), str(made / "below")]) == 0
    assert not (made / "below" / "below").exists()
    shutil.rmtree(made / "below")
    for command in (["import", packed], ["export", packed, "--name", "mine"]):
        target = tmp_path / command[0]
        assert main(["models", *command[:2], str(target), *command[2:]]) == 0
        for file in made.rglob("*"):
            if file.is_file():
                assert (target / file.relative_to(made)).read_bytes() == file.read_bytes()
    capsys.readouterr()
    smaller = tmp_path / "smaller"
    assert main(["models", "import", str(made), str(smaller), "--store", "int8"]) == 0
    weights = "model.safetensors"
    assert (smaller / weights).stat().st_size < (made / weights).stat().st_size
    assert (smaller / "LICENSE").read_text() == "Yours.\n"


def test_export_says_what_is_missing_and_what_to_type(
    tiny_model_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "mine"
    assert main(["models", "export", str(tiny_model_dir), str(target), "--version", "2.1"]) == 0
    out, err = capsys.readouterr()
    assert out == f"{target} is written: pip install {target}; bnaparse --model mine ...\n"
    assert "no card.md and no LICENSE" in err
    assert 'version = "2.1"' in (target / "pyproject.toml").read_text()
    blank = tmp_path / "in two"
    assert main(["models", "export", str(tiny_model_dir), str(blank), "--name", "mine"]) == 0
    assert f'pip install "{blank}";' in capsys.readouterr().out
    assert main(["models", "export", "en", str(tmp_path / "en")]) == 2
    assert "ships with bnaparser" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("en", "ships with bnaparser"),
        ("good", "pip uninstall a-package"),
        ("bad", "pip uninstall b-package"),
        (".", "a local folder or file"),
        ("nothing", "is in the hub's cache"),
    ],
)
def test_what_is_not_removed(
    elsewhere: None, capsys: pytest.CaptureFixture[str], name: str, said: str
) -> None:
    assert main(["models", "remove", name]) == 2
    err = capsys.readouterr().err
    assert said in err and err.count("\n") == 1


def test_what_a_hub_gave_is_removed(
    elsewhere: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = []

    def remove(name: str) -> int:
        asked.append(name)
        return 57_000_000

    monkeypatch.setattr(hub, "remove", remove)
    assert main(["models", "remove", "org/far@v1"]) == 0
    assert asked == ["org/far@v1"]
    assert "57 MB" in capsys.readouterr().out
