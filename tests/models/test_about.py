"""What a model's folder tells of it: licence, language, scores, as its card has them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bnaparser import models
from bnaparser.errors import ModelError
from bnaparser.models.about import About, about


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


def test_keys_that_are_left_out_are_empty(tmp_path: Path) -> None:
    (tmp_path / "about.json").write_text(json.dumps({"license": "MIT"}))
    assert (about(tmp_path).license, about(tmp_path).f1) == ("MIT", {})
