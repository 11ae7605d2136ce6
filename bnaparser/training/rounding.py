"""Training with weights rounded as they will be stored, so that a network learns to live with it.

The loss and its gradient are those of the rounded weights; what the optimizer changes are the
weights before rounding (BinaryConnect: Courbariaux, Bengio and David 2015, with more values).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn

from bnaparser.files.tensors import is_large_matrix, round_rows


@contextmanager
def rounded(model: nn.Module, step: float | None) -> Iterator[None]:
    """Within, a network's large matrices hold what is stored of them with this ``qat_step``.

    Afterwards they hold what they held before, to the bit. Without a step nothing is done.
    """
    large = [] if step is None else [p for p in model.parameters() if is_large_matrix(p)]
    before = [parameter.detach().clone() for parameter in large]
    with torch.no_grad():
        for parameter in large:
            matrix, scale = round_rows(parameter, step)
            parameter.copy_(matrix * scale)
    try:
        yield
    finally:
        with torch.no_grad():
            for parameter, exact in zip(large, before, strict=True):
                parameter.copy_(exact)
