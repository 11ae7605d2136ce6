"""The best label of every span of a batch: what the network tells the chart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnaparser import chart


@dataclass(frozen=True)
class BestLabels:
    """The best label of every span of a batch, packed as ``bnaparser.chart`` wants it.

    ``scores`` float32 and ``labels`` int32 are (spans,). ``root_scores`` and ``root_labels``
    (sentences,) are the whole sentence's best label but the empty one, which may score less than
    0, or its best label of all where the model allows an empty root.
    """

    scores: NDArray[np.float32]
    labels: NDArray[np.int32]
    root_scores: NDArray[np.float32]
    root_labels: NDArray[np.int32]


def packed_best(
    scores: NDArray[np.float32],
    labels: NDArray[np.int32],
    lengths: Sequence[int],
    allow_empty_root: bool,
) -> BestLabels:
    """Return the best labels of a batch, given the best one but the empty one of every span.

    Both arrays are (spans,) and are taken over; a span that scores 0 or less gets the empty label.
    """
    counts = np.array([chart.span_count(length) for length in lengths])
    # The span of the whole sentence is the last of those that start at its first word.
    roots = np.cumsum(counts) - counts + np.array(lengths) - 1
    root_scores, root_labels = scores[roots], labels[roots]
    empty = scores <= 0
    scores[empty], labels[empty] = 0, 0
    if allow_empty_root:
        root_scores, root_labels = scores[roots], labels[roots]
    return BestLabels(scores, labels, root_scores, root_labels)
