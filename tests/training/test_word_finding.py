"""A network that learns to find words: what it is shown, what the loss is, that it learns."""

# ruff: noqa: RUF001

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from pydantic import ValidationError
from torch.nn import functional as F

from bnaparser.network.model import BnaModel
from bnaparser.network.model_settings import LanguageSettings, ModelSettings
from bnaparser.training.data import Example
from bnaparser.training.loss import hinge_loss, word_loss
from bnaparser.training.recipe import Recipe
from bnaparser.training.setup import gold_pieces, training_sentences
from bnaparser.training.update import LossShares, Objective, with_some_pieces
from bnaparser.trees.tree import Tree


def example(bracketed: str, language: str = "") -> Example:
    from bnaparser.trees.tree import parse_trees

    tree: Tree = next(iter(parse_trees(bracketed)))
    return Example(tree, tree.words, tree.tags, tuple(tree.spans()), tree.tags, language)


@pytest.fixture
def finder(build_model: Callable[..., BnaModel]) -> BnaModel:
    model = build_model()
    text = LanguageSettings(languages=("zh-Hant", "es"), segment_words=True, hidden_size=16)
    settings = model.settings.model_copy(update={"text": text})
    torch.manual_seed(3)
    return BnaModel(settings, model.labels, model.tags, model.encoder)


def test_pieces_of_the_text_and_where_words_begin(finder: BnaModel) -> None:
    shown = [
        example("(TOP (S (N 老師) (V 看) (N 台灣)))"),
        example("(TOP (S (P a_pesar_de) (N Ana)))", "es"),
        example("(TOP (S (N ＩＢＭ) (N Club)))"),  # one piece of text, two words
    ]
    chinese, spanish, none = gold_pieces(finder, shown)
    assert chinese is not None and spanish is not None
    assert chinese.begins.tolist() == [1, 0, 1, 1, 0]
    assert spanish.begins.tolist() == [1, 0, 0, 1]
    assert (chinese.prepared.words, spanish.prepared.words) == (5, 4)
    assert none is None


def test_without_a_finder_nothing_is_shown(build_model: Callable[..., BnaModel]) -> None:
    assert gold_pieces(build_model(), [example("(TOP (S (N a)))")]) == [None]


def test_the_loss_is_the_cross_entropy_of_each_piece(finder: BnaModel) -> None:
    finder.eval()
    first, second = finder.prepare([["a", "b"], ["c"]])
    encoded = finder.encode([first, second])
    begins = [np.array([1, 0], np.float32), np.array([1], np.float32)]
    chances = torch.sigmoid(finder.word_scores(encoded))
    expected = -(chances[0].log() + (1 - chances[1]).log() + chances[2].log())
    torch.testing.assert_close(word_loss(finder, encoded, begins), expected)
    torch.testing.assert_close(
        F.softplus(-finder.word_scores(encoded)[2]), -chances[2].log(), atol=1e-5, rtol=1e-5
    )


def test_words_are_learned_and_stored(two_languages_dir: Path) -> None:
    metrics = json.loads((two_languages_dir / "metrics.json").read_text(encoding="utf-8"))
    assert metrics["update"] == 120
    config = json.loads((two_languages_dir / "config.json").read_text(encoding="utf-8"))
    assert config["text"]["languages"] == ["zh-Hant", "es"]
    stored = json.loads((two_languages_dir / "labels.json").read_text(encoding="utf-8"))
    assert stored["languages"]["es"]["labels"] == ["grup.verb", "oracion", "sn", "sp"]
    assert stored["languages"]["zh-Hant"]["tags"] == ["N", "PU", "V"]


def test_development_scores_words(finder: BnaModel) -> None:
    from bnaparser.training.run import development_scores

    shown = [example("(TOP (S (N 老師) (V 看)))"), example("(TOP (S (N 我)))")]
    scores = development_scores(finder, {"dev": shown}, 100)
    # Some of: 老師 看, 老 師 看, 老師看, 老 師看; the one word of the second sentence is always right.
    assert 100 * 2 / 4 <= scores["dev words"] <= 100


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({"text": {"languages": ["xx"]}}, "unknown language 'xx': choose one of de, en, es"),
        ({"text": {"languages": []}}, "must have at least one language, and each language once"),
        ({"text": {"segment_words": True}, "tags": {"given": True}}, "and tags.given exclude each other"),
        ({"text": {"languages": ["es", "fr"]}, "train": {"data": [{"path": "a"}]}}, "a needs its language"),
        ({"train": {"data": [{"path": "a", "language": "es"}]}}, "a has the language es: add this language to text.languages"),
    ],
)  # fmt: skip
def test_settings_that_cannot_be(table: dict[str, object], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        Recipe.model_validate(table)


def test_old_models_are_english() -> None:
    old = ModelSettings().model_dump()
    del old["text"]
    assert ModelSettings.model_validate(old).text == LanguageSettings()
    assert replace(example("(TOP (S (N a)))")).language == ""


def test_one_sentence_of_so_many_has_its_words_learned(finder: BnaModel) -> None:
    shown = [example("(TOP (S (N 老師) (V 看)))")] * 5
    batch = training_sentences(finder, shown)
    chosen = [[one.pieces is not None for one in with_some_pieces(batch, 2, n)] for n in (0, 1, 2)]
    assert chosen == [[1, 0, 1, 0, 1], [0, 1, 0, 1, 0], [1, 0, 1, 0, 1]]
    assert with_some_pieces(batch, 1, 7) == batch
    assert [one.prepared for one in with_some_pieces(batch, 3, 0)] == [o.prepared for o in batch]


def test_without_pieces_the_loss_has_a_gradient_of_0_for_the_head(finder: BnaModel) -> None:
    finder.eval()
    (one,) = training_sentences(finder, [example("(TOP (S (N 老師) (V 看)))")])
    loss = Objective(finder, "hinge")([one.prepared], [one.gold], LossShares(1.0, 0.5))
    loss.backward()
    head = dict(finder.named_parameters())["word_finder.0.weight"]
    assert loss == hinge_loss(finder, finder.encode([one.prepared]), [one.gold])
    assert head.grad is not None and not head.grad.any()
