"""The data of a recipe: examples of files, parts of them, and their syntax."""

from __future__ import annotations

import hashlib
import json
import logging
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bnaparser.errors import DataError, SettingsError
from bnaparser.syntax.sources.tree_source import Text, Words
from bnaparser.syntax.syntax_trees import SyntaxTrees
from bnaparser.tasks.examples import Gold, PreparedExample, TaskExample, TaskFile, written
from bnaparser.tasks.kinds.tagging import has_spans
from bnaparser.tasks.settings import TaskRecipe, TaskSettings
from bnaparser.tasks.trees import read_by, tree_source

log = logging.getLogger(__name__)


def read_examples(files: Sequence[TaskFile], task: TaskSettings) -> list[TaskExample]:
    """Read the examples of all files, in order.

    Raises DataError, naming file and line, where a file is missing, damaged or not of its kind.
    """
    return [example for file in files for example in _read_file(file, task)]


def _read_file(file: TaskFile, task: TaskSettings) -> list[TaskExample]:
    examples = list(task.of_kind.read(Path(file.path), file))
    if not examples:
        raise DataError(f"{file.path}: the file holds no example")
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
    passages = task.of_kind.passages
    if not passages and file.phrases is None:
        return [[example] for example in examples]
    units: dict[str | Words, list[TaskExample]] = {}
    for example in examples:
        unit = example.texts[-1] if passages else example.place
        units.setdefault(unit, []).append(example)
    return list(units.values())


@dataclass(frozen=True)
class Split:
    """The examples of one part of the data, with their syntax."""

    name: str
    examples: tuple[PreparedExample, ...]

    @property
    def gold(self) -> list[Gold]:
        """The targets of the examples."""
        return [example.gold for example in self.examples if example.gold is not None]

    def digest(self, trees: bool) -> str:
        """Return a hash of all words and what is to be predicted, with ``trees`` of their syntax too."""
        digest = hashlib.sha256()
        for example in self.examples:
            syntax = [[s.heads, [*map(str, s.trees)]] for s in example.structures if trees]
            words = [structure.words for structure in example.structures]
            spans = [span for span in (example.marks, example.answer) if span is not None]
            digest.update(json.dumps([words, example.gold, syntax, *spans]).encode())
        return digest.hexdigest()


@dataclass(frozen=True)
class Data:
    """The data of a task: classes, training examples, development and maybe test examples."""

    labels: tuple[str, ...]
    train: Split
    judged: tuple[Split, ...]


def read_data(recipe: TaskRecipe) -> Data:
    """Read a recipe's data and give each text its syntax.

    Raises DataError as `read_examples` does, and where there is nothing to train or to judge on;
    SettingsError if the metric is none for the data.
    """
    settings = recipe.train
    for name, files in (("data", settings.data), ("dev", settings.dev)):
        if not files:
            raise DataError(f"the recipe names no files with examples: set train.{name}")
    parts = {"train": settings.data, "dev": settings.dev, "test": settings.test}
    read = {name: read_examples(files, recipe.task) for name, files in parts.items() if files}
    kind = recipe.task.of_kind
    labels = kind.labels(read["train"])
    if recipe.task.main_metric == "span_f1" and not has_spans(labels):
        raise SettingsError(
            "span_f1 needs BIO tags such as B-PER, but the training data has "
            f"{', '.join(labels[:5])}: set task.metric to accuracy or macro_f1"
        )
    numbers = {label: number for number, label in enumerate(labels)}
    # All labels are looked up before the first text is parsed, which may take hours.
    gold = {name: [kind.encode(one, numbers) for one in found] for name, found in read.items()}
    source = tree_source(recipe.syntax, settings.device, recipe.task.language)
    # Several questions are about one passage.
    texts = list(dict.fromkeys(text for one in read.values() for e in one for text in e.texts))
    sentences = dict(zip(texts, read_by(source, texts), strict=True))
    structures = dict(zip(texts, source(list(sentences.values())), strict=True))
    splits = [
        Split(
            name,
            tuple(
                _prepared(e, g, structures, sentences, kind.places)
                for e, g in zip(found, gold[name], strict=True)
            ),
        )
        for name, found in read.items()
    ]
    for split in splits:
        unparsed = sum(s.error is not None for e in split.examples for s in e.structures)
        if unparsed and recipe.syntax.needs_trees:
            log.warning(
                "%s: %d texts have no tree: the encoder reads these texts without syntax",
                split.name,
                unparsed,
            )
        log.info("%s: %d examples", split.name, len(split.examples))
    return Data(labels, splits[0], tuple(splits[1:]))


def _prepared(
    example: TaskExample,
    gold: Gold,
    structures: Mapping[str | Words, SyntaxTrees],
    sentences: Mapping[str | Words, Text],
    places: bool,
) -> PreparedExample:
    """Return an example with its syntax, and with ``places`` where each word of its text stands."""
    found = tuple(structures[text] for text in example.texts)
    text = example.texts[-1]
    if not places or not isinstance(text, str):
        return PreparedExample(found, gold, place=example.place)
    passage = written(text, found[-1].words, sentences[text])
    return PreparedExample(found, gold, passage, example.marks, example.answer, example.place)
