"""What a structural probe finds of a tree: UUAS, roots, and rank correlations.

Hewitt and Manning, A Structural Probe for Finding Syntax in Word Representations, NAACL 2019,
sections 3 and 4.1, as in their program.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnaparser.errors import DataError, MissingExtraError

LENGTHS = range(5, 51)
"""The lengths of sentences, in words, that correlations are averaged over."""

Numbers = NDArray[np.float32]
Edge = tuple[int, int]


def spanning_tree(distances: Numbers, words: Sequence[int]) -> set[Edge]:
    """Return the edges of the tree over ``words`` with the least sum of ``distances`` (n, n).

    Prim's algorithm; an edge is two words from 0, the smaller first. A distance of 0 is an edge
    like others, which it is not to scipy's function.
    """
    if not len(words):
        return set()
    nearest = {word: (float(distances[words[0], word]), words[0]) for word in words[1:]}
    edges: set[Edge] = set()
    while nearest:
        word = min(nearest, key=lambda other: nearest[other][0])
        edges.add(_edge(word, nearest.pop(word)[1]))
        for other, (distance, _) in nearest.items():
            if distances[word, other] < distance:
                nearest[other] = (float(distances[word, other]), word)
    return edges


def tree_edges(heads: Sequence[int], words: Iterable[int]) -> set[Edge]:
    """Return the edges of a dependency tree between ``words``, heads counted from 1, 0 for roots."""
    kept = set(words)
    return {
        _edge(word, heads[word] - 1) for word in kept if heads[word] and heads[word] - 1 in kept
    }


def _edge(one: int, other: int) -> Edge:
    return (one, other) if one < other else (other, one)


def row_correlations(predicted: Numbers, gold: Numbers) -> NDArray[np.float64]:
    """Return Spearman's correlation of each row of two matrices (r, n), 0 where a row is constant."""
    rankdata = _rankdata()
    ranks = [rankdata(matrix, axis=1) for matrix in (predicted, gold)]
    first, second = (rank - rank.mean(axis=1, keepdims=True) for rank in ranks)
    scale = np.sqrt((first**2).sum(axis=1) * (second**2).sum(axis=1))
    products = (first * second).sum(axis=1)
    found: NDArray[np.float64] = np.divide(
        products, scale, out=np.zeros_like(scale), where=scale > 0
    )
    return found


def check_lengths(lengths: Iterable[int]) -> None:
    """Raise DataError where none of the ``lengths`` of sentences is among LENGTHS."""
    if not any(length in LENGTHS for length in lengths):
        raise DataError(
            f"no test sentence has {LENGTHS.start} to {LENGTHS.stop - 1} words: "
            "the correlations are theirs"
        )


def mean_by_length(correlations: Mapping[int, Sequence[float]]) -> float:
    """Return the mean over LENGTHS of the means of each length's ``correlations``."""
    return float(np.mean([np.mean(correlations[n]) for n in LENGTHS if n in correlations]))


def _rankdata() -> Any:
    try:
        from scipy.stats import rankdata
    except ImportError as error:
        raise MissingExtraError("scipy", "train") from error
    return rankdata
