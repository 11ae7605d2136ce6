"""Relations: the class of a text with two marked parts, and the marks among an encoder's tokens.

The marks are four tokens of their own around the parts, and a text is represented by the encoder's
last states at the two opening ones, one after the other: "entity markers" with "entity start" of
Baldini Soares and others (Matching the Blanks, 2019, section 3.2).

F1 is that of the official scorer of SemEval-2010 task 8 (Hendrickx and others 2010). A class is a
relation with its direction, ``Cause-Effect(e2,e1)``. A relation is right where its direction is, too;
wrong directions count as predicted and as there. The mean is over the relations that the gold classes
have, without the class of those that are none; predicting that one for a relation still costs recall,
and a relation for it precision.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from transformers import PreTrainedTokenizerBase

from bnaparser.encoders.tokenizer_file import panics_as_errors
from bnaparser.errors import DataError
from bnaparser.files.compressed import ending
from bnaparser.syntax.batch import collate
from bnaparser.tasks.examples import (
    PreparedExample,
    Span,
    TaskExample,
    TaskFile,
    Written,
    class_of,
    is_number,
    read_objects,
    read_table,
    text_of,
)
from bnaparser.tasks.kinds.base import INPUTS, Examples, Logits, Row, TextInputs
from bnaparser.tasks.kinds.classification import TextClassification
from bnaparser.tasks.metrics import (
    Floats,
    Labels,
    Metric,
    Runs,
    Scores,
    Sums,
    class_counts,
    sklearn_metrics,
    sums_of_runs,
)

log = logging.getLogger(__name__)
PARTS = ("e1", "e2")
_DIRECTION = re.compile(r"\(e[12],e[12]\)$")
MARKS = ("[E1]", "[/E1]", "[E2]", "[/E2]")
NOT_MARKED = (
    "mark the two spans whose relation is classified, each once: [E1]...[/E1] and [E2]...[/E2]"
)
_MARK = re.compile("|".join(map(re.escape, MARKS)))


class Relations(TextClassification):
    """Texts with two marked parts, whose relation is the class."""

    metrics: ClassVar[tuple[Metric, ...]] = ("relation_f1", "accuracy", "macro_f1", "f1", "f0.5")
    default_texts: ClassVar[tuple[str, ...]] = ("text",)
    pairs: ClassVar[bool | None] = False
    pairs_error: ClassVar[str] = "both parts of a relation are in one text: texts names one column"
    new_tokens: ClassVar[tuple[str, ...]] = MARKS
    vectors: ClassVar[int] = 2
    places: ClassVar[bool] = True
    marks: ClassVar[bool] = True
    uncut: ClassVar[bool] = True

    @property
    def sample(self) -> str:
        """A text with marks."""
        return "[E1]Mira[/E1] has a [E2]dog[/E2]."

    def read(self, path: Path, file: TaskFile) -> Iterator[TaskExample]:
        """Return the objects of a JSON Lines file, or the rows of a table with marks in its texts."""
        if ending(path) == ".jsonl":
            return self._read_objects(path, file)
        if ending(path) == ".tsv":
            return map(_marked, read_table(path, file, self.texts, self.label))
        raise DataError(
            f"{path}: a file of relations must be .jsonl, with one object per line, or a table .tsv"
        )

    def _read_objects(self, path: Path, file: TaskFile) -> Iterator[TaskExample]:
        """Yield the relations of a file with an object a line.

        An object has a text and its two parts, the first character and the end of the marked part::

            {"text": "Mira has a dog.", "e1": [0, 4], "e2": [11, 14], "label": "Owner-Owned(e1,e2)"}

        Raises DataError, naming file and line, for what has no text or label, or whose parts are not
        in the text.
        """
        for place, found in read_objects(path):
            text = text_of(found, self.texts[0], place, "text")
            label = found.get(self.label)
            if not isinstance(label, str):
                raise DataError(f"{place}: there is no label {self.label!r}")
            name = class_of(label, file, place)
            if name is not None:
                first, second = (_part(found, part, text, place) for part in PARTS)
                yield TaskExample((text,), name, place, (first, second))

    def labels(self, examples: Sequence[TaskExample]) -> tuple[str, ...]:
        """Return the classes of training examples, sorted.

        Raises DataError if none is the one that the recipe names as ``other``.
        """
        labels = super().labels(examples)
        if self.other not in map(relation_of, labels):
            if self.other_is_set:
                classes = ", ".join(labels)
                raise DataError(
                    f"task.other is {self.other!r}, but the training data has {classes}"
                )
            log.warning(
                "relation_f1 counts all classes: none is %r (if one class means no relation,"
                " set task.other to this class)",
                self.other,
            )
        return labels

    def training_items(
        self, inputs: TextInputs, examples: Examples, max_pieces: int
    ) -> Sequence[PreparedExample]:
        """Return the examples; DataError if marked parts are too far apart for ``max_pieces``."""
        for example in examples:
            shortened(inputs.tokenizer, example, min(max_pieces, inputs.max_pieces))
        return examples

    def training_batch(
        self, inputs: TextInputs, items: Examples, max_pieces: int
    ) -> dict[str, Any]:
        """Return the inputs of examples, cut to ``max_pieces``, and their labels."""
        labels = torch.tensor([example.gold for example in items])
        return {**self.inputs(inputs, items, max_pieces), "labels": labels}

    def found_in_batch(
        self, inputs: TextInputs, examples: Examples, logits: Logits
    ) -> Sequence[Row]:
        """Return the logits of each example, (outputs)."""
        return list(logits(self.inputs(inputs, examples, inputs.max_pieces)))

    @staticmethod
    def inputs(inputs: TextInputs, examples: Examples, max_pieces: int) -> dict[str, Any]:
        """Return what the network is called with for texts with two marked parts, on the CPU."""
        batch = tokenize_marked(inputs.tokenizer, examples, min(max_pieces, inputs.max_pieces))
        found: dict[str, Any] = {
            name: batch.tokens[name] for name in INPUTS if name in batch.tokens
        }
        if inputs.variant is not None:
            texts = [example.structures[0] for example in examples]
            found["syntax"] = collate(texts, batch.tokens, inputs.variant, batch.words)
        return {**found, "marks": batch.starts}

    def unmark(self, text: str) -> tuple[str, tuple[Span, Span]]:
        """Return a text without its marks, and where the marked parts are."""
        return read_marks(text)

    def score(self, labels: Labels, gold: Sequence[int], predicted: Sequence[int]) -> Scores:
        """Return the scores of the classes, and the F1 of relations."""
        scores = super().score(labels, gold, predicted)
        table = sklearn_metrics().confusion_matrix(gold, predicted, labels=range(len(labels)))
        relations = relations_of(labels, self.other)
        counts = np.stack([table.diagonal(), table.sum(axis=1), table.sum(axis=0)]).astype(float)
        scores["relation_f1"] = float(relation_f1(counts[None], relations)[0])
        return scores

    def tested(self, metric: Metric, labels: Labels, gold: Sequence[int], runs: Runs) -> Sums:
        """Return both runs' counts of classes."""
        if metric != "relation_f1":
            return super().tested(metric, labels, gold, runs)
        relations, size = relations_of(labels, self.other), len(labels)
        return sums_of_runs(
            runs,
            lambda seed: class_counts(size, gold, seed),
            lambda rows: relation_f1(rows.reshape(-1, 3, size), relations),
        )


def _marked(example: TaskExample) -> TaskExample:
    """Return an example of a table whose text has marks as one whose marks are places."""
    (text,) = example.texts
    assert isinstance(text, str)
    try:
        plain, marks = read_marks(text)
    except DataError as error:
        raise DataError(f"{example.place}: {error}") from error
    return TaskExample((plain,), example.gold, example.place, marks)


def _part(found: dict[str, Any], key: str, text: str, place: str) -> Span:
    part = found.get(key)
    if not isinstance(part, list) or len(part) != 2 or not all(map(is_number, part)):
        raise DataError(
            f"{place}: there is no {key!r}, as in [4, 9], the first character and the end of the marked span"
        )
    start, end = part
    if not 0 <= start < end <= len(text):
        raise DataError(
            f"{place}: {key!r} is {part}, but must lie from 0 to {len(text)}, the length of the text"
        )
    if not text[start:end].strip():
        raise DataError(f"{place}: {key!r} is {part}, where the text has only blanks")
    return start, end


def read_marks(text: str) -> tuple[str, tuple[Span, Span]]:
    """Return a text without its marks, and where the two parts stand in it.

    Raises DataError if a mark is missing, stands twice, or closes before it opens, and where a
    part is blank.
    """
    plain, places, end = "", {}, 0
    found = list(_MARK.finditer(text))
    for mark in found:
        plain += text[end : mark.start()]
        places[mark.group()] = len(plain)
        end = mark.end()
    plain += text[end:]
    if len(found) != len(MARKS) or len(places) != len(MARKS):
        raise DataError(NOT_MARKED)
    first = places["[E1]"], places["[/E1]"]
    second = places["[E2]"], places["[/E2]"]
    if not plain[slice(*first)].strip() or not plain[slice(*second)].strip():
        raise DataError(f"a marked span has no words: {NOT_MARKED}")
    return plain, (first, second)


@dataclass(frozen=True)
class MarkedWords:
    """The words of a text with its marks among them; ``words`` says which word each is, None: a mark.

    A word within which a part begins or ends stands in two pieces.
    """

    units: tuple[str, ...]
    words: tuple[int | None, ...]


def mark_words(written: Written, marks: tuple[Span, Span]) -> MarkedWords:
    """Put the marks of two parts before, between and into the words of a text."""
    events = []
    for number, (start, end) in enumerate(marks):
        # At one place what closes comes before what opens, and the part that is longer opens first.
        events.append((start, 1, -end, MARKS[2 * number]))
        events.append((end, 0, -start, MARKS[2 * number + 1]))
    events.sort()
    units: list[str] = []
    words: list[int | None] = []

    def put(unit: str, word: int | None) -> None:
        units.append(unit)
        words.append(word)

    for number, (begin, end) in enumerate(written.places):
        start = begin
        while events and events[0][0] <= begin:
            put(events.pop(0)[3], None)
        while events and events[0][0] < end:
            if events[0][0] > begin:
                put(written.text[begin : events[0][0]], number)
                begin = events[0][0]
            put(events.pop(0)[3], None)
        whole = begin == start
        put(written.words[number] if whole else written.text[begin:end], number)
    for event in events:
        put(event[3], None)
    return MarkedWords(tuple(units), tuple(words))


@dataclass(frozen=True)
class MarkedBatch:
    """Tokens of texts with marks (B, T), the word of each token, and the places of the two marks.

    ``starts`` (B, 2) has the numbers of the tokens ``[E1]`` and ``[E2]``.
    """

    tokens: Any
    words: list[list[int | None]]
    starts: Tensor


@panics_as_errors()
def tokenize_marked(
    tokenizer: PreTrainedTokenizerBase, examples: Examples, limit: int
) -> MarkedBatch:
    """Return the tokens of texts with their marks, padded, at most ``limit`` of each.

    Of a longer text that part is read in the middle of which the marked parts stand. Raises
    DataError if they are too far apart for that.
    """
    marked = [shortened(tokenizer, example, limit) for example in examples]
    tokens = tokenizer(
        [list(one.units) for one in marked],
        is_split_into_words=True,
        padding=True,
        return_tensors="pt",
    )
    words = [
        [None if unit is None else one.words[unit] for unit in tokens.word_ids(row)]
        for row, one in enumerate(marked)
    ]
    opening = tokenizer.convert_tokens_to_ids([MARKS[0], MARKS[2]])
    starts = [(tokens["input_ids"] == mark).long().argmax(dim=1) for mark in opening]
    return MarkedBatch(tokens, words, torch.stack(starts, dim=1))


@panics_as_errors()
def shortened(
    tokenizer: PreTrainedTokenizerBase, example: PreparedExample, limit: int
) -> MarkedWords:
    """Return an example's words with marks, cut to ``limit`` tokens around the marks.

    Raises DataError if the marked parts are too far apart.
    """
    assert example.written is not None and example.marks is not None
    marked = mark_words(example.written, example.marks)
    backend = tokenizer.backend_tokenizer
    backend.no_truncation()
    encoding = backend.encode(list(marked.units), is_pretokenized=True, add_special_tokens=False)
    capacity = limit - tokenizer.num_special_tokens_to_add()
    if len(encoding.ids) <= capacity:
        return marked
    owners = [unit for unit in encoding.word_ids if unit is not None]
    is_mark = [marked.words[unit] is None for unit in owners]
    first = is_mark.index(True)
    end = len(is_mark) - is_mark[::-1].index(True)
    slack = capacity - (end - first)
    if slack < 0:
        where = f"{example.place}: " if example.place else ""
        raise DataError(
            f"{where}the text from the first to the last mark has {end - first} subwords, more than the {capacity} that the encoder reads"
        )
    start = max(0, min(first - slack // 2, len(owners) - capacity))
    kept, all_pieces = Counter(owners[start : start + capacity]), Counter(owners)
    # A word that would be cut in two is left out.
    whole = [unit for unit, pieces in kept.items() if pieces == all_pieces[unit]]
    return MarkedWords(
        tuple(marked.units[unit] for unit in whole), tuple(marked.words[unit] for unit in whole)
    )


def relation_of(label: str) -> str:
    """Return the relation of a class, without its direction."""
    return _DIRECTION.sub("", label)


def relations_of(labels: Labels, other: str) -> NDArray[np.int64]:
    """Return the number of each class's relation, (classes): both directions have one, ``other`` -1."""
    names = list(map(relation_of, labels))
    numbers = {name: number for number, name in enumerate(sorted(set(names) - {other}))}
    return np.array([numbers.get(name, -1) for name in names], np.int64)


def relation_f1(counts: Floats, relations: NDArray[np.int64]) -> Floats:
    """Return the macro F1 in percent, (rows), of how often each class is right, there and predicted.

    ``counts`` (rows, 3, C) have them in this order.
    """
    count = int(relations.max(initial=-1)) + 1
    belongs = np.equal.outer(relations, np.arange(count)).astype(np.float64)  # (C, relations)
    right, in_gold, found = (counts @ belongs).transpose(1, 0, 2)
    total = in_gold + found
    scores = np.divide(2 * right, total, out=np.zeros_like(right), where=total > 0)
    there = in_gold > 0
    number = there.sum(axis=1)
    sums = np.where(there, scores, 0.0).sum(axis=1)
    mean: Floats = np.divide(sums, number, out=np.zeros_like(sums), where=number > 0)
    percent: Floats = 100 * mean
    return percent
