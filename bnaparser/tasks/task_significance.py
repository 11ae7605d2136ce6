"""Is one run better than another, or lucky? A paired test of two runs' predictions.

The p-value is that of approximate randomisation (Noreen, 1989; Yeh, 2000): if both runs were alike,
swapping their predictions for half of the examples, drawn at random, would change nothing. The
interval is the percentile bootstrap over examples (Efron, 1979). What both need of a metric are
sums over examples (who was right, tables of gold by predicted class, spans), so each trial is one
product of matrices; correlations are computed anew for each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnaparser.errors import DataError
from bnaparser.tasks.task_metrics import correlations
from bnaparser.tasks.task_model import Gold
from bnaparser.tasks.task_settings import Metric, TaskSettings

Floats = NDArray[np.float64]
# Sums of an example for one of the runs -> the metric of each row of such sums.
Metrics = Callable[[Floats], Floats]


@dataclass(frozen=True)
class Comparison:
    """A metric in percent of two runs over the same ``examples``.

    ``difference`` is ``first - second``, ``low`` and ``high`` bound its 95 % interval, and
    ``p_value`` is the two-sided chance of a difference at least as large between equal runs.
    """

    metric: str
    first: float
    second: float
    difference: float
    low: float
    high: float
    p_value: float
    examples: int


def compare(
    task: TaskSettings,
    labels: Sequence[str],
    gold: Sequence[Gold],
    first: Sequence[Gold],
    second: Sequence[Gold],
    *,
    trials: int = 2000,
    seed: int = 1,
) -> Comparison:
    """Compare two runs' predictions for the same gold; the same seed, the same result.

    Several seeds of a run are given one after another, each with its gold. Raises DataError where
    the numbers of examples differ or there is none.
    """
    if not len(gold) == len(first) == len(second):
        raise DataError(
            f"predictions for {len(first)} and {len(second)} examples, gold of {len(gold)}"
        )
    if not gold:
        raise DataError("there are no predictions to compare")
    tested = _tested(task, labels, gold, first, second)
    generator = np.random.default_rng(seed)
    count = len(gold)
    observed = tested.swapped(np.zeros((1, count), np.bool_))[0]
    swapped = np.concatenate(
        [tested.swapped(generator.random((size, count)) < 0.5) for size in _parts(trials, count)]
    )
    drawn = np.concatenate(
        [
            tested.drawn(generator.multinomial(count, np.full(count, 1 / count), size))
            for size in _parts(trials, count)
        ]
    )
    difference = observed[0] - observed[1]
    at_least = np.abs(swapped[:, 0] - swapped[:, 1]) >= abs(difference) - 1e-9
    low, high = np.percentile(drawn[:, 0] - drawn[:, 1], [2.5, 97.5])
    return Comparison(
        metric=task.main_metric,
        first=float(observed[0]),
        second=float(observed[1]),
        difference=float(difference),
        low=float(low),
        high=float(high),
        p_value=float((at_least.sum() + 1) / (trials + 1)),
        examples=count,
    )


def _parts(trials: int, count: int) -> list[int]:
    """Cut trials into parts whose matrices stay small."""
    size = max(1, 4_000_000 // count)
    return [min(size, trials - start) for start in range(0, trials, size)]


@dataclass(frozen=True)
class _Sums:
    """Both runs' sums of each example, (examples, sums), and the metric of a row of them."""

    first: Floats
    second: Floats
    metric: Metrics

    def swapped(self, swap: NDArray[np.bool_]) -> Floats:
        """Return both metrics, (trials, 2), with the examples of ``swap`` exchanged."""
        change = swap.astype(np.float64) @ (self.second - self.first)
        first = self.metric(self.first.sum(axis=0) + change)
        return np.stack([first, self.metric(self.second.sum(axis=0) - change)], axis=1)

    def drawn(self, counts: NDArray[Any]) -> Floats:
        """Return both metrics, (resamples, 2), of examples that occur so many times."""
        weights = counts.astype(np.float64)
        return np.stack([self.metric(weights @ runs) for runs in (self.first, self.second)], axis=1)


@dataclass(frozen=True)
class _Correlation:
    """Scores of two runs, whose metric is no sum."""

    metric: Metric
    gold: Floats
    first: Floats
    second: Floats

    def swapped(self, swap: NDArray[np.bool_]) -> Floats:
        """Return both metrics, (trials, 2), with the examples of ``swap`` exchanged."""
        rows = [
            (
                self._of(self.gold, np.where(row, self.second, self.first)),
                self._of(self.gold, np.where(row, self.first, self.second)),
            )
            for row in swap
        ]
        return np.array(rows)

    def drawn(self, counts: NDArray[Any]) -> Floats:
        """Return both metrics, (resamples, 2), of examples that occur so many times."""
        rows = []
        for row in counts:
            places = np.repeat(np.arange(len(row)), row)
            gold = self.gold[places]
            rows.append((self._of(gold, self.first[places]), self._of(gold, self.second[places])))
        return np.array(rows)

    def _of(self, gold: Floats, predicted: Floats) -> float:
        return correlations(gold.tolist(), predicted.tolist())[self.metric]


def _tested(
    task: TaskSettings,
    labels: Sequence[str],
    gold: Sequence[Gold],
    first: Sequence[Gold],
    second: Sequence[Gold],
) -> _Sums | _Correlation:
    """Return both runs in the form that a task's main metric is computed from."""
    metric = task.main_metric
    if task.kind == "regression":
        return _Correlation(metric, np.array(gold), np.array(first), np.array(second))
    if metric == "span_f1":
        spans = [_span_counts(labels, gold, run) for run in (first, second)]
        return _Sums(spans[0], spans[1], _f_of_counts)
    size = len(labels)
    tables = [_tables(size, gold, run) for run in (first, second)]
    positive = None if task.positive is None else labels.index(task.positive)
    return _Sums(tables[0], tables[1], lambda rows: table_metric(metric, rows, size, positive))


def _tables(size: int, gold: Sequence[Gold], predicted: Sequence[Gold]) -> Floats:
    """Return of each example its table of gold by predicted class, (examples, size * size)."""
    tables = np.zeros((len(gold), size * size))
    for row, (wanted, found) in enumerate(zip(gold, predicted, strict=True)):
        places = np.atleast_1d(wanted) * size + np.atleast_1d(found)
        np.add.at(tables[row], places.astype(np.int64), 1)
    return tables


def table_metric(metric: str, rows: Floats, size: int, positive: int | None) -> Floats:
    """Return a metric in percent of each row's table of gold by predicted class."""
    tables = rows.reshape(len(rows), size, size)
    right = np.diagonal(tables, axis1=1, axis2=2)
    wanted, found = tables.sum(axis=2), tables.sum(axis=1)
    total = tables.sum(axis=(1, 2))
    if metric == "accuracy":
        return 100 * _ratio(right.sum(axis=1), total)
    if metric == "matthews":
        covariance = right.sum(axis=1) * total - (wanted * found).sum(axis=1)
        spread = np.sqrt((total**2 - (found**2).sum(axis=1)) * (total**2 - (wanted**2).sum(axis=1)))
        return 100 * _ratio(covariance, spread)
    if metric == "macro_f1":
        there = (wanted + found > 0).sum(axis=1)  # a class that is nowhere counts for nothing
        return 100 * _ratio(_ratio(2 * right, wanted + found).sum(axis=1), there.astype(float))
    assert positive is not None
    beta = 0.25 if metric == "f0.5" else 1.0
    of_class = right[:, positive], beta * wanted[:, positive] + found[:, positive]
    return 100 * _ratio((1 + beta) * of_class[0], of_class[1])


def _span_counts(labels: Sequence[str], gold: Sequence[Gold], predicted: Sequence[Gold]) -> Floats:
    """Return of each sentence how many spans are right, there, and predicted."""
    from seqeval.metrics.sequence_labeling import get_entities

    rows = []
    for wanted, found in zip(gold, predicted, strict=True):
        assert isinstance(wanted, tuple) and isinstance(found, tuple)
        here = set(get_entities([labels[number] for number in wanted]))
        there = set(get_entities([labels[number] for number in found]))
        rows.append((len(here & there), len(here), len(there)))
    return np.array(rows, dtype=np.float64)


def _f_of_counts(rows: Floats) -> Floats:
    return 100 * _ratio(2 * rows[:, 0], rows[:, 1] + rows[:, 2])


def _ratio(above: Floats, below: Floats) -> Floats:
    """Divide, 0 by 0 is 0."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)
