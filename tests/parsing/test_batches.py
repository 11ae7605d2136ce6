"""Items of which some fail: each good one has its result, each bad one the reason, in order."""

from __future__ import annotations

from collections.abc import Sequence

from bnaparser.parsing.batches import each_or_reason


def halves(numbers: Sequence[int]) -> list[float]:
    if any(number % 2 for number in numbers):
        raise ValueError(f"odd among {len(numbers)}")
    return [number / 2 for number in numbers]


def test_good_items_go_through_together() -> None:
    calls: list[Sequence[int]] = []

    def noted(numbers: Sequence[int]) -> list[float]:
        calls.append(numbers)
        return halves(numbers)

    assert each_or_reason(noted, [2, 4, 6], "no half") == [1, 2, 3]
    assert calls == [[2, 4, 6]]


def test_a_bad_item_takes_no_other_along() -> None:
    found = each_or_reason(halves, [2, 3, 6], "no half of this number")
    assert found == [1, "no half of this number: ValueError: odd among 1", 3]


def test_nothing() -> None:
    assert each_or_reason(halves, [], "no half") == []
