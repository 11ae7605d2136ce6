"""The smaller English model: what it is taken for, and a little of its accuracy."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmarks.accuracy.run_accuracy import bracket_scores, gold_trees
from bnaparser import Parser, models

FOLDER = models.SHIPPED / "en-small"
pytestmark = pytest.mark.skipif(
    not (FOLDER / "model.safetensors").is_file(), reason="models/en-small is not checked out"
)
FLOORS = {"wsj_sample": 94.5, "gum": 88, "masc": 93}  # of the first development sentences


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser.load("en-small", device="cpu")


def test_the_readme_sentence(parser: Parser) -> None:
    assert str(parser("The cat sat on the mat.")[0].tree) == (
        "(TOP (S (NP (DT The) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN mat)))) (. .)))"
    )


def test_it_is_smaller_than_en() -> None:
    weights = (models.SHIPPED / name / "model.safetensors" for name in ("en-small", "en"))
    small, large = (file.stat().st_size for file in weights)
    assert small < 0.8 * large


@pytest.mark.skipif(
    "BNAPARSER_DATA" not in os.environ, reason="BNAPARSER_DATA: a folder with treebanks"
)
@pytest.mark.parametrize("name", FLOORS)
def test_development_f1(parser: Parser, name: str) -> None:
    gold = gold_trees(Path(os.environ["BNAPARSER_DATA"]) / "treebanks", name, "dev", 100)
    parses = parser.parse_many([tree.words for tree in gold])
    assert bracket_scores(gold, parses).f1 > FLOORS[name]
