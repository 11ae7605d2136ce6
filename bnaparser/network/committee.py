"""Several networks that score together: of every span the mean of their scores, of every word that of their tags."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnaparser.network.labels import BARRED, Inventory
from bnaparser.network.parsing_network import ParsingNetwork
from bnaparser.network.tag_forms import allowed_tags


class Committee:
    """Networks and how much each counts: ``shares``, parts of 1. One alone is a committee, too.

    Words are what they share; labels and tags are those that any of them knows. ``temperature`` is the
    mean of theirs, and words have tags where all of them predict some.
    """

    def __init__(self, networks: Sequence[ParsingNetwork], shares: Sequence[float]):
        self.networks, self.shares = list(networks), list(shares)
        self.labels = Inventory.of_labels(name for one in networks for name in one.labels.names)
        self.tags = Inventory.of_tags(name for one in networks for name in one.tags.names)
        self.allowed_tags = allowed_tags(self.tags.names, _known_tags(networks))
        self.predicts_tags = all(one.settings.tags.predict for one in networks)
        self.allow_empty_root = any(one.allow_empty_root for one in networks)
        self.temperature = sum(
            share * one.settings.chart.temperature
            for share, one in zip(shares, networks, strict=True)
        )
        self._columns = [_places(one.labels, self.labels) for one in networks]
        self._tag_columns = [_places(one.tags, self.tags) for one in networks]

    def mean_scores(self, encoded: Sequence[Any]) -> NDArray[np.float32]:
        """Return the mean score of every label of every span: float32 (spans, labels).

        ``encoded`` is the batch as each network has encoded it. A label that one does not know, or that is of
        another language, scores there as the worst that it knows; one that is so for all is barred.
        """
        total: NDArray[np.float32] | None = None
        offered = np.zeros(len(self.labels), np.bool_)
        for network, known, columns, share in zip(
            self.networks, encoded, self._columns, self.shares, strict=True
        ):
            own = network.all_scores(known)
            scores = np.repeat(_worst(own), len(self.labels), axis=1)
            # In all rows, as it is the label's bias; what is no number stays, so that it is told.
            may_be = ~(own[0] < BARRED / 2)
            known_columns = np.array(columns)[may_be]
            scores[:, known_columns] = own[:, may_be]
            offered[known_columns] = True
            scores *= np.float32(share)
            total = scores if total is None else total + scores
        assert total is not None
        total[:, ~offered] = BARRED
        return total

    def mean_tags(self, encoded: Sequence[Any]) -> NDArray[np.float32]:
        """Return the mean probability of every tag of every word: float32 (words, tags)."""
        total = np.zeros((sum(encoded[0].lengths), len(self.tags)), np.float32)
        for network, known, columns, share in zip(
            self.networks, encoded, self._tag_columns, self.shares, strict=True
        ):
            total[:, columns] += share * _softmax(network.all_tag_scores(known))
        return total


def _worst(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return of each span the worst score of a label, float32 (spans, 1), but for those of other languages."""
    labels = scores[:, 1:]
    if labels.min() < BARRED / 2:
        labels = np.where(labels < BARRED / 2, np.float32(np.inf), labels)
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
