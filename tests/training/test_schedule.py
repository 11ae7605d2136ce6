"""How learning rates rise and fall."""

from __future__ import annotations

import pytest

from bnaparser.training.recipe import TrainSettings
from bnaparser.training.update import scheduled_factor


def test_the_rate_rises_from_0_over_160_updates() -> None:
    settings = TrainSettings()
    factors = [scheduled_factor(update, 10_000, settings) for update in range(400)]
    assert factors == [min(update, 160) / 160 for update in range(400)]
    assert factors[0] == 0
    constant = settings.model_copy(
        update={"lr_scheduler_type": "constant_with_warmup", "warmup_steps": 0}
    )
    assert {scheduled_factor(update, 100, constant) for update in range(100)} == {1.0}


def test_a_linear_schedule_falls_to_0() -> None:
    settings = TrainSettings(lr_scheduler_type="linear", warmup_steps=10)
    factors = [scheduled_factor(update, 110, settings) for update in range(110)]
    assert factors[:10] == [update / 10 for update in range(10)]
    assert factors[10:] == pytest.approx([1 - update / 100 for update in range(100)])
    assert scheduled_factor(5, 5, TrainSettings(lr_scheduler_type="linear", warmup_steps=5)) == 0


def test_a_fraction_of_the_steps_is_their_number() -> None:
    of_steps = TrainSettings(lr_scheduler_type="linear", warmup_steps=11)
    of_all = TrainSettings(lr_scheduler_type="linear", warmup_ratio=0.1)
    for update in range(110):
        assert scheduled_factor(update, 110, of_all) == scheduled_factor(update, 110, of_steps)
