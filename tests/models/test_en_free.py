"""The model for commercial use: nothing in its recipe that may not be, and small."""

from __future__ import annotations

import json
import re

import pytest

from bnaparser import Parser, models

FOLDER = models.SHIPPED / "en-free"
pytestmark = pytest.mark.skipif(
    not (FOLDER / "model.safetensors").is_file(), reason="models/en-free is not checked out"
)
FREE = {"masc", "craft", "genia", "silver_bert/ewt"}


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


def test_every_treebank_of_its_recipe_is_free() -> None:
    used = set(re.findall(r"TREEBANKS/([\w/]+?)(?:/train|/dev)?\.\w", _read("train.toml")))
    assert used == FREE
    assert not re.search("wsj|gum|brown", _read("make"))


def test_its_licence_allows_commercial_use_and_names_all_that_it_learned_from() -> None:
    assert json.loads(_read("about.json"))["license"] == "CC-BY-SA-4.0"
    terms = _read("LICENSE")
    for source in ("MASC", "CRAFT", "GENIA", "English Web Treebank", "MiniLM"):
        assert source in terms


def test_at_most_20_megabytes() -> None:
    assert sum(file.stat().st_size for file in FOLDER.rglob("*") if file.is_file()) <= 20e6


def _read(file: str) -> str:
    return (FOLDER / file).read_text(encoding="utf-8")
