"""Development scores: what is judged, and with whose tags."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from bnaparser.network.decoding import Prediction
from bnaparser.network.model import BnaModel
from bnaparser.network.model_settings import TagSettings
from bnaparser.network.prepared import PreparedSentence
from bnaparser.training import run
from bnaparser.training.data import Example
from bnaparser.training.run import development_scores

TAGGER = TagSettings(predict=True, hidden_size=8)


def gold_trees_with(tag: str, examples: Sequence[Example]) -> Callable[..., list[Prediction]]:
    """A decoder that finds the gold constituents, and this tag for the first word of each."""

    def predict(
        model: BnaModel, prepared: Sequence[PreparedSentence], batch_tokens: int
    ) -> list[Prediction]:
        return [Prediction(list(e.spans), [tag, *e.tags[1:]], 0.0) for e in examples]

    return predict


def test_trees_are_judged_with_gold_tags(
    build_model: Callable[..., BnaModel],
    examples: list[Example],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A word tagged as a mark made EVALB leave its sentence out: once 2 of 105 were scored."""
    few = [example for example in examples if len(example.words) > 2][:10]
    monkeypatch.setattr(run, "predict", gold_trees_with(".", few))
    scores = development_scores(build_model(tagging=TAGGER), {"dev": few}, 500)
    assert scores["dev f1"] == scores["f1"] == 100
    words = sum(len(example.words) for example in few)
    assert scores["dev tags"] == pytest.approx(100 * (words - len(few)) / words)
    # The wrong constituents of one sentence cost something, though its tags are wrong as well.
    predicted = [replace(few[0], spans=few[0].spans[:1]), *few[1:]]
    monkeypatch.setattr(run, "predict", gold_trees_with(".", predicted))
    assert development_scores(build_model(tagging=TAGGER), {"dev": few}, 500)["f1"] < 100


def test_a_model_without_a_tagger_has_no_tag_accuracy(
    build_model: Callable[..., BnaModel], examples: list[Example]
) -> None:
    """It was 100: gold tags beside gold tags."""
    for tagging in (TagSettings(), TagSettings(given=True)):
        scores = development_scores(build_model(tagging=tagging), {"dev": examples[:4]}, 500)
        assert set(scores) == {"dev f1", "f1"}
    assert development_scores(build_model(), {}, 500) == {}


def test_a_model_that_reads_tags_is_judged_on_those_that_it_is_given(
    build_model: Callable[..., BnaModel], examples: list[Example]
) -> None:
    model = build_model(tagging=TagSettings(given=True, init_std=3.0))
    few = examples[:12]
    other = [replace(example, given_tags=("?",) * len(example.words)) for example in few]
    gold, given = (development_scores(model, {"dev": one}, 500)["f1"] for one in (few, other))
    assert gold != given
