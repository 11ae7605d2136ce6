"""Tasks in other languages than English: words, places and trees are those of a parser that knows them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bnaparser.cli import main
from bnaparser.errors import ModelError, SettingsError
from bnaparser.network.model import BnaModel
from bnaparser.network.model_settings import LanguageSettings
from bnaparser.parsing.parser import Parser
from bnaparser.settings import validate
from bnaparser.syntax.sources.parser_trees import ParserTrees
from bnaparser.tasks.classifier import Classifier
from bnaparser.tasks.data import read_data
from bnaparser.tasks.examples import PreparedExample
from bnaparser.tasks.kinds.relations import mark_words
from bnaparser.tasks.model import create, save_model
from bnaparser.tasks.settings import SyntaxTable, TaskModelSettings, TaskRecipe
from bnaparser.tasks.trees import tree_source

CHINESE = "他們看見台灣。我吃魚。"
WORDS = ("他們", "看見", "台灣", "。", "我", "吃", "魚", "。")
SPANISH = "Juan Carlos canta a pesar de Madrid."
SPANISH_WORDS = ("Juan_Carlos", "canta", "a_pesar_de", "Madrid", ".")
CLASSES = ("negative", "positive")


@pytest.fixture(scope="module")
def several(tiny_model_dir: Path, two_languages_dir: Path) -> Parser:
    return Parser.load(f"{tiny_model_dir},{two_languages_dir}", "cpu")


@pytest.fixture
def tables(recipe_table: Callable[..., dict[str, Any]], two_languages_dir: Path) -> Any:
    """A function from a kind of task, its language and a file of data to the tables of a recipe."""

    def make(language: str, file: Path, name: str = "sentiment", **syntax: Any) -> dict[str, Any]:
        table = recipe_table(name)
        table["task"]["language"] = language
        table["syntax"] = {"parser": str(two_languages_dir), "sla": {"threshold": 2}, **syntax}
        table["train"] |= {"data": [{"path": str(file)}], "dev": [{"path": str(file)}]}
        return table

    return make


@pytest.fixture
def reviews(tmp_path: Path) -> Path:
    file = tmp_path / "reviews.tsv"
    file.write_text(f"label\tsentence\npositive\t{CHINESE}\nnegative\t我吃魚。\n", encoding="utf-8")
    return file


def stored(table: dict[str, Any], folder: Path, labels: tuple[str, ...] = CLASSES) -> Path:
    """The folder of an untrained model of a recipe."""
    import torch

    torch.manual_seed(3)
    recipe = validate(TaskRecipe, table, "test")
    save_model(create(recipe.model_settings(), labels), folder, "float32", {})
    return folder


def watched(classifier: Classifier, monkeypatch: pytest.MonkeyPatch) -> list[PreparedExample]:
    """What a classifier's model is given from now on."""
    seen: list[PreparedExample] = []
    scores = classifier.model.scores

    def watch(given: list[PreparedExample]) -> Any:
        seen.extend(given)
        return scores(given)

    monkeypatch.setattr(classifier.model, "scores", watch)
    return seen


def test_a_stored_model_reads_as_it_was_trained(
    tables: Any, reviews: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tables("zh-Hant", reviews)
    trained = read_data(validate(TaskRecipe, table, "test")).train.examples[0].structures[0]
    assert trained.words == WORDS
    assert trained.error is None and len(trained.trees) == 2
    classifier = Classifier.load(stored(table, tmp_path / "model"), device="cpu")
    assert classifier.model.settings.task.language == "zh-Hant"
    assert classifier.parser.languages == ("zh-Hant",)
    seen = watched(classifier, monkeypatch)
    answer = classifier(CHINESE)
    assert answer.error is None and answer.label in CLASSES
    assert seen[0].structures == (trained,)
    assert answer.trees == trained.trees
    assert str(answer.trees[1]) == "(TOP (S (NP (N 我)) (VP (V 吃) (NP (N 魚))) (PU 。)))"


def test_the_command_classifies(
    tables: Any, reviews: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = stored(tables("zh", reviews), tmp_path / "model")
    assert main(["classify", "--model", str(folder), "--device", "cpu", "我吃魚。"]) == 0
    assert "(N 魚)" in capsys.readouterr().out


@pytest.mark.parametrize("syntax", [{"trees": "random"}, {"sla": None}, {"sla": None, "wla": {}}])
def test_words_are_the_parsers_whatever_guides_the_encoder(
    tables: Any, reviews: Path, syntax: dict[str, Any]
) -> None:
    recipe = validate(TaskRecipe, tables("zh-Hant", reviews, **syntax), "test")
    assert [one.structures[0].words for one in read_data(recipe).train.examples] == [
        WORDS,
        WORDS[4:],
    ]


def test_a_cache_keeps_the_languages_of_one_model_apart(
    two_languages_dir: Path, tmp_path: Path
) -> None:
    cache = tmp_path / "trees"
    words = ("我", "吃", "魚", "。")
    found = {
        language: ParserTrees(two_languages_dir, cache, device="cpu", language=language)([words])
        for language in ("zh-Hant", "es", "zh-Hant")
    }
    labels = {code: {span.label for span in one.trees[0].spans()} for code, (one,) in found.items()}
    assert labels["zh-Hant"] <= {"S", "NP", "VP"}
    assert labels["es"] <= {"oracion", "sn", "grup.verb", "sp"}


def test_a_cache_keeps_words_so_that_the_model_is_loaded_once(
    two_languages_dir: Path, tmp_path: Path
) -> None:
    cache = tmp_path / "trees"
    texts = [CHINESE, SPANISH, CHINESE, ["我", "吃"]]
    first = ParserTrees(two_languages_dir, cache, device="cpu", language="zh-Hant")
    again = ParserTrees(two_languages_dir, cache, device="cpu", language="zh-Hant")
    found = first(texts)
    assert found == again(texts) == ParserTrees(two_languages_dir, language="zh-Hant")(texts)
    assert first.read(texts) == again.read(texts)
    assert not isinstance(first.model, Path) and isinstance(again.model, Path)


def test_parts_of_a_text_have_their_places(
    tables: Any, tmp_path: Path, several: Parser, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "relations.jsonl"
    marked = [("A", [0, 11]), ("B", [18, 28])]
    lines = (
        f'{{"text": "{SPANISH}", "e1": {place}, "e2": [29, 35], "label": "{label}"}}\n'
        for label, place in marked
    )
    file.write_text("".join(lines), encoding="utf-8")
    recipe = validate(TaskRecipe, tables("es", file, "relations", sla=None), "test")
    first, second = read_data(recipe).train.examples
    assert first.structures[0].words == SPANISH_WORDS
    assert first.written is not None and first.marks is not None
    assert [SPANISH[a:b] for a, b in first.written.places] == [
        "Juan Carlos", "canta", "a pesar de", "Madrid", ".",
    ]  # fmt: skip
    units = mark_words(first.written, first.marks).units
    assert units == ("[E1]", "Juan_Carlos", "[/E1]", *SPANISH_WORDS[1:3], "[E2]", "Madrid", "[/E2]", ".")  # fmt: skip
    assert second.marks == ((18, 28), (29, 35))
    classifier = Classifier(create(recipe.model_settings(), ("A", "B")), several)
    seen = watched(classifier, monkeypatch)
    text = "[E1]Juan Carlos[/E1] canta a pesar de [E2]Madrid[/E2]."
    assert classifier(text).error is None
    assert (seen[0].written, seen[0].marks) == (first.written, first.marks)


def test_answers_are_parts_of_the_passage_as_it_is_written(
    tables: Any, tmp_path: Path, several: Parser
) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(
        f'{{"question": "Ana canta.", "context": "{SPANISH}",'
        ' "answers": [{"text": "a pesar de Madrid", "start": 18}]}\n',
        encoding="utf-8",
    )
    recipe = validate(TaskRecipe, tables("es", file, "answers", sla=None), "test")
    model = create(recipe.model_settings(), ())
    (example,) = read_data(recipe).train.examples
    (window,) = model.text_inputs.reader.windows(example)
    start, end = (place - window.first for place in window.target)
    assert SPANISH[window.starts[start] : window.ends[end]] == "a pesar de Madrid"
    answer = Classifier(model, several)(("Ana canta.", SPANISH))
    assert all(SPANISH[one.start : one.end] == one.text for one in answer.answers)
    assert answer.answers and np.all([one.end <= len(SPANISH) for one in answer.answers])


def test_a_parser_that_does_not_know_the_language_is_told_at_once(
    tables: Any, reviews: Path, tmp_path: Path, tiny_model_dir: Path, two_languages_dir: Path
) -> None:
    says = r"no model here knows the language '{}': there is {}"
    chinese = tables("zh-Hant", reviews, parser=str(tiny_model_dir))
    with pytest.raises(SettingsError, match=says.format("zh-Hant", r"en \(English\)$")):
        read_data(validate(TaskRecipe, chinese, "test"))
    folder = stored(chinese, tmp_path / "model")
    with pytest.raises(SettingsError, match=says.format("zh-Hant", r"en \(English\)$")):
        Classifier.load(folder, device="cpu")
    known = r"zh-Hant \(Chinese \(traditional\)\), es \(Spanish\)$"
    english = tables("en", reviews)
    with pytest.raises(SettingsError, match=says.format("en", known)):
        read_data(validate(TaskRecipe, english, "test"))
    with pytest.raises(SettingsError, match=says.format("fr", known)):
        ParserTrees(two_languages_dir, language="fr")([["a"]])


def test_a_parser_that_finds_no_words_takes_given_ones(
    build_model: Callable[..., BnaModel], encoder_folder: Callable[[str], Path]
) -> None:
    model = build_model()
    text = LanguageSettings(languages=("zh-Hant",))
    model.settings = model.settings.model_copy(update={"text": text})
    source = ParserTrees(Parser(model), language="zh-Hant")
    assert source([WORDS])[0].words == WORDS
    says = r"cannot divide text into words in Chinese \(traditional\) text: give words, or take a parser"
    with pytest.raises(ModelError, match=says):
        source([CHINESE])
    table = {"encoder": {"name": str(encoder_folder("bert"))}, "task": {"language": "zh-Hant"}}
    task = create(validate(TaskModelSettings, table, "test"), CLASSES)
    with pytest.raises(ModelError, match=says):
        Classifier(task, Parser(model))


def test_the_parsers_folder_is_stored_for_its_words_alone(
    encoder_folder: Callable[[str], Path], two_languages_dir: Path
) -> None:
    table: dict[str, Any] = {
        "encoder": {"name": str(encoder_folder("bert"))},
        "syntax": {"parser": str(two_languages_dir)},
    }
    english = validate(TaskModelSettings, table, "test").portable()
    assert english.syntax.parser == "en"
    table["task"] = {"language": "es"}
    spanish = validate(TaskModelSettings, table, "test").portable()
    assert spanish.syntax.parser == str(two_languages_dir)


def test_without_a_name_the_parser_is_one_that_is_here_for_the_language(
    monkeypatch: pytest.MonkeyPatch, two_languages_dir: Path
) -> None:
    monkeypatch.setattr("bnaparser.parsing.default_model.name_for", lambda code: str(two_languages_dir) if code else "en")  # fmt: skip
    (structure,) = tree_source(SyntaxTable(), "cpu", "zh-Hant")([CHINESE])
    assert structure.words == WORDS


def test_blanks_are_those_of_the_text(several: Parser, two_languages_dir: Path) -> None:
    from bnaparser.syntax.sources.tree_source import sentences_of

    (text,) = ParserTrees(several.in_language("es"), language="es").read([f"{SPANISH} Ana vive."])
    assert [one.spaces for one in sentences_of(text)] == [
        (True, True, True, False, True),
        (True, False, False),
    ]
