"""Is one parser better than another, or lucky? A paired test of two outputs for the same gold.

The p-value is that of approximate randomisation (Noreen, 1989; Yeh, 2000, "More accurate tests for
the statistical significance of result differences"): if both parsers were alike, swapping their
outputs for half of the sentences, drawn at random, would change nothing. The interval is the
percentile bootstrap over sentences (Efron, 1979).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

from bnaparser.errors import DataError
from bnaparser.eval.api import Trees, read_sides, score
from bnaparser.eval.params import Params
from bnaparser.eval.report import OK, Row

_FIELD = 64
_MASK = (1 << _FIELD) - 1


@dataclass(frozen=True)
class Significance:
    """F1 in percent of two outputs, over the ``sentences`` that are valid in both.

    ``difference`` is ``first_f1 - second_f1``, ``low`` and ``high`` bound its ``confidence``
    interval, and ``p_value`` is the two-sided chance of a difference at least as large if the
    outputs came from equally good parsers. ``left_out`` counts sentences with an error or no words
    in either output.
    """

    first_f1: float
    second_f1: float
    difference: float
    low: float
    high: float
    confidence: float
    p_value: float
    sentences: int
    left_out: int


def compare_outputs(
    gold: Trees,
    first: Trees,
    second: Trees,
    params: Params | None = None,
    *,
    trials: int = 10_000,
    resamples: int = 2_000,
    confidence: float = 0.95,
    seed: int = 1,
) -> Significance:
    """Compare the F1 of two outputs for the same gold trees.

    Args:
        gold: a file of gold trees, or trees.
        first: predicted trees of the first system.
        second: predicted trees of the second system.
        params: EVALB's parameters (default: COLLINS.prm).
        trials: number of random swaps for the p-value (approximate randomisation).
        resamples: number of bootstrap samples for the confidence interval.
        confidence: level of the interval, between 0 and 1.
        seed: seed of both; the same seed gives the same result.

    Returns:
        The difference of F1, its confidence interval and its p-value.

    Raises:
        DataError: a file cannot be read, the numbers of sentences differ, or no sentence can be scored.
        ValueError: trials, resamples or confidence are out of range.

    Example:
        >>> from bnaparser.eval import compare_outputs
        >>> gold = ["(TOP (S (NP (PRP It)) (VP (VBD rained))))"] * 20
        >>> wrong = ["(TOP (S (PRP It) (VP (VBD rained))))"] * 20
        >>> result = compare_outputs(gold, gold, wrong)
        >>> result.first_f1, round(result.difference, 1), result.p_value < 0.05
        (100.0, 20.0, True)
    """
    _check(trials, resamples, confidence)
    gold_lines, *outputs = map(list, read_sides(gold, first, second))
    rows = [score(gold_lines, lines, params).rows for lines in outputs]
    return compare_rows(*rows, trials=trials, resamples=resamples, confidence=confidence, seed=seed)


def compare_rows(
    first: Sequence[Row],
    second: Sequence[Row],
    *,
    trials: int = 10_000,
    resamples: int = 2_000,
    confidence: float = 0.95,
    seed: int = 1,
) -> Significance:
    """Compare two outputs whose sentences are scored already, as `compare_outputs` does.

    Of a row the status counts, and how many brackets matched and are in either tree. Raises as `compare_outputs` does,
    and ValueError if one has more rows.
    """
    _check(trials, resamples, confidence)
    rows = list(zip(first, second, strict=True))
    pairs = [pair for pair in rows if pair[0].status == pair[1].status == OK]
    if not pairs:
        raise DataError("no sentence is valid in both files: the files cannot be compared")
    firsts, seconds = ([_joined(pair[side]) for pair in pairs] for side in (0, 1))
    first_f1, second_f1 = _f1(sum(firsts)), _f1(sum(seconds))
    rng = random.Random(seed)
    p_value = _randomise(firsts, seconds, trials, rng)
    low, high = _bootstrap(firsts, seconds, resamples, confidence, rng)
    return Significance(
        first_f1=first_f1,
        second_f1=second_f1,
        difference=first_f1 - second_f1,
        low=low,
        high=high,
        confidence=confidence,
        p_value=p_value,
        sentences=len(pairs),
        left_out=len(rows) - len(pairs),
    )


def _check(trials: int, resamples: int, confidence: float) -> None:
    for name, value in (("trials", trials), ("resamples", resamples)):
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise TypeError(f"{name} is {value!r}: give a whole number")
    if not isinstance(confidence, float):
        raise TypeError(f"confidence is {confidence!r}: give a number, such as 0.95")
    if trials < 1 or resamples < 1 or not 0 < confidence < 1:
        raise ValueError("trials and resamples are at least 1, confidence is between 0 and 1")


def _joined(row: Row) -> int:
    """Put the two counts that F1 needs into one integer, so that one sum adds both."""
    return row.matched << _FIELD | (row.gold + row.test)


def _f1(counts: int) -> float:
    brackets = counts & _MASK
    return 200.0 * (counts >> _FIELD) / brackets if brackets else 0.0


def _randomise(
    firsts: Sequence[int], seconds: Sequence[int], trials: int, rng: random.Random
) -> float:
    first_total, second_total = sum(firsts), sum(seconds)
    # Swapping two equal sentences changes nothing: only the others are worth drawing for.
    changes = [second - first for first, second in zip(firsts, seconds, strict=True)]
    changes = [change for change in changes if change]
    observed = abs(_f1(first_total) - _f1(second_total)) - 1e-9  # rounding must not hide a tie
    extreme = 0
    for _ in range(trials):
        swapped = f"{rng.getrandbits(len(changes)):0{len(changes)}b}"
        change = sum(compress(changes, map(int, swapped)))
        extreme += abs(_f1(first_total + change) - _f1(second_total - change)) >= observed
    return (extreme + 1) / (trials + 1)


def _bootstrap(
    firsts: Sequence[int],
    seconds: Sequence[int],
    resamples: int,
    confidence: float,
    rng: random.Random,
) -> tuple[float, float]:
    # One integer for both outputs: a sentence is drawn for both or for neither.
    both = [first << 2 * _FIELD | second for first, second in zip(firsts, seconds, strict=True)]
    differences = []
    for _ in range(resamples):
        total = sum(rng.choices(both, k=len(both)))
        first, second = total >> 2 * _FIELD, total & (1 << 2 * _FIELD) - 1
        differences.append(_f1(first) - _f1(second))
    differences.sort()
    tail = (1 - confidence) / 2
    last = resamples - 1
    return differences[round(tail * last)], differences[round((1 - tail) * last)]
