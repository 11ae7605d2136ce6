"""Ensembles for text of other languages than English: whose words they take, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bnaparser.cli import main
from bnaparser.errors import SettingsError
from bnaparser.network.model import BnaModel
from bnaparser.parsing.ensemble import Ensemble
from bnaparser.parsing.named_constraints import Constraint
from bnaparser.parsing.options import ParseOptions
from bnaparser.parsing.parser import Parser
from bnaparser.text.sentence import from_words
from bnaparser.text.splitting import split_stream

TEXT = "他們看見台灣。我吃魚。"


@pytest.fixture
def twice(two_languages_dir: Path) -> list[Parser]:
    """Two copies of the parser for Chinese, which a test may change."""
    return [Parser.load(two_languages_dir, "cpu").in_language("zh") for _ in range(2)]


def words(ensemble: Ensemble) -> list[tuple[str, ...]]:
    sentences = list(split_stream([TEXT], 0, ensemble.text))
    return [parse.words for parse in ensemble.parse_sentences(sentences)]


def without_finder(parser: Parser) -> None:
    settings = parser.model.settings
    text = settings.text.model_copy(update={"segment_words": False})
    parser.model.settings = settings.model_copy(update={"text": text})


def test_a_parser_and_itself_find_the_words_of_that_parser(twice: list[Parser]) -> None:
    ensemble = Ensemble(twice)
    assert ensemble.languages == ("zh-Hant",)
    sentences = list(split_stream([TEXT], 0, ensemble.text))
    found, alone = ensemble.parse_sentences(sentences), twice[0](TEXT)
    assert [(one.words, one.offsets) for one in found] == [(p.words, p.offsets) for p in alone]
    assert [str(one.tree) for one in found] == [str(one.tree) for one in alone]


def test_words_are_where_the_mean_score_is_above_0(
    twice: list[Parser], monkeypatch: pytest.MonkeyPatch
) -> None:
    right = words(Ensemble(twice))
    scores = twice[1].model.all_word_scores
    monkeypatch.setattr(twice[1].model, "all_word_scores", lambda encoded: -scores(encoded))
    assert words(Ensemble(twice, [2.0, 1.0])) == right
    opposite = words(Ensemble(twice, [1.0, 2.0]))
    assert opposite != right
    assert ["".join(row) for row in opposite] == ["".join(row) for row in right]


def test_a_member_without_a_finder_takes_the_words_of_the_others(twice: list[Parser]) -> None:
    right = words(Ensemble(twice))
    without_finder(twice[0])
    assert words(Ensemble(twice)) == right
    without_finder(twice[1])
    ensemble = Ensemble(twice)
    (parse, _) = ensemble.parse_sentences(list(split_stream([TEXT], 0, ensemble.text)))
    assert (
        parse.error is not None
        and "cannot divide text into words in Chinese (traditional) text" in parse.error
    )


def test_a_label_that_a_model_for_several_languages_does_not_know_may_be_chosen(
    twice: list[Parser], build_model: Callable[..., BnaModel]
) -> None:
    """It scored there as the labels of the other languages do, which never are."""
    model = build_model()
    text = model.settings.text.model_copy(update={"languages": ("zh-Hant",)})
    model.settings = model.settings.model_copy(update={"text": text})
    assert "PP" in model.labels and "PP" not in twice[0].labels
    parse_options = ParseOptions(constraints=(Constraint("must", 0, 1, "PP"),))
    ensemble = Ensemble([twice[0], Parser(model)])
    (parse,) = ensemble.parse_sentences([from_words(["我", "吃", "魚"])], options=parse_options)
    assert "PP" in {span.label for span in parse.spans}
    assert parse.score > -1000


def test_members_are_for_one_language(
    two_languages_dir: Path, tiny_model_dir: Path, build_model: Callable[..., BnaModel]
) -> None:
    several, english = Parser.load(two_languages_dir, "cpu"), Parser(build_model())
    chinese, spanish = (several.in_language(code) for code in several.languages)
    cases: list[tuple[list[Any], str]] = [
        ([chinese, spanish], f"{two_languages_dir} is for zh-Hant; {two_languages_dir} is for es;"),
        ([english, spanish], f"a model in memory is for en; {two_languages_dir} is for es; name"),
        ([several, several], f"{two_languages_dir} is for zh-Hant, es;"),
    ]
    for parsers, describe_conflict in cases:
        with pytest.raises(
            SettingsError, match="the models of an ensemble must share one language"
        ) as error:
            Ensemble(parsers)
        assert describe_conflict in str(error.value)
    with pytest.raises(SettingsError, match=r"knows the language 'es': there is en \(English\)"):
        Ensemble.load([two_languages_dir, tiny_model_dir], device="cpu", language="es")


def test_the_command_takes_a_language(two_languages_dir: Path, tmp_path: Path) -> None:
    source, trees = tmp_path / "text", tmp_path / "trees"
    source.write_text("Juan Carlos canta a pesar de Madrid.\n", encoding="utf-8")
    command = ["ensemble", *[str(two_languages_dir)] * 2, "--language", "es", "--quiet"]
    assert main([*command, "--device", "cpu", "-i", str(source), "-o", str(trees)]) == 0
    assert trees.read_text(encoding="utf-8").startswith("(TOP (oracion (sn (n Juan_Carlos))")
