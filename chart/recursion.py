"""The one recursion of the chart, for every semiring, and what the compiled loops share.

*Trees* are what the model scores: sets of labelled spans no two of which cross. Such a tree has
many binary forms, which differ in nodes with the empty label alone. Where trees are counted or
listed and not merely the best is sought, each must have one derivation. So a span has two values:
``pieces``, of all trees over it whose top is a constituent (or a bare word), and ``chart``, of all
sequences of such pieces side by side. With ``filled`` for a span's labels and ``both`` for these or
none, (x) and (+) for the semiring's product and sum, and k for all split points:

    parts(i, j)  = (+)_k pieces(i, k) (x) chart(k, j),   and one for a word
    pieces(i, j) = parts(i, j) (x) filled(i, j),         for a word (x) both(i, j)
    chart(i, j)  = parts(i, j) (x) both(i, j)

In a sequence the first piece is split off, so each tree is met once. In the tropical semiring what
is met twice does no harm, and ``chart`` itself may stand for ``pieces``: that is CKY. Semirings of
natural logarithms have + for a product, and so both of these have.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bnaparser.chart import spans
from bnaparser.chart.compiled import compiled_apart, compiled_fusing
from bnaparser.chart.spans import Floats
from bnaparser.compute.compiling import compiled

# The sum is the maximum: best trees. The sum is that of the numbers whose logarithms these are: all trees.
TROPICAL, LOG = 0, 1

span_count = compiled(spans.span_count)
row_start = compiled(spans.row_start)

# exp(x) = 2^k exp(r): k is rounded by adding a number so large that the fraction is lost.
_ROUNDING = 1.5 * 2.0**52
_LOG2_E = 1.4426950408889634
_LN2_HIGH, _LN2_LOW = 0.693147180369123816490, 1.90821492927058770002e-10
_LEAST = -708.0
_BIAS = np.int64(1023)


@compiled_fusing
def exponential(x: float) -> float:
    """e^x in double precision for x <= 0; 0 below -708 and for NaN. A loop over it runs in vectors."""
    shifted = np.float64(x * _LOG2_E + _ROUNDING)
    power = shifted - _ROUNDING
    r = x - power * _LN2_HIGH - power * _LN2_LOW
    # Taylor's series: |r| is at most ln(2) / 2, the next term below 2e-16.
    series = 1 / 6227020800 * r + 1 / 479001600
    series = series * r + 1 / 39916800
    series = series * r + 1 / 3628800
    series = series * r + 1 / 362880
    series = series * r + 1 / 40320
    series = series * r + 1 / 5040
    series = series * r + 1 / 720
    series = series * r + 1 / 120
    series = series * r + 1 / 24
    series = series * r + 1 / 6
    series = series * r + 0.5
    series = series * r + 1.0
    series = series * r + 1.0
    bits = np.int64((shifted.view(np.int64) + _BIAS) << 52)
    return series * bits.view(np.float64) if x > _LEAST else 0.0


@compiled_apart
def _add_logarithms(highest: Floats, relative: Floats, left: float, right_parts: Floats) -> None:
    """Add ``left`` times each of the right parts to its sum: one exponential each, no branch."""
    for end in range(len(right_parts)):
        product, old, sums = left + right_parts[end], highest[end], relative[end]
        low, high = min(product, old), max(product, old)
        # Minus infinity less itself is not a number, of which `exponential` makes 0.
        scale = exponential(low - high)
        relative[end] = sums * scale + 1 if product > old else sums + scale
        highest[end] = high


# What `filling` returns: from chart, pieces, n, splits and relative to the chart.
Fill = Callable[[Floats, Floats, int, Floats, Floats], None]


def filling(semiring: int) -> Fill:
    """Return the recursion in a semiring, for compiled loops: ``fill_chart(chart, pieces, n, splits, relative)``.

    It turns what each span may be into the values of all trees over it, in place. ``chart`` comes in as ``both`` of
    the spans, ``pieces`` as ``filled`` (of words ``both``); with TROPICAL they may be one array. ``splits`` and
    ``relative`` are scratch space for n + 1 numbers, the latter with LOG only.

    While the spans with one start are done, from the shortest, splits[j] is the sum of (start, j)
    over the split points tried so far. Those of (start, k) all lie before k, so that (start, k) is
    complete when its turn comes to be a left part. In this order the inner loop runs along two rows
    of the packed chart: no second, transposed chart is needed, and no sum across lanes. A sum of
    logarithms is kept as the highest, and in ``relative`` the sum of all relative to that.
    """

    @compiled_apart
    def fill_chart(chart: Floats, pieces: Floats, n: int, splits: Floats, relative: Floats) -> None:
        for start in range(n - 1, -1, -1):
            row = row_start(start, n)
            splits[start + 1] = 0
            splits[start + 2 : n + 1] = -np.inf
            if semiring == LOG:
                relative[start + 1] = 1
                relative[start + 2 : n + 1] = 0
            for middle in range(start + 1, n + 1):
                parts = splits[middle]
                if semiring == LOG:
                    parts += np.log(relative[middle])
                left = parts + pieces[row + middle]
                chart[row + middle] += parts
                pieces[row + middle] = left
                other = row_start(middle, n)
                right_parts = chart[other + middle + 1 : other + n + 1]
                sums = splits[middle + 1 : n + 1]
                if semiring == LOG:
                    _add_logarithms(sums, relative[middle + 1 : n + 1], left, right_parts)
                else:
                    for end in range(len(right_parts)):
                        total = left + right_parts[end]
                        sums[end] = max(sums[end], total)

    return fill_chart


# A semiring each, so that best trees need no logarithms to be compiled.
fill_best, fill_all = filling(TROPICAL), filling(LOG)


@compiled_apart
def with_none(filled: float) -> float:
    """log(1 + e^filled): the weight of some label or none."""
    if filled > 0:
        return float(filled + np.log(1 + exponential(-filled)))
    return float(np.log(1 + exponential(filled)))
