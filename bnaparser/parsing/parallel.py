"""Work on batches: one after another, or on a CPU several at once, each on a core of its own.

Where all cores share each batch they wait for each other hundreds of times a batch, and all wait
while Python works on what is between. With a batch a core neither happens: a fifth of the time.
What is too little for that is computed on the cores that are idle.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate
from threading import Lock
from typing import TypeVar

import torch

from bnaparser.encoders.batching import batches_by_length
from bnaparser.parsing.threads import on_idle_cores

Out = TypeVar("Out")

# Word pieces that a batch of one core holds at most: more gain nothing.
CORE_TOKENS = 500
# Where there are fewer for each core, all cores on one batch are as fast or faster.
WORTH_SHARING = 250

# PyTorch has one number for how many cores a new thread computes with: it is set to 1 for a moment.
_number_is_set = Lock()


def in_batches(
    work: Callable[[list[int]], Sequence[Out]], sizes: Sequence[int], max_tokens: int, on_cpu: bool
) -> list[Out]:
    """Return a result for each of ``sizes``, numbers of word pieces from 1 on, in order.

    ``work`` takes the indices of a batch, of similar sizes and with at most ``max_tokens`` of them
    (padding counted), and returns as many results. On a CPU it may run in several threads at once.
    Raises what ``work`` raises.
    """
    threads = torch.get_num_threads() if on_cpu else 1
    share = sum(sizes) / threads
    if threads == 1 or share < WORTH_SHARING:
        batches = batches_by_length(sizes, max_tokens)
        with on_idle_cores(on_cpu):
            found = [work(batch) for batch in batches]
    else:
        batches = _even_batches(sizes, threads * math.ceil(share / CORE_TOKENS), max_tokens)
        found = _side_by_side(work, batches, threads)
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
    """Work on each batch in one of so many threads, which compute on one core each."""
    with _number_is_set:
        pool = ThreadPoolExecutor(threads, "bnaparser-batch", torch.set_num_threads, (1,))
        try:
            return list(pool.map(work, batches))
        finally:
            pool.shutdown(cancel_futures=True)
            torch.set_num_threads(threads)
