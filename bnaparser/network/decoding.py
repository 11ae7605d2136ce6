"""From prepared sentences to trees: batches through the network, charts through the decoder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnaparser import chart
from bnaparser.encoders.batching import batches_by_length
from bnaparser.network.best_labels import BestLabels
from bnaparser.network.labels import Inventory
from bnaparser.network.parsing_network import ParsingNetwork
from bnaparser.network.prepared import PreparedSentence, forms_of
from bnaparser.trees.tree import Span


@dataclass(frozen=True)
class Prediction:
    """A tree of one sentence: its constituents in pre-order, its tags (where predicted).

    ``score`` is the sum of the constituents' scores; each is relative to "no constituent" (0).
    ``probability`` is the tree's, ``entropy`` that of all trees in nats; None where not asked for.
    ``others`` are more trees of the sentence, where several were asked for.
    """

    spans: list[Span]
    tags: list[str] | None
    score: float
    probability: float | None = None
    entropy: float | None = None
    others: tuple[Prediction, ...] = ()

    def with_others(self, others: Sequence[Prediction]) -> Prediction:
        """Return the same tree, with these beside it."""
        return replace(self, others=tuple(others))


def predict(
    model: ParsingNetwork, sentences: Sequence[PreparedSentence], batch_tokens: int
) -> list[Prediction]:
    """Parse sentences of at least one word, in length-sorted batches; results in input order."""
    results: dict[int, Prediction] = {}
    sizes = [sentence.size for sentence in sentences]
    for batch in batches_by_length(sizes, batch_tokens):
        found = predict_batch(model, [sentences[index] for index in batch])
        results.update(zip(batch, found, strict=True))
    return [results[index] for index in range(len(sentences))]


def predict_batch(model: ParsingNetwork, batch: Sequence[PreparedSentence]) -> list[Prediction]:
    """Parse one batch of sentences of at least one word; the model must be in evaluation mode."""
    with model.inference():
        encoded = model.encode(batch)
        best, tags = model.best_labels(encoded), predicted_tags(model, encoded, batch)
    return best_trees(best, encoded.lengths, model.labels, tags)


def best_trees(
    best: BestLabels, lengths: list[int], labels: Inventory, tags: Sequence[list[str] | None]
) -> list[Prediction]:
    """Return the best tree of each sentence of a batch, given the best label of each span.

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
    """Return the best tag of every word that its form allows, sentence by sentence; None where none are predicted."""
    if not model.settings.tags.predict:
        return [None] * len(encoded.lengths)
    names = model.tags.names
    numbers = iter(model.best_tags(encoded, model.allowed_tags[forms_of(batch)]))
    return [[names[next(numbers)] for _ in range(n)] for n in encoded.lengths]
