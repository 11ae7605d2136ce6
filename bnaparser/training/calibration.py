"""How far probabilities of constituents can be believed, and the temperature that makes them so.

A model's scores say which tree is best, not how probable it is: training with the hinge loss requires a
margin. One number, the temperature, divides all scores (Guo, Pleiss, Sun and Weinberger, "On
Calibration of Modern Neural Networks", ICML 2017); the best tree stays the best. It is chosen on trees
that the model has not learned from, so that the probabilities of the best trees' constituents tell
best which of these are right: by their log loss. The likelihood of the gold trees would choose
a smaller one, which makes constituents overconfident (``benchmarks/calibration/calibration.md``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from bnaparser import chart
from bnaparser.chart.spans import Bools, Float32s, Float64s, Int64s
from bnaparser.encoders.batching import batches_by_length
from bnaparser.errors import DataError, SettingsError
from bnaparser.network.labels import MASKED_SCORE
from bnaparser.network.parsing_network import ParsingNetwork
from bnaparser.training.data import Example, in_language, prepare_words
from bnaparser.training.loss import Gold, gold

BINS = 15
# Where temperatures are looked for: each twice the one before.
TEMPERATURES = tuple(2.0**power for power in range(-6, 7))
# Single precision knows no number between 1 and this much less.
_SUREST = 1e-7
_GOLDEN = (math.sqrt(5) - 1) / 2
_PRECISION = 1e-3


@dataclass(frozen=True)
class GoldChart:
    """A sentence's scores of all labels of all spans, float32 (spans, labels), and its gold tree.

    ``possible`` is false if the model cannot predict the gold tree: for a label that it
    does not know, or not in that language, or since no constituent covers the whole sentence.
    """

    scores: Float32s
    words: int
    gold: Gold
    possible: bool
    allow_empty_root: bool

    def marginals(self, temperature: float) -> chart.Marginals:
        """Return the probabilities of all constituents at a temperature."""
        return chart.marginals(
            self.scores,
            self.words,
            temperature=temperature,
            allow_empty_root=self.allow_empty_root,
        )

    @cached_property
    def best(self) -> chart.Decoded:
        """The best tree."""
        return chart.decode(self.scores, self.words, allow_empty_root=self.allow_empty_root)

    @cached_property
    def constituents(self) -> tuple[Int64s, Int64s]:
        """Rows and columns of the best tree's constituents in the scores."""
        starts, ends, labels = self.best.spans.astype(np.int64).T
        return chart.span_index(starts, ends, self.words), labels

    @cached_property
    def right(self) -> Bools:
        """Whether the gold tree has each of the best tree's constituents, the whole chain of it."""
        labels = np.zeros(len(self.scores), np.int64)
        labels[self.gold.spans] = self.gold.labels
        rows, columns = self.constituents
        found: Bools = labels[rows] == columns
        return found

    @cached_property
    def gold_score(self) -> float:
        """The sum of the scores of the gold tree's constituents."""
        return float(self.scores[self.gold.spans, self.gold.labels].sum(dtype=np.float64))


class Judged(NamedTuple):
    """Constituents: how probable each is, float64, and whether the gold tree has it."""

    probabilities: Float64s
    right: Bools


class Bin(NamedTuple):
    """The constituents with similar probabilities: their number, their mean probability, and the
    fraction that is correct.
    """

    size: int
    probability: float
    right: float


def gold_charts(
    network: ParsingNetwork, examples: Sequence[Example], batch_tokens: int
) -> Iterator[tuple[Example, GoldChart]]:
    """Yield examples, of each language the longest first, with the network's scores.

    An example without a language is in the network's first one. Scores take 2 n (n + 1) bytes a label
    for n words: keep no more than there is space for. Raises SettingsError for a language that the
    network does not know.
    """
    network.eval()
    known = network.settings.text.languages
    by_language: dict[str, list[Example]] = {}
    for one in examples:
        by_language.setdefault(one.language or known[0], []).append(one)
    for language, own in by_language.items():
        view = in_language(network, language)
        if view is None:
            raise SettingsError(f"the model is for {', '.join(known)}, not for {language}")
        yield from _charts_of_language(view, language, own, batch_tokens)


def _charts_of_language(
    network: ParsingNetwork, language: str, examples: Sequence[Example], batch_tokens: int
) -> Iterator[tuple[Example, GoldChart]]:
    prepared = prepare_words(
        network, language, [one.words for one in examples], [one.given_tags for one in examples]
    )
    for batch in batches_by_length([one.size for one in prepared], batch_tokens):
        with network.inference():
            encoded = network.encode([prepared[index] for index in batch])
            scores = network.all_scores(encoded)
        cuts = np.cumsum([chart.span_count(n) for n in encoded.lengths])[:-1]
        for index, own in zip(batch, np.split(scores, cuts), strict=True):
            yield examples[index], _gold_chart(network, examples[index], own)


def _gold_chart(network: ParsingNetwork, example: Example, scores: Float32s) -> GoldChart:
    right = gold(example.spans, example.tags, network.labels, network.tags)
    known = len(right.spans) == len(example.spans)
    in_language = bool((scores[right.spans, right.labels] > MASKED_SCORE / 2).all())
    possible = known and in_language and (example.has_root or network.allow_empty_root)
    return GoldChart(scores, len(example.words), right, possible, network.allow_empty_root)


def judge_constituents(charts: Sequence[GoldChart], temperature: float) -> Judged:
    """Return the constituents of the best trees; a chain over the same words counts as one
    constituent.
    """
    probabilities = [one.marginals(temperature).probabilities[one.constituents] for one in charts]
    return Judged(
        np.concatenate([np.zeros(0), *probabilities]),
        np.concatenate([np.zeros(0, np.bool_), *(one.right for one in charts)]),
    )


def log_loss(judged: Judged) -> float:
    """Return the mean of -log(probability of the outcome): right or wrong; in nats."""
    sure = np.where(judged.right, judged.probabilities, 1 - judged.probabilities)
    return float(-np.log(np.maximum(sure, _SUREST)).mean())


def log_likelihood(charts: Sequence[GoldChart], temperature: float) -> float:
    """Return the mean logarithm of a gold tree's probability, of sentences where it is possible."""
    each = [
        one.gold_score / temperature - one.marginals(temperature).log_partition
        for one in charts
        if one.possible
    ]
    return math.fsum(each) / len(each) if each else math.nan


def reliability(judged: Judged, bins: int = BINS) -> list[Bin]:
    """Sort constituents by probability into this number of bins of equal width; empty bins are left out."""
    places = np.minimum((judged.probabilities * bins).astype(int), bins - 1)
    return [
        Bin(
            int(inside.sum()),
            float(judged.probabilities[inside].mean()),
            float(judged.right[inside].mean()),
        )
        for inside in (places == number for number in range(bins))
        if inside.any()
    ]


def calibration_error(judged: Judged, bins: int = BINS) -> float:
    """Return the expected calibration error in percent: how far from right probabilities are.

    The mean over constituents of the distance between their bin's fraction of correct ones and its mean
    probability: 0 where of those with 0.9 nine of ten are right, and so on.
    """
    found = reliability(judged, bins)
    total = sum(one.size for one in found)
    off = math.fsum(one.size * abs(one.right - one.probability) for one in found)
    return 100 * off / total if total else 0.0


def best_temperature(charts: Sequence[GoldChart]) -> float:
    """Return the temperature at which probabilities of the best trees' constituents tell most, to 4 digits.

    Raises DataError if none of TEMPERATURES is better than those beside it, as for trees all of
    which the model parses rightly.
    """

    def loss(temperature: float) -> float:
        return log_loss(judge_constituents(charts, temperature))

    losses = [loss(temperature) for temperature in TEMPERATURES] if charts else [0.0]
    place = int(np.argmin(losses))
    if not 0 < place < len(losses) - 1:
        raise DataError(
            "these trees determine no best temperature: give more trees"
            " that were not training data, with the labels of the model"
        )
    found = least(loss, TEMPERATURES[place - 1], TEMPERATURES[place + 1])
    return float(f"{found:.4g}")


def least(function: Callable[[float], float], low: float, high: float) -> float:
    """Return where a function of a number above 0 is least between two, to a thousandth of it.

    By golden section of its logarithm: the function falls, then rises.
    """
    first, last = math.log(low), math.log(high)
    left, right = last - _GOLDEN * (last - first), first + _GOLDEN * (last - first)
    at_left, at_right = function(math.exp(left)), function(math.exp(right))
    while last - first > _PRECISION:
        if at_left < at_right:
            last, right, at_right = right, left, at_left
            left = last - _GOLDEN * (last - first)
            at_left = function(math.exp(left))
        else:
            first, left, at_left = left, right, at_right
            right = first + _GOLDEN * (last - first)
            at_right = function(math.exp(right))
    return math.exp((first + last) / 2)
