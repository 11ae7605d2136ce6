"""How fast a run goes is told of what it did last."""

from __future__ import annotations

from bnaparser.training.pace import Pace


def test_a_pause_before_does_not_count() -> None:
    pace = Pace(8_000.0, 100, 300_000)
    assert pace.since_last(8_020.0, 150, 450_000) == [2.5, 7_500.0]
    assert pace.since_last(8_120.0, 200, 600_000) == [0.5, 1_500.0]
    assert pace.since_last(9_120.0, 200, 600_000) == [0.0, 0.0]
