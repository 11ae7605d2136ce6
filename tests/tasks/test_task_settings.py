"""A task's recipe: what tells it from a parser's, and settings that cannot be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bnaparser.errors import DataError, SettingsError
from bnaparser.syntax.variants.sla import SlaSettings
from bnaparser.tasks.task_settings import TaskModelSettings, is_task_recipe, load_task_recipe

RECIPES = Path(__file__).parents[2] / "recipes"


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        file = tmp_path / "recipe.toml"
        file.write_text(text, encoding="utf-8")
        return file

    return write


def test_the_recipes_that_come_along_are_whole() -> None:
    files = [
        RECIPES.parent / "models" / "sst2" / "train.toml",
        *sorted((RECIPES / "tasks").glob("*.toml")),
    ]
    assert len(files) == 7
    for file in files:
        assert is_task_recipe(file)
        recipe = load_task_recipe(file)
        assert recipe.syntax.variant == SlaSettings(threshold=3)
        assert recipe.train.data and recipe.train.dev


def test_a_parsers_recipe_is_none(written: Callable[[str], Path]) -> None:
    assert not is_task_recipe(RECIPES / "tiny.toml")
    assert not is_task_recipe(written("[task\n"))
    assert not is_task_recipe(RECIPES / "missing.toml")


def test_overrides(written: Callable[[str], Path]) -> None:
    file = written('[task]\n[encoder]\nname = "a"\n')
    recipe = load_task_recipe(file, ("syntax.sla.threshold=4", "encoder.name=b"))
    assert recipe.syntax.sla == SlaSettings(threshold=4)
    assert recipe.encoder.name == "b"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[task]\nkinds = 1\n[encoder]\nname = 'a'", "task.kinds"),
        ("[task]\n", "encoder"),
        ("[task]\nmetric = 'f1'\n[encoder]\nname = 'a'", "set positive"),
        ("[task]\nmetric = 'pearson'\n[encoder]\nname = 'a'", "metric of a classification"),
        ("[task]\nkind='tagging'\ntexts=['a','b']\n[encoder]\nname='a'", "cannot be tagged"),
        ("[task]\n[encoder]\nname='a'\n[syntax.sla]\n[syntax.wla]", "one variant at a time"),
        ("[task]\n[encoder]\nname='a'\n[syntax]\ntrees='files'", "go together"),
        ("[task]\n[encoder]\nname='a'\n[train]\nseeds=[1, 1]", "seeds must differ"),
    ],
)
def test_settings_that_cannot_be(written: Callable[[str], Path], text: str, says: str) -> None:
    with pytest.raises(SettingsError, match=says):
        load_task_recipe(written(text))


def test_a_recipe_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot read the recipe"):
        load_task_recipe(tmp_path / "none.toml")


def test_stored_settings_name_no_path_of_this_machine(tmp_path: Path) -> None:
    settings = TaskModelSettings.model_validate(
        {
            "encoder": {"name": str(tmp_path)},
            "syntax": {"cache": "x", "trees": "files", "files": ["a.mrg"], "sla": {}},
        }
    ).portable()
    assert settings.encoder.name == tmp_path.name
    assert (settings.syntax.cache, settings.syntax.files) == (None, ())
    assert settings.syntax.trees == "parser"
    assert settings.syntax.variant == SlaSettings()
