"""Several networks as one network: mean scores of spans, mean probabilities of tags, mean scores of words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnaparser.network.labels import MASKED_SCORE, Inventory, LanguageNames
from bnaparser.network.model_settings import ChartSettings
from bnaparser.network.parsing_network import BestLabels, ParsingNetwork, packed_best
from bnaparser.network.prepared import PreparedSentence
from bnaparser.network.word_forms import allowed_tags, best_tags


@dataclass(frozen=True)
class PreparedForEach(PreparedSentence):
    """A sentence as each network of an ensemble takes it."""

    of_each: tuple[PreparedSentence, ...] = ()

    @property
    def size(self) -> int:
        """Subwords of the network that splits the sentence into the most subwords."""
        return max(one.size for one in self.of_each)


@dataclass(frozen=True)
class EncodedByEach:
    """A batch as each network of an ensemble has encoded it."""

    of_each: tuple[Any, ...]
    lengths: list[int]


def prepare_parts(
    network: ParsingNetwork, prepare: Callable[[ParsingNetwork], list[PreparedSentence]]
) -> list[PreparedSentence]:
    """Return sentences as a network takes them, given how each of its parts takes them."""
    of_each = [prepare(part) for part, _ in network.parts]
    if network.parts[0][0] is network:
        return of_each[0]
    return [
        PreparedForEach(same[0].words, (), forms=same[0].forms, of_each=same)
        for same in zip(*of_each, strict=True)
    ]


class EnsembleNetwork:
    """Networks for one language that score together and form one `ParsingNetwork`.

    Each reads the words with an encoder and a vocabulary of its own. Labels and tags are those that any of
    them knows. ``weights`` are the weights of the networks, of sum 1. The temperature is the mean of theirs,
    and words have tags where all of them predict tags. Words of raw text are found by those that find words.
    """

    def __init__(self, networks: Sequence[ParsingNetwork], weights: Sequence[float]):
        self.networks, self.weights = list(networks), list(weights)
        self.labels = Inventory.of_labels(name for one in networks for name in one.labels.names)
        self.tags = Inventory.of_tags(name for one in networks for name in one.tags.names)
        self.allowed_tags = allowed_tags(self.tags.names, _known_tags(networks))
        self.allow_empty_root = any(one.allow_empty_root for one in networks)
        temperature = sum(
            weight * one.settings.chart.temperature
            for weight, one in zip(weights, networks, strict=True)
        )
        predict = all(one.settings.tags.predict for one in networks)
        first = networks[0]
        self.backend, self.precision = first.backend, first.precision
        self.by_language: dict[str, LanguageNames] = {}
        tags = first.settings.tags.model_copy(update={"predict": predict})
        finds = any(one.settings.text.segment_words for one in networks)
        self.settings = first.settings.model_copy(
            update={
                "tags": tags,
                "text": first.settings.text.model_copy(update={"segment_words": finds}),
                "chart": ChartSettings(temperature=temperature),
            }
        )
        self._columns = [_places(one.labels, self.labels) for one in networks]
        self._tag_columns = [_places(one.tags, self.tags) for one in networks]

    @property
    def device(self) -> Any:
        """Where the first network computes."""
        return self.networks[0].device

    @property
    def reads_case(self) -> bool:
        """Whether small letters and capitals are different to any network."""
        return any(one.reads_case for one in self.networks)

    @property
    def batch_sensitive(self) -> bool:
        """Whether the result for a sentence depends on its batch in any network."""
        return any(one.batch_sensitive for one in self.networks)

    @property
    def prefer_single_thread(self) -> bool:
        """Whether any network is faster if batches are computed one after another."""
        return any(one.prefer_single_thread for one in self.networks)

    @property
    def parts(self) -> list[tuple[ParsingNetwork, float]]:
        """The networks and their weights."""
        return list(zip(self.networks, self.weights, strict=True))

    def fingerprint(self) -> str:
        """Return a string that identifies the networks, their parameters and their weights."""
        return "+".join(f"{weight} {one.fingerprint()}" for one, weight in self.parts)

    def in_language(self, language: str) -> EnsembleNetwork:
        """Return itself: an ensemble is for one language."""
        return self

    def eval(self) -> EnsembleNetwork:
        """Put all networks into evaluation mode."""
        for network in self.networks:
            network.eval()
        return self

    def prepare(
        self,
        sentences: Sequence[Sequence[str]],
        tags: Sequence[Sequence[str]] | None = None,
        written: Sequence[Sequence[str]] | None = None,
    ) -> list[PreparedSentence]:
        """Return sentences of words that all networks read in the same way; no network reads tags."""
        return prepare_parts(self, lambda one: one.prepare(sentences, None, written))

    @contextmanager
    def inference(self) -> Iterator[None]:
        """Keep no gradients in any network in here."""
        with ExitStack() as stack:
            for network in self.networks:
                stack.enter_context(network.inference())
            yield

    def encode(self, batch: Sequence[PreparedSentence]) -> EncodedByEach:
        """Run the encoder and the layers of each network over the sentences."""
        prepared_by = [one.of_each for one in batch if isinstance(one, PreparedForEach)]
        assert len(prepared_by) == len(batch)  # else they were not prepared by an ensemble
        of_each = zip(*prepared_by, strict=True)
        encoded = tuple(
            network.encode(prepared)
            for network, prepared in zip(self.networks, of_each, strict=True)
        )
        return EncodedByEach(encoded, encoded[0].lengths)

    def best_labels(self, encoded: EncodedByEach) -> BestLabels:
        """Return the best label of every span in the mean of the scores."""
        scores = self.all_scores(encoded)
        labels = scores[:, 1:].argmax(axis=1).astype(np.int32) + 1
        best = np.take_along_axis(scores, labels[:, None], axis=1)[:, 0]
        return packed_best(best, labels, encoded.lengths, self.allow_empty_root)

    def all_scores(self, encoded: EncodedByEach) -> NDArray[np.float32]:
        """Return the mean score of every label of every span: float32 (spans, labels).

        If a network does not know a label, or the label is of another language, the label gets the lowest score
        that this network predicts for the span; a label that no network knows gets MASKED_SCORE.
        """
        total: NDArray[np.float32] | None = None
        allowed_labels = np.zeros(len(self.labels), np.bool_)
        for network, known, columns, weight in zip(
            self.networks, encoded.of_each, self._columns, self.weights, strict=True
        ):
            own = network.all_scores(known)
            scores = np.repeat(_worst(own), len(self.labels), axis=1)
            # In all rows, as it is the label's bias; NaN stays, so that it is reported.
            own_labels = ~(own[0] < MASKED_SCORE / 2)
            known_columns = np.array(columns)[own_labels]
            scores[:, known_columns] = own[:, own_labels]
            allowed_labels[known_columns] = True
            scores *= np.float32(weight)
            total = scores if total is None else total + scores
        assert total is not None
        total[:, ~allowed_labels] = MASKED_SCORE
        return total

    def all_tag_scores(self, encoded: EncodedByEach) -> NDArray[np.float32]:
        """Return the mean probability of every tag of every word: float32 (words, tags)."""
        total = np.zeros((sum(encoded.lengths), len(self.tags)), np.float32)
        for network, known, columns, weight in zip(
            self.networks, encoded.of_each, self._tag_columns, self.weights, strict=True
        ):
            total[:, columns] += weight * _softmax(network.all_tag_scores(known))
        return total

    def all_word_scores(self, encoded: EncodedByEach) -> NDArray[np.float32]:
        """Return the mean scores of pieces as beginnings of words, of the networks that find words."""
        finders = [
            np.float32(weight) * network.all_word_scores(known)
            for (network, weight), known in zip(self.parts, encoded.of_each, strict=True)
            if network.settings.text.segment_words
        ]
        total: NDArray[np.float32] = sum(finders[1:], start=finders[0])
        return total

    def best_tags(self, encoded: EncodedByEach, allowed: NDArray[np.bool_]) -> list[int]:
        """Return the tag of most mean probability of every word that its form allows."""
        return best_tags(self.all_tag_scores(encoded), allowed)


def _worst(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return of each span the worst score of a label, float32 (spans, 1), but for those of other languages."""
    labels = scores[:, 1:]
    if labels.min() < MASKED_SCORE / 2:
        labels = np.where(labels < MASKED_SCORE / 2, np.float32(np.inf), labels)
    worst: NDArray[np.float32] = labels.min(axis=1, keepdims=True)
    return worst


def _known_tags(networks: Iterable[ParsingNetwork]) -> set[str]:
    """Return the tags that any of the networks knows in its language."""
    return {
        name
        for one in networks
        for name, of_name in zip(one.tags.names, one.allowed_tags.T, strict=True)
        if of_name.any()
    }


def _places(names: Inventory, among: Inventory) -> list[int]:
    return [among.number(name) for name in names.names]


def _softmax(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    exponents = np.exp(scores - scores.max(axis=1, keepdims=True))
    probabilities: NDArray[np.float32] = exponents / exponents.sum(axis=1, keepdims=True)
    return probabilities
