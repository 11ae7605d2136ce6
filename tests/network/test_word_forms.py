# ruff: noqa: RUF001 (typographic quotes and dashes are what is tested)
"""Forms and shapes of words: the tags that a form allows, in the table and in each decoder; what each shape is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import cast

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from bnaparser import Parser
from bnaparser.files.folder import CONFIG
from bnaparser.network import storage
from bnaparser.network.labels import Inventory
from bnaparser.network.model import BnaModel
from bnaparser.network.model_settings import LayerSettings, TagSettings
from bnaparser.network.precision import load_network
from bnaparser.network.word_forms import WordShape, allowed_tags, word_forms, word_shapes
from bnaparser.parsing.ensemble import Ensemble
from bnaparser.training.setup import create_from

PUNCTUATION = ["''", "``", ",", ".", ":", "-LRB-", "-RRB-", "HYPH"]
PENN = [
    *PUNCTUATION,
    "SYM",
    "LS",
    "#",
    "$",
    "POS",
    "CC",
    "CD",
    "JJ",
    "NN",
    "NNP",
    "NNS",
    "VBG",
    "VBZ",
]
WORDS = [
    "walkin'",
    "nothin’",
    "an'",
    "ol'",
    "'em",
    "sin(x)",
    "f(x)",
    "a[n]",
    "main(void)",
    "student(s)",
    "<bob@x.org>",
    "<br>",
    "</b>",
    "<mary>",
    "[Ca2+]",
    "@user",
    "#tag",
    "$5",
    "U.S.",
    "p.m.",
    "n't",
    "3.5",
    "5'",
    "café!",
    "寿司",
    "é)",
    "-LRB-x-RRB-",
]
PICTURES = [
    "🔥",
    "⭐",
    "★",
    "☆",
    "❤",
    "❤️",
    "👍🏽",
    "👩\u200d👩\u200d👧",
    "🇩🇪",
    "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "1️⃣",
    "#⃣",
    "😂😂",
    "‼️",
    "↔️",
    "☎",
    "©",
    "™",
    "●",
    ":)",
    ";-)",
    ":(",
    ":-LRB-",
    "xD",
    ":P",
    "<3",
    "</3",
    "^_^",
    "\\o/",
]


def tags_of(word: str, tags: list[str] = PENN) -> set[str]:
    """Return the tags that a word can have."""
    row = allowed_tags(tags)[word_forms([word])[0]]
    return {tag for tag, allowed in zip(tags, row, strict=True) if allowed}


@pytest.mark.parametrize("word", WORDS)
def test_a_word_with_letters_or_digits_has_no_tag_of_punctuation(word: str) -> None:
    assert tags_of(word) == set(PENN) - {*PUNCTUATION, "POS"}


@pytest.mark.parametrize(
    "word", ["two-", "work-", "so-called-", "foo=", "C++", "_so_", "two\u2010"]
)
def test_a_word_with_a_mark_at_its_end_is_no_symbol(word: str) -> None:
    """The last subword of ``so-called-`` is a hyphen: it was SYM, the best tag of a hyphen but HYPH."""
    assert tags_of(word) == set(PENN) - {*PUNCTUATION, "POS", "SYM", "LS"}


@pytest.mark.parametrize("word", ["<hola@x.es>", "<br>", "f(x)", "niño(s)"])
def test_spanish_tags_of_punctuation_for_words_are_not_for_addresses(word: str) -> None:
    assert tags_of(word, ["nc", "Fz", "Fs", "Fp"]) == {"nc"}
    assert tags_of("etcétera", ["nc", "Fz", "Fs", "Fp"]) == {"nc", "Fz", "Fs"}


@pytest.mark.parametrize("word", PICTURES)
def test_pictures_have_one_tag_in_each_tag_set(word: str) -> None:
    assert tags_of(word) == {"SYM"}
    assert tags_of(word, [*PENN, "NFP"]) == {"NFP"}
    assert tags_of(word, ["``", "''", ":", "NN"]) == {":"}
    assert tags_of(word, ["NC", "PONCT"]) == {"PONCT"}
    assert tags_of(word, ["Naa", "COMMACATEGORY"]) == {"Naa"}


@pytest.mark.parametrize(
    ("words", "punctuation"),
    [
        ("'s \u2019s 'S", {"POS"}),
        ("'", {"''", "``", "POS"}),
        ("\u2019", {"''", "POS"}),
        ("'' \u201d", {"''"}),
        ("`` ` \u2018 \u201c", {"``"}),
        ('" \xab \xbb', {"''", "``"}),
        ("( [ { -LRB- -LSB-", {"-LRB-"}),
        (") ] } -RRB- -RCB-", {"-RRB-"}),
        (", \uff0c", {","}),
        (". ? ! !!! ?!", {"."}),
        ("... \u2026 /", {".", ":"}),
        ("; : - -- ----- \u2013 \u2014", {":"}),
        ("% & = + # $ @ * \xb0 \u2192", set()),
        ("<", {"-LRB-"}),
        ("\u2022 *** ~~ ).", {".", ":"}),
    ],
)
def test_each_mark_has_its_own_tags(words: str, punctuation: set[str]) -> None:
    for word in words.split():
        assert tags_of(word) & {*PUNCTUATION, "POS"} - {"HYPH"} == punctuation


@pytest.mark.parametrize("word", ["'", "”", "(", "]", ",", ".", "?!", "...", "--", ";", "-"])
def test_a_mark_has_no_tag_of_a_word(word: str) -> None:
    assert not tags_of(word) & {"CC", "CD", "JJ", "NN", "NNP", "VBG", "VBZ", "$"}


@pytest.mark.parametrize(
    "word", [".", "\u3002", "?!", "\xbf", "\xa1", ",", "\u3001", "(", "\u300d", '"', "\u201d", "``"]
)
def test_a_stop_a_comma_a_bracket_and_a_quotation_mark_are_no_symbols(word: str) -> None:
    assert not tags_of(word) & {"SYM", "LS", "NN", "JJ"}
    assert all("SYM" in tags_of(sign) for sign in ("-", "/", "'", "\u2022", "+", "\u2192", "$"))


def test_a_letter_s_is_the_genitive_only_where_it_is_written_like_it() -> None:
    """`Size S.` had a genitive."""
    assert all("POS" in tags_of(word) for word in ("'s", "\u2019S", "s", "'"))
    assert not any("POS" in tags_of(word) for word in ("S", "SS", "x"))


def test_a_sign_of_a_currency_is_no_word_and_no_number() -> None:
    for sign in ("$", "\u20ac", "\xa3", "\xa2", "\u20b9"):
        assert tags_of(sign) == {"$", "#", "SYM", "LS"}
    assert "$" in tags_of("US$")
    assert not any("CD" in tags_of(sign) for sign in ("%", "\xb0", "=", "*"))


def test_signs_that_are_read_out_have_the_tags_of_common_words() -> None:
    for word in ("%", "&", "=", "#", "<", ">"):
        assert {"CC", "JJ", "NN", "VBZ", "SYM"} <= tags_of(word)
        assert "NNP" not in tags_of(word)


def test_only_tags_of_the_language_are_allowed() -> None:
    tags, known = ["NN", "PONCT", "NC", "SYM"], {"PONCT", "NC"}
    table = allowed_tags(tags, known)
    assert table[word_forms([","])[0]].tolist() == [False, True, True, False]
    assert table[word_forms(["mot"])[0]].tolist() == [False, False, True, False]
    assert table[word_forms(["\U0001f525"])[0]].tolist() == [False, True, False, False]


def test_where_no_tag_would_be_left_all_are_allowed() -> None:
    assert tags_of("word", [".", ","]) == {".", ","}


@pytest.fixture(scope="module")
def parsers(
    build_model: Callable[..., BnaModel], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Parser | Ensemble]:
    """Parsers that like the tags of punctuation best, whatever the word: one for each decoder of tags."""
    model = build_model("bert", tagging=TagSettings(predict=True, hidden_size=8))
    model = create_from(model, model.settings, model.labels, Inventory.of_tags(PENN))
    bias = cast("torch.nn.Linear", model.tagger[3]).bias
    with torch.no_grad():
        for place, tag in enumerate(model.tags.names):
            bias[place] = 100.0 + place if tag in PUNCTUATION else 0.0
    folder: Path = tmp_path_factory.mktemp("tagger")
    storage.save(model, folder, "float32", {})
    compiled = Parser(load_network(folder, "cpu", "float32"))
    assert not isinstance(compiled.model, BnaModel)
    pytorch = Parser(model.eval())
    return {"PyTorch": pytorch, "compiled": compiled, "ensemble": Ensemble([pytorch, compiled])}


@pytest.mark.parametrize("kind", ["PyTorch", "compiled", "ensemble"])
@pytest.mark.parametrize("asked", [{}, {"n_best": 2}], ids=["best tree", "several trees"])
def test_every_decoder_of_tags_keeps_to_what_is_allowed(
    parsers: dict[str, Parser | Ensemble], kind: str, asked: dict[str, int]
) -> None:
    words = ["She", "'s", "walkin'", "(", "sin(x)", ")", ":)", "\U0001f525", "<br>", "!"]
    (parse,) = parsers[kind].parse_many([words], **asked)  # type: ignore[arg-type]
    assert parse.tags is not None
    assert all(tag in tags_of(word) for word, tag in zip(words, parse.tags, strict=True))
    assert [parse.tags[place] for place in (3, 5, 6, 7)] == ["-LRB-", "-RRB-", "SYM", "SYM"]


@pytest.mark.parametrize("kind", ["PyTorch", "compiled", "ensemble"])
def test_given_tags_stay_as_they_are(parsers: dict[str, Parser | Ensemble], kind: str) -> None:
    (parse,) = parsers[kind].parse_many([["walkin'", "\U0001f525"]], tags=[["''", "NN"]])
    assert parse.tags == ("''", "NN")


SIZES = {"hidden_size": 32, "num_attention_heads": 2, "head_dim": 16, "intermediate_size": 64}
SHAPED = LayerSettings(word_shapes=True, **SIZES)
SENTENCE = [
    "Then",
    "NASA",
    "paid",
    "Mr.",
    "McCoy",
    "-LRB-",
    "35",
    "-RRB-",
    "and",
    "the",
    "iPod",
    "in",
    "1990s",
    "!",
    "I",
]


def named(words: list[str]) -> list[str]:
    return [WordShape(number).name for number in word_shapes(words).tolist()]


def test_each_word_has_the_shape_that_it_is_written_in() -> None:
    assert named(SENTENCE) == [
        "FIRST_TITLE", "UPPER", "LOWER", "TITLE", "MIXED", "MARKS", "DIGITS", "MARKS", "LOWER",
        "LOWER", "MIXED", "LOWER", "LOWER", "MARKS", "CAPITAL",
    ]  # fmt: skip
    assert named(["``", "Élan", "U.S.", "X-ray", "mRNA", "\u01c5en", "它", "1,000"]) == [
        "MARKS", "FIRST_TITLE", "UPPER", "TITLE", "MIXED", "TITLE", "UNKNOWN", "DIGITS",
    ]  # fmt: skip
    assert named(["Ⓗⓔⓛⓛⓞ", "Ⓗⓘ", "ⓗⓘ", "ⓗⒾ", "Ⅷ", "Ⅳⅴ"]) == [
        "FIRST_TITLE", "TITLE", "LOWER", "MIXED", "CAPITAL", "TITLE",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "sentence",
    [
        "THE PRICE OF OIL ROSE AGAIN !",
        "the price of oil in london rose .",
        "The Price of Oil Rose Again .",
        "The Price Of Oil Rose Again .",
        "I .",
    ],
)
def test_a_sentence_whose_case_tells_nothing_has_unknown_shapes(sentence: str) -> None:
    *words, mark = named(sentence.split())
    assert set(words) == {"UNKNOWN"} and mark == "MARKS"


def test_names_alone_make_no_title() -> None:
    assert named(["President", "George", "Bush", "met", "Boris", "Yeltsin", "in", "Moscow", "today", "."])[:4] == [
        "FIRST_TITLE", "TITLE", "TITLE", "LOWER",
    ]  # fmt: skip
    assert named(["Yes", "."]) == ["FIRST_TITLE", "MARKS"]


@given(st.lists(st.text("aZé'.3-", min_size=1, max_size=6), min_size=1, max_size=6))
def test_any_words_have_a_shape_each_and_capitals_throughout_have_none(words: list[str]) -> None:
    assert len(word_shapes(words)) == len(words)
    louder = word_shapes([word.upper() for word in words])
    assert set(louder.tolist()) <= {WordShape.UNKNOWN, WordShape.MARKS, WordShape.DIGITS}


@torch.no_grad()
def scores(model: BnaModel, words: list[str]) -> np.ndarray:
    tags = [["NN"] * len(words)]
    return model.eval().all_scores(model.encode(model.prepare([words], tags)))


def with_shapes(build_model: Callable[..., BnaModel], kind: str | None) -> BnaModel:
    """Return a model whose shapes have been learned, and whose words are all read as one."""
    model = build_model(kind, layers=SHAPED, tagging=TagSettings(predict=True, given=True))
    with torch.no_grad():
        model.shape_embedding.normal_(generator=torch.Generator().manual_seed(3))
    return model


def test_shapes_are_read_stored_and_loaded(
    build_model: Callable[..., BnaModel], tmp_path: Path, encoder_kind: str
) -> None:
    model = with_shapes(build_model, encoder_kind)
    storage.save(model, tmp_path, "float32", {})
    loaded = storage.load(tmp_path)
    assert loaded.settings.layers.word_shapes
    np.testing.assert_allclose(scores(loaded, SENTENCE), scores(model, SENTENCE), atol=1e-5)
    with torch.no_grad():
        loaded.shape_embedding[WordShape.UPPER] += 1
    assert not np.allclose(scores(loaded, SENTENCE), scores(model, SENTENCE))


def test_shapes_stand_with_their_words_in_every_window(
    build_model: Callable[..., BnaModel],
) -> None:
    model = build_model(layers=LayerSettings(word_shapes=True, max_positions=8, **SIZES))
    batch = model.prepare([SENTENCE, ["It", "rained"]])
    rows = model._at_positions(batch, [one.shapes for one in batch], 8).tolist()
    windows = [(one, window) for one in batch for window in one.windows]
    assert len(rows) == len(windows) > 4
    for row, (sentence, window) in zip(rows, windows, strict=True):
        assert sentence.shapes is not None
        own = sentence.shapes[window.first_word : window.first_word + window.words].tolist()
        assert row == [0, *own, *[0] * (7 - window.words)]


def test_a_model_without_shapes_is_what_it_was(
    build_model: Callable[..., BnaModel], tmp_path: Path
) -> None:
    model = build_model()
    assert "shape_embedding" not in model.state_dict()
    assert model.prepare([SENTENCE])[0].shapes is None
    storage.save(model, tmp_path, "float32", {})
    table = json.loads((tmp_path / CONFIG).read_text(encoding="utf-8"))
    del table["layers"]["word_shapes"]  # stored before there were any
    (tmp_path / CONFIG).write_text(json.dumps(table), encoding="utf-8")
    assert np.array_equal(scores(storage.load(tmp_path), SENTENCE), scores(model, SENTENCE))


def test_training_on_with_shapes_begins_as_the_model_without(
    build_model: Callable[..., BnaModel],
) -> None:
    start = build_model("bert")
    before = scores(start, SENTENCE)
    settings = start.settings.model_copy(update={"layers": SHAPED})
    model = create_from(start, settings, start.labels, start.tags)
    assert np.array_equal(scores(model, SENTENCE), before)
    again = create_from(model, settings, start.labels, start.tags)
    assert np.array_equal(scores(again, SENTENCE), before)
