"""Examples of a task, read from tables, tagged words and trees of classes; plain, .gz or .xz."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bnaparser.errors import DataError
from bnaparser.files.compressed import open_compressed
from bnaparser.syntax.sources.tree_source import Words
from bnaparser.tasks.task_settings import TaskFile, TaskSettings
from bnaparser.trees.escapes import unescape
from bnaparser.trees.tree import Tree, parse_trees_with_places


@dataclass(frozen=True)
class TaskExample:
    """One text, or two, and what is to be predicted: a class, a score, or a class of each word.

    A text is running text, or the words that it was given as.
    """

    texts: tuple[str | Words, ...]
    gold: str | float | tuple[str, ...]


def read_examples(files: Sequence[TaskFile], task: TaskSettings) -> list[TaskExample]:
    """Read the examples of all files, in order.

    Raises DataError, naming file and line, where a file is missing, damaged or not of its kind.
    """
    return [example for file in files for example in _read_file(file, task)]


def _read_file(file: TaskFile, task: TaskSettings) -> list[TaskExample]:
    path = Path(file.path)
    names = [s for suffix in path.suffixes if (s := suffix.lower()) not in (".gz", ".xz")]
    if names[-1:] in ([".csv"], [".json"], [".jsonl"]):
        raise DataError(f"{path}: a table has tabs between its fields and is named .tsv")
    if task.kind == "tagging":
        found = _read_words(path, file)
    elif names[-1:] == [".tsv"]:
        found = _read_table(path, file, task)
    elif task.kind == "classification" and not task.pair:
        found = _read_trees(path, file)
    else:
        raise DataError(f"{path}: trees give classes of single texts: this task needs a .tsv file")
    examples = list(found)
    if not examples:
        raise DataError(f"{path}: no example in it")
    if file.limit is None or file.limit >= len(examples):
        return examples
    # Files may be sorted by class, so the first ones would not do.
    chosen = random.Random(0).sample(range(len(examples)), file.limit)
    return [examples[index] for index in sorted(chosen)]


def _read_table(path: Path, file: TaskFile, task: TaskSettings) -> Iterator[TaskExample]:
    """Yield the rows of a table: a header line, fields separated by one tab, no quoting."""
    lines = read_lines(path)
    header = next(lines, (1, ""))[1].split("\t")
    for column in (task.label, *task.texts):
        if column not in header:
            raise DataError(
                f"{path}:1: there is no column {column!r}: there are {', '.join(header)}"
            )
    label = header.index(task.label)
    columns = [header.index(column) for column in task.texts]
    for number, line in lines:
        if not line.strip():
            continue
        fields = line.split("\t")
        if len(fields) != len(header):
            raise DataError(f"{path}:{number}: {len(fields)} fields, the header has {len(header)}")
        texts = tuple(fields[column] for column in columns)
        for column, text in zip(task.texts, texts, strict=True):
            if not text.strip():
                raise DataError(f"{path}:{number}: the column {column!r} is empty")
        name = _class(fields[label], file, f"{path}:{number}")
        if name is not None:
            place = f"{path}:{number}"
            yield TaskExample(texts, _score(name, place) if task.kind == "regression" else name)


def _read_words(path: Path, file: TaskFile) -> Iterator[TaskExample]:
    """Yield sentences of tagged words: a word, a tab, its label; a blank line ends a sentence."""
    words: list[str] = []
    tags: list[str] = []
    for number, line in read_lines(path):
        if not line.strip():
            if words:
                yield TaskExample((tuple(words),), tuple(tags))
            words, tags = [], []
            continue
        fields = line.split("\t")
        if len(fields) != 2 or not all(fields) or fields[0].split() != [fields[0]]:
            raise DataError(
                f"{path}:{number}: {line[:40]!r} is not a word without blanks, a tab and its label"
            )
        tag = _class(fields[1], file, f"{path}:{number}")
        if tag is None:
            raise DataError(f"{path}:{number}: labels of words cannot be dropped: map them")
        words.append(fields[0])
        tags.append(tag)
    if words:
        yield TaskExample((tuple(words),), tuple(tags))


def _read_trees(path: Path, file: TaskFile) -> Iterator[TaskExample]:
    """Yield the sentences of trees whose nodes are labelled with classes, or all their phrases."""
    seen: set[tuple[tuple[str, ...], str]] = set()
    lines = (f"{line}\n" for _, line in read_lines(path))
    for tree, place in parse_trees_with_places(lines, str(path)):
        words = tuple(map(unescape, tree.words))
        for node in _phrases(tree, file.phrases):
            name = _class(node.label, file, f"{path}:{place.line}")
            phrase = words[node.start : node.end]
            if name is None:
                continue
            if file.phrases is not None:
                if (phrase, name) in seen:
                    continue
                seen.add((phrase, name))
            yield TaskExample((phrase,), name)


def _phrases(tree: Tree, least: int | None) -> Iterator[Tree]:
    """Yield the tree, and with ``least`` all its nodes of at least so many words."""
    yield tree
    if least is None:
        return
    stack = list(tree.subtrees)
    while stack:
        node = stack.pop()
        if node.end - node.start >= least:
            yield node
            stack.extend(node.subtrees)


def _class(label: str, file: TaskFile, place: str) -> str | None:
    """Return the class that a file's label stands for; None where it leaves the example out."""
    label = label.strip()
    if label in file.drop:
        return None
    if not file.labels:
        if not label:
            raise DataError(f"{place}: the label is empty")
        return label
    if label not in file.labels:
        known = ", ".join([*file.labels, *file.drop])
        raise DataError(f"{place}: the label {label!r} is none of the recipe's: {known}")
    return file.labels[label]


def _score(text: str, place: str) -> float:
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise DataError(f"{place}: the score {text!r} is not a number")
    return score


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines of a file, plain or packed, without their ends.

    Raises DataError where it is missing or damaged, or a line is not UTF-8.
    """
    number = 0
    try:
        with open_compressed(path) as raw:
            for number, line in enumerate(raw, 1):
                line = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
                yield number, line.rstrip(b"\r\n").decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"{path}:{number}: byte {error.start + 1} is not UTF-8") from error


def inventory(examples: Sequence[TaskExample], task: TaskSettings) -> tuple[str, ...]:
    """Return the classes of training examples: sorted, or of words the most frequent first.

    A regression task has none. Raises DataError where there are fewer than two.
    """
    if task.kind == "regression":
        return ()
    counts: dict[str, int] = {}
    for example in examples:
        assert not isinstance(example.gold, float)
        for label in (example.gold,) if isinstance(example.gold, str) else example.gold:
            counts[label] = counts.get(label, 0) + 1
    if len(counts) < 2:
        raise DataError(f"the training data has one class only: {', '.join(counts)}")
    if task.positive is not None and task.positive not in counts:
        raise DataError(
            f"task.positive is {task.positive!r}, but the training data has "
            f"{', '.join(sorted(counts))}"
        )
    order = sorted(counts)
    return tuple(sorted(order, key=lambda name: -counts[name]) if task.kind == "tagging" else order)


def encode_gold(example: TaskExample, numbers: Mapping[str, int]) -> int | float | tuple[int, ...]:
    """Return an example's gold as numbers of classes, or its score.

    Raises DataError for a class that the training data does not have.
    """
    if isinstance(example.gold, float):
        return example.gold
    try:
        if isinstance(example.gold, str):
            return numbers[example.gold]
        return tuple(numbers[label] for label in example.gold)
    except KeyError as error:
        shown = " ".join(" ".join(t) if isinstance(t, tuple) else t for t in example.texts)
        raise DataError(
            f"the label {error.args[0]!r} of {shown[:60]!r} is not in the training data"
        ) from error
