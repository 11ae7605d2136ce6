"""What a user knows of a tree, as changes to the scores: exact for best trees, lists and probabilities.

A span that must be a constituent has a label in every tree, and no other node of the chart, empty
ones included, crosses it; a span that no constituent may cross only forbids labels to those that
would. What is forbidden scores minus infinity; what is only unlikely loses some of its score.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnaparser.chart.spans import Bools, Float32s, Int64s, span_count, span_index, span_indices

Labels = frozenset[int] | None
"""Numbers of labels, 1 or more; None for any."""


class Rule(NamedTuple):
    """A constraint on the span (start, end): a constituent there has one of ``labels``.

    ``must``: there is one. ``uncrossed``: no constituent crosses the span. With ``labels`` empty
    there is none.
    """

    start: int
    end: int
    labels: Labels = None
    must: bool = False
    uncrossed: bool = False


class Bonus(NamedTuple):
    """What a constituent over (start, end) with one of ``labels`` scores more; less where below 0."""

    start: int
    end: int
    amount: float
    labels: Labels = None


class Clash(ValueError):
    """Rules that contradict each other; if any one of them is removed, there is a tree.

    ``places`` are theirs in the list of all rules, in order. ``of_the_root``: a tree would keep them if
    the whole sentence needed no label.
    """

    def __init__(self, places: Sequence[int], of_the_root: bool = False):
        rules = " and ".join(f"rule {place}" for place in places)
        reason = ": the whole sentence needs a label" if of_the_root else ""
        super().__init__(f"{rules} cannot hold{' together' if len(places) > 1 else ''}{reason}")
        self.places, self.of_the_root = tuple(places), of_the_root


def constrain(
    scores: Float32s,
    n: int,
    rules: Sequence[Rule] = (),
    bonuses: Sequence[Bonus] = (),
    *,
    allow_empty_root: bool = False,
) -> tuple[Float32s, Bools]:
    """Apply constraints to the scores of a sentence, for `decode_n_best`, `marginals` and the other functions.

    Args:
        scores: float32, shape (spans, labels). The array is not changed.
        n: number of words.
        rules: which labels a span may have, and which spans nothing may cross.
        bonuses: additions to scores.
        allow_empty_root: whether the whole sentence may have the empty label.

    Returns:
        The new scores, and ``never_empty``: bool, shape (spans,).

    Raises:
        Clash: no tree satisfies all rules.
        ValueError: a rule or bonus is outside the sentence or the labels, a number is not finite, or ``scores`` has another length.

    Example:
        >>> import numpy as np
        >>> from bnaparser.chart import Rule, constrain, decode
        >>> scores = np.zeros((3, 2), np.float32)  # two words: spans (0, 1), (0, 2), (1, 2)
        >>> scores[:, 1] = 1, 2, -1
        >>> new_scores, never_empty = constrain(scores, 2, [Rule(0, 1, labels=[])])  # word 0 is no constituent
        >>> decode(new_scores, 2).spans.tolist()
        [[0, 2, 1]]
    """
    _check(scores, n, rules, bonuses)
    _check_labels(n, rules, scores.shape[1], allow_empty_root)
    must, uncrossed = _check_crossing(n, rules)
    changed, never_empty = scores.copy(), np.zeros(span_count(n), np.bool_)
    for (start, end), amounts in bonuses_of_spans(bonuses, scores.shape[1]).items():
        changed[span_index(start, end, n)] += amounts.astype(np.float32)
    for rule in rules:
        row = span_index(rule.start, rule.end, n)
        if rule.labels is not None:
            others = [label for label in range(1, scores.shape[1]) if label not in rule.labels]
            changed[row, others] = -np.inf
        never_empty[row] |= rule.must
    across = must.crossing()
    never_empty |= across
    changed[across | uncrossed.crossing(), 1:] = -np.inf
    return changed, never_empty


def bonuses_of_spans(
    bonuses: Sequence[Bonus], labels: int
) -> dict[tuple[int, int], NDArray[np.float64]]:
    """Return the sums of the bonuses of each span, (labels,), in double precision."""
    found: dict[tuple[int, int], NDArray[np.float64]] = {}
    for bonus in bonuses:
        amounts = found.setdefault((bonus.start, bonus.end), np.zeros(labels))
        columns = slice(1, None) if bonus.labels is None else sorted(bonus.labels)
        amounts[columns] += bonus.amount
    return found


def violations(n: int, heads: Sequence[int], punctuation: Sequence[bool] | None = None) -> Int64s:
    """Count, for each span, the words that contradict a dependency tree if the span is a constituent.

    A constituent has one word whose head is outside, and only this word has dependents outside. Each further such word counts
    once. Punctuation does not count.

    Args:
        n: number of words.
        heads: head of each word, from 1; 0 for the root.
        punctuation: which words are punctuation.

    Returns:
        int64, shape (spans,).

    Raises:
        ValueError: there is not one head, or one entry of ``punctuation``, for each word.

    Example:
        >>> from bnaparser.chart import violations
        >>> violations(3, heads=[2, 3, 0]).tolist()  # spans (0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)
        [0, 0, 0, 0, 1, 0]
    """
    if len(heads) != n:
        raise ValueError(f"{len(heads)} heads for {n} words")
    if punctuation is not None and len(punctuation) != n:
        raise ValueError(f"{len(punctuation)} marks of punctuation for {n} words")
    if any(not 0 <= head <= n for head in heads):
        raise ValueError(f"a head is not a number from 0 to {n}")
    counted = [True] * n if punctuation is None else [not one for one in punctuation]
    # The least span that holds a word and its head, and the least that holds its dependents, too.
    near, whole = np.zeros((n + 1, n + 1), np.int64), np.zeros((n + 1, n + 1), np.int64)
    words = np.zeros(n + 1, np.int64)
    for word in (word for word in range(n) if counted[word]):
        words[word + 1] = 1
        if heads[word] == 0:
            continue
        around = [word, heads[word] - 1]
        near[min(around), max(around) + 1] += 1
        around += [one for one in range(n) if counted[one] and heads[one] == word + 1]
        whole[min(around), max(around) + 1] += 1
    starts, ends = span_indices(n)
    words = words.cumsum()
    with_head, closed = (_within(table)[starts, ends] for table in (near, whole))
    headless = words[ends] - words[starts] - with_head
    found: Int64s = np.maximum(0, headless - 1) + with_head - closed
    return found


def _within(table: Int64s) -> Int64s:
    """Sum the entries (a, b) with start <= a and b <= end, for each (start, end)."""
    return table[::-1].cumsum(0)[::-1].cumsum(1)


class _Reaches:
    """Spans of a sentence of n words, by how far they reach: whether one crosses is seen without going over all.

    ``ends``: of those that begin at a place the furthest end; ``starts``: of those that end there the
    first start.
    """

    def __init__(self, n: int):
        self.ends = np.zeros(n + 1, np.int64)
        self.starts = np.full(n + 1, n, np.int64)

    def add(self, rule: Rule) -> None:
        """Take in a rule's span."""
        self.ends[rule.start] = max(self.ends[rule.start], rule.end)
        self.starts[rule.end] = min(self.starts[rule.end], rule.start)

    def cross(self, rule: Rule) -> bool:
        """Return whether one of the spans crosses a rule's."""
        inside = slice(rule.start + 1, rule.end)
        out_behind = self.ends[inside].max(initial=0) > rule.end
        return bool(out_behind or self.starts[inside].min(initial=rule.start) < rule.start)

    def crossing(self) -> Bools:
        """Return for each span of the sentence whether it crosses one of these."""
        n = len(self.ends) - 1
        found = np.zeros(span_count(n), np.bool_)
        for start in range(n - 1):
            inside = slice(start + 1, n)
            out_behind = np.maximum.accumulate(self.ends[inside]) > np.arange(start + 2, n + 1)
            out_before = np.minimum.accumulate(self.starts[inside]) < start
            first = span_index(start, start + 2, n)
            found[first : first + n - start - 1] = out_behind | out_before
        return found


def _check(scores: Float32s, n: int, rules: Sequence[Rule], bonuses: Sequence[Bonus]) -> None:
    if scores.ndim != 2 or len(scores) != span_count(n):
        needed = f"({span_count(n)}, labels)"
        raise ValueError(f"scores has shape {scores.shape}; {n} words need {needed}")
    given = [(*rule[:2], rule.labels) for rule in rules] + [
        (*one[:2], one.labels) for one in bonuses
    ]
    for start, end, labels in given:
        if not 0 <= start < end <= n:
            raise ValueError(f"({start}, {end}) is not a span of a sentence of {n} words")
        if any(not 0 < label < scores.shape[1] for label in labels or ()):
            raise ValueError(f"({start}, {end}) has a label without a column in the scores")
    for bonus in bonuses:
        if not _is_finite(bonus.amount):
            raise ValueError(f"the bonus of ({bonus.start}, {bonus.end}) is {bonus.amount}")


def _is_finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:  # a whole number that is too large for a float
        return False


def _check_labels(n: int, rules: Sequence[Rule], labels: int, allow_empty_root: bool) -> None:
    """Raise Clash where rules leave a span nothing: neither a label nor no constituent."""
    of_spans: dict[tuple[int, int], list[int]] = {}
    for place, rule in enumerate(rules):
        of_spans.setdefault((rule.start, rule.end), []).append(place)
    for span, places in of_spans.items():
        # Sets of labels as bits; label 0 is no constituent.
        choices = [_choices(rules[place], labels) for place in places]
        possible = (1 << labels) - 1
        if span == (0, n) and not allow_empty_root:
            possible -= 1
        clashing = _nothing_in_common(choices, possible)
        if clashing:
            of_the_root = all(choices[one] & 1 for one in clashing)
            raise Clash([places[one] for one in clashing], of_the_root)


def _choices(rule: Rule, labels: int) -> int:
    """Return the labels that a rule leaves its span, as bits; bit 0 where there may be no constituent."""
    chosen = range(1, labels) if rule.labels is None else rule.labels
    return sum(1 << label for label in chosen) | (not rule.must)


def _nothing_in_common(choices: Sequence[int], possible: int) -> list[int]:
    """Return the places of sets that have nothing in common, in order; none where all have.

    Without any one of those that are returned the others have something in common: each is the one that
    empties what those before it, and those that were found already, leave.
    """
    found: list[int] = []
    count = len(choices)
    while possible:
        left = possible
        for place in range(count):
            left &= choices[place]
            if not left:
                break
        else:
            return []
        found.append(place)
        possible &= choices[place]
        count = place
    return found[::-1]


def _check_crossing(n: int, rules: Sequence[Rule]) -> tuple[_Reaches, _Reaches]:
    """Return the spans that must be, and those that are uncrossed.

    Raises Clash where a span that must be crosses another one, or one that is uncrossed.
    """
    must, uncrossed = _Reaches(n), _Reaches(n)
    for place, rule in enumerate(rules):
        if ((rule.must or rule.uncrossed) and must.cross(rule)) or (
            rule.must and uncrossed.cross(rule)
        ):
            raise Clash([_first_across(rules, place), place])
        if rule.must:
            must.add(rule)
        if rule.uncrossed:
            uncrossed.add(rule)
    return must, uncrossed


def _first_across(rules: Sequence[Rule], last: int) -> int:
    """The first rule whose span crosses that of ``last``, where no tree keeps both."""
    rule = rules[last]
    return next(
        place
        for place, other in enumerate(rules)
        if _apart(rule, other)
        and ((rule.must and (other.must or other.uncrossed)) or (other.must and rule.uncrossed))
    )


def _apart(first: Rule, second: Rule) -> bool:
    """Return whether two spans cross."""
    return first.start < second.start < first.end < second.end or (
        second.start < first.start < second.end < first.end
    )
