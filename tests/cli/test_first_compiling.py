"""Who waits at a terminal while the machine code is made is told so, once."""

from __future__ import annotations

import sys

import numba
import pytest

from bnaparser.cli.first_compiling import tell_of_compiling


@pytest.mark.parametrize(
    ("terminal", "quiet", "times"), [(True, False, 1), (True, True, 0), (False, False, 0)]
)
def test_it_is_said_once_and_only_on_a_terminal(
    terminal: bool,
    quiet: bool,
    times: int,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    tell_of_compiling(quiet)
    for number in range(2):
        assert numba.njit(lambda one, number=number: one + number)(1) == 1 + number
    assert capsys.readouterr().err.count("compiling the parser's kernels") == times
