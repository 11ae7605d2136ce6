"""Trees and correlations against enumeration, scipy and a drawn example."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import spearmanr

from bnaparser.errors import DataError
from bnaparser.inspection.structural_probe import (
    check_lengths,
    mean_by_length,
    row_correlations,
    spanning_tree,
    tree_edges,
)


def joined(edges: Collection[tuple[int, int]], words: Sequence[int]) -> bool:
    """Whether edges join all words."""
    reached, grown = {words[0]}, True
    while grown:
        more = {end for edge in edges if reached & set(edge) for end in edge}
        grown = not more <= reached
        reached |= more
    return reached >= set(words)


@pytest.mark.parametrize("seed", range(10))
def test_no_tree_is_shorter_than_the_spanning_tree(seed: int) -> None:
    generator = np.random.default_rng(seed)
    distances = generator.integers(0, 6, (7, 7)).astype(np.float32)  # ties, zeros
    distances = distances + distances.T
    words = [0, 2, 3, 5, 6]
    shortest = min(
        sum(distances[edge] for edge in edges)
        for edges in combinations(list(combinations(words, 2)), len(words) - 1)
        if joined(edges, words)
    )
    found = spanning_tree(distances, words)
    assert len(found) == len(words) - 1 and joined(found, words)
    assert sum(distances[edge] for edge in found) == shortest


def test_trees_of_no_word_and_of_one() -> None:
    assert spanning_tree(np.zeros((2, 2), np.float32), []) == set()
    assert spanning_tree(np.zeros((2, 2), np.float32), [1]) == set()


def test_edges_of_a_tree_leave_punctuation_out() -> None:
    heads = (2, 3, 0, 3, 6, 4, 3)  # The cat sat on the mat .
    assert tree_edges(heads, range(6)) == {(0, 1), (1, 2), (2, 3), (3, 5), (4, 5)}
    assert tree_edges((2, 0, 2), [0, 2]) == set()  # the root is punctuation


def test_correlations_of_rows_are_scipys() -> None:
    generator = np.random.default_rng(5)
    predicted = generator.integers(0, 4, (6, 8)).astype(np.float32)
    gold = generator.integers(0, 4, (6, 8)).astype(np.float32)
    expected = [spearmanr(*rows).statistic for rows in zip(predicted, gold, strict=True)]
    assert np.allclose(row_correlations(predicted, gold), expected)
    assert row_correlations(np.ones((1, 4), np.float32), gold[:1, :4]).tolist() == [0.0]


def test_each_length_from_5_to_50_weighs_the_same() -> None:
    assert mean_by_length({4: [0.9], 5: [0.2, 0.4], 50: [0.5], 51: [0.9]}) == pytest.approx(0.4)
    check_lengths([4, 50])
    with pytest.raises(DataError, match="no test sentence has 5 to 50 words"):
        check_lengths([4, 51])
