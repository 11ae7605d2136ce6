"""benchmarks/calibration: its brackets are EVALB's, and its page has what a small parser gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.calibration.calibration_report import draw_kept, draw_reliability, page
from benchmarks.calibration.judged_sets import (
    JudgedSet,
    by_evalb,
    f1,
    f1_of_kept,
    in_the_unsurest,
    judge_set,
    of_chance,
)
from bnaparser import Tree
from bnaparser.eval import score
from bnaparser.network import storage
from bnaparser.training.calibration import Judged, calibration_error, gold_charts
from bnaparser.training.data import Example

GOLD = "(TOP (S (`` ``) (NP (NN a) (, ,)) (VP (VB b) (PRT (RP up)) (S (VP (VB c)))) (. .)))"
PREDICTED = "(TOP (S (`` ``) (NP (NN a)) (, ,) (VP (VB b) (ADVP (RP up)) (VP (VB c))) (. .)))"


def test_brackets_are_those_of_evalb() -> None:
    gold, predicted = Tree.parse(GOLD), Tree.parse(PREDICTED)
    spans = list(predicted.spans())
    found = by_evalb(gold, spans)
    expected = score([gold], [predicted])
    assert sum(right for _, right in found) == expected.matched == 5
    assert len(found) == expected.test == 5
    backwards = by_evalb(predicted, list(gold.spans()))
    assert (sum(right for _, right in backwards), len(backwards)) == (5, expected.gold)
    chain = next(place for place, span in enumerate(gold.spans()) if "::" in span.label)
    assert [right for place, right in backwards if place == chain] == [False, True]


@pytest.fixture(scope="module")
def told(tiny_model_dir: Path, examples: list[Example]) -> JudgedSet:
    """The invented sentences, judged at two temperatures."""
    model = storage.load(tiny_model_dir)
    return judge_set(gold_charts(model, examples[:20], 200), model.labels, (1.0, 0.5, 0.7))


def test_a_set_has_the_scores_of_evalb(
    told: JudgedSet, tiny_model_dir: Path, examples: list[Example]
) -> None:
    assert len(told.words) == len(told.best) == len(told.expected) == 20
    model = storage.load(tiny_model_dir)
    pairs = list(gold_charts(model, examples[:20], 200))
    trees = [
        Tree.from_spans(
            example.words,
            example.tags,
            [
                example.spans[0]._replace(start=s, end=e, label=model.labels.names[label])
                for s, e, label in one.best.spans.tolist()
            ],
        )
        for example, one in pairs
    ]
    expected = score([example.tree for example, _ in pairs], trees)
    assert f1(told.best) == pytest.approx(expected.f1)
    assert sum(told.brackets_right) == expected.matched
    assert f1(told.best) <= f1(told.oracles[10]) <= f1(told.oracles[50])
    assert f1_of_kept(told, "chance", 1.0) == f1(told.best)
    words, errors = in_the_unsurest(told, "shortness", 0.2)
    longest = sorted(told.words)[-4:]
    assert words == pytest.approx(100 * sum(longest) / sum(told.words))
    assert 0 <= errors <= 100


def test_the_error_of_chance_falls_with_numbers() -> None:
    few, many = (
        of_chance(Judged(np.full(count, 0.5), np.ones(count, np.bool_)), calibration_error)
        for count in (100, 10_000)
    )
    assert few == pytest.approx(100 * 0.5 * np.sqrt(2 / np.pi) / 10, rel=0.3)
    assert many < few / 5


def test_the_page_has_a_row_a_set(told: JudgedSet, tmp_path: Path) -> None:
    temperatures = (1.0, 0.5, 0.7)
    sets = {"one": told, "two": told}
    text = page(sets, temperatures, "one", "here", "python -m it")
    assert text.count("\n| one | ") == text.count("\n| two | ") == 3 + 3 + 1
    assert "nan" not in text
    draw_reliability(sets, temperatures, tmp_path / "reliability.svg")
    draw_kept(sets, tmp_path / "kept.svg")
    assert "<svg" in (tmp_path / "kept.svg").read_text(encoding="utf-8")
