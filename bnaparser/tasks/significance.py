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

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnaparser.errors import DataError
from bnaparser.tasks.examples import Gold
from bnaparser.tasks.settings import TaskSettings


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
    the n-th of the other. Raises DataError if the numbers of examples or of seeds differ, or
    there is none.
    """
    _check_numbers(gold, first, second)
    tested = task.of_kind.tested(task.main_metric, labels, gold, (first, second))
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
        raise DataError(
            f"predictions of {len(first)} seeds cannot be compared with predictions of {len(second)} seeds"
        )
    lengths = sorted({len(one) for one in (*first, *second)})
    if lengths and lengths != [len(gold)]:
        found = " and ".join(map(str, lengths))
        raise DataError(
            f"there are predictions for {found} examples, but gold labels of {len(gold)}"
        )
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
