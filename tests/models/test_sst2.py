"""The sentiment model that ships stays within its size, and answers as its card says."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bnaparser import models
from bnaparser.tasks.classifier import Classifier
from bnaparser.tasks.data import read_examples
from bnaparser.tasks.examples import TaskFile
from bnaparser.tasks.settings import TaskSettings

FOLDER = models.SHIPPED / "sst2"
pytestmark = pytest.mark.skipif(
    not all((models.SHIPPED / name / "model.safetensors").is_file() for name in ("en", "sst2")),
    reason="models/en and models/sst2 are not checked out",
)


@pytest.fixture(scope="module")
def classifier() -> Classifier:
    return Classifier.load("sst2", device="cpu")


def test_the_readme_sentence(classifier: Classifier) -> None:
    answer = classifier("A gripping, funny film.")
    assert answer.label == "positive"
    assert answer.error is None
    assert [str(tree).startswith("(TOP (") for tree in answer.trees] == [True]


def test_at_most_24_megabytes() -> None:
    assert sum(file.stat().st_size for file in FOLDER.rglob("*") if file.is_file()) <= 24e6


def test_its_classes_and_its_syntax(classifier: Classifier) -> None:
    assert classifier.labels == ("negative", "positive")
    assert classifier.model.settings.syntax.sla is not None


def test_a_text_of_several_sentences_has_a_tree_each(classifier: Classifier) -> None:
    answer = classifier("I wanted to like it. It is a dull, lifeless mess, and far too long.")
    assert answer.label == "negative"
    assert len(answer.trees) == 2


@pytest.mark.skipif(
    "BNAPARSER_DATA" not in os.environ, reason="BNAPARSER_DATA: a folder with tasks/sst2"
)
def test_some_held_out_sentences(classifier: Classifier) -> None:
    path = Path(os.environ["BNAPARSER_DATA"]) / "tasks" / "sst2" / "dev.tsv.xz"
    file = TaskFile(path=str(path), labels={"0": "negative", "1": "positive"}, limit=100)
    examples = read_examples([file], TaskSettings())
    answers = classifier.classify_many(str(example.texts[0]) for example in examples)
    right = [a.label == e.gold for a, e in zip(answers, examples, strict=True)]
    assert sum(right) >= 82  # of 100; 89 % of all are expected
