"""Is one run better than another, or lucky? A paired test of two runs' predictions.

The p-value is that of approximate randomisation (Noreen, 1989; Yeh, 2000): if both runs were alike,
swapping their predictions for half of the examples, drawn at random, would change nothing. The
interval is the percentile bootstrap over examples (Efron, 1979). A run of several seeds has the mean
of its seeds' metrics, and all seeds of an example are swapped and drawn together: predictions of one
example are not independent of each other, and more seeds do not make more examples.

What both need of a metric are sums over examples (of each class what is right, there and predicted,
or spans), so the trials are one product of matrices; correlations are computed anew for each. Where
two runs' predictions have different scales, swapping mixes the scales: the test of correlations is
conservative then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from bnaparser.errors import DataError
from bnaparser.tasks.answer_scores import answer_scores
from bnaparser.tasks.examples import Gold
from bnaparser.tasks.metrics import CORRELATIONS
from bnaparser.tasks.relation_scores import relation_f1, relations_of
from bnaparser.tasks.settings import TaskSettings

Floats = NDArray[np.float64]
# Sums over the examples of a seed -> the metric of each row of such sums.
Metrics = Callable[[Floats], Floats]


@dataclass(frozen=True)
class Comparison:
    """A metric in percent of two runs over the same ``examples``, the mean over their ``seeds``.

    ``difference`` is ``first - second``, ``low`` and ``high`` bound its 95 % interval, and
    ``p_value`` is the two-sided chance of a difference at least as large between equal runs. Both
    are of these networks on other examples; they do not know what another seed would do.
    """

    metric: str
    first: float
    second: float
    difference: float
    low: float
    high: float
    p_value: float
    examples: int
    seeds: int


def compare(
    task: TaskSettings,
    labels: Sequence[str],
    gold: Sequence[Gold],
    first: Sequence[Sequence[Gold]],
    second: Sequence[Sequence[Gold]],
    *,
    trials: int = 2000,
    seed: int = 1,
) -> Comparison:
    """Compare two runs' predictions for the same gold; the same seed, the same result.

    ``first`` and ``second`` have the predictions of each seed; the n-th seed of one is paired with
    the n-th of the other. Raises DataError where the numbers of examples or of seeds differ, or
    there is none.
    """
    _check_numbers(gold, first, second)
    tested = _tested(task, labels, gold, first, second)
    generator = np.random.default_rng(seed)
    count = len(gold)
    observed = tested.swapped(np.zeros((1, count), np.bool_))[0]
    swapped = np.concatenate(
        [tested.swapped(generator.random((size, count)) < 0.5) for size in _parts(trials, count)]
    )
    drawn = np.concatenate(
        [tested.drawn(_resampled(generator, size, count)) for size in _parts(trials, count)]
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
        seeds=len(first),
    )


def _check_numbers(
    gold: Sequence[Gold], first: Sequence[Sequence[Gold]], second: Sequence[Sequence[Gold]]
) -> None:
    if len(first) != len(second):
        raise DataError(f"predictions of {len(first)} seeds and of {len(second)}")
    lengths = sorted({len(one) for one in (*first, *second)})
    if lengths and lengths != [len(gold)]:
        found = " and ".join(map(str, lengths))
        raise DataError(f"predictions for {found} examples, gold of {len(gold)}")
    if not gold or not first:
        raise DataError("there are no predictions to compare")


def _parts(trials: int, count: int) -> list[int]:
    """Cut trials into parts whose matrices stay in a core's own cache."""
    size = max(1, 30_000 // count)
    return [min(size, trials - start) for start in range(0, trials, size)]


def _resampled(generator: np.random.Generator, trials: int, count: int) -> NDArray[np.int64]:
    """Return how often each of ``count`` examples is drawn, (trials, count), in as many draws with replacement.

    Counting draws takes a tenth of the time of NumPy's multinomial numbers.
    """
    drawn = generator.integers(count, size=(trials, count)) + count * np.arange(trials)[:, None]
    return np.bincount(drawn.ravel(), minlength=trials * count).reshape(trials, count)


@dataclass(frozen=True)
class _Sums:
    """Both runs' sums of each example, (seeds, examples, sums), and the metric of a row of them."""

    first: Floats
    second: Floats
    metric: Metrics

    def swapped(self, swap: NDArray[np.bool_]) -> Floats:
        """Return both metrics, (trials, 2), with the examples of ``swap`` exchanged."""
        chosen = swap.astype(np.float64)
        metrics = []
        for first, second in zip(self.first, self.second, strict=True):
            change = chosen @ (second - first)
            rows = first.sum(axis=0) + change, second.sum(axis=0) - change
            metrics.append(_columns(map(self.metric, rows)))
        return _mean(metrics)

    def drawn(self, counts: NDArray[Any]) -> Floats:
        """Return both metrics, (resamples, 2), of examples that occur so many times."""
        weights = counts.astype(np.float64)
        metrics = [
            _columns(self.metric(weights @ one) for one in pair)
            for pair in zip(self.first, self.second, strict=True)
        ]
        return _mean(metrics)


@dataclass(frozen=True)
class _Correlation:
    """Gold scores (examples) and two runs' (seeds, examples), whose metric is no sum."""

    metric: str
    gold: Floats
    first: Floats
    second: Floats

    def swapped(self, swap: NDArray[np.bool_]) -> Floats:
        """Return both metrics, (trials, 2), with the examples of ``swap`` exchanged."""
        metrics = []
        gold = np.concatenate([self.gold, self.gold])
        for first, second in zip(self.first, self.second, strict=True):
            both = np.concatenate([first, second])
            chosen = [np.concatenate([~one, one], axis=1) for one in (swap, ~swap)]
            metrics.append(_columns(self._of(gold, both, times) for times in chosen))
        return _mean(metrics)

    def drawn(self, counts: NDArray[Any]) -> Floats:
        """Return both metrics, (resamples, 2), of examples that occur so many times."""
        metrics = [
            _columns(self._of(self.gold, one, counts) for one in pair)
            for pair in zip(self.first, self.second, strict=True)
        ]
        return _mean(metrics)

    def _of(self, gold: Floats, predicted: Floats, times: NDArray[Any]) -> Floats:
        return CORRELATIONS[self.metric](gold, predicted, times.astype(np.float64))


def _columns(sides: Iterable[Floats]) -> Floats:
    """Return the metrics of both runs, (trials, 2)."""
    found: Floats = np.stack([*sides], axis=1)
    return found


def _mean(seeds: Sequence[Floats]) -> Floats:
    """Return the mean over seeds of what each gives."""
    found: Floats = np.mean(seeds, axis=0)
    return found


def _tested(
    task: TaskSettings,
    labels: Sequence[str],
    gold: Sequence[Gold],
    first: Sequence[Sequence[Gold]],
    second: Sequence[Sequence[Gold]],
) -> _Sums | _Correlation:
    """Return both runs in the form that a task's main metric is computed from."""
    metric = task.main_metric
    if task.kind == "regression":
        return _Correlation(metric, np.array(gold), np.array(first), np.array(second))
    sums: Callable[[Sequence[Gold]], Floats] = lambda seed: _class_counts(len(labels), gold, seed)
    positive = None if task.positive is None else labels.index(task.positive)
    of_rows: Metrics = lambda rows: class_metric(metric, rows, len(labels), positive)
    if metric == "span_f1":
        sums, of_rows = (lambda seed: _span_counts(labels, gold, seed)), _f_of_counts
    elif metric == "relation_f1":
        relations, size = relations_of(labels, task.other), len(labels)
        of_rows = lambda rows: relation_f1(rows.reshape(-1, 3, size), relations)
    elif task.kind == "answers":
        sums, of_rows = (lambda seed: _answer_sums(metric, gold, seed)), _mean_of_sums
    runs = [np.array([sums(seed) for seed in run]) for run in (first, second)]
    return _Sums(runs[0], runs[1], of_rows)


def _class_counts(size: int, gold: Sequence[Gold], predicted: Sequence[Gold]) -> Floats:
    """Return of each example how often each class is right, there, and predicted, (examples, 3 * size).

    No table of gold by predicted class: with a hundred classes those of all examples would fill the memory.
    """
    rows = np.repeat(np.arange(len(gold)), [np.size(one) for one in gold])
    wanted, found = (
        np.concatenate([np.atleast_1d(one) for one in side]).astype(np.int64)
        for side in (gold, predicted)
    )
    right = wanted == found
    counts = [
        np.bincount(size * here + classes, minlength=len(gold) * size).reshape(len(gold), size)
        for here, classes in ((rows[right], wanted[right]), (rows, wanted), (rows, found))
    ]
    return np.concatenate(counts, axis=1).astype(np.float64)


def class_metric(metric: str, rows: Floats, size: int, positive: int | None) -> Floats:
    """Return a metric in percent of each row's counts of what is right, there and predicted of a class."""
    right, wanted, found = rows.reshape(len(rows), 3, size).transpose(1, 0, 2)
    total = wanted.sum(axis=1)
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
    rows = []
    for wanted, found in zip(gold, predicted, strict=True):
        tags = [tuple(cast("Sequence[int]", one)) for one in (wanted, found)]
        here, there = (_spans(tuple(labels), one) for one in tags)
        rows.append((len(here & there), len(here), len(there)))
    return np.array(rows, dtype=np.float64)


@lru_cache(
    maxsize=100_000
)  # gold is compared with every run, and most runs agree on most sentences
def _spans(labels: tuple[str, ...], tags: tuple[int, ...]) -> frozenset[tuple[str, int, int]]:
    from seqeval.metrics.sequence_labeling import get_entities

    return frozenset(get_entities([labels[number] for number in tags]))


def _answer_sums(metric: str, gold: Sequence[Gold], predicted: Sequence[Gold]) -> Floats:
    """Return of each question what its answer scores, and 1."""
    right = cast("Sequence[tuple[str, ...]]", gold)
    scores = answer_scores(right, cast("Sequence[str]", predicted))[metric]
    return np.stack([np.array(scores), np.ones(len(scores))], axis=1)


def _mean_of_sums(rows: Floats) -> Floats:
    return 100 * _ratio(rows[:, 0], rows[:, 1])


def _f_of_counts(rows: Floats) -> Floats:
    return 100 * _ratio(2 * rows[:, 0], rows[:, 1] + rows[:, 2])


def _ratio(above: Floats, below: Floats) -> Floats:
    """Divide, 0 by 0 is 0."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)
