"""Calibration error, log loss and likelihood against worked values and loops; the temperature against a grid."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from bnaparser import chart
from bnaparser.errors import DataError
from bnaparser.network.model import BnaModel
from bnaparser.training.calibration import (
    GoldChart,
    Judged,
    best_temperature,
    calibration_error,
    gold_charts,
    judge_constituents,
    least,
    log_likelihood,
    log_loss,
    reliability,
)
from bnaparser.training.data import Example
from bnaparser.training.loss import Gold


def judged(*pairs: tuple[float, bool]) -> Judged:
    return Judged(np.array([p for p, _ in pairs]), np.array([right for _, right in pairs]))


def drawn(count: int, temperature: float, seed: int = 0) -> list[GoldChart]:
    """Sentences of 5 words whose gold trees are drawn by their scores at a temperature."""
    generator = np.random.default_rng(seed)
    charts = []
    for _ in range(count):
        scores = generator.standard_normal((15, 4), dtype=np.float32)
        scores[:, 0] = 0
        (tree,) = chart.sample(scores, 5, 1, generator, temperature=temperature)
        starts, ends, labels = tree.spans.astype(np.int64).T
        rows = chart.span_index(starts, ends, 5)
        right = Gold(rows, labels.astype(np.int32), np.zeros(5, np.int64))
        charts.append(GoldChart(scores, 5, right, True, False))
    return charts


def test_worked_errors() -> None:
    four = judged((0.95, True), (0.95, False), (0.5, True), (1.0, True))
    # Of the last bin two of three are right, and 0.9667 is their mean; 0.5 is half a bin's.
    assert reliability(four) == [
        (1, 0.5, 1.0),
        (3, pytest.approx(2.9 / 3), pytest.approx(2 / 3)),
    ]
    assert calibration_error(four) == pytest.approx(100 * (0.5 + 0.9) / 4)
    assert calibration_error(judged((0.75, True), (0.75, True), (0.75, False), (0.75, True))) == 0
    assert calibration_error(judged()) == 0
    assert log_loss(judged((0.5, True), (0.25, False))) == pytest.approx(
        -(math.log(0.5) + math.log(0.75)) / 2
    )
    assert log_loss(judged((1.0, False))) < 20  # sure and wrong costs much, but not all


def test_bins_are_those_of_a_loop() -> None:
    generator = np.random.default_rng(4)
    some = Judged(generator.random(500), generator.random(500) < 0.4)
    expected = 0.0
    for number in range(15):
        inside = [
            (p, right)
            for p, right in zip(*some, strict=True)
            if number / 15 <= p < (number + 1) / 15
        ]
        if inside:
            mean = sum(p for p, _ in inside) / len(inside)
            share = sum(right for _, right in inside) / len(inside)
            expected += len(inside) / 500 * abs(mean - share)
    assert calibration_error(some) == pytest.approx(100 * expected)


def test_least_is_found_between_any_two() -> None:
    assert least(lambda x: (math.log(x) - math.log(3)) ** 2, 0.5, 40) == pytest.approx(3, rel=1e-3)


def test_the_temperature_that_trees_were_drawn_with_is_found() -> None:
    temperature = 0.4
    charts = drawn(1000, temperature)
    found = best_temperature(charts)
    assert found == pytest.approx(temperature, rel=0.1)
    # No other one is better, and what is probable is as often right.
    least_loss = log_loss(judge_constituents(charts, found))
    others = [found * factor for factor in (0.5, 0.9, 0.98, 1.02, 1.1, 2)]
    assert least_loss < min(log_loss(judge_constituents(charts, other)) for other in others)
    assert calibration_error(judge_constituents(charts, found)) < 3
    assert calibration_error(judge_constituents(charts, 3 * found)) > 8
    assert log_likelihood(charts, temperature) > log_likelihood(charts, 1.5 * temperature)


def test_likelihood_is_of_the_gold_trees_that_are_possible() -> None:
    charts = drawn(3, 1.0)
    each = [
        math.log(
            math.exp(one.gold_score / 0.5 - chart.marginals(one.scores, 5, temperature=0.5).log_partition)
        )
        for one in charts
    ]  # fmt: skip
    assert log_likelihood(charts, 0.5) == pytest.approx(sum(each) / 3, rel=1e-5)
    first = charts[0]
    impossible = GoldChart(first.scores, 5, first.gold, False, False)
    assert log_likelihood([impossible, *charts[1:]], 0.5) == pytest.approx(sum(each[1:]) / 2)
    assert math.isnan(log_likelihood([impossible], 0.5))


def test_trees_that_say_nothing_are_refused() -> None:
    charts = drawn(5, 1.0)
    perfect = []
    for one in charts:
        rows, labels = one.constituents
        own = Gold(rows, labels.astype(np.int32), one.gold.tags)
        perfect.append(GoldChart(one.scores, 5, own, True, False))
    for some in ([], perfect):
        with pytest.raises(DataError, match="determine no best temperature: give more trees"):
            best_temperature(some)


def test_charts_are_those_of_each_sentence_alone(
    build_model: Callable[..., BnaModel], examples: list[Example]
) -> None:
    model = build_model().eval()
    batch = [*examples[:3], *examples[50:53]]
    found = list(gold_charts(model, batch, 60))
    assert sorted(len(example.words) for example in batch)[::-1] == [c.words for _, c in found]
    for example, one in found:
        ((_, alone),) = gold_charts(model, [example], 60)
        np.testing.assert_allclose(one.scores, alone.scores, atol=1e-4)
        assert one.possible
        spans = {(span.start, span.end, span.label) for span in example.spans}
        right = [
            (start, end, model.labels.names[label]) in spans
            for start, end, label in one.best.spans.tolist()
        ]
        assert one.right.tolist() == right


def test_a_tree_with_a_label_that_the_model_lacks_is_impossible(
    build_model: Callable[..., BnaModel], examples: list[Example]
) -> None:
    model = build_model().eval()
    example = examples[0]
    renamed = example.spans[-1]._replace(label="NEVER")
    other = replace(example, spans=(*example.spans[:-1], renamed))
    rootless = replace(example, spans=example.spans[1:])
    possible = {
        one.spans: found.possible
        for one, found in gold_charts(model, [example, other, rootless], 100)
    }
    assert possible == {example.spans: True, other.spans: False, rootless.spans: False}
