"""The best spans against all spans, the threshold against all thresholds, scores against the rules."""

from __future__ import annotations

import itertools
import math
import re
import string
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnaparser.tasks.kinds.answer_spans import (
    AnswerCandidates,
    Candidate,
    best_spans,
    best_threshold,
    merged,
)
from bnaparser.tasks.kinds.answer_windows import AnswerWindow
from bnaparser.tasks.kinds.question_answering import answer_scores


def window(starts: list[int], ends: list[int], first: int = 3) -> AnswerWindow:
    tokens = np.zeros(first + len(starts) + 1, np.int64)
    places = np.array(starts, np.int64), np.array(ends, np.int64)
    return AnswerWindow(tokens, tokens, tokens, first, *places, 0, (0, 0))


@given(
    st.integers(1, 12),
    st.integers(1, 14),
    st.integers(1, 20),
    st.integers(0, 4),
    st.integers(0, 9999),
)
def test_the_best_spans_are_the_best_of_all(
    pieces: int, longest: int, best: int, first: int, seed: int
) -> None:
    generator = np.random.default_rng(seed)
    lengths = generator.integers(0, 3, pieces)  # a piece may have no letter
    ends = np.cumsum(lengths)
    here = window((ends - lengths).tolist(), ends.tolist(), first)
    logits = generator.normal(size=(len(here), 2)).astype(np.float32)
    found = best_spans(here, logits, longest, best)
    every: dict[tuple[int, int], float] = {}  # the best score of the same characters
    for start, end in itertools.product(range(pieces), repeat=2):
        if start <= end < start + longest and here.ends[end] > here.starts[start]:
            sum_of_both = float(logits[first + start, 0]) + float(logits[first + end, 1])
            span = int(here.starts[start]), int(here.ends[end])
            every[span] = max(every.get(span, -math.inf), sum_of_both)
    best_scores = sorted(every.values(), reverse=True)[:best]
    assert [span.score for span in found] == pytest.approx(best_scores)
    assert all(every[span.start, span.end] == span.score for span in found)
    assert len({(span.start, span.end) for span in found}) == len(found)


def test_pieces_of_one_character_push_no_other_span_out() -> None:
    """A byte-level encoder reads an emoji as four pieces, which have one place."""
    here = window([0, 0, 0, 0, 1, 2], [1, 1, 1, 1, 2, 3], first=0)
    logits = np.zeros((len(here), 2), np.float32)
    logits[:4] = 9.0
    found = best_spans(here, logits, 30, 6)
    assert [(span.start, span.end, span.score) for span in found] == [
        (0, 1, 18.0),
        (0, 2, 9.0),
        (0, 3, 9.0),
        (1, 2, 0.0),
        (1, 3, 0.0),
        (2, 3, 0.0),
    ]


def test_a_passage_without_pieces_has_no_span() -> None:
    assert best_spans(window([], []), np.zeros((4, 2), np.float32), 5, 5) == []
    nothing = AnswerCandidates("", (), 0.0)
    assert (nothing.answer(math.inf), nothing.shares(math.inf)) == ("", [])


def test_a_span_of_two_windows_counts_once_with_its_better_score() -> None:
    spans = [Candidate(0, 4, 1.0), Candidate(5, 9, 2.0), Candidate(0, 4, 3.0), Candidate(1, 4, 2.0)]
    assert merged(spans, 2) == (Candidate(0, 4, 3.0), Candidate(1, 4, 2.0))


@given(
    st.lists(
        st.tuples(st.integers(-3, 3), st.floats(0, 1), st.integers(0, 1)), min_size=1, max_size=8
    )
)
def test_the_threshold_is_the_best_of_all(questions: list[tuple[int, float, int]]) -> None:
    margins, answered, silent = ([float(one[k]) for one in questions] for k in range(3))

    def total(threshold: float) -> float:
        chosen = zip(margins, answered, silent, strict=True)
        return sum(s if margin > threshold else a for margin, a, s in chosen)

    every = [math.inf, -99.0, *(margin + 0.5 for margin in margins)]
    found = best_threshold(margins, answered, silent)
    assert total(found) == pytest.approx(max(map(total, every)))


def test_no_threshold_where_silence_never_pays() -> None:
    assert best_threshold([1.0, 2.0], [1.0, 1.0], [0.0, 0.0]) == math.inf
    assert best_threshold([1.0, 3.0], [1.0, 0.0], [0.0, 1.0]) == 2.0


def test_probabilities_and_silence() -> None:
    spans = (Candidate(0, 4, 2.0), Candidate(5, 9, 1.0))
    found = AnswerCandidates("Mira sang.", spans, 4.0)
    e, e2 = math.e, math.e**2
    assert found.answer(math.inf) == "Mira"
    assert found.shares(math.inf) == pytest.approx([e2 / (e2 + e), e / (e2 + e)])
    assert (found.margin, found.answer(2.0), found.answer(1.9)) == (2.0, "Mira", "")
    # No answer counts as it is weighed: with a threshold of its margin, as much as the best span.
    assert found.shares(2.0) == pytest.approx([e2 / (2 * e2 + e), e / (2 * e2 + e)])
    assert not AnswerCandidates("a", spans, math.nan).finite
    assert found.finite


# --- exact match and F1: the rules as SQuAD's paper and program state them


def plain(text: str) -> list[str]:
    letters = "".join(c for c in text.lower() if c not in set(string.punctuation))
    return re.sub(r"\b(a|an|the)\b", " ", letters).split()


def by_the_rules(right: list[str], answer: str) -> tuple[float, float]:
    best = (0.0, 0.0)
    # Right answers that are nothing but articles and punctuation are left out, as SQuAD 2.0's program does.
    for one in list(filter(plain, right)) or [""]:
        wanted, given = plain(one), plain(answer)
        shared = sum((Counter(wanted) & Counter(given)).values())
        if not wanted or not given:
            f1 = float(wanted == given)
        else:
            f1 = 2 * shared / (len(wanted) + len(given))
        best = (max(best[0], f1), max(best[1], float(wanted == given)))
    return best


TEXTS = st.sampled_from(
    [
        "",
        "The cat",
        "cat",
        "a cat, the dog",
        "dog",
        "Dog!",
        "cat cat",
        "an 1816",
        "1816-1820",
        "the",
        "--",
        "An",
    ]
)


@given(st.lists(st.tuples(st.lists(TEXTS, max_size=3), TEXTS), min_size=1, max_size=4))
def test_answers_are_scored_by_the_rules(questions: list[tuple[list[str], str]]) -> None:
    scores = answer_scores([right for right, _ in questions], [answer for _, answer in questions])
    expected = [by_the_rules(*one) for one in questions]
    assert scores["answer_f1"] == pytest.approx([f1 for f1, _ in expected], abs=1e-6)
    assert scores["exact_match"] == [exact for _, exact in expected]


@pytest.mark.parametrize(
    ("right", "answer", "f1", "exact"),
    [
        (["1976"], "1976", 1.0, 1.0),
        (["Denver Broncos", "The Denver Broncos"], "denver broncos.", 1.0, 1.0),
        (["Santa Clara, California"], "Levi's Stadium in Santa Clara", 4 / 8, 0.0),
        ([], "", 1.0, 1.0),
        ([], "1976", 0.0, 0.0),
        (["1976"], "", 0.0, 0.0),
        (["x", "the"], "an", 0.0, 0.0),
        (["cat", "--"], "", 0.0, 0.0),
        (["The", "a cat"], "cat", 1.0, 1.0),
        (["the", "..."], "", 1.0, 1.0),
        (["the"], "cat", 0.0, 0.0),
    ],
)
def test_known_answers(right: list[str], answer: str, f1: float, exact: float) -> None:
    scores = answer_scores([right], [answer])
    assert scores == {"answer_f1": [pytest.approx(f1)], "exact_match": [exact]}
