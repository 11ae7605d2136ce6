"""From prepared sentences to trees: batches through the network, charts through the decoder."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bnaparser import chart
from bnaparser.encoders.batching import PARSING_TOKENS, batches_by_length
from bnaparser.network.labels import Inventory
from bnaparser.network.parsing_network import BestLabels, ParsingNetwork
from bnaparser.network.prepared import PreparedSentence, forms_of
from bnaparser.trees.tree import Span


@dataclass(frozen=True)
class Prediction:
    """A tree of one sentence: its constituents in pre-order, its tags (where predicted).

    ``score`` is the sum of the constituents' scores; each is relative to "no constituent" (0).
    ``probability`` is the tree's, ``entropy`` that of all trees in nats; None if not requested.
    ``others`` are more trees of the sentence, where several were requested.
    """

    spans: list[Span]
    tags: list[str] | None
    score: float
    probability: float | None = None
    entropy: float | None = None
    others: tuple[Prediction, ...] = ()

    def with_others(self, others: Sequence[Prediction]) -> Prediction:
        """Return this tree with other trees of the sentence."""
        return replace(self, others=tuple(others))


def predict(
    model: ParsingNetwork, sentences: Sequence[PreparedSentence], batch_tokens: int
) -> list[Prediction]:
    """Parse sentences of at least one word, in length-sorted batches; results in input order."""
    return in_batches(
        lambda batch: predict_batch(model, [sentences[index] for index in batch]),
        [sentence.size for sentence in sentences],
        batch_tokens,
        threads=1,
    )


def predict_batch(model: ParsingNetwork, batch: Sequence[PreparedSentence]) -> list[Prediction]:
    """Parse one batch of sentences of at least one word; the model must be in evaluation mode."""
    with model.inference():
        encoded = model.encode(batch)
        best, tags = model.best_labels(encoded), predicted_tags(model, encoded, batch)
    return best_trees(best, encoded.lengths, model.labels, tags)


def best_trees(
    best: BestLabels, lengths: list[int], labels: Inventory, tags: Sequence[list[str] | None]
) -> list[Prediction]:
    """Return the best tree of each sentence of a batch, from the best label of each span.

    ``tags`` are those of the sentences. The scores of the labels are changed.
    """
    decoded = chart.decode_best_packed(
        best.scores, best.labels, best.root_scores, best.root_labels, lengths
    )
    predictions, first_span = [], 0
    for tree, row, n, root in zip(decoded, tags, lengths, best.root_scores, strict=True):
        scores = best.scores[first_span : first_span + chart.span_count(n)]
        first_span += len(scores)
        # The whole sentence has a label even where "no constituent" would score better.
        scores[n - 1] = root
        predictions.append(Prediction(_spans(labels, tree.spans, scores, n), row, tree.score))
    return predictions


def _spans(
    labels: Inventory, spans: NDArray[np.int32], scores: NDArray[np.float32], n: int
) -> list[Span]:
    starts, ends, _ = spans.astype(np.int64).T
    places = chart.span_index(starts, ends, n)
    return [
        Span(start, end, labels.names[label], score)
        for (start, end, label), score in zip(spans.tolist(), scores[places].tolist(), strict=True)
    ]


def predicted_tags(
    model: ParsingNetwork, encoded: Any, batch: Sequence[PreparedSentence]
) -> list[list[str] | None]:
    """Return the best tag of every word that its form allows, sentence by sentence; None if none are predicted."""
    if not model.settings.tags.predict:
        return [None] * len(encoded.lengths)
    names = model.tags.names
    numbers = iter(model.best_tags(encoded, model.allowed_tags[forms_of(batch)]))
    return [[names[next(numbers)] for _ in range(n)] for n in encoded.lengths]


Out = TypeVar("Out")

# Maximum number of subwords in a batch of one core: larger batches gain nothing.
CORE_TOKENS = PARSING_TOKENS["cpu"]
# If there are fewer for each core, starting threads is not worth it.
WORTH_SHARING = 20


def in_batches(
    work: Callable[[list[int]], Sequence[Out]],
    sizes: Sequence[int],
    max_tokens: int,
    threads: int,
    prefer_single_thread: bool = False,
) -> list[Out]:
    """Return a result for each of ``sizes``, numbers of subwords from 1 on, in order.

    ``work`` takes the indices of a batch, of similar sizes and with at most ``max_tokens`` of them
    (padding counted), and returns one result for each. It may run in this number of ``threads`` at once;
    with ``prefer_single_thread`` it has the same batches one after another. Raises what ``work`` raises.
    """
    share = sum(sizes) / threads
    if threads == 1 or len(sizes) == 1 or share < WORTH_SHARING:
        batches = batches_by_length(sizes, max_tokens)
        found = [work(batch) for batch in batches]
    else:
        batches = _even_batches(sizes, threads * math.ceil(share / CORE_TOKENS), max_tokens)
        found = _side_by_side(work, batches, 1 if prefer_single_thread else threads)
    results = {
        index: result
        for batch, of_batch in zip(batches, found, strict=True)
        for index, result in zip(batch, of_batch, strict=True)
    }
    return [results[index] for index in range(len(sizes))]


def _even_batches(sizes: Sequence[int], count: int, max_tokens: int) -> list[list[int]]:
    """Return about ``count`` batches of equal work, longest sentences first; more where they must."""
    order = sorted(range(len(sizes)), key=lambda index: -sizes[index])
    before = [0, *accumulate(sizes[index] for index in order)]
    parts: list[list[int]] = [[] for _ in range(count)]
    for index, done in zip(order, before, strict=False):
        parts[done * count // before[-1]].append(index)
    return [
        [part[place] for place in batch]
        for part in parts
        for batch in batches_by_length([sizes[index] for index in part], max_tokens)
    ]


def _side_by_side(
    work: Callable[[list[int]], Sequence[Out]], batches: Sequence[list[int]], threads: int
) -> list[Sequence[Out]]:
    """Work on each batch in one of this number of threads; in this one where they cannot be started."""
    if threads == 1:
        return [work(batch) for batch in batches]
    # A new pool for each call costs 0.1 ms; one that is kept would not survive a fork.
    pool = ThreadPoolExecutor(threads, "bnaparser-batch")
    try:
        try:
            found = pool.map(work, batches)
        except RuntimeError:  # a limit is reached, or Python is about to end
            pool.shutdown(cancel_futures=True)
            found = map(work, batches)
        return list(found)
    finally:
        pool.shutdown(cancel_futures=True)
