"""The paired test: exact on small cases, the same for the same seed."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from bnaparser.errors import DataError
from bnaparser.eval import compare_outputs, score
from bnaparser.eval.report import Row

GOOD = "(S (NP (A a)) (VP (B b)))"
BAD = "(S (NP (A a)) (XP (B b)))"
WORSE = "(S (XP (A a)) (XP (B b)))"


def exact_p_value(gold: list[str], first: list[str], second: list[str]) -> float:
    """Try all ways of swapping, as the random test approximates."""
    rows = list(zip(score(gold, first).rows, score(gold, second).rows, strict=True))

    def f1(chosen: list[Row]) -> float:
        return 200 * sum(r.matched for r in chosen) / sum(r.gold + r.test for r in chosen)

    differences = []
    for swaps in itertools.product((0, 1), repeat=len(rows)):
        sides = [(row[swap], row[1 - swap]) for row, swap in zip(rows, swaps, strict=True)]
        differences.append(abs(f1([a for a, _ in sides]) - f1([b for _, b in sides])))
    return sum(value >= differences[0] - 1e-9 for value in differences) / len(differences)


def test_equal_outputs_do_not_differ() -> None:
    result = compare_outputs([GOOD] * 5, [BAD] * 5, [BAD] * 5, trials=50, resamples=50)
    assert (result.difference, result.low, result.high, result.p_value) == (0, 0, 0, 1)
    assert result.first_f1 == result.second_f1 == pytest.approx(200 / 3)


def test_the_p_value_is_that_of_all_swaps() -> None:
    gold = [GOOD] * 8
    first = [GOOD, GOOD, GOOD, BAD, GOOD, GOOD, WORSE, GOOD]
    second = [BAD, WORSE, BAD, GOOD, GOOD, BAD, BAD, WORSE]
    result = compare_outputs(gold, first, second, trials=20_000, resamples=10)
    assert result.p_value == pytest.approx(exact_p_value(gold, first, second), abs=0.02)


def test_a_clear_difference() -> None:
    result = compare_outputs([GOOD] * 40, [GOOD] * 40, [GOOD, BAD] * 20, trials=1000)
    assert result.difference == pytest.approx(100 / 6)
    assert result.p_value < 0.01
    assert 0 < result.low < result.difference < result.high < 100 / 3
    assert (result.sentences, result.left_out, result.confidence) == (40, 0, 0.95)


def test_the_p_value_is_never_0() -> None:
    """Of 99 swaps none is as extreme: with the output itself it is one of 100 (Noreen 1989)."""
    result = compare_outputs([GOOD] * 40, [GOOD] * 40, [BAD] * 40, trials=99, resamples=10)
    assert result.p_value == 0.01


@pytest.mark.parametrize(("confidence", "low", "high"), [(0.95, 40, 60), (0.5, 47, 53)])
def test_the_interval_is_that_of_its_confidence(confidence: float, low: int, high: int) -> None:
    """Of 100 sentences drawn, 50 are wrong, distributed binomially; each costs a third of a point."""
    outputs = [GOOD] * 100, [GOOD] * 100, [GOOD, BAD] * 50
    result = compare_outputs(*outputs, trials=1, resamples=5000, confidence=confidence)
    assert 3 * result.low == pytest.approx(low, abs=1.01)
    assert 3 * result.high == pytest.approx(high, abs=1.01)


def test_the_sign_is_that_of_first_minus_second() -> None:
    result = compare_outputs([GOOD] * 4, [BAD] * 4, [GOOD] * 4, trials=10, resamples=10)
    assert result.difference == pytest.approx(-100 / 3)


def test_the_same_seed_gives_the_same_figures() -> None:
    gold, first, second = [GOOD] * 9, [GOOD, BAD, BAD] * 3, [BAD, GOOD, WORSE] * 3
    once, again, other = (
        compare_outputs(iter(gold), iter(first), iter(second), trials=300, resamples=100, seed=seed)
        for seed in (1, 1, 2)
    )
    assert once == again != other


def test_sentences_that_fail_in_either_output_are_left_out() -> None:
    result = compare_outputs([GOOD] * 3, [GOOD, "", GOOD], [GOOD, GOOD, "(S (A x))"], trials=10)
    assert (result.sentences, result.left_out) == (1, 2)
    with pytest.raises(DataError, match="cannot be compared"):
        compare_outputs([GOOD], [""], [GOOD])


@pytest.mark.parametrize("wrong", [{"trials": 0}, {"resamples": 0}, {"confidence": 1.0}])
def test_what_cannot_be_drawn_is_a_mistake_of_the_caller(wrong: dict[str, Any]) -> None:
    tree = ["(TOP (S (NN a)))"]
    with pytest.raises(ValueError, match="at least 1"):
        compare_outputs(tree, tree, tree, **wrong)
