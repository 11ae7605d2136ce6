"""Classification: one class of a text, or of a pair of texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from bnaparser.errors import DataError
from bnaparser.files.compressed import ending
from bnaparser.tasks.examples import (
    NOT_A_TABLE,
    TaskExample,
    TaskFile,
    class_of,
    read_lines,
    read_table,
)
from bnaparser.tasks.kinds.base import Row, TaskKind
from bnaparser.tasks.metrics import Labels, Metric, Runs, Scores, Sums, class_scores, class_sums
from bnaparser.trees.escapes import unescape
from bnaparser.trees.tree import Tree, parse_trees_with_places


class TextClassification(TaskKind):
    """Texts, or pairs of texts, that have a class."""

    metrics: ClassVar[tuple[Metric, ...]] = ("accuracy", "matthews", "macro_f1", "f1", "f0.5")

    def read(self, path: Path, file: TaskFile) -> Iterator[TaskExample]:
        """Return the rows of a table, or trees of classes; DataError for another kind of file."""
        if ending(path) in NOT_A_TABLE:
            raise DataError(f"{path}: a table must have fields separated by tabs, and end in .tsv")
        if ending(path) == ".tsv":
            return read_table(path, file, self.texts, self.label)
        if len(self.texts) == 1:
            return _read_trees(path, file)
        raise DataError(
            f"{path}: a file of trees has classes of single texts: this task needs a .tsv file"
        )

    def answer(self, found: Row, labels: Labels, threshold: float) -> dict[str, Any]:
        """Return the likeliest class of a text, and the probability of each."""
        probabilities = dict(zip(labels, softmax(found), strict=True))
        label = labels[int(found.argmax())]
        return {"label": label, "probabilities": probabilities}

    def score(self, labels: Labels, gold: Sequence[int], predicted: Sequence[int]) -> Scores:
        """Return accuracy, Matthews correlation, F1 of all classes, and F1 of the positive class."""
        return class_scores(self.positive, labels, gold, predicted)

    def tested(self, metric: Metric, labels: Labels, gold: Sequence[int], runs: Runs) -> Sums:
        """Return both runs' counts of classes."""
        return class_sums(metric, labels, self.positive, gold, runs)


def _read_trees(path: Path, file: TaskFile) -> Iterator[TaskExample]:
    """Yield the sentences of trees whose nodes are labelled with classes, or all their phrases."""
    seen: set[tuple[tuple[str, ...], str]] = set()
    lines = (f"{line}\n" for _, line in read_lines(path))
    for tree, place in parse_trees_with_places(lines, str(path)):
        words = tuple(map(unescape, tree.words))
        for node in _phrases(tree, file.phrases):
            line = f"{path}:{place.line}"
            name = class_of(node.label, file, line)
            phrase = words[node.start : node.end]
            if name is None:
                continue
            if file.phrases is not None:
                if (phrase, name) in seen:
                    continue
                seen.add((phrase, name))
            yield TaskExample((phrase,), name, line)


def _phrases(tree: Tree, least: int | None) -> Iterator[Tree]:
    """Yield the tree, and with ``least`` all its nodes of at least this number of words."""
    yield tree
    if least is None:
        return
    stack = list(tree.subtrees)
    while stack:
        node = stack.pop()
        if node.end - node.start >= least:
            yield node
            stack.extend(node.subtrees)


def softmax(logits: Row) -> list[float]:
    """Return the probabilities of a row of logits."""
    powers = np.exp(logits.astype(np.float64) - logits.max())
    return [float(share) for share in powers / powers.sum()]
