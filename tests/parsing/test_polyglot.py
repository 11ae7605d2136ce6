"""Several models that parse as one, and what is told where they cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from bnaparser.errors import SettingsError
from bnaparser.parsing.parser import Parser
from bnaparser.parsing.polyglot import Polyglot, load_parser, model_names
from bnaparser.parsing.question import Question
from bnaparser.text.sentence import from_words


@pytest.fixture(scope="module")
def three(tiny_model_dir: Path, two_languages_dir: Path) -> Polyglot:
    return Polyglot.load(f"{tiny_model_dir},{two_languages_dir}", device="cpu")


def test_each_sentence_by_the_parser_of_its_language(three: Polyglot) -> None:
    assert three.languages == ("en", "zh-Hant", "es")
    text = "The cat sat on the mat. 我吃魚。"
    english, chinese = three(text)
    assert english == three.parsers["en"](text[:23])[0]
    assert chinese.words == ("我", "吃", "魚", "。")
    assert [text[start:end] for start, end in chinese.offsets] == list(chinese.words)


def test_one_model_of_one_language_stays_a_parser(tiny_model_dir: Path) -> None:
    parser = load_parser(str(tiny_model_dir), device="cpu")
    assert isinstance(parser, Parser)
    assert str(parser("Ein Hund .")[0].tree) == str(
        Parser.load(tiny_model_dir)("Ein Hund .")[0].tree
    )


def test_a_language_that_is_given_is_not_guessed(three: Polyglot) -> None:
    assert three("Ana vive en Madrid.", language="zh")[0].words[0] == "Ana"
    with pytest.raises(SettingsError, match="no model here knows the language 'fr'"):
        three("Ana", language="fr")


def test_what_cannot_be_loaded_is_told(tiny_model_dir: Path, two_languages_dir: Path) -> None:
    with pytest.raises(SettingsError, match="there are two models for 'en'"):
        load_parser(f"{tiny_model_dir},{tiny_model_dir}")
    with pytest.raises(SettingsError, match=r"knows the language 'de': there is en \(English\)"):
        load_parser(str(tiny_model_dir), "de")
    with pytest.raises(SettingsError, match="needs a parser"):
        Polyglot({})


def test_questions_and_tags_go_to_their_sentences(three: Polyglot) -> None:
    sentences = [three.text.sentence("我吃魚。"), from_words(["The", "cat", "sat"])]
    chinese, english = three.parse_sentences(sentences, questions=[Question(2), Question()])
    assert len(chinese.alternatives) == 1
    assert english.alternatives == ()
    with pytest.raises(ValueError, match="1 questions for 2 sentences"):
        three.parse_sentences(sentences, questions=[Question()])


def test_names_with_commas(tmp_path: Path) -> None:
    assert model_names("en, runs/es") == ["en", "runs/es"]
    odd = tmp_path / "a,b"
    odd.mkdir()
    assert model_names(str(odd)) == [str(odd)]
