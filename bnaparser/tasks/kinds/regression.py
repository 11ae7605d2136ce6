"""Regression: scores of texts or pairs of texts, by their correlation with the right ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from bnaparser.errors import DataError
from bnaparser.files.compressed import ending
from bnaparser.tasks.examples import NOT_A_TABLE, TaskExample, TaskFile, read_table
from bnaparser.tasks.kinds.base import Examples, Row, TaskKind
from bnaparser.tasks.metrics import Floats, Labels, Metric, Runs, Scores, columns, mean_of_seeds


class Regression(TaskKind):
    """Texts, or pairs of texts, that have a score."""

    metrics: ClassVar[tuple[Metric, ...]] = ("pearson", "spearman")
    has_labels: ClassVar[bool] = False

    def read(self, path: Path, file: TaskFile) -> Iterator[TaskExample]:
        """Yield the rows of a table; DataError for another kind of file."""
        if ending(path) in NOT_A_TABLE:
            raise DataError(f"{path}: a table must have fields separated by tabs, and end in .tsv")
        if ending(path) != ".tsv":
            raise DataError(
                f"{path}: a file of trees has classes of single texts: this task needs a .tsv file"
            )
        for example in read_table(path, file, self.texts, self.label):
            yield replace(example, gold=_score(str(example.gold), example.place))

    def labels(self, examples: Sequence[TaskExample]) -> tuple[str, ...]:
        """Return no classes."""
        return ()

    def encode(self, example: TaskExample, numbers: Mapping[str, int]) -> float:
        """Return an example's score."""
        assert isinstance(example.gold, float)
        return example.gold

    def targets(self, examples: Examples, tokens: Any) -> Tensor:
        """Return the scores of examples, (B)."""
        return torch.tensor([example.gold for example in examples], dtype=torch.float32)

    def loss(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Return the mean squared error."""
        return F.mse_loss(logits.squeeze(-1).float(), labels.float())

    def decode(self, predicted_scores: Row, threshold: float) -> float:
        """Return the score."""
        return float(predicted_scores[0])

    def answer(self, predicted_scores: Row, labels: Labels, threshold: float) -> dict[str, Any]:
        """Return the score of a text."""
        return {"score": float(predicted_scores[0])}

    def score(self, labels: Labels, gold: Sequence[float], predicted: Sequence[float]) -> Scores:
        """Return Pearson's and Spearman's correlation in percent."""
        return correlations(gold, predicted)

    def tested(
        self, metric: Metric, labels: Labels, gold: Sequence[float], runs: Runs
    ) -> Correlation:
        """Return both runs' scores."""
        return Correlation(metric, np.array(gold), np.array(runs[0]), np.array(runs[1]))


def _score(text: str, place: str) -> float:
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise DataError(f"{place}: the score {text!r} is not a number")
    return score


def correlations(gold: Sequence[float], predicted: Sequence[float]) -> Scores:
    """Return Pearson's and Spearman's correlation in percent; 0 where one side is constant."""
    gold_scores, predicted_scores = np.array(gold, float), np.array(predicted, float)
    once = np.ones((1, len(gold)))
    return {
        name: float(of(gold_scores, predicted_scores, once)[0]) for name, of in CORRELATIONS.items()
    }


def pearson(gold: Floats, predicted: Floats, times: Floats) -> Floats:
    """Return Pearson's correlation in percent, (rows), of resampled examples; the arguments have the number of times that each occurs.

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
    predicted_scores = np.zeros(len(times))
    np.divide(
        100 * covariance, spread, out=predicted_scores, where=varied[0] & varied[1] & (spread > 0)
    )
    return predicted_scores


def spearman(gold: Floats, predicted: Floats, times: Floats) -> Floats:
    """Return Spearman's correlation in percent, (rows), of resampled examples; the arguments have the number of times that each occurs.

    Shapes and constants are as in ``pearson``, with both sides (examples).
    """
    return pearson(_ranks(gold, times), _ranks(predicted, times), times)


CORRELATIONS: dict[str, Callable[[Floats, Floats, Floats], Floats]] = {
    "pearson": pearson,
    "spearman": spearman,
}


def _varies(values: Floats, times: Floats) -> NDArray[np.bool_]:
    """Return for each row whether more than one value occurs in it."""
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
    predicted_scores: Floats = ranks[:, np.searchsorted(ordered[starts], values)]
    return predicted_scores


@dataclass(frozen=True)
class Correlation:
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
            metrics.append(columns(self._of(gold, both, times) for times in chosen))
        return mean_of_seeds(metrics)

    def drawn(self, counts: NDArray[Any]) -> Floats:
        """Return both metrics, (resamples, 2), of resampled examples; the arguments have the number of times that each occurs."""
        metrics = [
            columns(self._of(self.gold, one, counts) for one in pair)
            for pair in zip(self.first, self.second, strict=True)
        ]
        return mean_of_seeds(metrics)

    def _of(self, gold: Floats, predicted: Floats, times: NDArray[Any]) -> Floats:
        return CORRELATIONS[self.metric](gold, predicted, times.astype(np.float64))
