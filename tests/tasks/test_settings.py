"""A task's recipe: what tells it from a parser's, and settings that cannot be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bnaparser.cli.training import is_task_recipe
from bnaparser.errors import DataError, SettingsError
from bnaparser.syntax.variants.sla import SlaSettings
from bnaparser.tasks.settings import (
    SyntaxTable,
    TaskModelSettings,
    load_task_recipe,
)

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
    assert len(files) == 10
    plain = {"semeval2010": "relations", "squad": "answers", "wnut17": "tagging"}
    for file in files:
        assert is_task_recipe(file)
        recipe = load_task_recipe(file)
        if file.stem in plain:
            assert (recipe.task.kind, recipe.syntax.variant) == (plain[file.stem], None)
        else:
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
        ("[task]\nkind = ['tagging']\n[encoder]\nname = 'a'", "task.kind"),
        (
            "[task]\nlanguage = 'xx'\n[encoder]\nname = 'a'",
            "unknown language 'xx': choose one of de, en",
        ),
        ("[task]\nmetric = 'f1'\n[encoder]\nname = 'a'", "set positive"),
        ("[task]\nmetric = 'pearson'\n[encoder]\nname = 'a'", "metric for kind classification"),
        ("[task]\nkind='tagging'\ntexts=['a','b']\n[encoder]\nname='a'", "cannot be tagged"),
        ("[task]\nkind='relations'\ntexts=['a','b']\n[encoder]\nname='a'", "in one text"),
        ("[task]\nkind='answers'\ntexts=['a']\n[encoder]\nname='a'", "that of the passage"),
        (
            "[task]\nkind='answers'\nmetric='f1'\n[encoder]\nname='a'",
            "for kind answers must be one of answer_f1, exact_match",
        ),
        (
            "[task]\n[encoder]\nname='a'\n[[train.data]]\npath='a'\npart=[0.5, 0.5]",
            "part must be two rising numbers",
        ),
        ("[task]\n[encoder]\nname='a'\n[syntax.sla]\n[syntax.wla]", "choose one variant"),
        ("[task]\n[encoder]\nname='a'\n[syntax]\ntrees='files'", "need each other"),
        (
            "[task]\n[encoder]\nname='a'\n[train]\nseeds=[1, 1]",
            "seeds must not contain a number twice",
        ),
        (
            "[task]\n[encoder]\nname='a'\n[answers]\nmax_seq_length=256",
            'the table answers is for kind "answers", not "classification"',
        ),
    ],
)
def test_settings_that_cannot_be(written: Callable[[str], Path], text: str, says: str) -> None:
    with pytest.raises(SettingsError, match=says):
        load_task_recipe(written(text))


def test_a_recipe_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot read the recipe"):
        load_task_recipe(tmp_path / "none.toml")


def test_stored_settings_name_what_steered_training_and_no_other_path(tmp_path: Path) -> None:
    encoder, parser = {"name": str(tmp_path)}, str(tmp_path)

    def stored(**syntax: object) -> SyntaxTable:
        table = {"cache": "x", "parser": parser, **syntax}
        settings = TaskModelSettings.model_validate({"encoder": encoder, "syntax": table})
        assert settings.portable().encoder.name == tmp_path.name
        assert settings.portable().syntax.cache is None
        return settings.portable().syntax

    assert stored(sla={}).parser == parser
    files = stored(sla={}, trees="files", files=["a.mrg"])
    assert (files.trees, files.files, files.parser) == ("files", ("a.mrg",), "en")
    assert files.variant == SlaSettings()
    assert stored(wla={}).parser == stored().parser == "en"
    assert stored(sla={}, trees="random").parser == "en"


def test_another_parser_takes_the_place_of_files() -> None:
    files = SyntaxTable.model_validate({"sla": {}, "trees": "files", "files": ["a.mrg"]})
    other = files.with_parser("en")
    assert (other.trees, other.files, other.parser) == ("parser", (), "en")
    random = SyntaxTable.model_validate({"sla": {}, "trees": "random"})
    assert random.with_parser("multi", "zh-Hant").trees == "random"  # it finds the words
    with pytest.raises(
        SettingsError, match="the trees of this model are random trees, not trees of a pars"
    ):
        random.with_parser("en")
    spacy = SyntaxTable.model_validate({"sla": {}, "trees": "spacy"})
    with pytest.raises(
        SettingsError, match=r"are those of spaCy's en_core_web_sm, not trees of a parser"
    ):
        spacy.with_parser("en")


def test_a_setting_of_a_parsers_encoder_is_told_those_of_a_tasks(
    written: Callable[[str], Path],
) -> None:
    file = written('[task]\n[encoder]\nname = "a"\nlayers = 2\n')
    told = (
        "encoder.layers: there is no such setting; encoder has name, pooling, hidden_layer, dropout"
    )
    with pytest.raises(SettingsError, match=told):
        load_task_recipe(file)
