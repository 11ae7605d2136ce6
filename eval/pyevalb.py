"""A second opinion: the scores of PYEVALB 0.1.3, another program (extra ``compare``).

PYEVALB knows no parameter file: TOP and punctuation count, ADVP is not PRT, function tags stay, and
a bracket that occurs twice is matched once. So its figures differ from EVALB's, by up to one point.
"""

from __future__ import annotations

import contextlib
import io
from dataclasses import dataclass

from bnaparser.errors import DataError, MissingExtraError
from bnaparser.eval.api import Trees, read_sides


@dataclass(frozen=True)
class PyevalbScores:
    """PYEVALB's summary, in percent; ``messages`` is what it printed about single sentences."""

    recall: float
    precision: float
    f1: float
    complete_match: float
    average_crossing: float
    no_crossing: float
    tag_accuracy: float
    sentences: int
    valid: int
    error_sentences: int
    messages: str


def score_with_pyevalb(gold: Trees, pred: Trees) -> PyevalbScores:
    """Run PYEVALB on files or trees. As it does, lines beyond the shorter side are ignored.

    Raises MissingExtraError if it is not installed, and DataError where it breaks down: on an
    unlabelled outer bracket, a line without brackets, an empty first line, no valid sentence.
    """
    try:
        from PYEVALB import scorer, summary
    except ImportError:
        raise MissingExtraError("PYEVALB", "compare") from None
    sides = [
        [line.decode("utf-8", "replace") for line in lines] for lines in read_sides(gold, pred)
    ]
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            result = summary.summary(scorer.Scorer().score_corpus(*sides))
    except Exception as error:  # whatever it stumbles over: it checks nothing
        reason = f"{type(error).__name__}: {error}"
        raise DataError(f"PYEVALB breaks down on these trees ({reason}); use EVALB") from error
    return PyevalbScores(
        recall=result.bracket_recall,
        precision=result.bracket_prec,
        f1=result.bracker_fmeasure,
        complete_match=result.complete_match,
        average_crossing=result.average_crossing,
        no_crossing=result.no_crossing,
        tag_accuracy=result.tagging_accuracy,
        sentences=int(result.sent_num),
        valid=int(result.valid_sent_num),
        error_sentences=int(result.error_sent_num),
        messages=printed.getvalue(),
    )
