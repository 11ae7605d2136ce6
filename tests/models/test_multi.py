"""The model for eight languages: raw text of each, its words, their places, a little of its accuracy."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmarks.languages.detokenised import detokenised
from benchmarks.languages.run_languages import gold_trees, raw_scores
from bnaparser import models
from bnaparser.parsing.parser import Parser

FOLDER = models.SHIPPED / "multi"
pytestmark = pytest.mark.skipif(
    not (FOLDER / "model.safetensors").is_file(), reason="models/multi is not checked out"
)
TEXTS = {
    "de": (
        "Am 3. Oktober kamen Vor- und Nachteile zur Sprache.",
        ["Am", "3.", "Oktober", "kamen", "Vor-", "und", "Nachteile", "zur", "Sprache", "."],
    ),
    "es": (
        "Los vecinos del barrio viven en Madrid.",
        ["Los", "vecinos", "del", "barrio", "viven", "en", "Madrid", "."],
    ),
    "fr": (
        "L'homme qui mange du pain est mon frère.",
        ["L'", "homme", "qui", "mange", "du", "pain", "est", "mon", "frère", "."],
    ),
    "id": (
        "Saya membaca buku itu di rumah kakak.",
        ["Saya", "membaca", "buku", "itu", "di", "rumah", "kakak", "."],
    ),
    "is": ("Hann fór heim til sín.", ["Hann", "fór", "heim", "til", "sín", "."]),
    "ja": ("猫が庭で寝ている。", ["猫", "が", "庭", "で", "寝", "て", "いる", "。"]),
    "pt": (
        "O gato dorme na casa do vizinho.",
        ["O", "gato", "dorme", "em", "a", "casa", "de", "o", "vizinho", "."],
    ),
    "zh-Hant": ("老師很喜歡這本書。", ["老師", "很", "喜歡", "這本", "書", "。"]),
}

FLOORS = {
    "de": (99, 75),
    "es": (94, 85), "fr": (95, 84), "id": (98, 83), "is": (95, 81),
    "ja": (87, 70), "pt": (95, 80), "zh-Hant": (85, 64),
}  # fmt: skip


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser.load("multi", device="cpu")


@pytest.mark.parametrize("language", TEXTS)
def test_raw_text(parser: Parser, language: str) -> None:
    text, words = TEXTS[language]
    (parse,) = parser(text, language=language)
    assert parse.error is None
    assert list(parse.words) == words
    assert parse.language == language
    assert len(parse.spans) > 2
    for word, (start, end) in zip(words, parse.offsets, strict=True):
        # Of a contraction both words have their own letters, or those that they share.
        assert text[start:end] == word or language == "pt"
        assert 0 < end - start <= max(len(word), 2)


def test_it_is_sure_of_what_is_simple(parser: Parser) -> None:
    for language, (text, _) in TEXTS.items():
        (parse,) = parser(text, language=language, probabilities=True)
        assert parse.confidence is not None
        assert parse.confidence > 0.5


def test_languages_are_guessed_sentence_by_sentence(parser: Parser) -> None:
    text = "\n".join(sentence for sentence, _ in TEXTS.values())
    found = parser(text)
    assert [parse.language for parse in found] == list(TEXTS)
    assert all(parse.error is None for parse in found)


def test_at_most_40_megabytes() -> None:
    assert sum(file.stat().st_size for file in FOLDER.rglob("*") if file.is_file()) <= 40e6


def test_alone_and_in_a_batch_the_same(parser: Parser) -> None:
    for language, (text, _) in TEXTS.items():
        (alone,) = parser(text, language=language)
        both = parser(f"{text}\n{text}", language=language)
        assert [(one.spans, one.score) for one in both] == [(alone.spans, alone.score)] * 2


@pytest.mark.skipif(
    "BNAPARSER_DATA" not in os.environ, reason="BNAPARSER_DATA: a folder with treebanks"
)
@pytest.mark.parametrize("language", FLOORS)
def test_some_of_the_development_part(parser: Parser, language: str) -> None:
    """Raw text: F1 of words, and of constituents by label and place."""
    gold = gold_trees(Path(os.environ["BNAPARSER_DATA"]) / "treebanks", language, "dev")[:60]
    texts = [detokenised(tree.words, language) for tree in gold]
    reader = parser.in_language(language)
    found = reader.parse_sentences([reader.text.sentence(text.text) for text in texts])
    scores = raw_scores(gold, texts, found)
    words, constituents = FLOORS[language]
    assert float(scores.words) >= words
    assert float(scores.constituents) >= constituents
