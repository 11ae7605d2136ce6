"""Parsers that decide together: their mean scores against literal sums, tags, labels, bad input."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from bnaparser import Parser, chart
from bnaparser.errors import SettingsError
from bnaparser.network.labels import Inventory
from bnaparser.network.model import BnaModel
from bnaparser.network.model_settings import TagSettings
from bnaparser.network.word_forms import allowed_tags, word_forms
from bnaparser.parsing.batches import SentenceRequest
from bnaparser.parsing.ensemble import Ensemble
from bnaparser.parsing.options import DEFAULT_OPTIONS
from bnaparser.text.sentence import from_words
from bnaparser.training.data import Example
from bnaparser.training.setup import create_from
from bnaparser.trees.tree import Span

TAGS = TagSettings(predict=True, hidden_size=8)


def shaken(model: BnaModel, seed: int) -> Parser:
    """Return a parser that has learned nothing, and is sure of it in its own way."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=generator) * 0.3)
    return Parser(model)


@pytest.fixture
def parsers(build_model: Callable[..., BnaModel]) -> list[Parser]:
    """Three parsers: two on other subwords, and one that knows fewer labels and tags and one more."""
    few = build_model(tagging=TAGS)
    labels = Inventory.of_labels([*few.labels.names[2:], "NEW"])
    few = create_from(few, few.settings, labels, Inventory.of_tags([*few.tags.names[3:], "NEW"]))
    models = [build_model("bert", tagging=TAGS), build_model("roberta", tagging=TAGS), few]
    return [shaken(model, seed) for seed, model in enumerate(models)]


def literal_mean(
    ensemble: Ensemble, words: tuple[str, ...], shares: list[float]
) -> tuple[np.ndarray, list[str]]:
    """Return the scores of all labels of all spans, and the tags, summed name by name."""
    spans = np.zeros((chart.span_count(len(words)), len(ensemble.model.labels)), np.float64)
    tags = np.zeros((len(words), len(ensemble.model.tags)))
    for parser, share in zip(ensemble.parsers, shares, strict=True):
        model = parser.model
        with torch.no_grad():
            encoded = model.encode(
                parser.prepare([SentenceRequest(from_words(words), None, DEFAULT_OPTIONS)])
            )
            probabilities = torch.from_numpy(model.all_tag_scores(encoded)).softmax(-1).numpy()
        scores = model.all_scores(encoded)
        for number, name in enumerate(ensemble.model.labels.names):
            for span, row in enumerate(scores):
                known = name in model.labels
                spans[span, number] += share * (
                    row[model.labels.number(name)] if known else row[1:].min()
                )
        for number, name in enumerate(ensemble.model.tags.names):
            if name in model.tags:
                tags[:, number] += share * probabilities[:, model.tags.number(name)]
    tags[~allowed_tags(ensemble.model.tags.names)[word_forms(words)]] = -1.0
    return spans, [ensemble.model.tags.names[best] for best in tags.argmax(axis=1)]


@pytest.mark.parametrize("shares", [None, [1.0, 2.0, 5.0]])
def test_the_tree_is_the_best_one_in_the_mean_of_all_scores(
    parsers: list[Parser], examples: list[Example], shares: list[float] | None
) -> None:
    ensemble = Ensemble(parsers, shares)
    parts = [share / 8 for share in shares] if shares else [1 / 3] * 3
    sentences = [example.words for example in examples[:12]]
    for words, parse in zip(sentences, ensemble.parse_many(sentences), strict=True):
        scores, tags = literal_mean(ensemble, words, parts)
        assert not scores[:, 0].any()
        best = chart.decode(scores.astype(np.float32), len(words))
        wanted = [
            Span(s, e, ensemble.model.labels.names[label]) for s, e, label in best.spans.tolist()
        ]
        assert [span._replace(score=None) for span in parse.spans] == wanted
        assert parse.score == pytest.approx(best.score, rel=1e-4)
        assert list(parse.tags) == tags
    assert {"", "NEW"} < set(ensemble.model.labels.names) and "NEW" in ensemble.model.tags


def test_a_parser_and_itself_are_that_parser(parsers: list[Parser]) -> None:
    sentences = [["The", "zebra", "sat", "."], ["She", "sang"], ["the"] * 30]
    (parser, *_) = parsers
    alone, both = parser.parse_many(sentences), Ensemble([parser, parser]).parse_many(sentences)
    for one, other in zip(alone, both, strict=True):
        assert [span[:3] for span in one.spans] == [span[:3] for span in other.spans]
        assert one.tags == other.tags


def test_a_bad_sentence_has_an_error_and_the_others_their_trees(parsers: list[Parser]) -> None:
    ensemble = Ensemble(parsers)
    good, bad, other = ensemble.parse_many([["She", "sang"], ["a b"], ["It", "rained"]])
    assert good.tree and other.tree and bad.error and "word 1 is 'a b'" in bad.error
    assert ensemble.parse_many([]) == []
    (given,) = ensemble.parse_many([["She", "sang"]], [["PRP", "VBD"]])
    assert given.tags == ("PRP", "VBD")


def test_words_have_tags_where_all_predict_them(
    build_model: Callable[..., BnaModel], parsers: list[Parser]
) -> None:
    ensemble = Ensemble([parsers[0], Parser(build_model("bert"))])
    assert not ensemble.predicts_tags
    assert ensemble.parse_many([["She", "sang"]])[0].tags == ("XX", "XX")


def test_what_makes_no_ensemble_is_refused(
    build_model: Callable[..., BnaModel], parsers: list[Parser], tiny_model_dir: Path
) -> None:
    with pytest.raises(SettingsError, match="an ensemble needs two models or more"):
        Ensemble(parsers[:1])
    with pytest.raises(SettingsError, match="2 weights for 3 models"):
        Ensemble(parsers, [1, 2])
    with pytest.raises(SettingsError, match="each weight must be a positive finite number"):
        Ensemble.load([tiny_model_dir, tiny_model_dir], [1, -2])
    with pytest.raises(SettingsError, match="each weight must be a positive finite number"):
        Ensemble(parsers, ["1", "2", "3"])  # type: ignore[list-item]
    reads = Parser(build_model("bert", tagging=TagSettings(given=True)))
    with pytest.raises(SettingsError, match="needs part-of-speech tags"):
        Ensemble([parsers[0], reads])


def test_it_takes_what_a_parser_takes(parsers: list[Parser]) -> None:
    ensemble = Ensemble(parsers)
    first, second = ensemble("She sang. It rained.", n_best=2)
    alone = ensemble.parse_sentence("She sang.", n_best=2)
    assert str(alone.tree) == str(first.tree)
    assert first.words == ("She", "sang", ".") and len(first.alternatives) == 1
    assert second.offsets[0] == (10, 12) and second.tree is not None
