"""Exact match and F1 of answers, as SQuAD's own programs count them, by torchmetrics.

Case, punctuation and articles do not count; of several right answers the nearest does; where there
is none, to give none is right and anything else wrong (Rajpurkar and others 2016 and 2018).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bnaparser.errors import MissingExtraError


def answer_scores(
    gold: Sequence[Sequence[str]], predicted: Sequence[str]
) -> dict[str, list[float]]:
    """Return exact match and F1 of each predicted answer, from 0 to 1, by their names as metrics.

    ``gold`` has the right answers of each question, none where there is none, and ``predicted`` is
    empty where none was given. Raises MissingExtraError without torchmetrics.
    """
    squad = _squad()
    found: dict[str, list[float]] = {"answer_f1": [], "exact_match": []}
    for right, answer in zip(gold, predicted, strict=True):
        scores = squad(
            {"prediction_text": answer, "id": "0"},
            {"answers": {"text": list(right) or [""], "answer_start": []}, "id": "0"},
        )
        found["answer_f1"].append(float(scores["f1"]) / 100)
        found["exact_match"].append(float(scores["exact_match"]) / 100)
    return found


def _squad() -> Any:
    try:
        from torchmetrics.functional.text import squad
    except ImportError as error:
        raise MissingExtraError("torchmetrics", "train") from error
    return squad
