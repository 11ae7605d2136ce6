"""Scores of a task in percent, by scikit-learn, seqeval and torchmetrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from bnaparser.errors import MissingExtraError
from bnaparser.tasks.answer_scores import answer_scores
from bnaparser.tasks.prepared_example import Gold
from bnaparser.tasks.relation_scores import relation_f1, relations_of
from bnaparser.tasks.task_settings import TaskSettings


def score(
    task: TaskSettings, labels: Sequence[str], gold: Sequence[Gold], predicted: Sequence[Gold]
) -> dict[str, float]:
    """Return all metrics of a task's kind that apply, by name, in percent.

    ``gold`` and ``predicted`` are numbers of ``labels``, or scores, one for each example. f1, f0.5,
    precision and recall are those of the positive class, span_f1 is there where classes are BIO
    tags, relation_f1 where they are relations. Of answers gold are the right ones' texts, predicted
    are texts. Raises MissingExtraError without scikit-learn, seqeval or torchmetrics.
    """
    if task.kind == "answers":
        found = answer_scores(
            cast("Sequence[tuple[str, ...]]", gold), cast("Sequence[str]", predicted)
        )
        return {name: 100.0 * float(np.mean(values)) for name, values in found.items()}
    if task.kind == "regression":
        return correlations(cast("Sequence[float]", gold), cast("Sequence[float]", predicted))
    if task.kind == "tagging":
        return tag_scores(
            task,
            labels,
            cast("Sequence[tuple[int, ...]]", gold),
            cast("Sequence[tuple[int, ...]]", predicted),
        )
    wanted, said = cast("Sequence[int]", gold), cast("Sequence[int]", predicted)
    scores = class_scores(task, labels, wanted, said)
    if task.kind == "relations":
        table = _sklearn().confusion_matrix(wanted, said, labels=range(len(labels)))
        relations = relations_of(labels, task.other)
        scores["relation_f1"] = float(relation_f1(table[None].astype(float), relations)[0])
    return scores


def tag_scores(
    task: TaskSettings,
    labels: Sequence[str],
    gold: Sequence[tuple[int, ...]],
    predicted: Sequence[tuple[int, ...]],
) -> dict[str, float]:
    """Return the scores of the words' classes, and of the spans that they mark if they are BIO tags."""
    scores = class_scores(
        task, labels, [n for row in gold for n in row], [n for row in predicted for n in row]
    )
    scores.pop("matthews")
    if has_spans(labels):
        scores.update(span_scores(_names(labels, gold), _names(labels, predicted)))
    return scores


def class_scores(
    task: TaskSettings, labels: Sequence[str], gold: Sequence[int], predicted: Sequence[int]
) -> dict[str, float]:
    """Return accuracy, Matthews correlation, macro F1, and those of the positive class if it is set.

    Macro F1 is the mean over the classes that are there, in gold or predicted.
    """
    metrics = _sklearn()
    scores = {
        "accuracy": metrics.accuracy_score(gold, predicted),
        "matthews": metrics.matthews_corrcoef(gold, predicted),
        "macro_f1": metrics.f1_score(gold, predicted, average="macro", zero_division=0),
    }
    if task.positive is not None:
        positive: dict[str, Any] = {
            "labels": [labels.index(task.positive)],
            "average": "macro",  # of this one class
            "zero_division": 0,
        }
        scores["f1"] = metrics.f1_score(gold, predicted, **positive)
        scores["f0.5"] = metrics.fbeta_score(gold, predicted, beta=0.5, **positive)
        scores["precision"] = metrics.precision_score(gold, predicted, **positive)
        scores["recall"] = metrics.recall_score(gold, predicted, **positive)
    return _percent(scores)


def correlations(gold: Sequence[float], predicted: Sequence[float]) -> dict[str, float]:
    """Return Pearson's and Spearman's correlation; 0 where one side is constant."""
    found = row_correlations(np.array([gold], float), np.array([predicted], float))
    return {name: float(values[0]) for name, values in found.items()}


def row_correlations(
    gold: NDArray[np.float64], predicted: NDArray[np.float64]
) -> dict[str, NDArray[np.float64]]:
    """Return both correlations in percent of each row, (rows), of two matrices (rows, examples).

    Equal values have the mean of their ranks. 0 where a row is constant.
    """
    _sklearn()
    from scipy.stats import rankdata  # comes with scikit-learn

    ranks = (rankdata(side, axis=1) for side in (gold, predicted))
    return {"pearson": _pearson(gold, predicted), "spearman": _pearson(*ranks)}


def _pearson(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    constant = (np.ptp(first, axis=1) == 0) | (np.ptp(second, axis=1) == 0)
    sides = [side - side.mean(axis=1, keepdims=True) for side in (first, second)]
    spread = np.sqrt((sides[0] ** 2).sum(axis=1) * (sides[1] ** 2).sum(axis=1))
    covariance = (sides[0] * sides[1]).sum(axis=1)
    found = np.zeros(len(first))
    np.divide(100 * covariance, spread, out=found, where=~constant & (spread > 0))
    return found


def span_scores(
    gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]
) -> dict[str, float]:
    """Return precision, recall and F1 of the spans that BIO tags mark, as CoNLL's program counts."""
    metrics = _seqeval()
    return _percent(
        {
            "span_precision": metrics.precision_score(gold, predicted, zero_division=0),
            "span_recall": metrics.recall_score(gold, predicted, zero_division=0),
            "span_f1": metrics.f1_score(gold, predicted, zero_division=0),
        }
    )


def has_spans(labels: Sequence[str]) -> bool:
    """Tell whether classes are BIO tags."""
    return any(label.startswith("B-") for label in labels)


def _names(labels: Sequence[str], rows: Sequence[tuple[int, ...]]) -> list[list[str]]:
    return [[labels[number] for number in row] for row in rows]


def _percent(scores: Mapping[str, Any]) -> dict[str, float]:
    return {name: 100.0 * float(value) for name, value in scores.items()}


def _sklearn() -> Any:
    try:
        from sklearn import metrics
    except ImportError as error:
        raise MissingExtraError("scikit-learn", "train") from error
    return metrics


def _seqeval() -> Any:
    try:
        from seqeval import metrics
    except ImportError as error:
        raise MissingExtraError("seqeval", "train") from error
    return metrics
