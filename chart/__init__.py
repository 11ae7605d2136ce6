"""Span scores in, best tree out: exact CKY decoding, compiled with Numba. No torch, no text.

The names are loaded on first use, since importing Numba takes longer than parsing a sentence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bnaparser.chart.cky import (
        CostAugmented,
        CostAugmentedBatch,
        Decoded,
        ScoresError,
        cost_augment,
        cost_augment_packed,
        decode,
        decode_batch,
        decode_best,
        decode_best_packed,
        decode_packed,
        span_count,
        span_indices,
    )

__all__ = [
    "CostAugmented",
    "CostAugmentedBatch",
    "Decoded",
    "ScoresError",
    "cost_augment",
    "cost_augment_packed",
    "decode",
    "decode_batch",
    "decode_best",
    "decode_best_packed",
    "decode_packed",
    "span_count",
    "span_indices",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from bnaparser.chart import cky

    return getattr(cky, name)
