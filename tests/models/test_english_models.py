"""What every English model gives: the README's tree, and the F1 of its first development sentences."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmarks.accuracy.run_accuracy import bracket_scores, gold_trees
from bnaparser import Parser, models

FLOORS: dict[str, dict[str, float]] = {
    "en": {"wsj_sample": 95.5, "gum": 89.3, "genia": 90.5},
    "en-free": {"masc": 92.8},
    "en-free-large": {"masc": 94.7, "genia": 91.0},
    "en-small": {"wsj_sample": 95.3},
}  # of the first 100 sentences: half a point below what the models have


@pytest.fixture(scope="module")
def parser(request: pytest.FixtureRequest) -> Parser:
    name: str = request.param
    if not (models.SHIPPED / name / "model.safetensors").is_file():
        pytest.skip(f"models/{name} is not checked out")
    return Parser.load(name, device="cpu")


@pytest.mark.parametrize("parser", FLOORS, indirect=True)
def test_the_readme_sentence(parser: Parser) -> None:
    assert str(parser("The cat sat on the mat.")[0].tree) == (
        "(TOP (S (NP (DT The) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN mat)))) (. .)))"
    )


@pytest.mark.skipif(
    "BNAPARSER_DATA" not in os.environ, reason="BNAPARSER_DATA: a folder with treebanks"
)
@pytest.mark.parametrize(
    ("parser", "treebank", "floor"),
    [(name, *floor) for name, floors in FLOORS.items() for floor in floors.items()],
    indirect=["parser"],
)
def test_development_f1(parser: Parser, treebank: str, floor: float) -> None:
    gold = gold_trees(Path(os.environ["BNAPARSER_DATA"]) / "treebanks", treebank, "dev", 100)
    parses = parser.parse_many([tree.words for tree in gold])
    assert bracket_scores(gold, parses).f1 > floor


def test_en_small_is_smaller_than_en() -> None:
    small, large = (models.SHIPPED / name / "model.safetensors" for name in ("en-small", "en"))
    if not (small.is_file() and large.is_file()):
        pytest.skip("models/en or models/en-small is not checked out")
    assert small.stat().st_size < 0.8 * large.stat().st_size
