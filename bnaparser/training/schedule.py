"""How learning rates go from update to update."""

from __future__ import annotations

from torch.optim import Optimizer

from bnaparser.training.recipe import TrainSettings


def scheduled_factor(update: int, total_updates: int, settings: TrainSettings) -> float:
    """Return what the learning rate is multiplied by at an update, counted from 0.

    It rises from 0 in a straight line, then is 1 or, with the schedule "linear", falls towards 0;
    what development scores do to it under "plateau" comes on top.
    """
    if update < settings.warmup_updates:
        return update / settings.warmup_updates
    if settings.schedule == "linear":
        return (total_updates - update) / max(1, total_updates - settings.warmup_updates)
    return 1.0


def set_learning_rates(optimizer: Optimizer, factor: float) -> None:
    """Set the rate of each group of parameters to so much of its ``base``."""
    for group in optimizer.param_groups:
        group["lr"] = group["base"] * factor
