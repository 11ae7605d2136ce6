"""What a teacher thinks of sentences, and the losses that bring a network to think so, too.

Of trees: with S the network's distribution of trees and T the teacher's, both over the trees that
the network may give, the cross-entropy is

    - sum_tree T(tree) log S(tree) = log Z - sum_(span, label) P_T(span, label) s(span, label) / temperature

whose gradient by a score is (P_S - P_T) / temperature. Of tags it is the cross-entropy of a word's
(Hinton, Vinyals and Dean, "Distilling the Knowledge in a Neural Network", 2015).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bnaparser import chart
from bnaparser.network.model import BnaModel, Encoded
from bnaparser.training.loss import (
    IGNORED_TAG,
    Expectation,
    Gold,
    Weights,
    hinge_loss,
    of_golds,
    tree_cross_entropy,
)

# What is less probable is left out, of which there is much: it would take memory, and teach nothing.
LEAST_PROBABLE = np.float32(1e-4)


@dataclass(frozen=True)
class SparseRows:
    """The probabilities of a matrix that count, row after row, in little memory.

    ``sizes`` int16 (rows,) says how many a row has, ``columns`` int16 (k,) where they are, ``values`` float32 (k,) what.
    """

    sizes: NDArray[np.int16]
    columns: NDArray[np.int16]
    values: NDArray[np.float32]

    @classmethod
    def of(cls, matrix: NDArray[np.float32]) -> SparseRows:
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


NO_ROWS = SparseRows.of(np.zeros((0, 0), np.float32))


@dataclass(frozen=True)
class SoftTarget:
    """A teacher's probabilities for one sentence, in a network's own labels and tags.

    Rows of ``trees`` are spans in the chart's order, columns labels; rows of ``tags`` are words.
    ``weight``, from 0 to 1, is how much the teacher counts; the gold tree has the rest.
    """

    trees: SparseRows
    tags: SparseRows
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
    taught = of_teacher(encoded.lengths, soft)
    if gold_loss == "crf":
        # Both are cross-entropies with the same trees: one look at the chart is enough.
        of_both = taught.beside(of_golds(model, encoded.lengths, golds, trust))
        return tree_cross_entropy(model, encoded, of_both)
    loss = tree_cross_entropy(model, encoded, taught)
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
    wanted = np.zeros(tuple(logs.shape), np.float32)
    rows, columns, values = _packed(
        [one.tags for one in soft], np.array(encoded.lengths), _weights(soft)
    )
    wanted[rows, columns] = values
    tags = np.concatenate([g.tags for g in golds])
    trust = np.repeat(1 - _weights(soft), encoded.lengths)
    known = np.flatnonzero(tags != IGNORED_TAG)
    wanted[known, tags[known]] += trust[known]
    return -(logs * torch.from_numpy(wanted).to(logs.device)).sum()


def _weights(soft: Sequence[SoftTarget]) -> Weights:
    return np.array([one.weight for one in soft], np.float32)


def _packed(
    parts: Sequence[SparseRows], sizes: NDArray[np.int64], weights: Weights
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
    """Return rows, columns and values of a batch, each sentence's rows after those before it.

    ``sizes`` int64 (sentences,) are numbers of rows. Values are times the sentence's weight.
    """
    offsets = np.cumsum(sizes) - sizes
    rows = [one.rows + offset for one, offset in zip(parts, offsets, strict=True)]
    values = [one.values * weight for one, weight in zip(parts, weights, strict=True)]
    columns = np.concatenate([one.columns for one in parts]).astype(np.int64)
    return np.concatenate(rows), columns, np.concatenate(values)
