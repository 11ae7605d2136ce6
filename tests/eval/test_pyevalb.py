"""The second opinion: it agrees where the two programs mean the same."""

from __future__ import annotations

import sys

import pytest

from bnaparser.errors import DataError, MissingExtraError
from bnaparser.eval import Params, score, score_with_pyevalb

GOLD = ["(S (NP (D the) (N cat)) (VP (V sat)))", "(S (NP (P it)) (VP (V ran) (NP (N home))))"]
PRED = ["(S (NP (D the) (N cat)) (XP (V sat)))", "(S (NP (P it)) (VP (X ran)) (NP (N home)))"]


def test_agrees_with_evalb_without_parameters() -> None:
    pytest.importorskip("PYEVALB")
    ours, theirs = score(GOLD, PRED, Params()), score_with_pyevalb(GOLD, PRED)
    for name in (
        "recall",
        "precision",
        "f1",
        "complete_match",
        "average_crossing",
        "no_crossing",
        "tag_accuracy",
        "sentences",
        "valid",
    ):
        assert getattr(theirs, name) == pytest.approx(getattr(ours, name)), name


def test_its_messages_are_kept_off_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("PYEVALB")
    scores = score_with_pyevalb(GOLD, [PRED[0], "(S (NP (P it)))"])
    assert scores.error_sentences == 1
    assert "Length Unmatched" in scores.messages
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("gold", ["( (S (A a)))", "", "(A a)"])
def test_where_it_breaks_down_we_say_so(gold: str) -> None:
    pytest.importorskip("PYEVALB")
    with pytest.raises(DataError, match="PYEVALB fails"):
        score_with_pyevalb([gold], [gold])


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PYEVALB", None)
    with pytest.raises(MissingExtraError, match=r"bnaparser\[compare\]"):
        score_with_pyevalb(GOLD, PRED)
