"""Exact match and F1 of answers, as the program of SQuAD 2.0 counts them.

Case, punctuation and articles do not count. Of several right answers the nearest counts. Where there
is no right answer, an empty answer is right and any other is wrong (Rajpurkar and others 2016 and 2018).

The program of SQuAD 1.1 differs only where a right answer is nothing but articles and punctuation.
That of 2.0 leaves such an answer out, so that an empty answer earns nothing by it.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")

Words = list[str]


def answer_scores(
    gold: Sequence[Sequence[str]], predicted: Sequence[str]
) -> dict[str, list[float]]:
    """Return exact match and F1 of each predicted answer, from 0 to 1, by their names as metrics.

    Args:
        gold: The right answers of each question; none where the passage has no answer.
        predicted: The answer to each question, empty where none was given.
    """
    found: dict[str, list[float]] = {"answer_f1": [], "exact_match": []}
    for right, answer in zip(gold, predicted, strict=True):
        words = _words_that_count(answer)
        golds = [one for one in map(_words_that_count, right) if one] or [[]]
        found["answer_f1"].append(max(_f1(one, words) for one in golds))
        found["exact_match"].append(float(words in golds))
    return found


def _words_that_count(text: str) -> Words:
    return _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split()


def _f1(gold: Words, predicted: Words) -> float:
    if not (gold and predicted):
        return float(gold == predicted)
    same = (Counter(gold) & Counter(predicted)).total()
    if not same:
        return 0.0
    precision, recall = same / len(predicted), same / len(gold)
    return 2 * precision * recall / (precision + recall)
