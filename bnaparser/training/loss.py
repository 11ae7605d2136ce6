"""The training losses of trees, of tags, and of words found in pieces of text.

Trees have two: the hinge loss with a Hamming cost (BNA, eq. 8 and 9), and the negative
log-likelihood of the gold tree (Zhang, Zhou and Li, "Fast and Accurate Neural CRF Constituency
Parsing", IJCAI 2020).

With a teacher there is knowledge distillation (Hinton, Vinyals and Dean, "Distilling the Knowledge in a
Neural Network", 2015). With S the network's distribution of trees and T the teacher's, both over the trees
that the network may predict, its loss is the cross-entropy

    - sum_tree T(tree) log S(tree) = log Z - sum_(span, label) P_T(span, label) s(span, label) / temperature

whose gradient by a score is (P_S - P_T) / temperature. For tags it is the cross-entropy of each word's tag.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from bnaparser import chart
from bnaparser.network.labels import Inventory
from bnaparser.network.model import SPANS_AT_ONCE, BnaModel, Encoded
from bnaparser.trees.tree import Span

IGNORED_TAG = -100
# The column of the gold label among what `loss_augmented_scores` scores; the empty label's is 0, that of a wrong one 1.
GOLD = 2


@dataclass(frozen=True)
class Gold:
    """The right answer for one sentence of n words, as numbers.

    ``spans`` int64 holds the places of the gold constituents among the n (n + 1) / 2 spans in
    ``bnaparser.chart``'s order, ``labels`` int32 their labels; ``tags`` int64 (n,).
    """

    spans: NDArray[np.int64]
    labels: NDArray[np.int32]
    tags: NDArray[np.int64]


def gold(spans: Sequence[Span], tags: Sequence[str], labels: Inventory, tag_set: Inventory) -> Gold:
    """Number a gold tree; a constituent whose label is not in the inventory counts as none."""
    n = len(tags)
    known = [(span, labels.number(span.label)) for span in spans if span.label in labels]
    places = [chart.span_index(span.start, span.end, n) for span, _ in known]
    return Gold(
        np.array(places, np.int64),
        np.array([label for _, label in known], np.int32),
        np.array([tag_set.number(tag, IGNORED_TAG) for tag in tags], np.int64),
    )


Weights = NDArray[np.float32]
"""How much each sentence of a batch counts, float32 (sentences,)."""


class Expectation(NamedTuple):
    """How often the trees of a batch should have each constituent, on average.

    ``rows`` int64 (k,) are places among all spans of the batch, ``labels`` int64 (k,) numbers from 1 on,
    ``counts`` float32 (k,) are times the sentence's weight, ``weights`` float32 (sentences,).
    """

    rows: NDArray[np.int64]
    labels: NDArray[np.int64]
    counts: NDArray[np.float32]
    weights: Weights

    def merge(self, other: Expectation) -> Expectation:
        """Return the sum of two expectations over one batch of sentences."""
        return Expectation(
            np.concatenate([self.rows, other.rows]),
            np.concatenate([self.labels, other.labels]),
            np.concatenate([self.counts, other.counts]),
            self.weights + other.weights,
        )


def hinge_loss(
    model: BnaModel, encoded: Encoded, golds: Sequence[Gold], weights: Weights | None = None
) -> Tensor:
    """Return the sum over sentences of ``max(0, max_T [s(T) + cost(T)] - s(gold))``, a scalar.

    ``weights`` are the weights of the sentences.
    The cost of a tree counts the spans of the (binary) tree whose label differs from the gold
    chart's, wrong empty ones included. All spans are scored once without gradient to find the worst
    tree; only the spans of that tree and of the gold tree, O(n) of O(n^2), are then scored
    with gradient: value and gradient are the same.
    """
    starts, ends = model.span_rows(encoded)
    counts = np.array([chart.span_count(n) for n in encoded.lengths])
    offsets = np.cumsum(counts) - counts
    gold_rows = np.concatenate([g.spans + o for g, o in zip(golds, offsets, strict=True)])
    gold_labels = np.concatenate([g.labels for g in golds])
    gold_chart = np.zeros(counts.sum(), np.int32)
    gold_chart[gold_rows] = gold_labels
    candidates, wrong_labels = loss_augmented_scores(model, encoded, starts, ends, gold_chart)
    found = chart.cost_augment_packed(
        candidates,
        np.where(gold_chart > 0, GOLD, 0).astype(np.int32),
        encoded.lengths,
        allow_empty_root=model.allow_empty_root,
    )
    is_constituent = found.tree_labels > 0
    worst_rows = found.tree_spans[is_constituent]
    of_gold = found.tree_labels[is_constituent] == GOLD
    worst_labels = np.where(of_gold, gold_chart[worst_rows], wrong_labels[worst_rows])
    rows = np.concatenate([worst_rows, gold_rows])
    labels = np.concatenate([worst_labels, gold_labels])
    signs = np.ones(len(rows), np.float32)
    signs[is_constituent.sum() :] = -1.0
    sentences = np.searchsorted(offsets, rows, side="right") - 1
    device = starts.device
    picked = torch.from_numpy(rows).to(device)
    scores = model.span_scores(encoded, starts[picked], ends[picked])
    column = torch.from_numpy(labels.astype(np.int64) - 1).to(device)
    chosen = scores.gather(1, column[:, None])[:, 0] * torch.from_numpy(signs).to(device)
    costs = torch.from_numpy(np.asarray(found.cost)).to(device, chosen.dtype)
    margins = F.relu(costs.index_add(0, torch.from_numpy(sentences).to(device), chosen))
    if weights is not None:
        margins = margins * torch.from_numpy(weights).to(margins)
    return margins.sum()


@torch.no_grad()
def loss_augmented_scores(
    model: BnaModel, encoded: Encoded, starts: Tensor, ends: Tensor, gold_chart: NDArray[np.int32]
) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Return the (spans, 3) scores for loss-augmented decoding, and the best wrong label of each span.

    The float32 columns are: no constituent (0), the best wrong label, the gold label. The wrong labels are int32
    (spans,). No other label can win, and none leaves the device. ``starts`` and ``ends`` are the fencepost rows of all
    spans, int64 (spans,); ``gold_chart`` is int32 (spans,), 0 where the gold tree has no constituent: there the gold
    label scores minus infinity.
    """
    right = torch.from_numpy(gold_chart.astype(np.int64)).to(starts.device)[:, None]
    scores = torch.zeros(len(starts), 3, device=starts.device)
    wrong_labels = torch.empty(len(starts), dtype=torch.int32, device=starts.device)
    for first in range(0, len(starts), SPANS_AT_ONCE):
        part = slice(first, first + SPANS_AT_ONCE)
        own = model.span_scores(encoded, starts[part], ends[part])
        has_gold, column = right[part] > 0, (right[part] - 1).clamp(min=0)
        of_column = own.gather(1, column)
        of_gold = torch.where(has_gold, of_column, -torch.inf)
        wrong = own.scatter(1, column, torch.where(has_gold, -torch.inf, of_column))
        best, label = wrong.max(dim=1)
        scores[part, 1], scores[part, GOLD] = best, of_gold[:, 0]
        wrong_labels[part] = label.int() + 1
    return scores.cpu().numpy(), wrong_labels.cpu().numpy()


def likelihood_loss(
    model: BnaModel, encoded: Encoded, golds: Sequence[Gold], weights: Weights | None = None
) -> Tensor:
    """Return the sum over sentences of -log(probability of the gold tree), a scalar in nats.

    ``weights`` are the weights of the sentences. A sentence as a whole must have a
    label: where it is one that the inventory lacks, no tree is right, and the sentence teaches nothing.
    """
    return tree_cross_entropy(model, encoded, of_golds(model, encoded.lengths, golds, weights))


def of_golds(
    model: BnaModel, lengths: Sequence[int], golds: Sequence[Gold], weights: Weights | None = None
) -> Expectation:
    """Return what gold trees expect: each constituent once. Those that the model may not predict count 0."""
    counts = np.array([chart.span_count(n) for n in lengths])
    offsets = np.cumsum(counts) - counts
    roots = zip(golds, lengths, strict=True)
    possible = np.array([model.allow_empty_root or n - 1 in g.spans for g, n in roots])
    weights = possible.astype(np.float32) * (np.float32(1) if weights is None else weights)
    rows = np.concatenate([g.spans + o for g, o in zip(golds, offsets, strict=True)])
    labels = np.concatenate([g.labels for g in golds]).astype(np.int64)
    of_rows = np.repeat(weights, [len(g.spans) for g in golds])
    has_weight = of_rows > 0
    return Expectation(rows[has_weight], labels[has_weight], of_rows[has_weight], weights)


def tree_cross_entropy(model: BnaModel, encoded: Encoded, expected: Expectation) -> Tensor:
    """Return the sum over sentences of the cross-entropy of trees, a scalar in nats.

    It is the cross-entropy between the target distribution of trees and the model's, whose probability is
    exp(score / the model's temperature), divided by the sum of that over all trees that it may
    give, as `bnaparser.chart.marginals` counts them. The gradient by a
    label's score is the probability of that constituent, minus its target probability, over the
    temperature: the chart computes it, and it goes back through the scorer of all spans.
    """
    scores = model.span_scores(encoded, *model.span_rows(encoded))
    temperature = model.settings.chart.temperature
    values = np.zeros((len(scores), scores.shape[1] + 1), np.float32)
    values[:, 1:] = scores.detach().cpu().numpy()
    found = chart.marginals_packed(
        values, encoded.lengths, temperature=temperature, allow_empty_root=model.allow_empty_root
    )
    rows, labels, counts, weights = expected
    own = (values[rows, labels] * counts).sum(dtype=np.float64) / temperature
    spans = [chart.span_count(n) for n in encoded.lengths]
    slopes = found.probabilities[:, 1:] * np.repeat(weights, spans)[:, None]
    np.subtract.at(slopes, (rows, labels - 1), counts)
    by_scores = torch.from_numpy(slopes / np.float32(temperature)).to(scores.device)
    # Subtracted from itself it is 0, and has this gradient.
    sloping = (scores * by_scores).sum()
    partitions = (found.log_partitions * weights)[weights > 0].sum()
    return sloping - sloping.detach() + float(partitions - own)


def tag_loss(model: BnaModel, encoded: Encoded, golds: Sequence[Gold]) -> Tensor:
    """Return the sum over words of the tags' cross-entropy, tags not in the inventory left out."""
    target = torch.from_numpy(np.concatenate([g.tags for g in golds])).to(model.device)
    return F.cross_entropy(
        model.tag_scores(encoded).float(), target, ignore_index=IGNORED_TAG, reduction="sum"
    )


def word_loss(model: BnaModel, encoded: Encoded, begins: Sequence[NDArray[np.float32]]) -> Tensor:
    """Return the sum over pieces, read as words, of the cross-entropy of what begins a word.

    ``begins`` is float32 (pieces,) for each sentence: 1 where a word begins, 0 where one continues.
    """
    target = torch.from_numpy(np.concatenate(begins)).to(model.device)
    scores = model.word_scores(encoded).float()
    return F.binary_cross_entropy_with_logits(scores, target, reduction="sum")


def known_tags(golds: Sequence[Gold]) -> int:
    """Return how many words have a tag that the inventory knows."""
    return sum(int((g.tags != IGNORED_TAG).sum()) for g in golds)


# What is less probable is left out, of which there is much: it would take memory, and teach nothing.
LEAST_PROBABLE = np.float32(1e-4)


@dataclass(frozen=True)
class SparseProbabilities:
    """The probabilities of a matrix that count, row after row, in little memory.

    ``sizes`` int16 (rows,) says how many a row has, ``columns`` int16 (k,) where they are, ``values`` float32 (k,) what.
    """

    sizes: NDArray[np.int16]
    columns: NDArray[np.int16]
    values: NDArray[np.float32]

    @classmethod
    def of(cls, matrix: NDArray[np.float32]) -> SparseProbabilities:
        """Return what a matrix of probabilities has from `LEAST_PROBABLE` on."""
        counted = matrix >= LEAST_PROBABLE
        columns = np.nonzero(counted)[1].astype(np.int16)
        return cls(counted.sum(axis=1, dtype=np.int16), columns, matrix[counted])

    @property
    def rows(self) -> NDArray[np.int64]:
        """The row of each of the values: int64 (k,)."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @property
    def bytes(self) -> int:
        """How much memory they take."""
        return self.sizes.nbytes + self.columns.nbytes + self.values.nbytes


NO_ROWS = SparseProbabilities.of(np.zeros((0, 0), np.float32))


@dataclass(frozen=True)
class SoftTarget:
    """A teacher's probabilities for one sentence, in a network's own labels and tags.

    Rows of ``trees`` are spans in the chart's order, columns labels; rows of ``tags`` are words.
    ``weight``, from 0 to 1, is how much the teacher counts; the gold tree has the rest.
    """

    trees: SparseProbabilities
    tags: SparseProbabilities
    weight: float


def tree_loss(
    model: BnaModel,
    encoded: Encoded,
    golds: Sequence[Gold],
    soft: Sequence[SoftTarget],
    gold_loss: str,
) -> Tensor:
    """Return the sum over sentences of the losses of trees, gold's and teacher's by their weights.

    ``gold_loss`` is "hinge" or "crf".
    """
    trust = 1 - _weights(soft)
    of_teacher_trees = of_teacher(encoded.lengths, soft)
    if gold_loss == "crf":
        # Both are cross-entropies with the same trees: one look at the chart is enough.
        of_both = of_teacher_trees.merge(of_golds(model, encoded.lengths, golds, trust))
        return tree_cross_entropy(model, encoded, of_both)
    loss = tree_cross_entropy(model, encoded, of_teacher_trees)
    return loss + hinge_loss(model, encoded, golds, trust) if trust.any() else loss


def of_teacher(lengths: Sequence[int], soft: Sequence[SoftTarget]) -> Expectation:
    """Return what a teacher expects of the trees of a batch."""
    spans = np.array([chart.span_count(n) for n in lengths])
    rows, labels, counts = _packed([one.trees for one in soft], spans, _weights(soft))
    return Expectation(rows, labels, counts, _weights(soft))


def soft_tag_loss(
    model: BnaModel, encoded: Encoded, golds: Sequence[Gold], soft: Sequence[SoftTarget]
) -> Tensor:
    """Return the sum over words of the tags' cross-entropy, with gold's and the teacher's by their weights.

    Gold tags that are not in the inventory are left out.
    """
    logs = model.tag_scores(encoded).float().log_softmax(dim=-1)
    expected = np.zeros(tuple(logs.shape), np.float32)
    rows, columns, values = _packed(
        [one.tags for one in soft], np.array(encoded.lengths), _weights(soft)
    )
    expected[rows, columns] = values
    tags = np.concatenate([g.tags for g in golds])
    trust = np.repeat(1 - _weights(soft), encoded.lengths)
    known = np.flatnonzero(tags != IGNORED_TAG)
    expected[known, tags[known]] += trust[known]
    return -(logs * torch.from_numpy(expected).to(logs.device)).sum()


def _weights(soft: Sequence[SoftTarget]) -> Weights:
    return np.array([one.weight for one in soft], np.float32)


def _packed(
    parts: Sequence[SparseProbabilities], sizes: NDArray[np.int64], weights: Weights
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
    """Return rows, columns and values of a batch, each sentence's rows after those before it.

    ``sizes`` int64 (sentences,) are numbers of rows. Values are times the sentence's weight.
    """
    offsets = np.cumsum(sizes) - sizes
    rows = [one.rows + offset for one, offset in zip(parts, offsets, strict=True)]
    values = [one.values * weight for one, weight in zip(parts, weights, strict=True)]
    columns = np.concatenate([one.columns for one in parts]).astype(np.int64)
    return np.concatenate(rows), columns, np.concatenate(values)
