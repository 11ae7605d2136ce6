"""The reference decoder: small cases by hand, and its two searches against each other."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.chart import reference

CATALAN = [1, 1, 2, 5, 14, 42, 132]


def one_label(n: int, scores: dict[tuple[int, int], float]) -> list[list[float]]:
    """Scores of the one label A; -1 where not given."""
    spans = [(i, j) for i in range(n) for j in range(i + 1, n + 1)]
    return [[0.0, scores.get(span, -1.0)] for span in spans]


TWO = one_label(2, {(0, 2): 0.2, (0, 1): -0.5, (1, 2): 0.3})
THREE = one_label(3, {(0, 3): 1.0, (0, 2): 0.6, (1, 3): 0.5})
SEARCHES = [reference.best_tree_by_enumeration, reference.best_tree_by_cky]


@pytest.mark.parametrize("n", range(1, 8))
def test_all_binary_trees_are_listed_once(n: int) -> None:
    trees = [tuple(tree) for tree in reference.binary_trees(0, n)]
    assert len(trees) == len(set(trees)) == CATALAN[n - 1]
    assert all(len(tree) == 2 * n - 1 for tree in trees)


@pytest.mark.parametrize("search", SEARCHES)
def test_trees_found_by_hand(search: reference.Search) -> None:
    assert reference.decode(TWO, 2, search=search) == (0.5, [(0, 2, 1), (1, 2, 1)])
    assert reference.decode(THREE, 3, search=search) == (1.6, [(0, 3, 1), (0, 2, 1)])


@pytest.mark.parametrize("search", SEARCHES)
def test_losses_found_by_hand(search: reference.Search) -> None:
    value, cost, _ = reference.cost_augment(TWO, [0, 1, 0], 2, search=search)
    assert value == pytest.approx(2.0)
    assert cost == 2
    value, cost, _ = reference.cost_augment(THREE, [0, 0, 1, 0, 1, 0], 3, search=search)
    assert value == pytest.approx(2.6)
    assert cost == 1


@settings(deadline=None, max_examples=50)
@given(st.data())
def test_both_searches_find_the_same_tree(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 5))
    quarters = st.integers(-4, 4).map(lambda number: number / 4)
    row = st.lists(quarters, min_size=2, max_size=2).map(lambda scores: [0.0, *scores])
    count = n * (n + 1) // 2
    scores = data.draw(st.lists(row, min_size=count, max_size=count))
    first, second = (search(scores, n, False) for search in SEARCHES)
    assert first == second
