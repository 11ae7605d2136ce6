"""The teacher of a training: trained parsers, one or several, whose probabilities a network learns.

It is read as `bnaparser ensemble` reads: of every span the mean score of each label, at the mean of the
temperatures. What it thinks is brought into the student's inventories by name. A tree in which a
constituent has a label that the student lacks is one that the student cannot predict: such trees are
left out, and the probabilities of the others sum to 1. So there is always a student that
thinks just that, even where the label of the whole sentence is one that it lacks; were these
constituents only struck out, the sentence would be expected to have no label, and every label
of it would be pushed down for ever. A label that the teacher lacks has probability 0. The same goes for tags.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray

from bnaparser import chart
from bnaparser.encoders.batching import PARSING_TOKENS, default_tokens
from bnaparser.errors import ModelError, SettingsError
from bnaparser.models import find
from bnaparser.network.compiled.network import CompiledNetwork
from bnaparser.network.decoding import in_batches
from bnaparser.network.ensemble_network import EnsembleNetwork, prepare_parts
from bnaparser.network.labels import Inventory
from bnaparser.network.model import BnaModel
from bnaparser.network.parsing_network import ParsingNetwork
from bnaparser.network.precision import load_network
from bnaparser.network.prepared import PreparedSentence
from bnaparser.training.data import Example, in_language, prepare_words
from bnaparser.training.loss import LEAST_PROBABLE, NO_ROWS, SoftTarget, SparseProbabilities

log = logging.getLogger(__name__)

# Memory for what is kept of sentences that were read, in bytes: a sentence of 22 words takes some 20,000.
KEPT_BYTES = 2**30

Words = tuple[str, ...]


def load_teacher(names: Sequence[str], device: str) -> dict[str, ParsingNetwork]:
    """Load the parsers of ``train.teacher`` as parsers are loaded: on a CPU compiled, in int8 if stored so.

    Raises ModelError if one is not there, SettingsError if it reads tags.
    """
    networks = {}
    for name in names:
        try:
            network = load_network(find(name), device)
        except ModelError as error:
            raise ModelError(f"train.teacher: {error}") from error
        if network.settings.tags.given:
            raise SettingsError(
                f"train.teacher: {name} needs part-of-speech tags as input: choose another teacher"
            )
        network.eval()
        networks[name] = network
    return networks


def ensemble_for(networks: Mapping[str, ParsingNetwork], language: str) -> EnsembleNetwork:
    """Return networks as they read a language; SettingsError if one does not know the language."""
    views = []
    for name, network in networks.items():
        view = in_language(network, language)
        if view is None:
            theirs = ", ".join(network.settings.text.languages)
            raise SettingsError(f"train.teacher: {name} is for {theirs}, not for {language}")
        views.append(view)
    return EnsembleNetwork(views, [1 / len(views)] * len(views))


class Teacher:
    """Trained parsers whose predictions for sentences another network learns.

    ``networks`` are the result of `load_teacher`, ``weight`` how much they count beside a gold tree. On a CPU a batch is
    read on each core; what they think of a sentence does not depend on its batch there, and
    is kept, until `KEPT_BYTES` are full. Elsewhere they read a sentence whenever it comes. Raises
    SettingsError if they do not know the student's languages, have none of its labels or tags,
    or only one of both has tags.
    """

    def __init__(self, networks: Mapping[str, ParsingNetwork], student: BnaModel, weight: float):
        self.student, self.weight = student, weight
        languages = student.settings.text.languages
        self.ensembles = {language: ensemble_for(networks, language) for language in languages}
        for ensemble in self.ensembles.values():
            _check_fit(networks, ensemble, student)
        compiled = all(isinstance(one, CompiledNetwork) for one in networks.values())
        self.threads = torch.get_num_threads() if compiled else 1
        device = next(iter(networks.values())).device
        self.batch_tokens = default_tokens(PARSING_TOKENS, str(device))
        self.free_bytes = KEPT_BYTES if compiled else 0  # bytes that are left
        self._kept: dict[tuple[str, Words], SoftTarget] = {}

    def targets(self, examples: Sequence[Example]) -> list[SoftTarget]:
        """Return what the teacher thinks of the words of examples, and how much it counts.

        Raises ModelError if its scores are no numbers.
        """
        keys = [(one.language or next(iter(self.ensembles)), one.words) for one in examples]
        found = {key: self._kept[key] for key in keys if key in self._kept}
        for language in self.ensembles:
            new = list(
                dict.fromkeys(key for key in keys if key not in found and key[0] == language)
            )
            thought = self._read(language, [words for _, words in new])
            for key, target in zip(new, thought, strict=True):
                found[key] = target
                size = target.trees.bytes + target.tags.bytes
                if size <= self.free_bytes:
                    self._kept[key] = target
                    self.free_bytes -= size
        weights = [1.0 if one.ignore_gold else self.weight for one in examples]
        return [
            replace(found[key], weight=weight) for key, weight in zip(keys, weights, strict=True)
        ]

    def _read(self, language: str, sentences: Sequence[Words]) -> list[SoftTarget]:
        if not sentences:
            return []
        ensemble = self.ensembles[language]
        prepared = prepare_parts(ensemble, lambda one: prepare_words(one, language, sentences))

        def read(places: list[int]) -> list[SoftTarget]:
            return self._of_batch(ensemble, [prepared[place] for place in places])

        try:
            return in_batches(read, [one.size for one in prepared], self.batch_tokens, self.threads)
        except chart.ScoresError as error:
            raise ModelError(
                f"train.teacher is damaged, its scores are not finite numbers: {error}"
            ) from error

    def _of_batch(
        self, ensemble: EnsembleNetwork, batch: Sequence[PreparedSentence]
    ) -> list[SoftTarget]:
        with ensemble.inference():
            encoded = ensemble.encode(batch)
            scores = ensemble.all_scores(encoded)
            tags = ensemble.all_tag_scores(encoded) if ensemble.settings.tags.predict else None
        lengths = encoded.lengths
        trees = self._trees(ensemble, scores, lengths)
        of_words = [NO_ROWS] * len(lengths) if tags is None else self._tags(ensemble, tags, lengths)
        return [SoftTarget(*both, weight=1.0) for both in zip(trees, of_words, strict=True)]

    def _trees(
        self, ensemble: EnsembleNetwork, scores: NDArray[np.float32], lengths: Sequence[int]
    ) -> list[SparseProbabilities]:
        """Return the probabilities of constituents, over the trees that the student may predict."""
        student = self.student
        mine, theirs = shared_columns(student.labels, ensemble.labels)
        known = np.full((len(scores), len(student.labels)), -np.inf, np.float32)
        known[:, mine] = scores[:, theirs]
        found = chart.marginals_packed(
            known,
            lengths,
            threads=1,
            temperature=ensemble.settings.chart.temperature,
            allow_empty_root=student.allow_empty_root and ensemble.allow_empty_root,
        )
        found.probabilities[:, 0] = 0  # no constituent
        spans = [chart.span_count(n) for n in lengths]
        return [SparseProbabilities.of(part) for part in _split(found.probabilities, spans)]

    def _tags(
        self, ensemble: EnsembleNetwork, tags: NDArray[np.float32], lengths: Sequence[int]
    ) -> list[SparseProbabilities]:
        """Return the probabilities of the tags that the student knows; a word without any has none."""
        mine, theirs = shared_columns(self.student.tags, ensemble.tags)
        known = np.zeros((len(tags), len(self.student.tags)), np.float32)
        known[:, mine] = tags[:, theirs]
        total = known.sum(axis=1, keepdims=True)
        known = np.where(total > LEAST_PROBABLE, known / np.maximum(total, LEAST_PROBABLE), 0)
        return [SparseProbabilities.of(part) for part in _split(known, lengths)]


def shared_columns(mine: Inventory, theirs: Inventory) -> tuple[list[int], list[int]]:
    """Return the numbers of the names that two inventories share, in the first and in the second
    inventory.
    """
    shared = [name for name in mine.names if name in theirs]
    return list(map(mine.number, shared)), list(map(theirs.number, shared))


def _split(rows: NDArray[np.float32], sizes: Sequence[int]) -> list[NDArray[np.float32]]:
    return np.split(rows, np.cumsum(sizes)[:-1])


def _check_fit(
    networks: Mapping[str, ParsingNetwork], ensemble: EnsembleNetwork, student: BnaModel
) -> None:
    """Refuse a teacher from which a student can learn nothing, or not all that is to be learned."""
    labels, _ = shared_columns(student.labels, ensemble.labels)
    if len(labels) == 1:  # no constituent
        raise SettingsError(
            "train.teacher has none of the labels of the training trees: choose another teacher"
        )
    log.info(
        "%d of the student's %d labels are also labels of the teacher",
        len(labels) - 1,
        len(student.labels) - 1,
    )
    if not student.settings.tags.predict:
        if ensemble.settings.tags.predict:
            raise SettingsError(
                "train.teacher predicts tags, but the recipe does not: set tags.predict = true"
            )
        return
    without = [name for name, one in networks.items() if not one.settings.tags.predict]
    if without:
        raise SettingsError(
            f"train.teacher: {', '.join(without)} predicts no tags, but the recipe has tags.predict = true:"
            " leave this teacher out, or set tags.predict = false"
        )
    if not shared_columns(student.tags, ensemble.tags)[0]:
        raise SettingsError(
            "train.teacher has none of the tags of the training trees: choose another teacher"
        )
