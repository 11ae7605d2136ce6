"""From the scores of a sentence's spans to its trees and probabilities, under constraints."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnaparser import chart
from bnaparser.errors import SentenceError
from bnaparser.network.decoding import Prediction
from bnaparser.network.labels import MASKED_SCORE, Inventory
from bnaparser.network.parsing_network import ParsingNetwork
from bnaparser.parsing.named_constraints import Numbered, check_amount, describe_conflict, numbered
from bnaparser.parsing.options import Dependencies, ParseOptions
from bnaparser.trees.heads.dependencies import parents_first
from bnaparser.trees.tree import Span

Scores = NDArray[np.float32]


class ChartModel(NamedTuple):
    """The facts about a model that the chart needs: its labels, whether a tree may have several
    tops, its temperature.

    ``barred`` are the numbers of the labels that other languages of the model have alone.
    """

    labels: Inventory
    allow_empty_root: bool
    temperature: float
    barred: frozenset[int] = frozenset()


def chart_of(model: ParsingNetwork) -> ChartModel:
    """Return the facts about a network that the chart needs."""
    return ChartModel(model.labels, model.allow_empty_root, model.settings.chart.temperature)


def answers(
    scores: Scores,
    lengths: Sequence[int],
    options: Sequence[ParseOptions],
    model: ChartModel,
    tags: Sequence[list[str] | None],
) -> list[Prediction | str]:
    """Decode each sentence of a batch with its options. The scores are packed one sentence after another.

    Where a sentence has none, the reason is in its place. The scores of labels that are barred are changed.
    """
    barred = scores[0] < MASKED_SCORE / 2  # in all rows, as it is the label's bias
    if barred.any():
        # The best tree never has one; among the n best, and where nothing else may be, it would be found.
        scores[:, barred] = -np.inf
        model = model._replace(barred=frozenset(np.flatnonzero(barred).tolist()))
    found: list[Prediction | str] = []
    first = 0
    for n, parse_options, row in zip(lengths, options, tags, strict=True):
        rows = slice(first, first + chart.span_count(n))
        first = rows.stop
        try:
            found.append(answer(scores[rows], n, parse_options, model, row))
        except SentenceError as error:
            found.append(str(error))
    return found


def answer(
    scores: Scores, n: int, parse_options: ParseOptions, model: ChartModel, tags: list[str] | None
) -> Prediction:
    """Decode a sentence of n words; ``scores`` are float32 (spans, labels).

    ``tags`` are the tags that the model predicts. The first tree is the prediction; all other trees
    are in its ``others``. Scores include bonuses and penalties. Raises SentenceError for constraints
    that contradict each other.
    """
    if parse_options.problem is not None:
        raise SentenceError(parse_options.problem)
    constraints = numbered(parse_options.constraints, n, model.labels, model.barred)
    row = _with_tags(tags, constraints.tags, n)
    scores, never_empty = _constrained(
        scores, n, parse_options, constraints, model.allow_empty_root
    )
    temperature = parse_options.temperature or model.temperature
    search = _Chart(scores, n, model.allow_empty_root, never_empty, temperature)
    try:
        found = (
            search.marginals()
            if parse_options.probabilities or parse_options.decoder != "best"
            else None
        )
        trees = search.trees(parse_options, found)
    except chart.NoTreeError as error:
        # Scores that are NaN are reported as for the best tree alone.
        raise SentenceError("no tree satisfies all constraints: remove a constraint") from error
    requested_probabilities = found if parse_options.probabilities else None
    read = partial(_prediction, scores, n, model.labels, requested_probabilities, temperature, row)
    first, *others = map(read, trees)
    return first.with_others(others)


class _Chart(NamedTuple):
    """A sentence's chart, to be searched in several ways."""

    scores: Scores
    n: int
    allow_empty_root: bool
    never_empty: NDArray[np.bool_] | None
    temperature: float

    def marginals(self) -> chart.Marginals:
        return chart.marginals(
            self.scores,
            self.n,
            temperature=self.temperature,
            allow_empty_root=self.allow_empty_root,
            never_empty=self.never_empty,
        )

    def trees(
        self, parse_options: ParseOptions, found: chart.Marginals | None
    ) -> list[NDArray[np.int32]]:
        """Return the spans of the requested trees, the first tree first."""
        if parse_options.decoder == "sample":
            trees = self._samples(parse_options.n_best, parse_options.seed)
        elif parse_options.decoder == "expected":
            assert found is not None
            trees = self._expected(parse_options.n_best, found)
        else:
            trees = self._best(parse_options.n_best)
        return [tree.spans for tree in trees]

    def _best(self, count: int) -> list[chart.Decoded]:
        if count == 1 and self.never_empty is None:
            root = {"allow_empty_root": self.allow_empty_root}
            return [chart.decode(self.scores, self.n, **root)]
        return chart.decode_n_best(
            self.scores,
            self.n,
            count,
            allow_empty_root=self.allow_empty_root,
            never_empty=self.never_empty,
        )

    def _expected(self, count: int, found: chart.Marginals) -> list[chart.Decoded]:
        """The tree of most expected constituents, and after it the best of the others."""
        first = chart.decode_expected(
            found.probabilities,
            [self.n],
            allow_empty_root=self.allow_empty_root,
            never_empty=self.never_empty,
        )
        if count == 1:
            return first
        others = [one for one in self._best(count) if not np.array_equal(one.spans, first[0].spans)]
        return [*first, *others][:count]

    def _samples(self, count: int, seed: int) -> list[chart.Decoded]:
        return chart.sample(
            self.scores,
            self.n,
            count,
            np.random.default_rng(seed),
            temperature=self.temperature,
            allow_empty_root=self.allow_empty_root,
            never_empty=self.never_empty,
        )


def _constrained(
    scores: Scores,
    n: int,
    parse_options: ParseOptions,
    constraints: Numbered,
    allow_empty_root: bool,
) -> tuple[Scores, NDArray[np.bool_] | None]:
    """Return the scores with what is known of the tree, and which spans may not be empty."""
    if parse_options.dependencies is not None:
        scores = _fitting(scores, n, parse_options.dependencies)
    rules, bonuses = constraints.rules, constraints.bonuses
    if not (rules or bonuses):
        return scores, None
    try:
        return chart.constrain(scores, n, rules, bonuses, allow_empty_root=allow_empty_root)
    except chart.Clash as clash:
        raise SentenceError(
            describe_conflict(clash, parse_options.constraints, constraints.places)
        ) from None


def _fitting(scores: Scores, n: int, dependencies: Dependencies) -> Scores:
    try:
        check_amount(dependencies.penalty)
    except SentenceError as error:
        raise SentenceError(f"the penalty of the dependencies: {error}") from None
    try:
        against = chart.violations(n, dependencies.heads, dependencies.punctuation)
        parents_first(dependencies.heads)
    except (ValueError, SentenceError) as error:
        raise SentenceError(f"the dependency heads do not fit the sentence: {error}") from None
    changed = scores.copy()
    changed[:, 1:] -= (np.float32(dependencies.penalty) * against.astype(np.float32))[:, None]
    return changed


def _with_tags(tags: list[str] | None, known_tags: dict[int, str], n: int) -> list[str] | None:
    if not known_tags:
        return tags
    row = list(tags) if tags is not None else ["XX"] * n
    for place, tag in known_tags.items():
        row[place] = tag
    return row


def _prediction(
    scores: Scores,
    n: int,
    labels: Inventory,
    found: chart.Marginals | None,
    temperature: float,
    tags: list[str] | None,
    tree: NDArray[np.int32],
) -> Prediction:
    starts, ends, numbers = tree.astype(np.int64).T
    rows = chart.span_index(starts, ends, n)
    of_spans = scores[rows, numbers].tolist()
    total = math.fsum(of_spans)
    sure: list[float | None] = [None] * len(of_spans)
    probability = entropy = None
    if found is not None:
        sure = [min(1.0, one) for one in found.probabilities[rows, numbers].tolist()]
        probability = min(1.0, math.exp(total / temperature - found.log_partition))
        entropy = found.entropy
    spans = [
        Span(start, end, labels.names[number], score, chance)
        for (start, end, number), score, chance in zip(tree.tolist(), of_spans, sure, strict=True)
    ]
    return Prediction(spans, tags, total, probability, entropy)
