"""Scores of a task in percent, by scikit-learn and seqeval."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from bnaparser.errors import MissingExtraError
from bnaparser.tasks.answer_scores import answer_scores
from bnaparser.tasks.examples import Gold
from bnaparser.tasks.relation_scores import relation_f1, relations_of
from bnaparser.tasks.settings import TaskSettings

Floats = NDArray[np.float64]


def score(
    task: TaskSettings, labels: Sequence[str], gold: Sequence[Gold], predicted: Sequence[Gold]
) -> dict[str, float]:
    """Return all metrics of a task's kind that apply, by name, in percent.

    ``gold`` and ``predicted`` are numbers of ``labels``, or scores, one for each example. f1, f0.5,
    precision and recall are those of the positive class, span_f1 is there where classes are BIO
    tags, relation_f1 where they are relations. Of answers gold are the right ones' texts, predicted
    are texts. Raises MissingExtraError without scikit-learn or seqeval.
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
        counts = np.stack([table.diagonal(), table.sum(axis=1), table.sum(axis=0)]).astype(float)
        scores["relation_f1"] = float(relation_f1(counts[None], relations)[0])
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
    """Return Pearson's and Spearman's correlation in percent; 0 where one side is constant."""
    wanted, found = np.array(gold, float), np.array(predicted, float)
    once = np.ones((1, len(gold)))
    return {name: float(of(wanted, found, once)[0]) for name, of in CORRELATIONS.items()}


def pearson(gold: Floats, predicted: Floats, times: Floats) -> Floats:
    """Return Pearson's correlation in percent, (rows), of examples that occur so many times.

    ``gold`` and ``predicted`` are (examples) or (rows, examples), ``times`` (rows, examples). 0 where one side is
    constant.
    """
    total = times.sum(axis=1, keepdims=True)
    sides = [
        side - np.sum(times * side, axis=1, keepdims=True) / total for side in (gold, predicted)
    ]
    varied = [_varies(side, times) for side in (gold, predicted)]
    covariance, *squares = (
        np.einsum("re,re,re->r", times, sides[one], sides[other])
        for one, other in ((0, 1), (0, 0), (1, 1))
    )
    spread = np.sqrt(squares[0] * squares[1])
    found = np.zeros(len(times))
    np.divide(100 * covariance, spread, out=found, where=varied[0] & varied[1] & (spread > 0))
    return found


def spearman(gold: Floats, predicted: Floats, times: Floats) -> Floats:
    """Return Spearman's correlation in percent, (rows), of examples that occur so many times.

    Shapes and constants are as in ``pearson``, with both sides (examples).
    """
    return pearson(_ranks(gold, times), _ranks(predicted, times), times)


CORRELATIONS: dict[str, Callable[[Floats, Floats, Floats], Floats]] = {
    "pearson": pearson,
    "spearman": spearman,
}


def _varies(values: Floats, times: Floats) -> NDArray[np.bool_]:
    """Tell of each row whether more than one value occurs in it."""
    there = times > 0
    values = np.broadcast_to(values, there.shape)
    first = np.take_along_axis(values, there.argmax(axis=1)[:, None], axis=1)
    varies: NDArray[np.bool_] = np.any(there & (values != first), axis=1)
    return varies


def _ranks(values: Floats, times: Floats) -> Floats:
    """Return each example's rank, (rows, examples); equal values have the mean of their ranks."""
    order = np.argsort(values)
    ordered = values[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=np.nan) != 0)
    of_value = np.add.reduceat(times[:, order], starts, axis=1)
    ranks = np.cumsum(of_value, axis=1) - (of_value - 1) / 2
    found: Floats = ranks[:, np.searchsorted(ordered[starts], values)]
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
