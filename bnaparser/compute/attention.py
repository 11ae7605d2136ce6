"""Attention within sentences that lie one after another, without padding: plain, BiMSA's and NSA's.

``starts`` and ``lengths`` are int64, one entry a sentence: its first row and its number of rows. A
head's features lie side by side. All is float32.

Light: never imports Numba; `attention_loops` has the loops.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnaparser.compute.kernel import Kernel
from bnaparser.compute.matrices import Floats
from bnaparser.compute.processor import ROWS, instructions

Integers = NDArray[np.int64]
# The kinds of attention.
PLAIN, BOTH_WAYS, SPANS = 0, 1, 2
# Columns of a product: a multiple of them is computed.
WIDTH = instructions().lanes * instructions().narrow
NO_DISTANCES, _NO_BIAS = np.zeros((1, 1), np.float32), np.zeros(0, np.float32)


class Scratch(NamedTuple):
    """Space for one head of the longest sentence, flat; rows of a sentence follow each other without a gap.

    ``keys`` are packed for the product with queries; ``scores`` and ``weights`` are (rows, keys), ``sums`` of
    weights (rows,), ``contexts`` (rows, features of a value), ``copied`` what a product cannot take from where it
    lies, ``exponents`` those of spans of one length.
    """

    keys: Floats
    scores: Floats
    weights: Floats
    sums: Floats
    contexts: Floats
    copied: Floats
    exponents: Floats


attend_kernel = Kernel(
    "bnaparser.compute.attention_loops:attend",
    *(
        "f4:2",
        "i8:1",
        "i8:1",
        (tuple, "i8", "i8", "i8"),
        "f4",
        "f4:2",
        "f4:1",
        (Scratch, *["f4:1"] * 7),
        "f4:2",
    ),
)


def attend(
    projected: Floats,
    starts: Integers,
    lengths: Integers,
    heads: int,
    scale: np.float32,
    distances: Floats,
    out: Floats,
    scratch: Scratch,
) -> None:
    """Write softmax(scale Q K' + D) V of every head to ``out`` (rows, width).

    ``projected`` is (rows, 3 width): Q, K and V. ``distances`` (heads, 2 m - 1), (1, 1) where there
    are none, holds what is added for a key j of a query i, at m - 1 + j - i. ``scratch`` is that of `scratch_for`.
    """
    plan = PLAIN, heads, 0
    attend_kernel(projected, starts, lengths, plan, scale, distances, _NO_BIAS, scratch, out)


def attend_both_ways(
    projected: Floats,
    starts: Integers,
    lengths: Integers,
    heads: int,
    scale: np.float32,
    out: Floats,
    scratch: Scratch,
) -> None:
    """Write BiMSA's contexts (BNA, eq. 12 to 14): forward ones of all heads, then backward ones.

    ``projected`` is (rows, 2.5 width): queries, keys, and values of half the width; ``out`` is
    (rows, width). Forward a query sees the keys up to its own, backward those from its own on.
    """
    plan = BOTH_WAYS, heads, 0
    attend_kernel(projected, starts, lengths, plan, scale, NO_DISTANCES, _NO_BIAS, scratch, out)


def attend_to_spans(
    projected: Floats,
    bias: Floats,
    starts: Integers,
    lengths: Integers,
    heads: int,
    ngrams: int,
    scale: np.float32,
    out: Floats,
    scratch: Scratch,
) -> None:
    """Write NSA's contexts (BNA, eq. 15 to 17) of ``heads`` heads, all halves counted.

    ``projected`` is (rows, 3 width): queries, and the keys and values of positions, signed as spans
    need them and without bias; ``bias`` (width,) is that of the values. A span from position a to b
    has key K_b - K_a (a bias is the same for all and so has no effect), so its score is that of b less
    that of a; the sum of weighted values is taken position by position in the same way.
    """
    plan = SPANS, heads, ngrams
    attend_kernel(projected, starts, lengths, plan, scale, NO_DISTANCES, bias, scratch, out)


def scratch_for(lengths: Integers, size: int) -> Scratch:
    """Return scratch space for sentences of these lengths and heads of this number of features."""
    longest = int(lengths.max(initial=0))
    rows = max(longest, ROWS)
    across, features = _round_up(longest), _round_up(size)
    sizes = (
        across * size, rows * across, rows * across, rows, rows * features,
        max(ROWS * size, longest * features), longest,
    )  # fmt: skip
    return Scratch(*(np.empty(count, np.float32) for count in sizes))


def _round_up(count: int) -> int:
    return -(-count // WIDTH) * WIDTH
