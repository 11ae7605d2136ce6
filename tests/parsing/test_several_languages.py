"""Several models that parse as one, and what is told where they cannot."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from bnaparser.errors import ModelError, SettingsError
from bnaparser.models import find, model_names
from bnaparser.parsing.options import ParseOptions
from bnaparser.parsing.parser import Parser
from bnaparser.text.sentence import from_words
from bnaparser.text.text_rules import match_language


@pytest.fixture(scope="module")
def three(tiny_model_dir: Path, two_languages_dir: Path) -> Parser:
    return Parser.load(f"{tiny_model_dir},{two_languages_dir}", device="cpu")


def test_each_sentence_by_the_parser_of_its_language(three: Parser) -> None:
    assert three.languages == ("en", "zh-Hant", "es")
    text = "The cat sat on the mat. 我吃魚。"
    english, chinese = three(text)
    assert english == three.in_language("en")(text[:23])[0]
    assert chinese.words == ("我", "吃", "魚", "。")
    assert [text[start:end] for start, end in chinese.offsets] == list(chinese.words)


def test_a_language_that_is_given_is_not_guessed(three: Parser) -> None:
    assert three("Ana vive en Madrid.", language="zh")[0].words[0] == "Ana"
    with pytest.raises(SettingsError, match="no model here knows the language 'fr'"):
        three("Ana", language="fr")


def test_a_list_of_names_is_several_names(tiny_model_dir: Path, two_languages_dir: Path) -> None:
    loaded = Parser.load([str(tiny_model_dir), str(two_languages_dir)], device="cpu")
    assert loaded.languages == ("en", "zh-Hant", "es")
    with pytest.raises(ModelError, match=r"names several models: give one model.*Parser\.load"):
        find(f"{tiny_model_dir},{two_languages_dir}")


def test_what_cannot_be_loaded_is_told(tiny_model_dir: Path, two_languages_dir: Path) -> None:
    with pytest.raises(SettingsError, match="two models are for the language 'en'"):
        Parser.load(f"{tiny_model_dir},{tiny_model_dir}")
    with pytest.raises(SettingsError, match=r"knows the language 'de': there is en \(English\)"):
        Parser.load(tiny_model_dir, "cpu", language="de")
    with pytest.raises(SettingsError, match="needs a network"):
        Parser({})


def test_questions_and_tags_go_to_their_sentences(three: Parser) -> None:
    sentences = [three.text.sentence("我吃魚。"), from_words(["The", "cat", "sat"])]
    chinese, english = three.parse_sentences(sentences, options=[ParseOptions(2), ParseOptions()])
    assert len(chinese.alternatives) == 1
    assert english.alternatives == ()
    with pytest.raises(ValueError, match="1 options for 2 sentences"):
        three.parse_sentences(sentences, options=[ParseOptions()])
    rows: Any = iter([["N", "V", "N", "PU"], ["A", "B", "C"]])  # a Parser takes such
    assert three.parse_sentences(sentences, rows)[1].tags == ("A", "B", "C")
    with pytest.raises(ValueError, match="1 lists of tags for 2 sentences"):
        three.parse_sentences(sentences, iter([["A"]]))  # type: ignore[arg-type]


def test_names_with_commas(tmp_path: Path) -> None:
    assert model_names("en, runs/es") == ["en", "runs/es"]
    odd = tmp_path / "a,b"
    odd.mkdir()
    assert model_names(str(odd)) == [str(odd)]


def test_a_parser_of_several_languages_gives_each_sentence_labels_of_its_own(
    two_languages_dir: Path,
) -> None:
    """Loaded by itself, it gave labels of all languages."""
    parser = Parser.load(two_languages_dir, "cpu")
    text = "Ellos viven cerca de la casa de los vecinos.\n我吃魚。"
    assert [parse.language for parse in parser(text)] == ["es", "zh-Hant"]
    known = {language: parser.in_language(language).labels for language in ("es", "zh-Hant")}
    words = [
        ["Ellos", "viven", "cerca_de", "la", "casa", "de", "los", "vecinos", "."],
        ["我", "吃", "魚", "。"],
    ]
    for parse, language in zip(parser.parse_many(words), ("es", "zh-Hant"), strict=True):
        assert {span.label for span in parse.spans} <= known[language]
    assert parser.labels == known["es"] | known["zh-Hant"]


def test_words_that_are_given_tell_their_language(three: Parser, two_languages_dir: Path) -> None:
    """It was None, though the tree was by the Spanish labels."""
    (parse,) = three("Mi hermana vive en el centro de la ciudad .", split="token")
    assert (parse.language, parse.error) == ("es", None)
    (alone,) = Parser.load(two_languages_dir, "cpu").parse_many([parse.words])
    assert (alone.language, alone.tree) == ("es", parse.tree)


def test_given_words_of_a_language_that_nobody_knows_are_refused(three: Parser) -> None:
    given = [["Собака", "лает", "."], ["El", "gato", "no", "está", "."]]
    found = three.parse_sentences([from_words(words) for words in given])
    assert [parse.error is None for parse in found] == [False, True]
    assert "no model here knows the language 'ru'" in str(found[0].error)


def test_a_parser_of_several_languages_is_as_it_is_set_now(two_languages_dir: Path) -> None:
    parser = Parser.load(two_languages_dir, "cpu")
    assert parser("Ana vive en Madrid.")[0].error is None
    parser.max_words = 3
    assert "the limit is" in (parser("Ana vive en Madrid.")[0].error or "")


def test_a_parser_in_one_of_its_languages(two_languages_dir: Path, tiny_model_dir: Path) -> None:
    spanish = Parser.load(two_languages_dir, "cpu", language="es")
    (parse,) = spanish("Ana vive en Madrid.")
    several = Parser.load(two_languages_dir, "cpu")
    assert parse == several("Ana vive en Madrid.", language="es")[0]
    assert (parse.language, spanish.languages) == ("es", ("es",))
    again = pickle.loads(pickle.dumps(spanish))
    assert (again.languages, again("Ana vive en Madrid.")[0]) == (("es",), parse)
    english = Parser.load(tiny_model_dir, "cpu", language="EN")
    assert english.languages == ("en",)
    with pytest.raises(SettingsError, match="no model here knows the language 'fr'"):
        Parser.load(two_languages_dir, "cpu", language="fr")


@pytest.mark.parametrize(
    ("code", "known", "means"),
    [
        ("zh-hant", ["zh-Hans", "zh-Hant"], "zh-Hant"),
        ("zh-TW", ["zh-Hans", "zh-Hant"], "zh-Hant"),
        ("zh-CN", ["zh-Hant", "zh-Hans"], "zh-Hans"),
        ("zh-TW", ["zh-Hans"], "zh-Hans"),
        ("zh", ["en", "zh-Hant"], "zh-Hant"),
        ("ES-mx", ["en", "es"], "es"),
        ("de", ["en", "es"], None),
    ],
)
def test_what_a_code_means(code: str, known: list[str], means: str | None) -> None:
    assert match_language(code, known) == means
