"""The compiled loops of attention: one function has all three kinds, which share the products.

Compiling three takes three times as long. Arrays are as in `attention`.

Heavy: imports Numba, so it is imported only to compile.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnaparser.compute.attention import BOTH_WAYS, SPANS, WIDTH, Scratch
from bnaparser.compute.compiling import compiled
from bnaparser.compute.functions import address, clear_floats, copy_floats, exp, larger, total
from bnaparser.compute.matrices import Floats
from bnaparser.compute.processor import ROWS, instructions
from bnaparser.compute.tiles import tile

Integers = NDArray[np.int64]
_LOWEST = np.float32(-3e38)
_ZERO, _ONE = np.float32(0), np.float32(1)

_tile = tile("unfused", instructions().narrow)
# The processor finds the pages of this many rows of a large array at once; for more rows a copy is faster.
_FEW = 48


def attend(
    projected: Floats,
    starts: Integers,
    lengths: Integers,
    plan: tuple[int, int, int],
    scale: np.float32,
    distances: Floats,
    bias: Floats,
    scratch: Scratch,
    out: Floats,
) -> None:
    """Write the contexts of every head: ``plan`` is the kind of attention, the heads, and NSA's longest span."""
    kind, heads, ngrams = plan
    width = out.shape[1]
    size = width // heads
    ways, features = (2, size // 2) if kind == BOTH_WAYS else (1, size)
    middle = distances.shape[1] // 2
    for sentence in range(len(starts)):
        top, count = starts[sentence], lengths[sentence]
        across = (count + WIDTH - 1) // WIDTH * WIDTH
        for row in range(count, ROWS):  # products write no fewer rows
            clear_floats(address(scratch.weights) + row * across * 4, across)
        for head in range(heads):
            _pack_keys(projected, top, count, width + head * size, size, scratch.keys)
            _times_keys(projected, top, count, head * size, size, across, scratch)
            for way in range(ways):
                for row in range(count):
                    line = scratch.scores[row * across : (row + 1) * across]
                    weights = scratch.weights[row * across : (row + 1) * across]
                    if kind == SPANS:
                        scratch.sums[row] = _span_weights(
                            line, count, ngrams, scale, scratch.exponents, weights
                        )
                        continue
                    if way == 0:
                        for column in range(line.shape[0]):
                            line[column] *= scale
                    begin, end = 0, count
                    if kind == BOTH_WAYS:
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
        if kind == SPANS:
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
def _keep(scratch: Scratch, count: int, size: int, out: Floats, top: int, left: int) -> None:
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
    rows: Floats, top: int, count: int, left: int, size: int, across: int, scratch: Scratch
) -> None:
    """Write ``rows[top : top + count, left : left + size]`` times packed keys to the scores (rows, across)."""
    queries, stride, height = (
        address(rows) + (top * rows.shape[1] + left) * 4,
        rows.shape[1] * 4,
        count,
    )
    if count < ROWS:
        clear_floats(address(scratch.copied), ROWS * size)
        for row in range(count):
            copy_floats(address(scratch.copied) + row * size * 4, queries + row * stride, size)
        queries, stride, height = address(scratch.copied), size * 4, ROWS
    keys = address(scratch.keys), WIDTH * 4, size * WIDTH * 4
    _multiply(queries, stride, height, keys, size, address(scratch.scores), across)


@compiled
def _times_values(
    rows: Floats, top: int, count: int, left: int, size: int, across: int, scratch: Scratch
) -> None:
    """Write the weights times ``rows[top : top + count, left : left + size]`` to the contexts (rows, padded size)."""
    padded = (size + WIDTH - 1) // WIDTH * WIDTH
    height = max(ROWS, count)
    values = address(rows) + (top * rows.shape[1] + left) * 4, rows.shape[1] * 4, WIDTH * 4
    if size % WIDTH != 0 or count > _FEW:
        clear_floats(address(scratch.copied), count * padded)
        for row in range(count):
            copy_floats(
                address(scratch.copied) + row * padded * 4, values[0] + row * values[1], size
            )
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
    """Multiply ``count`` rows, ROWS at least, with others, and write the first columns of each product at an address.

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
