"""Examples of a task, read from tables, tagged words, trees of classes and JSON; plain, .gz or .xz."""

from __future__ import annotations

import logging
import math
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bnaparser.errors import DataError
from bnaparser.files.compressed import ending
from bnaparser.syntax.sources.tree_source import Words
from bnaparser.tasks.examples import TaskExample
from bnaparser.tasks.json_examples import read_answers, read_relations, read_squad
from bnaparser.tasks.relation_marks import read_marks
from bnaparser.tasks.relation_scores import relation_of
from bnaparser.tasks.settings import TaskFile, TaskSettings
from bnaparser.tasks.task_lines import class_of, read_lines
from bnaparser.trees.escapes import unescape
from bnaparser.trees.tree import Tree, parse_trees_with_places

log = logging.getLogger(__name__)


def read_examples(files: Sequence[TaskFile], task: TaskSettings) -> list[TaskExample]:
    """Read the examples of all files, in order.

    Raises DataError, naming file and line, where a file is missing, damaged or not of its kind.
    """
    return [example for file in files for example in _read_file(file, task)]


def _read_file(file: TaskFile, task: TaskSettings) -> list[TaskExample]:
    examples = list(_found(file, task))
    if not examples:
        raise DataError(f"{file.path}: no example in it")
    if file.part is not None:
        units = _units(examples, file, task)
        order = random.Random(0).sample(range(len(units)), len(units))
        first, end = (round(share * len(order)) for share in file.part)
        if first == end:
            raise DataError(f"{file.path}: this part of its {len(examples)} examples is empty")
        examples = [example for index in sorted(order[first:end]) for example in units[index]]
    if file.limit is None or file.limit >= len(examples):
        return examples
    # Files may be sorted by class, so the first ones would not do.
    drawn = random.Random(0).sample(range(len(examples)), file.limit)
    return [examples[index] for index in sorted(drawn)]


def _units(
    examples: Sequence[TaskExample], file: TaskFile, task: TaskSettings
) -> list[list[TaskExample]]:
    """Return what a part is drawn from: the phrases of a tree or questions on a passage as one.

    Otherwise parts of a file would share sentences or passages.
    """
    if task.kind != "answers" and file.phrases is None:
        return [[example] for example in examples]
    units: dict[str | Words, list[TaskExample]] = {}
    for example in examples:
        unit = example.texts[-1] if task.kind == "answers" else example.place
        units.setdefault(unit, []).append(example)
    return list(units.values())


def _found(file: TaskFile, task: TaskSettings) -> Iterator[TaskExample]:
    """Return the examples of a file, read as its name and the kind of task say."""
    path = Path(file.path)
    name = ending(path)
    if task.kind == "answers":
        if name not in (".jsonl", ".json"):
            raise DataError(
                f"{path}: questions and answers are in .jsonl, an object a line, or SQuAD's .json"
            )
        return read_squad(path) if name == ".json" else read_answers(path, task)
    if task.kind == "relations":
        if name == ".jsonl":
            return read_relations(path, file, task)
        if name == ".tsv":
            return map(_marked, _read_table(path, file, task))
        raise DataError(f"{path}: relations are in .jsonl, an object a line, or in a .tsv table")
    if name in (".csv", ".json", ".jsonl"):
        raise DataError(f"{path}: a table has tabs between its fields and is named .tsv")
    if task.kind == "tagging":
        return _read_words(path, file)
    if name == ".tsv":
        return _read_table(path, file, task)
    if task.kind == "classification" and not task.pair:
        return _read_trees(path, file)
    raise DataError(f"{path}: trees give classes of single texts: this task needs a .tsv file")


def _marked(example: TaskExample) -> TaskExample:
    """Return an example of a table whose text has marks as one whose marks are places."""
    (text,) = example.texts
    assert isinstance(text, str)
    try:
        plain, marks = read_marks(text)
    except DataError as error:
        raise DataError(f"{example.place}: {error}") from error
    return TaskExample((plain,), example.gold, example.place, marks)


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
        name = class_of(fields[label], file, f"{path}:{number}")
        if name is not None:
            place = f"{path}:{number}"
            gold = _score(name, place) if task.kind == "regression" else name
            yield TaskExample(texts, gold, place)


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
            raise DataError(
                f"{path}:{number}: {line[:40]!r} is not a word without blanks, a tab and its label"
            )
        tag = class_of(fields[1], file, f"{path}:{number}")
        if tag is None:
            raise DataError(f"{path}:{number}: labels of words cannot be dropped: map them")
        words.append(fields[0])
        tags.append(tag)
    if words:
        yield TaskExample((tuple(words),), tuple(tags), f"{path}:{number - len(words) + 1}")


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


def _score(text: str, place: str) -> float:
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise DataError(f"{place}: the score {text!r} is not a number")
    return score


def inventory(examples: Sequence[TaskExample], task: TaskSettings) -> tuple[str, ...]:
    """Return the classes of training examples: sorted, or of words the most frequent first.

    Regression and answers have none. Raises DataError where there are fewer than two, or none is the
    one that the recipe names as ``positive`` or ``other``.
    """
    if task.kind in ("regression", "answers"):
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
    if task.kind == "relations" and task.other not in map(relation_of, counts):
        classes = ", ".join(sorted(counts))
        if "other" in task.model_fields_set:
            raise DataError(f"task.other is {task.other!r}, but the training data has {classes}")
        log.warning(
            "relation_f1 counts all classes: none is %r (set task.other to the one that is no relation,"
            " if there is one)",
            task.other,
        )
    order = sorted(counts)
    return tuple(sorted(order, key=lambda name: -counts[name]) if task.kind == "tagging" else order)


def encode_gold(example: TaskExample, numbers: Mapping[str, int]) -> int | float | tuple[int, ...]:
    """Return an example's gold as numbers of classes, or its score.

    Raises DataError for a class that the training data does not have.
    """
    if isinstance(example.gold, float):
        return example.gold
    labels = (example.gold,) if isinstance(example.gold, str) else example.gold
    shown = " ".join(" ".join(t) if isinstance(t, tuple) else t for t in example.texts)
    for number, label in enumerate(labels):
        if label not in numbers:
            raise DataError(
                f"{_line_of(example.place, number)}the label {label!r} of {shown[:60]!r} is not in "
                f"the training data, which has {', '.join(sorted(numbers))}"
            )
    found = tuple(numbers[label] for label in labels)
    return found[0] if isinstance(example.gold, str) else found


def _line_of(place: str, number: int) -> str:
    """Return the file and line of a word of an example in front of what is said of it."""
    file, _, line = place.rpartition(":")
    return f"{file}:{int(line) + number}: " if line else ""
