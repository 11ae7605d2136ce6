"""What the benchmarks of languages rest on: text made of a treebank's words, scores of raw text, a release."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmarks.languages.detokenised import detokenised
from benchmarks.languages.invented_ctb import ARTICLES, SENTENCES, write_release
from benchmarks.languages.round_trip import TREEBANKS, round_trip
from benchmarks.languages.run_languages import raw_scores
from benchmarks.languages.train_language import with_paths
from bnaparser.parsing.result import Parse
from bnaparser.text.text_rules import rules_of
from bnaparser.treebanks.reading import load_trees
from bnaparser.treebanks.releases import CTB
from bnaparser.trees.tree import Span, Tree

# A little under the figures of docs/languages.md: right parts, rules alone, one sentence.
FLOORS = {
    "de": (99, 98, 99), "es": (98, 39, 99), "fr": (97, 67, 98), "id": (98, 94, 99), "is": (97, 55, 96),
    "ja": (99, 0, 95), "pt": (97, 46, 99), "zh-Hant": (99, 0, 99),
}  # fmt: skip


@pytest.mark.parametrize(
    ("language", "words", "text"),
    [
        ("es", ["¿", "Qué", "-Fpa-", "a_pesar_de", "-Fpt-", "?"], "¿Qué (a pesar de)?"),
        ("fr", ["D'_ailleurs", "l'", "ex-", "ami", '"', "dit", '"', "-il", "?"], "D'ailleurs l'ex-ami \"dit\"-il ?"),
        ("pt", ["Além_de", "os", "dois", "a", "a", "de_o", "."], "Além dos dois à de o."),
        ("is", ["Maður$", "$inn", "."], "Maðurinn."),
        ("id", ["Kata", "nya", "anak", "-", "anak", "."], "Katanya anak-anak."),
        ("ja", ["猫", "だ", "。"], "猫だ。"),
    ],
)  # fmt: skip
def test_words_become_text(language: str, words: list[str], text: str) -> None:
    found = detokenised(words, language)
    assert found.text == text
    assert len(found.places) == len(words)
    assert all(0 <= start < end <= len(text) for start, end in found.places)


def test_places_of_contractions_are_those_that_the_parser_gives_them() -> None:
    words = ["Em", "a", "casa", "de", "os", "pais", "a", "a", "tarde"]
    found = detokenised(words, "pt")
    assert found.text == "Na casa dos pais à tarde"
    assert [found.text[a:b] for a, b in found.places] == [
        "N", "a", "casa", "d", "os", "pais", "à", "à", "tarde"
    ]  # fmt: skip
    assert list(rules_of("pt").sentence(found.text).offsets) == found.places


def test_scores_of_raw_text_by_hand() -> None:
    gold = Tree.from_spans(["a_b", "c"], ["X", "X"], [Span(0, 2, "S"), Span(0, 1, "NP")])
    text = detokenised(gold.words, "es")
    assert text.text == "a b c"
    # a, b and c apart: one word of three is right, of the constituents S, and NP over a b.
    parse = Parse(
        text.text,
        ("a", "b", "c"),
        ("X", "X", "X"),
        (Span(0, 3, "S"), Span(0, 2, "NP"), Span(2, 3, "VP")),
        offsets=((0, 1), (2, 3), (4, 5)),
    )
    scores = raw_scores([gold], [text], [parse])
    assert scores.words == (1, 3, 2)
    assert scores.constituents == (2, 3, 2)
    assert scores.whole == 0
    failed = Parse(text.text, error="no")
    assert raw_scores([gold], [text], [failed]).constituents == (0, 0, 2)


def test_an_invented_release_is_read_as_the_real_one(tmp_path: Path) -> None:
    assert len(ARTICLES) == len(set(ARTICLES)) > 880
    assert SENTENCES == 18_782
    write_release(tmp_path, (1, 271, 301, 1151), 40)
    trees = {part: list(CTB.read(tmp_path, part)) for part in CTB.parts}
    assert {part: len(of) for part, of in trees.items()} == {"train": 20, "dev": 10, "test": 10}
    labels = {span.label for tree in trees["train"] for span in tree.spans()}
    assert {"IP", "NP", "VP", "PP"} <= labels
    assert not any("-" in label for label in labels)
    write_release(tmp_path / "again", (1, 271, 301, 1151), 40, encoding="utf-8")
    assert list(CTB.read(tmp_path / "again", "test")) == trees["test"]


def test_paths_of_a_recipe_are_filled_in() -> None:
    sources = [{"path": "TREEBANKS/a.xz", "language": "es"}]
    assert with_paths(sources, Path("/data")) == '[{ path = "/data/a.xz", language = "es" }]'


@pytest.mark.parametrize("language", TREEBANKS)
def test_text_read_again_has_the_treebanks_words(language: str) -> None:
    folder = os.environ.get("BNAPARSER_DATA")
    if folder is None:
        pytest.skip("BNAPARSER_DATA is not set: the folder that holds treebanks/")
    trees = load_trees(Path(folder, "treebanks", TREEBANKS[language], "dev.txt.xz"))
    found = round_trip([tree.words for tree in trees], language)
    floors = FLOORS[language]
    assert [share >= floor for share, floor in zip(found, floors, strict=False)] == [True] * 3
