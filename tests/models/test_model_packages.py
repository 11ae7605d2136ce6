"""Models as packages: written, installed by pip, found by name; nothing of a package is run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from bnaparser import Parser, models
from bnaparser.errors import DataError, ModelError, SettingsError
from bnaparser.files.folder import CONFIG
from bnaparser.models.about import about, card, kind
from bnaparser.models.export import PROJECT, export, project
from bnaparser.models.packages import ModelPackage, find_installed, installed
from bnaparser.network.storage import copy_at_temperature
from bnaparser.parsing import default_model
from bnaparser.parsing.default_model import name_for

Install = Callable[..., Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """A function that puts a package with a model where Python finds it, as pip would."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(site)

    def put(
        name: str, module: str = "a_model", package: str = "a-package", **about: object
    ) -> Path:
        metadata = site / f"{package.replace('-', '_')}-1.5.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.5\n"
        )
        (metadata / "entry_points.txt").write_text(f"[bnaparser.models]\n{name} = {module}\n")
        folder = site / module.replace(".", "/")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "__init__.py").write_text("raise SystemExit('this package was run')\n")
        (folder / "config.json").write_text("{}")
        (folder / "model.safetensors").write_bytes(b"")
        (folder / "about.json").write_text(json.dumps(about))
        return folder

    return put


def test_a_model_that_pip_has_installed_loads_by_its_name(
    tiny_model_dir: Path, tmp_path: Path
) -> None:
    export(tiny_model_dir, tmp_path / "package", "tiny-one", "2.0")
    (tmp_path / "package" / ".gitignore").write_text("*.safetensors\n")
    before = sorted(tmp_path.joinpath("package").rglob("*"))
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    command += ["--no-build-isolation", "--target", str(tmp_path / "site"), "./package"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    assert sorted(tmp_path.joinpath("package").rglob("*")) == before  # nothing is left behind
    folder = tmp_path / "site" / "bnaparser_model_tiny_one"
    assert not list(folder.rglob("*.py")) and not (folder / PROJECT).exists()
    code = (
        "import sys; from bnaparser import Parser, models; "
        "parser = Parser.load('tiny-one', device='cpu'); "
        "print(models.find('tiny-one')); print(parser('Mira sang.')[0].tree); "
        "print([name for name in sys.modules if name.startswith('bnaparser_model')])"
    )
    paths = [str(tmp_path / "site"), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path, env=environment, check=True, capture_output=True, text=True,
    )  # fmt: skip
    [parse] = Parser.load(tiny_model_dir, device="cpu")("Mira sang.")
    assert done.stdout.splitlines() == [str(folder), str(parse.tree), "[]"]


def test_the_exported_folder_is_a_model_folder_still(tiny_model_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "given").mkdir()
    given = shutil.copytree(tiny_model_dir, tmp_path / "given" / "model")
    (given / "LICENSE").write_text("terms")
    (given / "notes.pkl").write_bytes(b"no data")
    (given / "code.py").write_text("no data")
    target = tmp_path / "exported"
    export(given, target, "mine", "1.0")
    assert {file.name for file in given.rglob("*")} - {file.name for file in target.rglob("*")} == {
        "notes.pkl",
        "code.py",
    }
    weights = "model.safetensors"
    assert (target / weights).read_bytes() == (given / weights).read_bytes()
    assert (Parser.load(target)("It rained.")[0].tree, kind(target)) == (
        Parser.load(given)("It rained.")[0].tree,
        "parser",
    )
    assert json.loads((target / "about.json").read_text()) == {"format": 1, "language": "en"}
    again = tmp_path / "again"
    export(target, again, "mine", "1.0")
    assert (again / PROJECT).read_text() == (target / PROJECT).read_text()


def test_an_exported_model_tells_what_its_training_has_measured(
    tiny_model_dir: Path, tmp_path: Path
) -> None:
    """``bnaparser models describe`` showed neither its language nor a score."""
    given = shutil.copytree(tiny_model_dir, tmp_path / "given")
    metrics = {"update": 5, "dev.mrg f1": 91.234, "dev.mrg tags": 97.0, "f1": 91.234}
    (given / "metrics.json").write_text(json.dumps(metrics))
    export(given, tmp_path / "exported", "mine", "1.0")
    told = about(tmp_path / "exported")
    assert (told.language, told.f1) == ("en", {"dev.mrg (development)": 91.23})
    (given / "about.json").write_text(json.dumps({"language": "fr", "f1": {"Sequoia": 88.0}}))
    export(given, tmp_path / "again", "mine", "1.0")
    told = about(tmp_path / "again")
    assert (told.language, told.f1) == ("fr", {"Sequoia": 88.0})


def test_an_encoder_behind_a_link_is_copied(tiny_model_dir: Path, tmp_path: Path) -> None:
    """It was left out, by the package and by the calibrated folder, without a word."""
    given = shutil.copytree(tiny_model_dir, tmp_path / "given")
    (given / "encoder").rename(tmp_path / "elsewhere")
    (given / "encoder").symlink_to(tmp_path / "elsewhere")
    export(given, tmp_path / "exported", "mine", "1.0")
    copy_at_temperature(given, tmp_path / "calibrated", 2.0, {})
    for name in ("exported", "calibrated"):
        tree = Parser.load(tmp_path / name)("It rained.")[0].tree
        assert tree == Parser.load(given)("It rained.")[0].tree


@pytest.mark.parametrize("name", models.shipped())
def test_models_of_this_repository_are_packages(name: str) -> None:
    """What `bnaparser models export` writes, but for their licence, of which main has a text."""
    folder = models.SHIPPED / name
    written = tomllib.loads((folder / PROJECT).read_text(encoding="utf-8"))
    expected = tomllib.loads(project(about(folder), "0.1.0", has_card=True, has_terms=True))
    licence = written["project"].pop("license"), expected["project"].pop("license")
    assert written == expected
    by_spdx = licence[0] == licence[1] and licence[0] in {"CC-BY-SA-4.0", "CC-BY-NC-SA-4.0"}
    assert by_spdx or licence[0] == "LicenseRef-bnaparser-models-non-commercial"


def test_a_licence_that_spdx_knows_is_named(tiny_model_dir: Path, tmp_path: Path) -> None:
    given = shutil.copytree(tiny_model_dir, tmp_path / "given")
    told = {"license": "mit or apache-2.0", "description": 'It says "hello".\nTwice.'}
    (given / "about.json").write_text(json.dumps(told))
    (given / "card.md").write_text("# A card")
    export(given, tmp_path / "out", "Mine_2", "1")
    table = tomllib.loads((tmp_path / "out" / PROJECT).read_text(encoding="utf-8"))["project"]
    assert table["license"] == "MIT OR Apache-2.0" and "license-files" not in table
    assert (table["name"], table["readme"]) == ("bnaparser-model-mine-2", "card.md")
    assert table["description"] == 'It says "hello". Twice.'
    assert table["entry-points"] == {"bnaparser.models": {"Mine_2": "bnaparser_model_mine_2"}}
    assert card(tmp_path / "out") == "# A card"


@pytest.mark.parametrize(
    ("name", "version", "said"),
    [
        ("en", "1.0", "ships with bnaparser"),
        ("a/b", "1.0", "not a valid name for a model"),
        ("é", "1.0", "not a valid name for a model"),
        ("a-", "1.0", "not a valid name for a model"),
        ("mine", "new", "not a valid version"),
    ],
)
def test_names_and_versions_that_no_package_has(
    tiny_model_dir: Path, tmp_path: Path, name: str, version: str, said: str
) -> None:
    with pytest.raises(ModelError, match=said):
        export(tiny_model_dir, tmp_path / "out", name, version)
    assert not (tmp_path / "out").exists()


def test_only_whole_model_folders_are_exported_and_nothing_is_written_over(
    tiny_model_dir: Path, tmp_path: Path
) -> None:
    (tmp_path / "benepars").mkdir()
    (tmp_path / "benepars" / "config.json").write_text("{}")
    with pytest.raises(ModelError, match=r"no model\.safetensors.*models import"):
        export(tmp_path / "benepars", tmp_path / "out", "mine", "1.0")
    with pytest.raises(DataError, match="exists already"):
        export(tiny_model_dir, tmp_path / "benepars", "mine", "1.0")


# --- what is installed


def test_a_package_is_found_and_not_run(install: Install) -> None:
    folder = install("stranger", "deep.down.model")
    assert models.find("stranger") == folder
    assert installed() == [ModelPackage("stranger", "a-package", "1.5", folder)]
    assert not {"deep", "deep.down.model"} & set(sys.modules)
    with pytest.raises(ModelError, match="or of a package: stranger"):
        models.find("nowhere")


def test_a_language_is_enough_to_find_an_installed_model(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As the wheel has it: a checkout holds the repository's other models, too.
    monkeypatch.setattr(default_model, "shipped", lambda: ["en", "sst2"])
    install("tasks", "first")
    (install("iberian", "second", "b-package") / CONFIG).write_text(
        '{"text": {"languages": ["es", "pt"]}}'
    )
    (install("sinitic", "third", "c-package") / CONFIG).write_text(
        '{"text": {"languages": ["zh-Hant"]}}'
    )
    found = {code: name_for(code) for code in ("pt", "zh", "zh-Hans", "en", None)}
    assert found == {
        "pt": "iberian", "zh": "sinitic", "zh-Hans": "sinitic", "en": "en", None: "en"
    }  # fmt: skip
    (models.find("iberian") / CONFIG).write_text("{")
    assert name_for("zh") == "sinitic"
    (models.find("iberian") / CONFIG).write_text('{"task": {"kind": "tagging"}}')
    advice = "; the model multi knows it: in a checkout of bnaparser, pip install ./models/multi"
    with pytest.raises(SettingsError) as caught:
        name_for("pt")
    assert "language 'pt': there is en (English), zh-Hant" in str(caught.value)
    assert str(caught.value).endswith(advice)
    with pytest.raises(SettingsError, match=r"language 'hu'.*\)$"):
        name_for("hu")


def test_a_folder_of_the_same_name_is_given_with_its_path(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = install("stranger")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stranger").mkdir()
    assert models.find("stranger") == folder
    assert models.find("./stranger") == models.find(Path("stranger")) == Path("stranger")


def test_what_ships_stays_what_it_is(install: Install) -> None:
    install("en")
    assert models.find("en") == models.SHIPPED / "en"
    [one] = installed()
    assert "a name that ships" in one.problem


def test_a_name_of_two_packages_is_nobodys(install: Install) -> None:
    install("twice", "first", "one-package")
    install("twice", "second", "other-package")
    install("alone", "third", "third-package")
    with pytest.raises(ModelError, match=r"one-package 1\.5.*so does other-package 1\.5.*pip uni"):
        models.find("twice")
    assert find_installed("alone") is not None


def test_a_model_of_another_format_is_refused_in_one_sentence(
    install: Install, tiny_model_dir: Path, tmp_path: Path
) -> None:
    install("newer", format=2)
    with pytest.raises(ModelError) as caught:
        models.find("newer")
    assert "the package a-package 1.5 cannot be used" in str(caught.value)
    assert "of format 2, and this version of bnaparser reads format 1" in str(caught.value)
    given = shutil.copytree(tiny_model_dir, tmp_path / "given")
    (given / "about.json").write_text('{"format": 3}')
    with pytest.raises(ModelError, match="of format 3"):
        Parser.load(given)
    for told in ('"1"', "null", "true"):
        (given / "about.json").write_text(f'{{"format": {told}}}')
        with pytest.raises(ModelError, match=rf"its format is {told}: that is not the number"):
            Parser.load(given)


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("site/a_model/config.json", None, r"no config\.json"),
        ("site/a_model/model.safetensors", None, r"no model\.safetensors"),
        ("site/a_package-1.5.dist-info/METADATA", "", None),
        (
            "site/a_package-1.5.dist-info/entry_points.txt",
            "[bnaparser.models]\nbroken = ../../etc\n",
            "not as NAME = PACKAGE",
        ),
        (
            "site/a_package-1.5.dist-info/entry_points.txt",
            "[bnaparser.models]\nbroken = nowhere\n",
            "editable",
        ),
        ("site/a_package-1.5.dist-info/entry_points.txt", "[bnaparser.models]\nbroken\n", None),
        ("site/a_package-1.5.dist-info/entry_points.txt", None, None),
    ],
)
def test_a_broken_package_hides_no_other(
    install: Install, tmp_path: Path, file: str, content: str | None, said: str | None
) -> None:
    install("broken")
    good = install("good", "good_model", "good-package")
    if content is None:
        (tmp_path / file).unlink()
    else:
        (tmp_path / file).write_text(content)
    assert models.find("good") == good
    if said is not None:
        with pytest.raises(ModelError, match=said):
            models.find("broken")
    assert [one.name for one in installed() if one.name == "good"] == ["good"]


def test_a_name_near_to_a_model_is_suggested() -> None:
    with pytest.raises(ModelError, match=r"no model 'en-fre' \(did you mean 'en-free'\?\): give a"):
        models.find("en-fre")
