"""A Parser says what it is, and goes to another process as the name it was loaded by."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

from bnaparser import Parser
from bnaparser.network.model import BnaModel
from bnaparser.parsing import parser as parser_module
from bnaparser.parsing.ensemble import Ensemble


def test_a_pickled_parser_loads_anew_wherever_it_is_read(
    tiny_model_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tiny_model_dir.parent)
    parser = Parser.load(tiny_model_dir.name, "cpu", batch_tokens=77)
    parser.threads = 1
    stored = pickle.dumps(parser)
    assert len(stored) < 1000
    monkeypatch.chdir(tmp_path)
    again = pickle.loads(stored)
    assert again.parse_sentence("Mira sang.") == parser.parse_sentence("Mira sang.")
    assert (again.batch_tokens, again.model.device) == (77, parser.model.device)
    assert again.threads == 1


def test_another_machine_takes_its_best_device_unless_one_was_asked_for(
    tiny_model_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    anywhere = pickle.dumps(Parser.load(tiny_model_dir))
    here = pickle.dumps(Parser.load(tiny_model_dir, "cpu"))
    monkeypatch.setattr(
        parser_module, "load_network", lambda folder, device, *others: pytest.fail(str(device))
    )
    for stored, device in ((anywhere, "None"), (here, "cpu")):
        with pytest.raises(pytest.fail.Exception, match=device):
            pickle.loads(stored)


def test_its_language_goes_along(tiny_model_dir: Path, two_languages_dir: Path) -> None:
    spanish = Parser.load(two_languages_dir, "cpu", language="es")
    english = Parser.load(tiny_model_dir, "cpu")
    english.text = english.text_rules("en")
    for parser, language in (
        (english, "en"),
        (spanish, "es"),
    ):
        (parse,) = parser("Mira sang.")
        assert parse.language == language
        assert pickle.loads(pickle.dumps(parser))("Mira sang.") == [parse]


def test_several_parsers_go_along_and_each_model_is_loaded_once(
    tiny_model_dir: Path, two_languages_dir: Path
) -> None:
    both = Parser.load(f"{tiny_model_dir},{two_languages_dir}", "cpu")
    both.threads = 1
    again = pickle.loads(pickle.dumps(both))
    assert again.languages == both.languages and again.threads == 1
    text = "The cat sat. Ana vive en Madrid. \u6211\u5403\u9b5a\u3002"
    assert [str(one.tree) for one in again(text)] == [str(one.tree) for one in both(text)]
    shared = [again.networks[one].encoder for one in ("zh-Hant", "es")]
    assert shared[0] is shared[1]
    both.text = both.text_rules("es")
    again = pickle.loads(pickle.dumps(both))
    assert again("Mira sang.")[0].language == "es" and again.languages == both.languages
    spanish = pickle.loads(pickle.dumps(both.in_language("es")))
    assert spanish.languages == ("es",) and spanish.name == str(two_languages_dir)


def test_an_ensemble_goes_along(tiny_model_dir: Path) -> None:
    ensemble = Ensemble.load([tiny_model_dir, tiny_model_dir], [1, 2], "cpu")
    again = pickle.loads(pickle.dumps(ensemble))
    words = [["Mira", "sang", "."]]
    assert again.weights == ensemble.weights
    assert again.parse_many(words) == ensemble.parse_many(words)


def test_a_parser_of_a_model_in_memory_says_why_it_cannot(
    build_model: Callable[..., BnaModel],
) -> None:
    with pytest.raises(TypeError, match="model in memory cannot be pickled: save the model"):
        pickle.dumps(Parser(build_model()))


def test_its_repr_says_what_it_is(
    tiny_model_dir: Path, build_model: Callable[..., BnaModel]
) -> None:
    parser = Parser.load(tiny_model_dir, "cpu", batch_tokens=2000)
    shown = repr(parser)
    labels, tags = len(parser.model.labels) - 1, len(parser.model.tags)
    assert shown == (
        f"<Parser of {str(tiny_model_dir)!r} on cpu: {labels} labels, {tags} tags, "
        "batches of 2,000 subwords>"
    )
    assert repr(Parser(build_model())).startswith("<Parser of a model in memory on cpu: ")
