"""Labelled bracket scores as EVALB computes them; standard library only.

``score`` compares files or trees, ``score_raw`` those whose words and sentences differ, ``compare_outputs`` two outputs, ``score_with_pyevalb`` asks another
program. ``python -m bnaparser.eval.evalb`` is EVALB itself, with its options and its output.
"""

from bnaparser.eval.api import PyevalbScores, Scores, score, score_with_pyevalb
from bnaparser.eval.params import Params, collins
from bnaparser.eval.raw import Matches, RawScores, compare_raw_outputs, score_raw
from bnaparser.eval.report import Row
from bnaparser.eval.significance import Significance, compare_outputs

__all__ = [
    "Matches",
    "Params",
    "PyevalbScores",
    "RawScores",
    "Row",
    "Scores",
    "Significance",
    "collins",
    "compare_outputs",
    "compare_raw_outputs",
    "score",
    "score_raw",
    "score_with_pyevalb",
]
