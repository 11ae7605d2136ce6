"""The models for commercial use: nothing in their recipes that may not be, and of few megabytes."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest

from bnaparser import Parser, models

MODELS = {"en-free": 20e6, "en-free-large": 35e6}
"""Each model with the number of bytes that its folder has at most."""
pytestmark = [
    pytest.mark.skipif(
        not all((models.SHIPPED / name / "model.safetensors").is_file() for name in MODELS),
        reason="models/en-free or models/en-free-large is not checked out",
    ),
    pytest.mark.parametrize("name", MODELS),
]
RECIPES = {"en-free": {"pretrain", "teacher", "train"}, "en-free-large": {"student"}}
# All that their recipes read, with what LICENSE calls it. What is written in capitals `make` replaces by a path.
TEXT = (
    "Standard Ebooks",
    "US presidents' speeches",
    "pratibha99/supreme-court-transcripts",
    "garrettstephen/us-code-1925",
    "MASC's texts",
    "The Rust Programming Language",
    "Topical-Chat",
    "Taskmaster-4",
    "Stack Exchange",
    "IRC of Kummerfeld",
    "EmailIntentDataSet",
)
SOURCES = {
    "TREEBANKS/masc/train.txt.xz": ("MASC",),
    "TREEBANKS/masc/dev.txt.xz": ("MASC",),
    "TREEBANKS/craft/train.txt.xz": ("CRAFT",),
    "TREEBANKS/craft/dev.txt.xz": ("CRAFT",),
    "TREEBANKS/genia/train.txt.xz": ("GENIA Treebank v1",),
    "TREEBANKS/genia/dev.txt.xz": ("GENIA Treebank v1",),
    "TREEBANKS/silver_bert/ewt.txt.xz": ("Yang and others", "English Web Treebank"),
    "recipes/data/constructions_train.mrg": ("recipes/data/constructions.toml",),
    "ENCODER": ("all-mpnet-base-v2",),
    "START": ("all-mpnet-base-v2",),
    "SILVER": TEXT,
    "TEXT": TEXT,
    "VARIED": TEXT,
}
IN_THE_CARD = (
    *(
        "MASC",
        "CRAFT",
        "GENIA Treebank v1",
        "English Web Treebank",
        "recipes/data/constructions.toml",
    ),
    *("running text", "Stack Exchange", "all-mpnet-base-v2"),
)
# Strings of recipes that name nothing to learn from.
SETTINGS = {
    *("bimsa", "nsa", "linear", "bf16", "int8", "float32"),
    *("masc", "craft", "genia", "ewt", "recipes/label_maps.toml"),
}


@pytest.mark.parametrize("text", ["THE CAT SAT ON THE MAT.", "The Cat Sat On The Mat."])
def test_the_same_tree_in_capitals(name: str, text: str) -> None:
    parser = Parser.load(name, device="cpu")
    (parse,), (other,) = parser(text), parser("The cat sat on the mat.")
    assert (parse.tags, parse.spans) == (other.tags, other.spans)


def test_recipes_read_nothing_but_free_data(name: str) -> None:
    files = [file for file in (models.SHIPPED / name).glob("*.toml") if file.stem != "pyproject"]
    assert {file.stem for file in files} == RECIPES[name]
    read = {one for file in files for one in _strings(tomllib.loads(_read(name, file.name)))}
    assert read - SETTINGS <= SOURCES.keys()


def test_all_recipes_together_read_all_sources(name: str) -> None:
    assert name in RECIPES
    files = [f"{model}/{stem}.toml" for model, stems in RECIPES.items() for stem in stems]
    read = {one for file in files for one in _strings(tomllib.loads(_read(".", file)))}
    assert read - SETTINGS == SOURCES.keys()


def test_make_reads_nothing_but_what_recipes_read(name: str) -> None:
    make = _read(name, "make")
    named = re.findall(r'\$treebanks"?/(\{[^}]*\}|[\w.]+)(\S*)', make)
    assert len(named) == make.count("$treebanks") - make.count("|$treebanks|") > 0
    for first, rest in named:
        for treebank in first.strip("{}").split(","):
            assert f"TREEBANKS/{treebank}{rest}" in SOURCES
    replaced = set(re.findall(r"s\|(\w+)\|", make))
    of_recipes = " ".join(_read(name, f"{stem}.toml") for stem in RECIPES[name])
    assert replaced == set(re.findall(r'"([A-Z]+)[/"]', of_recipes))
    lines = [line for line in make.splitlines() if not line.startswith("#")]
    assert not re.search(r"wsj|gum|brown|openstax|qmsum|webtext", "\n".join(lines), re.IGNORECASE)
    if name == "en-free":
        assert "minilm=$1 mpnet=$2 treebanks=$3 output=$4 text=$5 varied=$6" in lines
    else:
        assert "treebanks=$3 output=$4" in lines and 'models/en-free/make "$@"' in lines


def test_the_licence_allows_commercial_use_and_names_all_that_a_model_learned_from(
    name: str,
) -> None:
    assert json.loads(_read(name, "about.json"))["license"] == "CC-BY-SA-4.0"
    terms, card = (" ".join(_read(name, file).split()) for file in ("LICENSE", "card.md"))
    terms = terms[: terms.index("Apache License Version 2.0")]
    encoder = ["all-MiniLM-L6-v2"] if name == "en-free" else []
    for source in [*{name for names in SOURCES.values() for name in names}, *encoder]:
        assert source in terms
    of_card = card[card.index("## Licence") : card.index("## Recipe")]
    for source in [*IN_THE_CARD, *encoder]:
        assert source in of_card


def test_the_folder_is_small(name: str) -> None:
    files = [file for file in (models.SHIPPED / name).rglob("*") if file.is_file()]
    assert sum(file.stat().st_size for file in files) <= MODELS[name]


def _read(model: str, file: str) -> str:
    return (models.SHIPPED / model / file).read_text(encoding="utf-8")


def _strings(table: Any) -> Iterator[str]:
    """Yield all strings of a recipe that are values."""
    if isinstance(table, str):
        yield table
    elif isinstance(table, list | dict):
        for one in table.values() if isinstance(table, dict) else table:
            yield from _strings(one)
