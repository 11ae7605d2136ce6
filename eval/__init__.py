"""Labelled bracket scores as EVALB computes them; standard library only.

``score`` compares files or trees, ``compare_outputs`` two outputs, ``score_with_pyevalb`` asks another
program. ``python -m bnaparser.eval.evalb`` is EVALB itself, with its options and its output.
"""

from bnaparser.eval.api import PyevalbScores, Scores, score, score_with_pyevalb
from bnaparser.eval.params import Params, collins
from bnaparser.eval.report import Row
from bnaparser.eval.significance import Significance, compare_outputs

__all__ = [
    "Params",
    "PyevalbScores",
    "Row",
    "Scores",
    "Significance",
    "collins",
    "compare_outputs",
    "score",
    "score_with_pyevalb",
]
