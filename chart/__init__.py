"""Span scores in; best trees, n-best lists and probabilities out. Compiled with Numba: no torch, no text.

The names are loaded on first use, since importing Numba takes longer than parsing a sentence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bnaparser.chart.chart_batch import Decoded, NoTreeError, ScoresError
    from bnaparser.chart.cky import (
        CostAugmented,
        CostAugmentedBatch,
        cost_augment,
        cost_augment_packed,
        decode,
        decode_batch,
        decode_best,
        decode_best_packed,
        decode_packed,
    )
    from bnaparser.chart.constraints import Bonus, Clash, Rule, constrain, violations
    from bnaparser.chart.n_best import decode_n_best, decode_n_best_packed
    from bnaparser.chart.probabilities import (
        Marginals,
        MarginalsBatch,
        decode_expected,
        marginals,
        marginals_packed,
        sample,
    )
    from bnaparser.chart.spans import span_count, span_index, span_indices

_HOMES = {
    "Bonus": "constraints",
    "Clash": "constraints",
    "CostAugmented": "cky",
    "CostAugmentedBatch": "cky",
    "Decoded": "chart_batch",
    "Marginals": "probabilities",
    "MarginalsBatch": "probabilities",
    "NoTreeError": "chart_batch",
    "Rule": "constraints",
    "ScoresError": "chart_batch",
    "constrain": "constraints",
    "cost_augment": "cky",
    "cost_augment_packed": "cky",
    "decode": "cky",
    "decode_batch": "cky",
    "decode_best": "cky",
    "decode_best_packed": "cky",
    "decode_expected": "probabilities",
    "decode_n_best": "n_best",
    "decode_n_best_packed": "n_best",
    "decode_packed": "cky",
    "marginals": "probabilities",
    "marginals_packed": "probabilities",
    "sample": "probabilities",
    "span_count": "spans",
    "span_index": "spans",
    "span_indices": "spans",
    "violations": "constraints",
}
__all__ = [
    "Bonus",
    "Clash",
    "CostAugmented",
    "CostAugmentedBatch",
    "Decoded",
    "Marginals",
    "MarginalsBatch",
    "NoTreeError",
    "Rule",
    "ScoresError",
    "constrain",
    "cost_augment",
    "cost_augment_packed",
    "decode",
    "decode_batch",
    "decode_best",
    "decode_best_packed",
    "decode_expected",
    "decode_n_best",
    "decode_n_best_packed",
    "decode_packed",
    "marginals",
    "marginals_packed",
    "sample",
    "span_count",
    "span_index",
    "span_indices",
    "violations",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"bnaparser.chart.{_HOMES[name]}"), name)
