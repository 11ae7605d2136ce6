"""What is trained at which rate: heads and encoder in groups of their own."""

from __future__ import annotations

import math
from typing import Any

import torch

from bnaparser.spanbert.pretrain_settings import PretrainSettings
from bnaparser.spanbert.span_model import SpanModel


def build_pretrain_optimizer(model: SpanModel, settings: PretrainSettings) -> torch.optim.AdamW:
    """Return AdamW; biases and norms have no weight decay, as in BERT.

    Each group has, beside what AdamW knows, its highest rate, ``base``, and the update at which
    its rate begins to rise, ``begins``: a head made at random would spoil an encoder that it
    moves before it has learned anything, so the encoder can wait for it.
    """
    encoder = {id(parameter) for parameter in model.language_model.base.parameters()}
    head_rate = settings.head_learning_rate or settings.learning_rate
    groups: list[dict[str, Any]] = []
    for is_encoder, rate, begins in (
        (True, settings.learning_rate, settings.freeze_encoder_steps),
        (False, head_rate, 0),
    ):
        chosen = [p for p in model.parameters() if (id(p) in encoder) == is_encoder]
        for is_matrix, decay in ((True, settings.weight_decay), (False, 0.0)):
            parameters = [p for p in chosen if (p.dim() > 1) == is_matrix]
            told = {"lr": rate, "base": rate, "begins": begins, "weight_decay": decay}
            groups.append({"params": parameters, **told})
    return torch.optim.AdamW(groups, betas=settings.betas, eps=settings.eps, fused=True)


def set_pretrain_rates(optimizer: Any, update: int, settings: PretrainSettings) -> None:
    """Set the rate of each group of `build_pretrain_optimizer` for an update."""
    for group in optimizer.param_groups:
        begins = group["begins"]
        total = settings.max_steps - begins
        warmup = settings.warmup_steps
        if settings.warmup_ratio is not None:
            warmup = math.ceil(settings.warmup_ratio * total)
        factor = pretrain_factor(update - begins, warmup, total)
        group["lr"] = group["base"] * factor


def pretrain_factor(update: int, warmup: int, total: int) -> float:
    """Return what the learning rate is multiplied by: a straight rise, then a straight fall to 0.

    Before update 0 it is 0.
    """
    if update < 0:
        return 0.0
    if update < warmup:
        return (update + 1) / warmup
    return (total - update) / max(1, total - warmup)
