"""How numbers are computed while a network is trained."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from bnaparser.errors import SettingsError


@contextmanager
def training_arithmetic(device: torch.device) -> Iterator[None]:
    """Take denormal numbers as 0, for speed, and on a CPU make a seed fix a run; then stop.

    A CPU's threads add up in any order unless they are told not to. On a GPU this would cost speed
    and need settings of the environment, so there it is left alone.
    """
    # torch gives this module no types.
    memory = torch.utils.deterministic
    filled = memory.fill_uninitialized_memory  # type: ignore[attr-defined]
    mode = torch.get_deterministic_debug_mode()
    torch.set_flush_denormal(True)
    if device.type == "cpu":
        torch.use_deterministic_algorithms(True, warn_only=True)
        memory.fill_uninitialized_memory = False  # type: ignore[attr-defined]
    try:
        yield
    finally:
        torch.set_flush_denormal(False)
        torch.set_deterministic_debug_mode(mode)
        memory.fill_uninitialized_memory = filled  # type: ignore[attr-defined]


def diverged(update: int | None = None, reason: str = "") -> SettingsError:
    """Return what is raised where a network in training gives no numbers any more."""
    when = "" if update is None else f" at update {update}"
    why = f" {reason};" if reason else ""
    advice = "set a smaller train.learning_rate, or train.max_grad_norm"
    return SettingsError(f"the training has diverged{when}:{why} {advice}")
