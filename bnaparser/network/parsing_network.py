"""The interface of a network for the parser, independent of what computes it, and the network's output for the chart."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bnaparser import chart
from bnaparser.network.labels import Inventory, LanguageNames
from bnaparser.network.model_settings import ModelSettings
from bnaparser.network.prepared import PreparedSentence


@dataclass(frozen=True)
class BestLabels:
    """The best label of every span of a batch, packed in the order of ``bnaparser.chart``.

    ``scores`` float32 and ``labels`` int32 are (spans,). ``root_scores`` and ``root_labels``
    (sentences,) are the whole sentence's best label but the empty one, which may score less than
    0, or its best label of all where the model allows an empty root.
    """

    scores: NDArray[np.float32]
    labels: NDArray[np.int32]
    root_scores: NDArray[np.float32]
    root_labels: NDArray[np.int32]


def packed_best(
    scores: NDArray[np.float32],
    labels: NDArray[np.int32],
    lengths: Sequence[int],
    allow_empty_root: bool,
) -> BestLabels:
    """Return the best labels of a batch, given the best non-empty label of every span.

    Both arrays are (spans,) and are taken over; a span that scores 0 or less gets the empty label.
    """
    counts = np.array([chart.span_count(length) for length in lengths])
    # The span of the whole sentence is the last of those that start at its first word.
    roots = np.cumsum(counts) - counts + np.array(lengths) - 1
    root_scores, root_labels = scores[roots], labels[roots]
    empty = scores <= 0
    scores[empty], labels[empty] = 0, 0
    if allow_empty_root:
        root_scores, root_labels = scores[roots], labels[roots]
    return BestLabels(scores, labels, root_scores, root_labels)


class ParsingNetwork(Protocol):
    """A parser's network: `BnaModel`, or what computes the same without PyTorch.

    ``backend`` is "compiled" or "torch"; ``precision`` is "float32", "bfloat16" or "int8". ``allowed_tags`` (`tag_forms.allowed_tags`) says which
    tags a word of each form can have.
    """

    backend: str
    precision: str
    settings: ModelSettings
    labels: Inventory
    tags: Inventory
    allow_empty_root: bool
    by_language: dict[str, LanguageNames]
    allowed_tags: NDArray[np.bool_]

    @property
    def device(self) -> Any:
        """The device on which the network computes, as PyTorch writes it."""

    @property
    def reads_case(self) -> bool:
        """Return whether the network distinguishes lower case and capitals, and was trained on
        both.
        """

    @property
    def batch_sensitive(self) -> bool:
        """Return whether the scores of a sentence would depend on the other sentences of its batch."""

    @property
    def prefer_single_thread(self) -> bool:
        """Return whether batches should be computed one after another, even if there are cores for
        several.
        """

    @property
    def parts(self) -> Sequence[tuple[ParsingNetwork, float]]:
        """The networks that it is made of, each with its weight; most often itself, with 1."""

    def fingerprint(self) -> str:
        """Return a text that differs for other weights, or for another use of them."""

    def eval(self) -> Any:
        """Predict from now on: nothing is dropped any more."""

    def in_language(self, language: str) -> ParsingNetwork:
        """Return a network that shares all weights, and predicts the labels and tags of one language only.

        That is this network itself where it has no labels ``by_language``.
        """

    def prepare(
        self,
        sentences: Sequence[Sequence[str]],
        tags: Sequence[Sequence[str]] | None = None,
        written: Sequence[Sequence[str]] | None = None,
    ) -> list[PreparedSentence]:
        """Return sentences as the network takes them.

        Args:
            sentences: The words that the network reads.
            tags: The part-of-speech tags, where the network reads them.
            written: The words of the text, where the network reads others in their place.
        """

    def inference(self) -> AbstractContextManager[Any]:
        """Return a context in which no gradients are kept."""

    def encode(self, batch: Sequence[PreparedSentence]) -> Any:
        """Run encoder and layers over sentences of at least one word."""

    def best_labels(self, encoded: Any) -> BestLabels:
        """Return the best label of every span without keeping the scores of the others."""

    def all_scores(self, encoded: Any) -> NDArray[np.float32]:
        """Score every label of every span: float32 (spans, labels), column 0 the empty label."""

    def all_tag_scores(self, encoded: Any) -> NDArray[np.float32]:
        """Score the tags of all words: float32 (words, tags)."""

    def all_word_scores(self, encoded: Any) -> NDArray[np.float32]:
        """Score pieces that were read as words: float32 (pieces,), above 0 where one begins a word."""

    def best_tags(self, encoded: Any, allowed: NDArray[np.bool_]) -> list[int]:
        """Return the number of the best tag of every word; ``allowed`` is (words, tags)."""
