"""The model for commercial use: nothing in its recipe that may not be, and small."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest

from bnaparser import Parser, models

FOLDER = models.SHIPPED / "en-free"
pytestmark = pytest.mark.skipif(
    not (FOLDER / "model.safetensors").is_file(), reason="models/en-free is not checked out"
)
# All that its recipes read, with what LICENSE calls it. What is written in capitals `make` replaces by a path.
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
    "ENCODER": ("all-MiniLM-L6-v2", "all-mpnet-base-v2"),
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
    *("running text", "Stack Exchange", "all-MiniLM-L6-v2", "all-mpnet-base-v2"),
)
# Strings of recipes that name nothing to learn from.
SETTINGS = {
    *("bimsa", "nsa", "linear", "bf16", "int8", "float32"),
    *("masc", "craft", "genia", "ewt", "recipes/label_maps.toml"),
}


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser.load("en-free", device="cpu")


@pytest.mark.parametrize(
    ("text", "usual"),
    [
        ("THE CAT SAT ON THE MAT.", "The cat sat on the mat."),
        ("The Cat Sat On The Mat.", "The cat sat on the mat."),
    ],
)
def test_the_same_tree_in_capitals(parser: Parser, text: str, usual: str) -> None:
    (parse,), (other,) = parser(text), parser(usual)
    assert (parse.tags, parse.spans) == (other.tags, other.spans)


def test_its_recipes_read_nothing_but_free_data() -> None:
    recipes = [file for file in FOLDER.glob("*.toml") if file.name != "pyproject.toml"]
    assert {file.stem for file in recipes} == {"pretrain", "teacher", "train"}
    read = {one for file in recipes for one in _strings(tomllib.loads(_read(file.name)))}
    assert read - SETTINGS == SOURCES.keys()


def test_its_make_reads_nothing_but_what_its_recipes_read() -> None:
    make = _read("make")
    named = re.findall(r'\$treebanks"?/(\{[^}]*\}|[\w.]+)(\S*)', make)
    assert len(named) == make.count("$treebanks") - make.count("|$treebanks|") > 0
    for first, rest in named:
        for treebank in first.strip("{}").split(","):
            assert f"TREEBANKS/{treebank}{rest}" in SOURCES
    assert set(re.findall(r"s\|(\w+)\|", make)) == {one for one in SOURCES if one.isupper()} | {
        "TREEBANKS"
    }
    lines = [line for line in make.splitlines() if not line.startswith("#")]
    assert not re.search(r"wsj|gum|brown|openstax|qmsum|webtext", "\n".join(lines), re.IGNORECASE)
    assert "minilm=$1 mpnet=$2 treebanks=$3 output=$4 text=$5 varied=$6" in lines


def test_its_licence_allows_commercial_use_and_names_all_that_it_learned_from() -> None:
    assert json.loads(_read("about.json"))["license"] == "CC-BY-SA-4.0"
    terms, card = (" ".join(_read(file).split()) for file in ("LICENSE", "card.md"))
    terms = terms[: terms.index("Apache License Version 2.0")]
    for source in {name for names in SOURCES.values() for name in names}:
        assert source in terms
    of_card = card[card.index("## Licence") : card.index("## Recipe")]
    for source in IN_THE_CARD:
        assert source in of_card


def test_at_most_20_megabytes() -> None:
    assert sum(file.stat().st_size for file in FOLDER.rglob("*") if file.is_file()) <= 20e6


def _read(file: str) -> str:
    return (FOLDER / file).read_text(encoding="utf-8")


def _strings(table: Any) -> Iterator[str]:
    """Yield all strings of a recipe that are values."""
    if isinstance(table, str):
        yield table
    elif isinstance(table, list | dict):
        for one in table.values() if isinstance(table, dict) else table:
            yield from _strings(one)
