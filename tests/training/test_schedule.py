"""How learning rates rise and fall."""

from __future__ import annotations

import pytest

from bnaparser.training.recipe import TrainSettings
from bnaparser.training.schedule import scheduled_factor


def test_the_rate_rises_from_0_over_160_updates() -> None:
    settings = TrainSettings()
    factors = [scheduled_factor(update, 10_000, settings) for update in range(400)]
    assert factors == [min(update, 160) / 160 for update in range(400)]
    assert factors[0] == 0
    constant = settings.model_copy(update={"schedule": "constant", "warmup_updates": 0})
    assert {scheduled_factor(update, 100, constant) for update in range(100)} == {1.0}


def test_a_linear_schedule_falls_to_0() -> None:
    settings = TrainSettings(schedule="linear", warmup_updates=10)
    factors = [scheduled_factor(update, 110, settings) for update in range(110)]
    assert factors[:10] == [update / 10 for update in range(10)]
    assert factors[10:] == pytest.approx([1 - update / 100 for update in range(100)])
    assert scheduled_factor(5, 5, TrainSettings(schedule="linear", warmup_updates=5)) == 0
