"""A network for two languages seen as one of them: compiled and with PyTorch, in both precisions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bnaparser import Parser
from bnaparser.network import storage
from bnaparser.network.labels import MASKED_SCORE, LanguageNames
from bnaparser.network.model import BnaModel
from bnaparser.network.model_settings import LanguageSettings, TagSettings
from bnaparser.network.parsing_network import ParsingNetwork
from bnaparser.network.precision import load_network
from bnaparser.network.prepared import forms_of
from bnaparser.parsing.named_constraints import Constraint

SENTENCES = [["the", "cat", "sat", "on", "the", "mat"], ["it", "rained"]]


@pytest.fixture(scope="module")
def folder(build_model: Callable[..., BnaModel], tmp_path_factory: pytest.TempPathFactory) -> Path:
    model = build_model("bert", tagging=TagSettings(predict=True, hidden_size=16))
    text = LanguageSettings(languages=("en", "es"), segment_words=True, hidden_size=16)
    settings = model.settings.model_copy(update={"text": text})
    whole = BnaModel(settings, model.labels, model.tags, model.encoder, model.subwords)
    labels, tags = model.labels.names[1:], model.tags.names
    whole.by_language = {
        "en": LanguageNames(frozenset(labels[::2]), frozenset(tags[::2])),
        "es": LanguageNames(frozenset(labels[1::2]), frozenset(tags[1::2])),
    }
    path = tmp_path_factory.mktemp("views")
    storage.save(whole, path, "float32", {})
    return path


def networks(folder: Path) -> list[ParsingNetwork]:
    return [
        storage.load(folder),
        load_network(folder, "cpu", "float32"),
        load_network(folder, "cpu", "int8"),
    ]


@pytest.mark.parametrize("number", [0, 1, 2])
def test_labels_and_tags_of_the_other_language_are_out_of_the_choice(
    folder: Path, number: int
) -> None:
    network = networks(folder)[number]
    prepared = network.prepare(SENTENCES)
    with network.inference():
        before = network.all_scores(network.encode(prepared))
    for language in ("en", "es"):
        view, known = network.in_language(language), network.by_language[language]
        assert view.settings.text.languages == (language,)
        with view.inference():
            encoded = view.encode(prepared)
            scores, tags = view.all_scores(encoded), view.all_tag_scores(encoded)
            allowed = view.allowed_tags[forms_of(prepared)]
            best = view.best_tags(encoded, allowed)
        mine = [name in known.labels for name in network.labels.names]
        mine[0] = True  # no constituent
        np.testing.assert_allclose(scores[:, mine], before[:, mine], atol=1e-5)
        assert (scores[:, ~np.array(mine)] < MASKED_SCORE / 2).all()
        assert {network.tags.names[one] for one in best} <= known.tags
        assert np.where(allowed, tags, -np.inf).argmax(axis=1).tolist() == best
    with network.inference():  # itself is as it was
        np.testing.assert_array_equal(network.all_scores(network.encode(prepared)), before)


@pytest.mark.parametrize("number", [0, 1, 2])
def test_lists_of_trees_and_constraints_know_the_labels_of_their_language_alone(
    folder: Path, number: int
) -> None:
    network = networks(folder)[number]
    parser = Parser(network).in_language("es")
    mine, others = (network.by_language[one].labels for one in ("es", "en"))
    assert parser.labels == mine
    parse = parser.parse_words(["rained"], n_best=10_000, probabilities=True)
    trees = [parse, *parse.alternatives]
    assert sorted(one.spans[0].label for one in trees) == sorted(mine)
    assert sum(one.probability or 0 for one in trees) == pytest.approx(1, abs=1e-4)
    parts = {part for label in mine for part in label.split("::")}
    foreign = next(label for label in sorted(others) if label not in parts and "::" not in label)
    bad, good = parser.parse_many(
        [["It", "rained"]] * 2, None, [[Constraint("must", 0, 1, foreign)], []]
    )
    assert bad.error is not None
    assert f"the model knows no label {foreign!r}" in bad.error
    assert good.error is None


def test_words_are_scored_alike_with_and_without_torch(folder: Path) -> None:
    with_torch, compiled, _ = networks(folder)
    found = []
    for network in (with_torch, compiled):
        with network.inference():
            found.append(network.all_word_scores(network.encode(network.prepare(SENTENCES))))
    assert found[0].shape == (8,)
    np.testing.assert_allclose(found[0], found[1], atol=1e-4)
