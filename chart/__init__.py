"""Span scores in; best trees, n-best lists and probabilities out. Compiled with Numba: no torch, no text."""

from __future__ import annotations

from bnaparser.chart.chart_batch import Decoded, NoTreeError, ScoresError
from bnaparser.chart.cky import (
    CostAugmentedBatch,
    cost_augment_packed,
    decode,
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

__all__ = [
    "Bonus",
    "Clash",
    "CostAugmentedBatch",
    "Decoded",
    "Marginals",
    "MarginalsBatch",
    "NoTreeError",
    "Rule",
    "ScoresError",
    "constrain",
    "cost_augment_packed",
    "decode",
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
