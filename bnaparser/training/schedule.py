"""How learning rates go from update to update."""

from __future__ import annotations

import math

from torch.optim import Optimizer

from bnaparser.training.recipe import TrainSettings


def scheduled_factor(update: int, total_updates: int, settings: TrainSettings) -> float:
    """Return what the learning rate is multiplied by at an update, counted from 0.

    It rises from 0 in a straight line, then is 1 or, under "linear", falls towards 0;
    what development scores do to it under "reduce_lr_on_plateau" comes on top.
    """
    warmup = settings.warmup_steps
    if settings.warmup_ratio is not None:
        warmup = math.ceil(settings.warmup_ratio * total_updates)
    if update < warmup:
        return update / warmup
    if settings.lr_scheduler_type == "linear":
        return (total_updates - update) / max(1, total_updates - warmup)
    return 1.0


def set_learning_rates(optimizer: Optimizer, factor: float) -> None:
    """Set the rate of each group of parameters to so much of its ``base``."""
    for group in optimizer.param_groups:
        group["lr"] = group["base"] * factor
