"""Shapes of words: what each is, where case tells nothing, and that a model reads, stores and keeps them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from bnaparser.files.folder import CONFIG
from bnaparser.network import storage
from bnaparser.network.model import BnaModel
from bnaparser.network.model_settings import LayerSettings, TagSettings
from bnaparser.network.word_forms import WordShape, word_shapes
from bnaparser.training.setup import create_from

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
