"""Attention within sentences that lie one after another, without padding: plain, BiMSA's and NSA's.

``starts`` and ``lengths`` are int64, one entry a sentence: its first row and its number of rows. A
head's features lie side by side. All is float32.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnaparser.compute.compiling import compiled, entry
from bnaparser.compute.functions import exp, larger, total
from bnaparser.compute.heads import pack_keys, padded, room, times_keys, times_values
from bnaparser.compute.packed import Floats

Integers = NDArray[np.int64]
_LOWEST = np.float32(-3e38)
_ZERO, _ONE = np.float32(0), np.float32(1)


@compiled
def _largest(row: Floats) -> np.float32:
    largest = _LOWEST
    for column in range(row.shape[0]):
        largest = larger(largest, row[column])
    return largest


@compiled
def _softmax(scores: Floats, begin: int, end: int, weights: Floats) -> np.float32:
    """Write weights of the scores from ``begin`` to ``end``, 0 for all others; return their sum.

    All loops go over whole vectors, beyond the end.
    """
    for column in range(scores.shape[0]):
        weights[column] = scores[column] if begin <= column < end else _LOWEST
    largest = _largest(weights)
    for column in range(weights.shape[0]):
        weight = exp(weights[column] - largest)
        weights[column] = weight if begin <= column < end else _ZERO
    return total(weights[begin:end])


@compiled
def _keep(
    contexts: Floats, sums: Floats, count: int, size: int, out: Floats, top: int, left: int
) -> None:
    """Write contexts, divided by the sums of their weights, to their place in ``out``."""
    for row in range(count):
        factor = _ONE / sums[row]
        for column in range(size):
            out[top + row, left + column] = contexts[row, column] * factor


@compiled
def _room(count: int, size: int, width: int) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Room for a head of a sentence: packed keys, scores, weights, their sums, and contexts of a width."""
    rows, across = room(count), padded(count)
    return (
        np.empty(across * size, np.float32),
        np.empty((rows, across), np.float32),
        np.zeros((rows, across), np.float32),
        np.empty(rows, np.float32),
        np.empty((rows, padded(width)), np.float32),
    )


@compiled
def _scale(scores: Floats, count: int, scale: np.float32) -> None:
    for row in range(count):
        line = scores[row]
        for column in range(line.shape[0]):
            line[column] *= scale


@entry
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

    ``projected`` is (rows, 3 width): Q, K and V. ``distances`` (heads, 2 m - 1), empty where there
    are none, holds what is added for a key j of a query i, at m - 1 + j - i.
    """
    width = out.shape[1]
    size = width // heads
    middle = distances.shape[1] // 2
    for sentence in range(len(starts)):
        top, count = starts[sentence], lengths[sentence]
        keys, scores, weights, sums, contexts = _room(count, size, size)
        for head in range(heads):
            left = head * size
            pack_keys(projected, top, count, width + left, size, keys)
            times_keys(projected, top, count, left, size, keys, scores)
            _scale(scores, count, scale)
            for row in range(count):
                if middle:
                    # Of what is beyond the sentence, too, to fill the last vector.
                    near = distances[head, middle - row : middle - row + scores.shape[1]]
                    for column in range(near.shape[0]):
                        scores[row, column] += near[column]
                sums[row] = _softmax(scores[row], 0, count, weights[row])
            times_values(weights, projected, top, count, 2 * width + left, size, contexts)
            _keep(contexts, sums, count, size, out, top, left)


@entry
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
    width = out.shape[1]
    size = width // heads
    half = size // 2
    for sentence in range(len(starts)):
        top, count = starts[sentence], lengths[sentence]
        keys, scores, weights, sums, contexts = _room(count, size, half)
        for head in range(heads):
            pack_keys(projected, top, count, width + head * size, size, keys)
            times_keys(projected, top, count, head * size, size, keys, scores)
            _scale(scores, count, scale)
            for way in range(2):
                for row in range(count):
                    begin, end = (0, row + 1) if way == 0 else (row, count)
                    sums[row] = _softmax(scores[row], begin, end, weights[row])
                left = 2 * width + head * half
                times_values(weights, projected, top, count, left, half, contexts)
                _keep(contexts, sums, count, half, out, top, way * heads * half + head * half)


@entry
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
    width = out.shape[1]
    size = width // heads
    for sentence in range(len(starts)):
        top, count = starts[sentence], lengths[sentence]
        exponents = np.empty(count, np.float32)
        keys, scores, weights, sums, contexts = _room(count, size, size)
        for head in range(heads):
            left = head * size
            pack_keys(projected, top, count, width + left, size, keys)
            times_keys(projected, top, count, left, size, keys, scores)
            for row in range(count):
                sums[row] = _span_weights(
                    scores[row], count, ngrams, scale, exponents, weights[row]
                )
            times_values(weights, projected, top, count, 2 * width + left, size, contexts)
            _keep(contexts, sums, count, size, out, top, left)
        for row in range(top, top + count):
            for column in range(width):
                out[row, column] += bias[column]


@compiled
def _span_weights(
    scores: Floats, count: int, ngrams: int, scale: np.float32, exponents: Floats, weights: Floats
) -> np.float32:
    """Write, for each position, the weights of spans that end there less those that start there.

    Returns the sum of all spans' weights.
    """
    largest = _LOWEST
    longest = min(ngrams, count - 1)
    for length in range(1, longest + 1):
        ends = scores[length:count]
        for start in range(len(ends)):
            largest = larger(largest, ends[start] - scores[start])
    largest *= scale
    for position in range(count):
        weights[position] = 0
    summed = _ZERO
    for length in range(1, longest + 1):
        ends, after = scores[length:count], weights[length:count]
        for start in range(len(ends)):
            exponents[start] = exp((ends[start] - scores[start]) * scale - largest)
        for start in range(len(ends)):
            after[start] += exponents[start]
        for start in range(len(ends)):
            weights[start] -= exponents[start]
        summed += total(exponents[: len(ends)])
    return summed
