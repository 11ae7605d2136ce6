"""The compiled loops: when they are loaded, what they may write."""

from __future__ import annotations

import subprocess
import sys

from bnaparser import chart
from tests.chart.chart_cases import TWO, same


def test_read_only_scores_are_read() -> None:
    scores = TWO.copy()
    scores.flags.writeable = False
    assert same([chart.decode(scores, 2)], [chart.decode(TWO, 2)])


def test_import_does_not_load_numba() -> None:
    code = "import sys, bnaparser.chart; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
