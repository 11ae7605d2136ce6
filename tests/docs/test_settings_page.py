"""The page of settings is that of the code, and the recipe of the page on training trains."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from bnaparser.settings import Settings
from bnaparser.training.recipe import load_recipe
from bnaparser.training.run import train

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def writer() -> ModuleType:
    """The script that writes the page."""
    spec = importlib.util.spec_from_file_location("settings_page", DOCS / "settings_page.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_up_to_date(writer: ModuleType) -> None:
    """Its settings were to be looked up in source files."""
    assert (DOCS / "settings.md").read_text(encoding="utf-8") == writer.page(), (
        "python docs/settings_page.py writes the page anew"
    )


def test_every_setting_has_a_row(writer: ModuleType) -> None:
    page = (DOCS / "settings.md").read_text(encoding="utf-8")

    def check(kind: type[Settings], name: str) -> None:
        for key, field in kind.model_fields.items():
            table, _ = writer.nested(field.annotation)
            if table is None:
                assert f"| `{key}` |" in page, f"{name}.{key}"
            else:
                check(table, f"{name}.{key}")

    for _, recipe in writer.KINDS:
        check(recipe, recipe.__name__)


def test_the_recipe_of_the_page_on_training_trains(
    encoder_folder: Callable[[str], Path], treebank: Path, tmp_path: Path
) -> None:
    """There was no whole recipe in the documents."""
    page = (DOCS / "training.md").read_text(encoding="utf-8")
    recipe = page.partition("```toml\n")[2].partition("```")[0]
    recipe = recipe.replace("sentence-transformers/all-MiniLM-L6-v2", str(encoder_folder("bert")))
    for name in ("train.mrg", "dev.mrg"):
        recipe = recipe.replace(f'"{name}"', json.dumps(str(treebank)))
    file = tmp_path / "mine.toml"
    file.write_text(recipe, encoding="utf-8")
    overrides = ("train.max_steps=1", "layers.hidden_size=32", "train.dev_sentences=4")
    assert train(load_recipe(file, overrides), tmp_path / "run").update == 1
