"""What a chart says of a treebank's sentences beside their best trees, and whether the gold trees agree."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bnaparser import Tree, chart
from bnaparser.chart.spans import Float64s
from bnaparser.eval import score
from bnaparser.eval.params import collins
from bnaparser.eval.report import Row
from bnaparser.network.labels import Inventory
from bnaparser.training.calibration import GoldChart, Judged
from bnaparser.training.data import Example
from bnaparser.trees.tree import CHAIN, Span

NBEST = (10, 50)
# What sentences may be sorted by: the surest, or the likeliest to be right, first.
CONFIDENCES: dict[str, Callable[[Float64s, float, int, np.random.Generator], float]] = {
    "least probable constituent": lambda each, tree, words, chance: float(each.min(initial=1)),
    "mean of the constituents": lambda each, tree, words, chance: float(each.mean()),
    "probability of the tree": lambda each, tree, words, chance: tree,
    "shortness": lambda each, tree, words, chance: -words,
    "chance": lambda each, tree, words, chance: chance.random(),
}


@dataclass
class JudgedSet:
    """A treebank's sentences, one after another.

    ``each`` has, by temperature, the probabilities of each best tree's constituents; ``right`` and
    ``brackets_right`` tell of those whether they are right, exactly and by EVALB's rules, of which
    ``brackets`` are the probabilities. Rows are EVALB's: of the best trees, of those of most expected
    constituents, and of the best of the first so many.
    """

    words: list[int] = field(default_factory=list)
    each: dict[float, list[Float64s]] = field(default_factory=dict)
    right: list[NDArray[np.bool_]] = field(default_factory=list)
    brackets: list[float] = field(default_factory=list)
    brackets_right: list[bool] = field(default_factory=list)
    exact: list[bool] = field(default_factory=list)
    tree_probabilities: dict[float, list[float]] = field(default_factory=dict)
    best: list[Row] = field(default_factory=list)
    expected: list[Row] = field(default_factory=list)
    oracles: dict[int, list[Row]] = field(default_factory=dict)
    confidences: dict[str, list[float]] = field(default_factory=dict)

    def judged(self, temperature: float) -> Judged:
        """Return the constituents of all best trees at a temperature."""
        return Judged(np.concatenate(self.each[temperature]), np.concatenate(self.right))

    def judged_by_evalb(self) -> Judged:
        """Return the brackets of all best trees, as EVALB counts them, at the last temperature."""
        return Judged(np.array(self.brackets), np.array(self.brackets_right))

    def surest_first(self, confidence: str) -> list[int]:
        """Return the sentences' places, sorted by a confidence."""
        values = self.confidences[confidence]
        return sorted(range(len(values)), key=lambda place: -values[place])


def judge_set(
    found: Iterable[tuple[Example, GoldChart]], labels: Inventory, temperatures: Sequence[float]
) -> JudgedSet:
    """Ask each chart everything; the last temperature is the one that is to be trusted."""
    told, chance = JudgedSet(), np.random.default_rng(0)
    for example, one in found:
        told.words.append(one.words)
        told.right.append(one.right)
        told.exact.append(bool(one.right.all()) and len(one.right) == len(example.spans))
        for temperature in temperatures:
            at = one.marginals(temperature)
            each = at.probabilities[one.constituents].astype(np.float64)
            tree = math.exp(min(0.0, one.best.score / temperature - at.log_partition))
            told.each.setdefault(temperature, []).append(each)
            told.tree_probabilities.setdefault(temperature, []).append(tree)
        brackets = by_evalb(example.tree, spans_of(one.best, labels))
        told.brackets += [each[place] for place, _ in brackets]
        told.brackets_right += [right for _, right in brackets]
        for name, confidence in CONFIDENCES.items():
            told.confidences.setdefault(name, []).append(confidence(each, tree, one.words, chance))
        _score_trees(told, example, one, at.probabilities, labels)
    return told


def _score_trees(
    told: JudgedSet,
    example: Example,
    one: GoldChart,
    probabilities: NDArray[np.float32],
    labels: Inventory,
) -> None:
    empty = one.allow_empty_root
    listed = chart.decode_n_best(one.scores, one.words, max(NBEST), allow_empty_root=empty)
    (expected,) = chart.decode_expected(probabilities, [one.words], 1, allow_empty_root=empty)
    trees = [
        Tree.from_spans(example.words, example.tags, spans_of(tree, labels))
        for tree in (expected, *listed)
    ]
    first, *rows = score([example.tree] * len(trees), trees).rows
    told.expected.append(first)
    told.best.append(rows[0])
    for count in NBEST:
        told.oracles.setdefault(count, []).append(max(rows[:count], key=f1_of_row))


def spans_of(tree: chart.Decoded, labels: Inventory) -> list[Span]:
    return [Span(start, end, labels.names[label]) for start, end, label in tree.spans.tolist()]


def by_evalb(gold: Tree, spans: Sequence[Span]) -> list[tuple[int, bool]]:
    """Return a tree's brackets as COLLINS.prm has them: the place of each one's span, and if it is right.

    Words that are punctuation by their gold tags are no words, and PRT is ADVP; a chain is as many
    brackets as it has labels.
    """
    deleted = [tag.encode() in collins().delete_labels for tag in gold.tags]
    before = np.cumsum([0, *(not one for one in deleted)]).tolist()

    def brackets(of: Iterable[Span]) -> list[tuple[int, tuple[int, int, str]]]:
        return [
            (place, (before[span.start], before[span.end], label.replace("PRT", "ADVP")))
            for place, span in enumerate(of)
            for label in span.label.split(CHAIN)
        ]

    left = Counter(bracket for _, bracket in brackets(gold.spans()))
    found = []
    for place, bracket in brackets(spans):
        found.append((place, left[bracket] > 0))
        left[bracket] -= 1
    return found


def f1_of_row(row: Row) -> float:
    return f1([row])


def f1(rows: Iterable[Row]) -> float:
    """Return EVALB's F1 over sentences, in percent."""
    listed = list(rows)
    brackets = sum(row.gold + row.test for row in listed)
    return 200 * sum(row.matched for row in listed) / brackets if brackets else 0.0


def f1_of_kept(told: JudgedSet, confidence: str, share: float) -> float:
    """Return the F1 of this share of the sentences, the surest first."""
    order = told.surest_first(confidence)
    kept = order[: max(1, round(share * len(order)))]
    return f1(told.best[place] for place in kept)


def in_the_unsurest(told: JudgedSet, confidence: str, share: float) -> tuple[float, float]:
    """Return what this share of the sentences, the unsurest, hold of all words and of all errors, in percent.

    Errors are brackets that are wrong or missing.
    """
    order = told.surest_first(confidence)
    unsure = order[len(order) - round(share * len(order)) :]
    errors = [row.gold + row.test - 2 * row.matched for row in told.best]
    words = 100 * sum(told.words[place] for place in unsure) / sum(told.words)
    return words, 100 * sum(errors[place] for place in unsure) / max(1, sum(errors))


def of_chance(judged: Judged, error: Callable[[Judged], float], draws: int = 50) -> float:
    """Return the mean error of so many constituents that are right exactly as often as they say."""
    generator = np.random.default_rng(0)
    drawn = (generator.random(len(judged.right)) < judged.probabilities for _ in range(draws))
    return float(np.mean([error(Judged(judged.probabilities, right)) for right in drawn]))
