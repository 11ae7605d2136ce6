# ruff: noqa: RUF001 (typographic quotes and dashes are what is tested)"""Tags that the form of a word allows: in the table, and in each decoder of tags."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
import torch

from bnaparser import Parser
from bnaparser.network import storage
from bnaparser.network.labels import Inventory
from bnaparser.network.model import BnaModel
from bnaparser.network.model_settings import TagSettings
from bnaparser.network.precision import load_network
from bnaparser.network.word_forms import allowed_tags, word_forms
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
