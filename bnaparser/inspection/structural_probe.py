"""The structural probe: is a sentence's tree in the geometry of its word vectors?

Hewitt and Manning, A Structural Probe for Finding Syntax in Word Representations, NAACL 2019; used
by Bai et al., Syntax-BERT, 2021, 4.5. One linear map B is learned on vectors that stand still, so
that squared distances ``|B (h_i - h_j)|^2`` come near the distances of words in the tree, another
so that squared norms ``|B h_i|^2`` come near their depths.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from bnaparser.errors import DataError, import_extra
from bnaparser.inspection.probe_data import Vectors
from bnaparser.syntax.syntax_trees import tree_distances
from bnaparser.trees.heads.dependencies import Heads, parents_first

log = logging.getLogger(__name__)

Measure = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class ProbeSettings:
    """The rank of B, and how it is trained: Adam on the mean absolute error, as in the program.

    Whenever an epoch has not lowered the development loss the learning rate falls to a tenth;
    training ends after ``patience`` epochs that have not lowered it by ``tolerance``.
    """

    rank: int = 64
    epochs: int = 40
    batch_size: int = 20
    learning_rate: float = 1e-3
    patience: int = 5
    tolerance: float = 1e-4
    seed: int = 1


@dataclass(frozen=True)
class ProbeSentence:
    """Vectors (n, width) of a sentence's n words, their heads from 1, and which are punctuation."""

    vectors: Vectors
    heads: Heads
    punctuation: Sequence[bool]

    @property
    def words(self) -> list[int]:
        """The words that are no punctuation, from 0."""
        return [place for place, mark in enumerate(self.punctuation) if not mark]


@dataclass(frozen=True)
class ProbeScores:
    """UUAS and root accuracy in percent, Spearman's correlations in [-1, 1]."""

    uuas: float
    distance_spearman: float
    root_accuracy: float
    depth_spearman: float


def distances(heads: Heads) -> Numbers:
    """Return the distances of words in their tree, roots of several trees 2 apart."""
    return tree_distances(heads, link_roots=True).astype(np.float32)


def depths(heads: Heads) -> Numbers:
    """Return how many edges each word stands below its root."""
    found = np.zeros(len(heads), np.float32)
    for place in parents_first(heads):
        if heads[place]:
            found[place] = found[heads[place] - 1] + 1
    return found


def squared_distances(mapped: Tensor) -> Tensor:
    """Return (B, N, N), the squared distances of the vectors of ``mapped`` (B, N, K)."""
    norms = squared_norms(mapped)
    products = mapped @ mapped.transpose(-1, -2)
    return norms[:, :, None] + norms[:, None, :] - 2 * products


def squared_norms(mapped: Tensor) -> Tensor:
    """Return (B, N), the squared norms of the vectors of ``mapped`` (B, N, K)."""
    return mapped.square().sum(dim=-1)


def probe(
    train: Sequence[ProbeSentence],
    dev: Sequence[ProbeSentence],
    test: Sequence[ProbeSentence],
    settings: ProbeSettings | None = None,
    device: torch.device | str = "cpu",
) -> ProbeScores:
    """Train both probes on ``train``, stop them by ``dev``, and return their scores on ``test``.

    Words of different trees of one sentence count as joined above their roots. Raises DataError
    where a part has no sentence, or ``test`` none of a length that correlations are averaged over,
    and MissingExtraError without scipy.
    """
    check_lengths(len(sentence.heads) for sentence in test)
    for name, part in (("training", train), ("development", dev), ("test", test)):
        if not part:
            raise DataError(f"there is no {name} sentence for the probe")
    settings = settings or ProbeSettings()
    found: list[list[Numbers]] = []
    for measure, gold in ((squared_distances, distances), (squared_norms, depths)):
        examples = [
            [_example(sentence.vectors, gold(sentence.heads), device) for sentence in part]
            for part in (train, dev)
        ]
        matrix = fit(measure, examples[0], examples[1], settings)
        found.append([predict(measure, matrix, sentence.vectors) for sentence in test])
    return score(test, found[0], found[1])


@dataclass(frozen=True)
class ProbeExample:
    """Vectors (n, H) and the targets of the probe, (n, n) or (n)."""

    vectors: Tensor
    gold: Tensor


def _example(vectors: Vectors, gold: Numbers, device: torch.device | str) -> ProbeExample:
    return ProbeExample(torch.from_numpy(vectors).to(device), torch.from_numpy(gold).to(device))


def fit(
    measure: Measure,
    train: Sequence[ProbeExample],
    dev: Sequence[ProbeExample],
    settings: ProbeSettings,
) -> Tensor:
    """Return B (H, rank) of the epoch with the lowest development loss; the same by the same seed.

    Raises DataError if no epoch's is a number, as of vectors that are none.
    """
    generator = torch.Generator().manual_seed(settings.seed)
    width, device = train[0].vectors.shape[1], train[0].vectors.device
    start = torch.rand(width, settings.rank, generator=generator) * 0.1 - 0.05
    matrix = start.to(device).requires_grad_()
    optimizer = torch.optim.Adam([matrix], lr=settings.learning_rate)
    schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.1, patience=0)
    best, best_epoch, kept = float("inf"), 0, matrix.detach().clone()
    for epoch in range(1, settings.epochs + 1):
        order = torch.randperm(len(train), generator=generator).tolist()
        for first in range(0, len(order), settings.batch_size):
            batch = [train[index] for index in order[first : first + settings.batch_size]]
            optimizer.zero_grad()
            loss(measure, matrix, batch).backward()  # type: ignore[no-untyped-call]
            optimizer.step()
        found = _mean_loss(measure, matrix, dev, settings.batch_size)
        schedule.step(found)
        if found < best - settings.tolerance:
            best, best_epoch, kept = found, epoch, matrix.detach().clone()
        elif epoch >= best_epoch + settings.patience:
            break
    if not best_epoch:
        raise DataError(
            f"{measure.__name__}: the development loss is not a finite number: are the vectors of the encoder finite?"
        )
    log.info("%s: development loss %.4f after pass %d", measure.__name__, best, best_epoch)
    return kept


def loss(measure: Measure, matrix: Tensor, batch: Sequence[ProbeExample]) -> Tensor:
    """Return the mean over sentences of the mean absolute error of a sentence's numbers."""
    mapped = pad_sequence([one.vectors for one in batch], batch_first=True) @ matrix
    predicted = measure(mapped)
    total = predicted.new_zeros(())
    for row, one in enumerate(batch):
        inside = predicted[row][tuple(slice(size) for size in one.gold.shape)]
        total = total + (inside - one.gold).abs().mean()
    return total / len(batch)


@torch.no_grad()
def _mean_loss(
    measure: Measure, matrix: Tensor, examples: Sequence[ProbeExample], size: int
) -> float:
    total = 0.0
    for first in range(0, len(examples), size):
        batch = examples[first : first + size]
        total += float(loss(measure, matrix, batch)) * len(batch)
    return total / len(examples)


@torch.no_grad()
def predict(measure: Measure, matrix: Tensor, vectors: Vectors) -> Numbers:
    """Return what a probe measures of one sentence, (n, n) or (n)."""
    mapped = torch.from_numpy(vectors).to(matrix.device) @ matrix
    found: Numbers = measure(mapped[None])[0].cpu().numpy()
    return found


def score(
    sentences: Sequence[ProbeSentence], far: Sequence[Numbers], deep: Sequence[Numbers]
) -> ProbeScores:
    """Return how well predicted distances (n, n) and depths (n) match the sentences' trees.

    Punctuation has no part in edges and roots, as in the program, and has in correlations. UUAS
    counts the edges of all sentences together.
    """
    edges = right_edges = roots = right_roots = 0
    by_distance: defaultdict[int, list[float]] = defaultdict(list)
    by_depth: defaultdict[int, list[float]] = defaultdict(list)
    for sentence, distance, depth in zip(sentences, far, deep, strict=True):
        heads, words = sentence.heads, sentence.words
        gold = tree_edges(heads, words)
        edges += len(gold)
        right_edges += len(gold & spanning_tree(distance, words))
        if words:
            roots += 1
            right_roots += heads[min(words, key=lambda word: depth[word])] == 0
        length = len(heads)
        by_distance[length].extend(row_correlations(distance, distances(heads)))
        by_depth[length].extend(row_correlations(depth[None], depths(heads)[None]))
    return ProbeScores(
        uuas=100 * right_edges / max(edges, 1),
        distance_spearman=mean_by_length(by_distance),
        root_accuracy=100 * right_roots / max(roots, 1),
        depth_spearman=mean_by_length(by_depth),
    )


LENGTHS = range(5, 51)
"""The lengths of sentences, in words, that correlations are averaged over."""

Numbers = NDArray[np.float32]
Edge = tuple[int, int]


def spanning_tree(distances: Numbers, words: Sequence[int]) -> set[Edge]:
    """Return the edges of the tree over ``words`` with the least sum of ``distances`` (n, n).

    Prim's algorithm; an edge is two words from 0, the smaller first. A distance of 0 is an edge
    like others, which it is not to scipy's function.
    """
    if not len(words):
        return set()
    nearest = {word: (float(distances[words[0], word]), words[0]) for word in words[1:]}
    edges: set[Edge] = set()
    while nearest:
        word = min(nearest, key=lambda other: nearest[other][0])
        edges.add(_edge(word, nearest.pop(word)[1]))
        for other, (distance, _) in nearest.items():
            if distances[word, other] < distance:
                nearest[other] = (float(distances[word, other]), word)
    return edges


def tree_edges(heads: Sequence[int], words: Iterable[int]) -> set[Edge]:
    """Return the edges of a dependency tree between ``words``, heads counted from 1, 0 for roots."""
    kept = set(words)
    return {
        _edge(word, heads[word] - 1) for word in kept if heads[word] and heads[word] - 1 in kept
    }


def _edge(one: int, other: int) -> Edge:
    return (one, other) if one < other else (other, one)


def row_correlations(predicted: Numbers, gold: Numbers) -> NDArray[np.float64]:
    """Return Spearman's correlation of each row of two matrices (r, n), 0 where a row is constant."""
    rankdata = import_extra("train", "scipy.stats").rankdata
    ranks = [rankdata(matrix, axis=1) for matrix in (predicted, gold)]
    first, second = (rank - rank.mean(axis=1, keepdims=True) for rank in ranks)
    scale = np.sqrt((first**2).sum(axis=1) * (second**2).sum(axis=1))
    products = (first * second).sum(axis=1)
    found: NDArray[np.float64] = np.divide(
        products, scale, out=np.zeros_like(scale), where=scale > 0
    )
    return found


def check_lengths(lengths: Iterable[int]) -> None:
    """Raise DataError if none of the ``lengths`` of sentences is among LENGTHS."""
    if not any(length in LENGTHS for length in lengths):
        raise DataError(
            f"no test sentence has {LENGTHS.start} to {LENGTHS.stop - 1} words: "
            "the correlations need such sentences"
        )


def mean_by_length(correlations: Mapping[int, Sequence[float]]) -> float:
    """Return the mean over LENGTHS of the means of each length's ``correlations``."""
    return float(np.mean([np.mean(correlations[n]) for n in LENGTHS if n in correlations]))
