"""The data of a recipe, read and given its syntax."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass

from bnaparser.errors import DataError, SettingsError
from bnaparser.syntax.sources.tree_source import Text, Words
from bnaparser.syntax.structure import Structure
from bnaparser.tasks.data import encode_gold, inventory, read_examples
from bnaparser.tasks.examples import Gold, PreparedExample, TaskExample, written
from bnaparser.tasks.metrics import has_spans
from bnaparser.tasks.settings import TaskRecipe, TaskSettings
from bnaparser.tasks.trees import read_by, tree_source

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Split:
    """The examples of one part of the data, with their syntax."""

    name: str
    examples: tuple[PreparedExample, ...]

    @property
    def gold(self) -> list[Gold]:
        """What is to be predicted of each."""
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
    SettingsError where the metric is none for the data.
    """
    settings = recipe.train
    for name, files in (("data", settings.data), ("dev", settings.dev)):
        if not files:
            raise DataError(f"the recipe names no files: set train.{name}")
    parts = {"train": settings.data, "dev": settings.dev, "test": settings.test}
    read = {name: read_examples(files, recipe.task) for name, files in parts.items() if files}
    labels = inventory(read["train"], recipe.task)
    if recipe.task.main_metric == "span_f1" and not has_spans(labels):
        raise SettingsError(
            f"span_f1 is of BIO tags, B-PER and the like, and the training data has "
            f"{', '.join(labels[:5])}: set task.metric to accuracy or macro_f1"
        )
    numbers = {label: number for number, label in enumerate(labels)}
    # All labels are looked up before the first text is parsed, which may take hours.
    gold = {
        name: [_gold(one, recipe.task, numbers) for one in found] for name, found in read.items()
    }
    source = tree_source(recipe.syntax, settings.device, recipe.task.language)
    # Several questions are about one passage.
    texts = list(dict.fromkeys(text for one in read.values() for e in one for text in e.texts))
    sentences = dict(zip(texts, read_by(source, texts), strict=True))
    structures = dict(zip(texts, source(list(sentences.values())), strict=True))
    splits = [
        Split(
            name,
            tuple(
                _prepared(e, g, structures, sentences, recipe.task)
                for e, g in zip(found, gold[name], strict=True)
            ),
        )
        for name, found in read.items()
    ]
    for split in splits:
        unparsed = sum(s.error is not None for e in split.examples for s in e.structures)
        if unparsed and recipe.syntax.needs_trees:
            log.warning(
                "%s: %d texts have no tree: the plain encoder serves them", split.name, unparsed
            )
        log.info("%s: %d examples", split.name, len(split.examples))
    return Data(labels, splits[0], tuple(splits[1:]))


def _gold(example: TaskExample, task: TaskSettings, numbers: Mapping[str, int]) -> Gold:
    return example.gold if task.kind == "answers" else encode_gold(example, numbers)


def _prepared(
    example: TaskExample,
    gold: Gold,
    structures: Mapping[str | Words, Structure],
    sentences: Mapping[str | Words, Text],
    task: TaskSettings,
) -> PreparedExample:
    """Return an example with its syntax, and where parts of its text count, with their places."""
    found = tuple(structures[text] for text in example.texts)
    text = example.texts[-1]
    if task.kind not in ("relations", "answers") or not isinstance(text, str):
        return PreparedExample(found, gold, place=example.place)
    places = written(text, found[-1].words, sentences[text])
    return PreparedExample(found, gold, places, example.marks, example.answer, example.place)
