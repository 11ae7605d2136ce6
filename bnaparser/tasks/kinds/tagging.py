"""Tagging: a class of each word, such as the BIO tags of names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np
import torch
from torch import Tensor

from bnaparser.errors import DataError, import_extra
from bnaparser.files.compressed import ending
from bnaparser.syntax.masks import UNSUPERVISED
from bnaparser.tasks.examples import (
    NOT_A_TABLE,
    Gold,
    TaskExample,
    TaskFile,
    class_of,
    read_lines,
)
from bnaparser.tasks.kinds.base import (
    IGNORED,
    Examples,
    Logits,
    Row,
    TaskKind,
    TextInputs,
    count_labels,
    number_of,
    places_of_words,
)
from bnaparser.tasks.metrics import (
    Floats,
    Labels,
    Metric,
    Runs,
    Scores,
    Sums,
    class_scores,
    class_sums,
    percent,
    ratio,
    sums_of_runs,
)
from bnaparser.tasks.result import ReadText

Tags = tuple[int, ...]


class Tagging(TaskKind):
    """Sentences whose words have classes."""

    metrics: ClassVar[tuple[Metric, ...]] = ("span_f1", "accuracy", "macro_f1", "f1", "f0.5")
    pairs: ClassVar[bool | None] = False
    pairs_error: ClassVar[str] = "words of a pair cannot be tagged: texts names one column"
    of_tokens: ClassVar[bool] = True
    uncut: ClassVar[bool] = True

    def read(self, path: Path, file: TaskFile) -> Iterator[TaskExample]:
        """Return the sentences of a file; DataError for another kind of file."""
        if ending(path) in NOT_A_TABLE:
            raise DataError(f"{path}: a table must have fields separated by tabs, and end in .tsv")
        return _read_words(path, file)

    def labels(self, examples: Sequence[TaskExample]) -> tuple[str, ...]:
        """Return the classes of training examples, the most frequent first."""
        counts = count_labels(examples)
        return tuple(sorted(super().labels(examples), key=lambda name: -counts[name]))

    def encode(self, example: TaskExample, numbers: Mapping[str, int]) -> Tags:
        """Return the number of each word's class."""
        gold = cast("tuple[str, ...]", example.gold)
        return tuple(number_of(tag, example, n, numbers) for n, tag in enumerate(gold))

    def targets(self, examples: Examples, tokens: Any) -> Tensor:
        """Return the class of each word at its first subword, (B, T), IGNORED elsewhere."""
        targets = torch.full(tokens["input_ids"].shape, IGNORED)
        for row, example in enumerate(examples):
            gold = cast("tuple[int, ...]", example.gold)
            for word, place in enumerate(places_of_words(tokens, row, example.size)):
                if place != UNSUPERVISED:
                    targets[row, place] = gold[word]
        return targets

    def found_in_batch(
        self, inputs: TextInputs, examples: Examples, logits: Logits
    ) -> Sequence[Row]:
        """Return the logits of each example, (words, outputs).

        A word without a subword, or beyond the encoder's length, has zeros but for the first class.
        """
        tokens = inputs.tokenize(examples)
        of_tokens = logits(inputs.of(examples, tokens))
        found = []
        for row, example in enumerate(examples):
            words = np.zeros((example.size, of_tokens.shape[-1]), np.float32)
            words[:, 0] = 1.0
            places = places_of_words(tokens, row, example.size)
            words[places != UNSUPERVISED] = of_tokens[row, places[places != UNSUPERVISED]]
            found.append(words)
        return found

    def decode(self, found: Row, threshold: float) -> Tags:
        """Return the number of each word's class."""
        return tuple(int(best) for best in found.argmax(axis=-1))

    def answer(self, found: Row, labels: Labels, threshold: float) -> dict[str, Any]:
        """Return the class of each word of a text."""
        return {"tags": tuple(labels[number] for number in found.argmax(axis=-1))}

    def unread(self, inputs: TextInputs, given: ReadText, labels: Labels) -> list[str]:
        """Return the message for a text of which the encoder does not read all words."""
        words = tuple(word for sentence in given.sentences for word in sentence.words)
        first = inputs.first_unread(words)
        if first is None:
            return []
        end = f"the encoder reads no further than word {first}"
        return [f"{end}: from {words[first]!r} on each word has the label {labels[0]!r}"]

    def score(self, labels: Labels, gold: Sequence[Tags], predicted: Sequence[Tags]) -> Scores:
        """Return the scores of the words' classes, and of the spans that they mark if they are BIO tags."""
        scores = class_scores(
            self.positive,
            labels,
            [n for row in gold for n in row],
            [n for row in predicted for n in row],
        )
        scores.pop("matthews")
        if has_spans(labels):
            scores.update(span_scores(_names(labels, gold), _names(labels, predicted)))
        return scores

    def tested(self, metric: Metric, labels: Labels, gold: Sequence[Tags], runs: Runs) -> Sums:
        """Return both runs' counts of classes, or of spans."""
        if metric != "span_f1":
            return class_sums(metric, labels, self.positive, gold, runs)
        return sums_of_runs(runs, lambda seed: _span_counts(labels, gold, seed), _f_of_counts)


def _read_words(path: Path, file: TaskFile) -> Iterator[TaskExample]:
    """Yield sentences of tagged words: a word, a tab, its label; a blank line ends a sentence."""
    words: list[str] = []
    tags: list[str] = []
    for number, line in read_lines(path):
        if not line.strip():
            if words:
                yield TaskExample((tuple(words),), tuple(tags), f"{path}:{number - len(words)}")
            words, tags = [], []
            continue
        fields = line.split("\t")
        if len(fields) != 2 or not all(fields) or fields[0].split() != [fields[0]]:
            raise DataError(f"{path}:{number}: {line[:40]!r} must be a word, a tab and its label")
        tag = class_of(fields[1], file, f"{path}:{number}")
        if tag is None:
            raise DataError(
                f"{path}:{number}: labels of words cannot be removed by a label map: map these labels to other labels"
            )
        words.append(fields[0])
        tags.append(tag)
    if words:
        yield TaskExample((tuple(words),), tuple(tags), f"{path}:{number - len(words) + 1}")


def span_scores(gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]) -> Scores:
    """Return precision, recall and F1 of the spans that BIO tags mark, as CoNLL's program counts."""
    metrics = import_extra("train", "seqeval.metrics")
    return percent(
        {
            "span_precision": metrics.precision_score(gold, predicted, zero_division=0),
            "span_recall": metrics.recall_score(gold, predicted, zero_division=0),
            "span_f1": metrics.f1_score(gold, predicted, zero_division=0),
        }
    )


def has_spans(labels: Labels) -> bool:
    """Return whether classes are BIO tags."""
    return any(label.startswith("B-") for label in labels)


def _names(labels: Labels, rows: Sequence[tuple[int, ...]]) -> list[list[str]]:
    return [[labels[number] for number in row] for row in rows]


def _span_counts(labels: Labels, gold: Sequence[Gold], predicted: Sequence[Gold]) -> Floats:
    """Return of each sentence how many spans are right, there, and predicted."""
    rows = []
    for gold_tags, found in zip(gold, predicted, strict=True):
        tags = [tuple(cast("Sequence[int]", one)) for one in (gold_tags, found)]
        here, there = (_spans(tuple(labels), one) for one in tags)
        rows.append((len(here & there), len(here), len(there)))
    return np.array(rows, dtype=np.float64)


@lru_cache(
    maxsize=100_000
)  # gold is compared with every run, and most runs agree on most sentences
def _spans(labels: tuple[str, ...], tags: tuple[int, ...]) -> frozenset[tuple[str, int, int]]:
    from seqeval.metrics.sequence_labeling import get_entities

    return frozenset(get_entities([labels[number] for number in tags]))


def _f_of_counts(rows: Floats) -> Floats:
    return 100 * ratio(2 * rows[:, 0], rows[:, 1] + rows[:, 2])
