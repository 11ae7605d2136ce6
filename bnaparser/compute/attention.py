"""Attention within sentences that lie one after another, without padding: plain, BiMSA's and NSA's.

``starts`` and ``lengths`` are int64, one entry a sentence: its first row and its number of rows. A
head's features lie side by side. All is float32. One compiled function has all three kinds, which share
the products of queries and keys and of weights and values: compiling three takes three times as long.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnaparser.compute.compiling import compiled, entry
from bnaparser.compute.functions import address, exp, larger, total
from bnaparser.compute.instructions import instructions
from bnaparser.compute.packed import Floats
from bnaparser.compute.tiles import ROWS, tile

Integers = NDArray[np.int64]
# The kinds of attention.
_PLAIN, _BOTH_WAYS, _SPANS = 0, 1, 2
_LOWEST = np.float32(-3e38)
_ZERO, _ONE = np.float32(0), np.float32(1)
_NO_DISTANCES, _NO_BIAS = np.zeros((1, 1), np.float32), np.zeros(0, np.float32)

# Columns of a product: a multiple of them is computed.
WIDTH = instructions().lanes * instructions().narrow
_tile = tile("unfused", instructions().narrow)
# So many rows of a large array can be found at once, each on a page of its own; of more a copy is faster.
_FEW = 48


class _Scratch(NamedTuple):
    """Room for one head of the longest sentence, flat; rows of a sentence follow each other without a gap.

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


def attend(
    projected: Floats,
    starts: Integers,
    lengths: Integers,
    heads: int,
    scale: np.float32,
    distances: Floats,
    out: Floats,
) -> None:
    """Write softmax(scale Q K' + D) V of every head to ``out`` (rows, width).

    ``projected`` is (rows, 3 width): Q, K and V. ``distances`` (heads, 2 m - 1), (1, 1) where there
    are none, holds what is added for a key j of a query i, at m - 1 + j - i.
    """
    plan = _PLAIN, heads, 0
    scratch = _scratch(lengths, out.shape[1] // heads)
    _attend(projected, starts, lengths, plan, scale, distances, _NO_BIAS, scratch, out)


def attend_both_ways(
    projected: Floats,
    starts: Integers,
    lengths: Integers,
    heads: int,
    scale: np.float32,
    out: Floats,
) -> None:
    """Write BiMSA's contexts (BNA, eq. 12 to 14): forward ones of all heads, then backward ones.

    ``projected`` is (rows, 2.5 width): queries, keys, and values of half the width; ``out`` is
    (rows, width). Forward a query sees the keys up to its own, backward those from its own on.
    """
    plan = _BOTH_WAYS, heads, 0
    scratch = _scratch(lengths, out.shape[1] // heads)
    _attend(projected, starts, lengths, plan, scale, _NO_DISTANCES, _NO_BIAS, scratch, out)


def attend_to_spans(
    projected: Floats,
    bias: Floats,
    starts: Integers,
    lengths: Integers,
    heads: int,
    ngrams: int,
    scale: np.float32,
    out: Floats,
) -> None:
    """Write NSA's contexts (BNA, eq. 15 to 17) of ``heads`` heads, all halves counted.

    ``projected`` is (rows, 3 width): queries, and the keys and values of positions, signed as spans
    need them and without bias; ``bias`` (width,) is that of the values. A span from position a to b
    has key K_b - K_a (a bias is the same for all and so has no effect), so its score is that of b less
    that of a; the sum of weighted values is taken position by position likewise.
    """
    plan = _SPANS, heads, ngrams
    scratch = _scratch(lengths, out.shape[1] // heads)
    _attend(projected, starts, lengths, plan, scale, _NO_DISTANCES, bias, scratch, out)


def _scratch(lengths: Integers, size: int) -> _Scratch:
    """Return room for heads of so many features."""
    longest = int(lengths.max(initial=0))
    rows = max(longest, ROWS)
    across, features = _round_up(longest), _round_up(size)
    sizes = (
        across * size, rows * across, rows * across, rows, rows * features,
        max(ROWS * size, longest * features), longest,
    )  # fmt: skip
    return _Scratch(*(np.empty(count, np.float32) for count in sizes))


def _round_up(count: int) -> int:
    return -(-count // WIDTH) * WIDTH


@entry
def _attend(
    projected: Floats,
    starts: Integers,
    lengths: Integers,
    plan: tuple[int, int, int],
    scale: np.float32,
    distances: Floats,
    bias: Floats,
    scratch: _Scratch,
    out: Floats,
) -> None:
    """Write the contexts of every head: ``plan`` is the kind of attention, the heads, and NSA's longest span."""
    kind, heads, ngrams = plan
    width = out.shape[1]
    size = width // heads
    ways, features = (2, size // 2) if kind == _BOTH_WAYS else (1, size)
    middle = distances.shape[1] // 2
    for sentence in range(len(starts)):
        top, count = starts[sentence], lengths[sentence]
        across = (count + WIDTH - 1) // WIDTH * WIDTH
        for row in range(count, ROWS):  # products write no fewer rows
            scratch.weights[row * across : (row + 1) * across] = _ZERO
        for head in range(heads):
            _pack_keys(projected, top, count, width + head * size, size, scratch.keys)
            _times_keys(projected, top, count, head * size, size, across, scratch)
            for way in range(ways):
                for row in range(count):
                    line = scratch.scores[row * across : (row + 1) * across]
                    weights = scratch.weights[row * across : (row + 1) * across]
                    if kind == _SPANS:
                        scratch.sums[row] = _span_weights(
                            line, count, ngrams, scale, scratch.exponents, weights
                        )
                        continue
                    if way == 0:
                        for column in range(line.shape[0]):
                            line[column] *= scale
                    begin, end = 0, count
                    if kind == _BOTH_WAYS:
                        begin, end = (0, row + 1) if way == 0 else (row, count)
                    elif middle:
                        # Of what is beyond the sentence, too, to fill the last vector.
                        near = distances[head][middle - row : middle - row + across]
                        for column in range(near.shape[0]):
                            line[column] += near[column]
                    scratch.sums[row] = _softmax(line, begin, end, weights)
                left = 2 * width + head * features
                _times_values(projected, top, count, left, features, across, scratch)
                _keep(scratch, count, features, out, top, (way * heads + head) * features)
        if kind == _SPANS:
            for row in range(top, top + count):
                for column in range(width):
                    out[row, column] += bias[column]


@compiled
def _softmax(scores: Floats, begin: int, end: int, weights: Floats) -> np.float32:
    """Write weights of the scores from ``begin`` to ``end``, 0 for all others; return their sum.

    All loops go over whole vectors, beyond the end.
    """
    largest = _LOWEST
    for column in range(scores.shape[0]):
        score = scores[column] if begin <= column < end else _LOWEST
        weights[column] = score
        largest = larger(largest, score)
    for column in range(weights.shape[0]):
        weight = exp(weights[column] - largest)
        weights[column] = weight if begin <= column < end else _ZERO
    return total(weights[begin:end])


@compiled
def _keep(scratch: _Scratch, count: int, size: int, out: Floats, top: int, left: int) -> None:
    """Write contexts, divided by the sums of their weights, to their place in ``out``."""
    stride = (size + WIDTH - 1) // WIDTH * WIDTH
    for row in range(count):
        factor = _ONE / scratch.sums[row]
        line = scratch.contexts[row * stride : row * stride + size]
        to = out[top + row][left : left + size]
        for column in range(line.shape[0]):
            to[column] = line[column] * factor


@compiled
def _span_weights(
    scores: Floats, count: int, ngrams: int, scale: np.float32, exponents: Floats, weights: Floats
) -> np.float32:
    """Write, for each position, the weights of spans that end there less those that start there.

    Returns the sum of all spans' weights.
    """
    largest = _LOWEST
    longest = ngrams if ngrams < count else count - 1
    for length in range(1, longest + 1):
        ends = scores[length:count]
        for start in range(ends.shape[0]):
            largest = larger(largest, ends[start] - scores[start])
    largest *= scale
    for position in range(count):
        weights[position] = _ZERO
    summed = _ZERO
    for length in range(1, longest + 1):
        ends, after = scores[length:count], weights[length:count]
        for start in range(ends.shape[0]):
            exponents[start] = exp((ends[start] - scores[start]) * scale - largest)
        for start in range(ends.shape[0]):
            after[start] += exponents[start]
        for start in range(ends.shape[0]):
            weights[start] -= exponents[start]
        summed += total(exponents[: ends.shape[0]])
    return summed


@compiled
def _pack_keys(rows: Floats, top: int, count: int, left: int, size: int, packed: Floats) -> None:
    """Write ``rows[top : top + count, left : left + size]`` with rows as columns of the product."""
    for panel in range((count + WIDTH - 1) // WIDTH):
        base, first = panel * size * WIDTH, top + panel * WIDTH
        width = min(count - panel * WIDTH, WIDTH)
        for inside in range(width):
            line = rows[first + inside][left : left + size]
            for column in range(line.shape[0]):
                packed[base + column * WIDTH + inside] = line[column]
        for column in range(size):
            for inside in range(width, WIDTH):
                packed[base + column * WIDTH + inside] = _ZERO


@compiled
def _times_keys(
    rows: Floats, top: int, count: int, left: int, size: int, across: int, scratch: _Scratch
) -> None:
    """Write ``rows[top : top + count, left : left + size]`` times packed keys to the scores (rows, across)."""
    queries, stride, height = (
        address(rows) + (top * rows.shape[1] + left) * 4,
        rows.shape[1] * 4,
        count,
    )
    if count < ROWS:
        for row in range(count):
            line, to = (
                rows[top + row][left : left + size],
                scratch.copied[row * size : (row + 1) * size],
            )
            for column in range(line.shape[0]):
                to[column] = line[column]
        scratch.copied[count * size : ROWS * size] = _ZERO
        queries, stride, height = address(scratch.copied), size * 4, ROWS
    keys = address(scratch.keys), WIDTH * 4, size * WIDTH * 4
    _multiply(queries, stride, height, keys, size, address(scratch.scores), across)


@compiled
def _times_values(
    rows: Floats, top: int, count: int, left: int, size: int, across: int, scratch: _Scratch
) -> None:
    """Write the weights times ``rows[top : top + count, left : left + size]`` to the contexts (rows, padded size)."""
    padded = (size + WIDTH - 1) // WIDTH * WIDTH
    height = max(ROWS, count)
    values = address(rows) + (top * rows.shape[1] + left) * 4, rows.shape[1] * 4, WIDTH * 4
    if size % WIDTH != 0 or count > _FEW:
        for row in range(count):
            to, line = (
                scratch.copied[row * padded : (row + 1) * padded],
                rows[top + row][left : left + size],
            )
            for column in range(line.shape[0]):
                to[column] = line[column]
            to[size:] = _ZERO
        values = address(scratch.copied), padded * 4, WIDTH * 4
    _multiply(
        address(scratch.weights),
        across * 4,
        height,
        values,
        count,
        address(scratch.contexts),
        padded,
    )


@compiled
def _multiply(
    rows: int,
    stride: int,
    count: int,
    others: tuple[int, int, int],
    steps: int,
    out: int,
    columns: int,
) -> None:
    """Multiply ``count`` rows, ROWS at least, with others, and write so many columns of each at an address.

    Rows are at an address, ``stride`` bytes from one to the next; of the others the address, the bytes from step
    to step and from panel to panel are given.
    """
    there, step, panel_size = others
    for panel in range(columns // WIDTH):
        for row in range(0, count, ROWS):
            here = min(count - ROWS, row)
            _tile(
                (
                    rows + here * stride,
                    stride,
                    there + panel * panel_size,
                    step,
                    steps,
                    out + (here * columns + panel * WIDTH) * 4,
                    columns * 4,
                )
            )
