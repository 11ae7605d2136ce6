"""Work on batches: one after another, or several at once, each on a core of its own.

Where all cores share each batch they wait for each other hundreds of times a batch, and all wait
while Python works on what is between. With a batch a core neither happens. What is too little for that, one
sentence above all, is computed by this thread.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate
from typing import TypeVar

from bnaparser.encoders.batching import PARSING_TOKENS, batches_by_length

Out = TypeVar("Out")

# Word pieces that a batch of one core holds at most: more gain nothing.
CORE_TOKENS = PARSING_TOKENS["cpu"]
# Where there are fewer for each core, starting threads is not worth it.
WORTH_SHARING = 20


def in_batches(
    work: Callable[[list[int]], Sequence[Out]],
    sizes: Sequence[int],
    max_tokens: int,
    threads: int,
    takes_turns: bool = False,
) -> list[Out]:
    """Return a result for each of ``sizes``, numbers of word pieces from 1 on, in order.

    ``work`` takes the indices of a batch, of similar sizes and with at most ``max_tokens`` of them
    (padding counted), and returns as many results. It may run in so many ``threads`` at once;
    where it ``takes_turns``, it has the same batches one after another. Raises what ``work`` raises.
    """
    share = sum(sizes) / threads
    if threads == 1 or len(sizes) == 1 or share < WORTH_SHARING:
        batches = batches_by_length(sizes, max_tokens)
        found = [work(batch) for batch in batches]
    else:
        batches = _even_batches(sizes, threads * math.ceil(share / CORE_TOKENS), max_tokens)
        found = _side_by_side(work, batches, 1 if takes_turns else threads)
    results = {
        index: result
        for batch, of_batch in zip(batches, found, strict=True)
        for index, result in zip(batch, of_batch, strict=True)
    }
    return [results[index] for index in range(len(sizes))]


def _even_batches(sizes: Sequence[int], count: int, max_tokens: int) -> list[list[int]]:
    """Return about ``count`` batches of equal work, longest sentences first; more where they must."""
    order = sorted(range(len(sizes)), key=lambda index: -sizes[index])
    before = [0, *accumulate(sizes[index] for index in order)]
    parts: list[list[int]] = [[] for _ in range(count)]
    for index, done in zip(order, before, strict=False):
        parts[done * count // before[-1]].append(index)
    return [
        [part[place] for place in batch]
        for part in parts
        for batch in batches_by_length([sizes[index] for index in part], max_tokens)
    ]


def _side_by_side(
    work: Callable[[list[int]], Sequence[Out]], batches: Sequence[list[int]], threads: int
) -> list[Sequence[Out]]:
    """Work on each batch in one of so many threads; in this one where they cannot be started."""
    if threads == 1:
        return [work(batch) for batch in batches]
    # A new pool for each call costs 0.1 ms; one that is kept would not survive a fork.
    pool = ThreadPoolExecutor(threads, "bnaparser-batch")
    try:
        try:
            found = pool.map(work, batches)
        except RuntimeError:  # a limit is reached, or Python is about to end
            pool.shutdown(cancel_futures=True)
            found = map(work, batches)
        return list(found)
    finally:
        pool.shutdown(cancel_futures=True)
