"""Topical attention: what a token takes from its sub-networks (Syntax-BERT, eq. 2)."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class Topical(nn.Module):
    """``TopicAtt(q_task, H W^K, H W^V)`` over the sub-networks' outputs H, of ``width`` features.

    It starts as the plain average: the query is zero, keys and values are the outputs themselves.
    """

    def __init__(self, width: int):
        super().__init__()
        self.query = nn.Parameter(torch.zeros(width))
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width, bias=False)
        nn.init.eye_(self.key.weight)
        nn.init.eye_(self.value.weight)

    def direction(self, output_weight: Tensor | None = None) -> Tensor:
        """Return u with ``logit = context . u``, for a context of which W^O makes an output.

        ``q_task . W^K (W^O a + b) / sqrt(d)`` is linear in a, and what is the same for all
        sub-networks drops out of their softmax: so W^O need not be applied to each of them.
        """
        direction = self.query @ self.key.weight / math.sqrt(len(self.query))
        return direction if output_weight is None else direction @ output_weight


def topical_weights(logits: Tensor, counts: Tensor) -> Tensor:
    """Return the softmax over the last axis in which each entry stands for ``counts`` equal ones.

    Adding ``log(count)`` to a logit is exact. An entry with count 0 gets weight 0.
    """
    return (logits + counts.to(logits.dtype).log()).softmax(dim=-1)
