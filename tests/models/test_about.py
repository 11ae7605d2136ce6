"""What a model's folder tells of it: licence, language, scores, as its card has them."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from bnaparser import models
from bnaparser.errors import ModelError
from bnaparser.files.folder import CONFIG
from bnaparser.models import about as models_about
from bnaparser.models.about import About, about, files_below, kind


@pytest.mark.parametrize("name", models.shipped())
def test_listing_licence_and_package_name_the_same_terms(name: str) -> None:
    folder = models.SHIPPED / name
    package = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    spdx = package["project"]["license"]
    first_line = (folder / "LICENSE").read_text(encoding="utf-8").splitlines()[0]
    assert first_line == f'The model "{name}" of bnaparser: terms ({spdx})'
    of_listing = "non-commercial use only" if spdx.endswith("-non-commercial") else spdx
    assert about(folder).license == of_listing


@pytest.mark.parametrize("name", models.shipped())
def test_models_that_ship_tell_language_licence_and_scores(name: str) -> None:
    told = about(models.find(name))
    assert told.name == name
    assert all((told.language, told.license, told.license_note, told.description, told.f1))
    assert told.size_bytes > 1_000_000


@pytest.mark.parametrize("name", models.shipped())
def test_scores_are_those_of_the_card(name: str) -> None:
    folder = models.find(name)
    card = (folder / "card.md").read_text(encoding="utf-8")
    in_tables = re.findall(r"\d\d\.\d\d", card)
    assert all(f"{score:.2f}" in in_tables for score in about(folder).f1.values())


def test_every_parser_that_is_stored_is_calibrated() -> None:
    """One was not, and said of what it had right that it was 16 % sure."""
    parsers = [folder for name in models.shipped() if kind(folder := models.find(name)) == "parser"]
    assert parsers
    for folder in parsers:
        config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        assert config["chart"]["temperature"] != 1, folder


def test_a_folder_that_tells_nothing(tmp_path: Path) -> None:
    assert about(tmp_path) == About(tmp_path.name)
    (tmp_path / "about.json").write_text('{"language": null, "license": null}')
    assert (about(tmp_path).language, about(tmp_path).license) == ("", "")


@pytest.mark.parametrize("content", ["{", "[1]", '{"f1": 3}', '{"f1": {"test": "high"}}', '"'])
def test_what_cannot_be_read_is_told_with_its_file(tmp_path: Path, content: str) -> None:
    (tmp_path / "about.json").write_text(content)
    with pytest.raises(ModelError, match=r"about\.json") as caught:
        about(tmp_path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("value", ['["en"]', "1", "false", '{"a": "b"}'])
@pytest.mark.parametrize("key", ["language", "license", "license_note", "description", "purpose"])
def test_a_word_of_another_type_is_refused(tmp_path: Path, key: str, value: str) -> None:
    """A list of languages was shown as ['en']."""
    (tmp_path / "about.json").write_text(f'{{"{key}": {value}}}')
    with pytest.raises(ModelError) as caught:
        about(tmp_path)
    assert f"about.json does not describe a model: '{key}' is {value}, and must be text" in str(
        caught.value
    )


@pytest.mark.parametrize("languages", ['"en"', "[1]", "3", '{"en": 1}', '[["en"]]'])
def test_languages_of_another_type_in_a_configuration_are_refused(
    tmp_path: Path, languages: str
) -> None:
    """The languages of "en" were e and n."""
    (tmp_path / CONFIG).write_text(f'{{"text": {{"languages": {languages}}}}}')
    for tell in (about, models_about.languages, models_about.named_languages):
        with pytest.raises(ModelError, match=r"config\.json is not the configuration of a model"):
            tell(tmp_path)
    (tmp_path / CONFIG).write_text('{"task": {"kind": ["x"]}}')
    with pytest.raises(ModelError, match=r"config\.json is not the configuration of a model"):
        kind(tmp_path)


def test_keys_that_are_left_out_are_empty(tmp_path: Path) -> None:
    (tmp_path / "about.json").write_text(json.dumps({"license": "MIT"}))
    assert (about(tmp_path).license, about(tmp_path).f1) == ("MIT", {})


def test_what_is_null_is_not_told(tmp_path: Path) -> None:
    (tmp_path / "about.json").write_text('{"license": null, "description": null}')
    assert (about(tmp_path).license, about(tmp_path).description) == ("", "")


def test_files_in_folders_that_are_links_are_found_once(tmp_path: Path) -> None:
    (tmp_path / "model" / "own").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    for folder in ("model", "model/own", "elsewhere"):
        (tmp_path / folder / "file").write_text("12")
    (tmp_path / "model" / "encoder").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "circle").symlink_to(tmp_path / "model")
    (tmp_path / "model" / "gone").symlink_to(tmp_path / "nowhere")
    found = [str(file.relative_to(tmp_path)) for file in files_below(tmp_path / "model")]
    assert found == ["model/encoder/file", "model/file", "model/own/file"]
    assert about(tmp_path / "model").size_bytes == 6


def test_a_name_too_long_for_a_file_is_no_models() -> None:
    with pytest.raises(ModelError, match="no model 'xxx"):
        models.find("x" * 300)
    names = [f"model-{number}" for number in range(50)]
    assert models.model_names(",".join(names)) == names
