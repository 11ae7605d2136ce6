"""Batches of sentences of similar length, bounded by tokens; results go back in input order."""

from __future__ import annotations

from collections.abc import Sequence

# Subwords that a batch holds where nothing else is asked for. A CPU loses more by padding than
# it gains by size, and keeps small batches in its cache; a GPU wants to be full. Training keeps
# what each layer computed until the gradient is there: 500 subwords are some 2 % faster, in more
# memory.
PARSING_TOKENS = {"cpu": 500, "gpu": 16384}
TRAINING_TOKENS = {"cpu": 400, "gpu": 4000}
# Sentences, or lines, that a stream reads ahead, so that batches of similar length can be formed.
READ_AHEAD = 1024


def default_tokens(tokens: dict[str, int], device: str) -> int:
    """Return the entry of one of the tables above for a torch device, such as "cpu" or "cuda:0"."""
    return tokens["cpu" if device.startswith("cpu") else "gpu"]


def batches_by_length(lengths: Sequence[int], max_tokens: int) -> list[list[int]]:
    """Group indices of sentences, longest first, so that no batch exceeds ``max_tokens``.

    A batch counts as its longest sentence times its number of sentences: what it takes when padded.
    A sentence longer than ``max_tokens`` is a batch of its own. Equal lengths keep their order.
    """
    order = sorted(range(len(lengths)), key=lambda index: -lengths[index])
    batches: list[list[int]] = []
    longest = 0
    for index in order:
        if not batches or (len(batches[-1]) + 1) * longest > max_tokens:
            batches.append([])
            longest = max(lengths[index], 1)
        batches[-1].append(index)
    return batches
