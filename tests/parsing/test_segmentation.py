"""Raw text of languages whose words a network finds: words, places, constraints, what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bnaparser.network.model import BnaModel
from bnaparser.network.model_settings import LanguageSettings
from bnaparser.parsing.named_constraints import Constraint
from bnaparser.parsing.parser import Parser
from bnaparser.parsing.result import Parse


@pytest.fixture(scope="module", params=["compiled or torch"])
def several(two_languages_dir: Path) -> Parser:
    return Parser.load(two_languages_dir, "cpu")


def placed(parse: Parse, text: str) -> list[str]:
    return [text[start:end] for start, end in parse.offsets]


def test_words_are_found_as_the_treebank_has_them(several: Parser) -> None:
    text = "他們看見台灣。 Juan Carlos canta a pesar de Madrid. 我吃魚。"
    chinese, spanish, last = several(text)
    assert chinese.words == ("他們", "看見", "台灣", "。")
    assert spanish.words == ("Juan_Carlos", "canta", "a_pesar_de", "Madrid", ".")
    assert last.words == ("我", "吃", "魚", "。")
    assert placed(chinese, text) == list(chinese.words)
    assert placed(spanish, text) == ["Juan Carlos", "canta", "a pesar de", "Madrid", "."]
    assert placed(last, text) == list(last.words)
    assert str(last.tree) == "(TOP (S (NP (N 我)) (VP (V 吃) (NP (N 魚))) (PU 。)))"
    assert str(spanish.tree).startswith("(TOP (oracion (sn (n Juan_Carlos))")


def test_each_language_has_its_own_labels(several: Parser) -> None:
    chinese = several("我吃魚。", language="zh")[0].tree
    spanish = several.in_language("es").parse_words(["我", "吃", "魚", "。"]).tree
    assert chinese is not None and spanish is not None
    assert {span.label for span in chinese.spans()} <= {"S", "NP", "VP"}
    assert {span.label for span in spanish.spans()} <= {"oracion", "sn", "grup.verb", "sp"}
    assert set(spanish.tags) <= {"n", "v", "p", "Fp"}


def test_simplified_characters_are_read_as_traditional_ones(several: Parser) -> None:
    (parse,) = several("他们看见台湾。")
    assert parse.words == ("他们", "看见", "台湾", "。")
    assert parse.error is None


def test_where_a_constraint_begins_or_ends_a_word_does(several: Parser) -> None:
    parser = several.in_language("zh-Hant")
    (parse,) = parser("他們看見台灣。", constraints=[Constraint("must", 3, 5, "NP")])
    assert parse.error is None
    assert parse.words == ("他們", "看", "見", "台", "灣", "。") or (3, 5) in {
        (parse.offsets[span.start][0], parse.offsets[span.end - 1][1]) for span in parse.spans
    }
    starts = {start for start, _ in parse.offsets}
    assert {3, 5} <= starts
    (marked,) = parser("他們[NP 看見] 台灣。", markup=True)
    assert any(span.label == "NP" and marked.words[span.start] == "看見" for span in marked.spans)


def test_a_language_that_no_model_knows_is_one_sentence(several: Parser) -> None:
    good, bad = several("我吃魚。\nDer Hund ist nicht da, und das ist gut.")
    assert good.error is None
    assert bad.error == (
        "no model here knows the language 'de': there is zh-Hant (Chinese (traditional)), es (Spanish)"
    )


def test_text_without_any_boundary(several: Parser) -> None:
    short, long = several("我" * 300 + "\n" + "我們吃魚" * 500 + "我", "paragraph", language="zh")
    assert short.error is None
    assert "".join(short.words) == "我" * 300
    if long.error is None:
        assert "".join(long.words) == "我們吃魚" * 500 + "我"
    else:
        assert long.error.endswith("more than 2,000: split it into sentences")


def test_a_sentence_of_far_too_many_pieces_is_refused_unread(
    several: Parser, monkeypatch: pytest.MonkeyPatch
) -> None:
    parser = several.in_language("zh-Hant")
    monkeypatch.setattr(parser.model, "encode", lambda batch: pytest.fail("it was read"))
    (parse,) = parser("我吃魚" * 2001)
    assert parse.error == (
        "the sentence has 6,003 parts of words, which are more than 2,000 words: split it into sentences"
    )


def test_a_sentence_that_breaks_the_network_does_not_take_others_along(
    several: Parser, monkeypatch: pytest.MonkeyPatch
) -> None:
    parser = several.in_language("zh-Hant")
    encode = parser.model.encode

    def breaks(batch: list[object]) -> object:
        if any(one.words == 7 for one in batch):  # type: ignore[attr-defined]
            raise RuntimeError("no")
        return encode(batch)  # type: ignore[arg-type]

    monkeypatch.setattr(parser.model, "encode", breaks)
    bad, good = parser("他們看見台灣。我吃魚。")
    assert bad.error is not None
    assert bad.error.endswith("RuntimeError: no")
    assert good.words == ("我", "吃", "魚", "。")


def test_without_a_finder_rules_decide_or_words_must_be_given(
    build_model: Callable[..., BnaModel],
) -> None:
    model = build_model()
    model.settings = model.settings.model_copy(
        update={"text": LanguageSettings(languages=("zh-Hant",))}
    )
    parse = Parser(model)("我吃魚。")[0]
    assert parse.error == (
        "this model cannot divide text into words in Chinese (traditional) text: give words with blanks between"
        " them, with split token"
    )
    assert Parser(model)("我 吃 魚 。", "token")[0].words == ("我", "吃", "魚", "。")
    model.settings = model.settings.model_copy(update={"text": LanguageSettings(languages=("pt",))})
    parse = Parser(model)("Vou à casa do Rui.")[0]
    assert parse.words == ("Vou", "a", "a", "casa", "de", "o", "Rui", ".")
    assert parse.offsets[1:6] == ((4, 5), (4, 5), (6, 10), (11, 12), (12, 13))
