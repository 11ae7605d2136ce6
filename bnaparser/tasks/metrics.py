"""Metrics of classes in percent, by scikit-learn, and in the form that a paired test of two runs needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from bnaparser.errors import import_extra
from bnaparser.tasks.examples import Gold

Floats = NDArray[np.float64]
Labels = Sequence[str]
Scores = dict[str, float]
Runs = tuple[Sequence[Sequence[Any]], Sequence[Sequence[Any]]]
"""What each seed of two runs predicts of each example."""
# Sums over the examples of a seed -> the metric of each row of such sums.
Metrics = Callable[[Floats], Floats]
Metric = Literal[
    "accuracy",
    "matthews",
    "f1",
    "f0.5",
    "macro_f1",
    "span_f1",
    "relation_f1",
    "answer_f1",
    "exact_match",
    "pearson",
    "spearman",
]


def class_scores(
    positive: str | None, labels: Sequence[str], gold: Sequence[int], predicted: Sequence[int]
) -> dict[str, float]:
    """Return accuracy, Matthews correlation, macro F1, and those of the positive class if it is set.

    Macro F1 is the mean over the classes that are there, in gold or predicted.
    """
    metrics = sklearn_metrics()
    scores = {
        "accuracy": metrics.accuracy_score(gold, predicted),
        "matthews": metrics.matthews_corrcoef(gold, predicted),
        "macro_f1": metrics.f1_score(gold, predicted, average="macro", zero_division=0),
    }
    if positive is not None:
        of_class: dict[str, Any] = {
            "labels": [labels.index(positive)],
            "average": "macro",  # of this one class
            "zero_division": 0,
        }
        scores["f1"] = metrics.f1_score(gold, predicted, **of_class)
        scores["f0.5"] = metrics.fbeta_score(gold, predicted, beta=0.5, **of_class)
        scores["precision"] = metrics.precision_score(gold, predicted, **of_class)
        scores["recall"] = metrics.recall_score(gold, predicted, **of_class)
    return percent(scores)


def percent(scores: Mapping[str, Any]) -> dict[str, float]:
    """Return scores from 0 to 1 in percent."""
    return {name: 100.0 * float(value) for name, value in scores.items()}


def sklearn_metrics() -> Any:
    """Import the metrics of scikit-learn; MissingExtraError if it is not there."""
    return import_extra("train", "sklearn.metrics", "scikit-learn")


class Tested(Protocol):
    """Predictions of two runs, of each of their seeds, as a paired test needs them."""

    def swapped(self, swap: NDArray[np.bool_]) -> Floats:
        """Return both metrics, (trials, 2), with the examples of ``swap`` exchanged."""

    def drawn(self, counts: NDArray[Any]) -> Floats:
        """Return both metrics, (resamples, 2), of resampled examples; the arguments have the number of times that each occurs."""


@dataclass(frozen=True)
class Sums:
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
            metrics.append(columns(map(self.metric, rows)))
        return mean_of_seeds(metrics)

    def drawn(self, counts: NDArray[Any]) -> Floats:
        """Return both metrics, (resamples, 2), of resampled examples; the arguments have the number of times that each occurs."""
        weights = counts.astype(np.float64)
        metrics = [
            columns(self.metric(weights @ one) for one in pair)
            for pair in zip(self.first, self.second, strict=True)
        ]
        return mean_of_seeds(metrics)


def sums_of_runs(
    runs: Runs,
    sums: Callable[[Sequence[Gold]], Floats],
    metric: Metrics,
) -> Sums:
    """Return two runs as ``sums`` (examples, sums) of each seed's predictions, and a metric of them."""
    of_runs = [np.array([sums(seed) for seed in run]) for run in runs]
    return Sums(of_runs[0], of_runs[1], metric)


def class_sums(
    metric: str,
    labels: Sequence[str],
    positive: str | None,
    gold: Sequence[Gold],
    runs: Runs,
) -> Sums:
    """Return two runs' counts of classes, and a metric of them; ``positive`` is the class of F1."""
    number = None if positive is None else labels.index(positive)
    return sums_of_runs(
        runs,
        lambda seed: class_counts(len(labels), gold, seed),
        lambda rows: class_metric(metric, rows, len(labels), number),
    )


def columns(sides: Iterable[Floats]) -> Floats:
    """Return the metrics of both runs, (trials, 2)."""
    found: Floats = np.stack([*sides], axis=1)
    return found


def mean_of_seeds(seeds: Sequence[Floats]) -> Floats:
    """Return the mean of the metrics over seeds."""
    found: Floats = np.mean(seeds, axis=0)
    return found


def class_counts(size: int, gold: Sequence[Gold], predicted: Sequence[Gold]) -> Floats:
    """Return of each example how often each class is right, there, and predicted, (examples, 3 * size).

    No table of gold by predicted class: with a hundred classes those of all examples would fill the memory.
    """
    rows = np.repeat(np.arange(len(gold)), [np.size(one) for one in gold])
    in_gold, found = (
        np.concatenate([np.atleast_1d(one) for one in side]).astype(np.int64)
        for side in (gold, predicted)
    )
    right = in_gold == found
    counts = [
        np.bincount(size * here + classes, minlength=len(gold) * size).reshape(len(gold), size)
        for here, classes in ((rows[right], in_gold[right]), (rows, in_gold), (rows, found))
    ]
    return np.concatenate(counts, axis=1).astype(np.float64)


def class_metric(metric: str, rows: Floats, size: int, positive: int | None) -> Floats:
    """Return a metric in percent of each row's counts of what is right, there and predicted of a class."""
    right, in_gold, found = rows.reshape(len(rows), 3, size).transpose(1, 0, 2)
    total = in_gold.sum(axis=1)
    if metric == "accuracy":
        return 100 * ratio(right.sum(axis=1), total)
    if metric == "matthews":
        covariance = right.sum(axis=1) * total - (in_gold * found).sum(axis=1)
        spread = np.sqrt(
            (total**2 - (found**2).sum(axis=1)) * (total**2 - (in_gold**2).sum(axis=1))
        )
        return 100 * ratio(covariance, spread)
    if metric == "macro_f1":
        there = (in_gold + found > 0).sum(axis=1)  # a class that is nowhere counts for nothing
        return 100 * ratio(ratio(2 * right, in_gold + found).sum(axis=1), there.astype(float))
    assert positive is not None
    beta = 0.25 if metric == "f0.5" else 1.0
    of_class = right[:, positive], beta * in_gold[:, positive] + found[:, positive]
    return 100 * ratio((1 + beta) * of_class[0], of_class[1])


def ratio(above: Floats, below: Floats) -> Floats:
    """Divide, 0 by 0 is 0."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)
