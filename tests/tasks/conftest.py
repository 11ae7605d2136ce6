"""Recipes over invented data, tiny encoders and the tiny parser; runs that tests share."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from bnaparser.tasks.settings import TaskRecipe

DATA = Path(__file__).parents[1] / "data" / "tasks"
NAMES = {"0": "negative", "1": "positive"}


@pytest.fixture(autouse=True)
def on_one_thread(one_thread: None) -> None:
    """Every test of this folder runs on one thread: all its encoders are tiny."""


@pytest.fixture
def task_data() -> Path:
    """The folder of invented examples."""
    return DATA


@pytest.fixture(scope="session")
def recipe_table(
    encoder_folder: Callable[[str], Path], tiny_model_dir: Path
) -> Callable[..., dict[str, Any]]:
    """A function from a kind of task to the tables of a quick recipe for it."""
    tasks: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        "sentiment": (
            {"positive": "positive"},
            {"path": str(DATA / "sentiment.tsv"), "labels": NAMES},
        ),
        "names": ({"kind": "tagging"}, {"path": str(DATA / "names.tsv")}),
        "pairs": ({"texts": ["sentence1", "sentence2"]}, {"path": str(DATA / "pairs.tsv")}),
        "scores": (
            {"kind": "regression", "texts": ["sentence1", "sentence2"], "label": "score"},
            {"path": str(DATA / "pairs.tsv")},
        ),
        "relations": ({"kind": "relations"}, {"path": str(DATA / "relations.jsonl")}),
        "answers": ({"kind": "answers"}, {"path": str(DATA / "questions.jsonl")}),
    }

    def table(name: str = "sentiment", encoder: str = "bert", **train: Any) -> dict[str, Any]:
        task, file = copy.deepcopy(tasks[name])  # so that a test may change them
        # Judging takes longer than such an update: once an epoch of the sentiments will do.
        quick = {"epochs": 2.0, "batch_size": 8, "learning_rate": 2e-3, "eval_steps": 5}
        return {
            "task": task,
            "encoder": {"name": str(encoder_folder(encoder)), "pooling": "mean"},
            "syntax": {"parser": str(tiny_model_dir), "sla": {"threshold": 2}},
            "train": {"data": [file], "dev": [file], "device": "cpu", **quick, **train},
        }

    return table


@pytest.fixture(scope="session")
def recipe(recipe_table: Callable[..., dict[str, Any]]) -> Callable[..., TaskRecipe]:
    """A function from what ``recipe_table`` takes, and maybe a [syntax] table, to the recipe."""
    from bnaparser.settings import validate
    from bnaparser.tasks.settings import TaskRecipe

    def build(
        name: str = "sentiment",
        encoder: str = "bert",
        syntax: dict[str, Any] | None = None,
        **train: Any,
    ) -> TaskRecipe:
        table = recipe_table(name, encoder, **train)
        if syntax is not None:
            table["syntax"] = syntax
        return validate(TaskRecipe, table, "test")

    return build


@pytest.fixture(scope="session")
def trained(
    recipe: Callable[..., TaskRecipe], tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., Path]:
    """A function from settings of a run on sentiments to its folder, trained once and only read."""
    from bnaparser.tasks.all_seeds import train

    @functools.cache
    def run(**settings: Any) -> Path:
        folder = tmp_path_factory.mktemp("run")
        train(recipe(**settings), folder)
        return folder

    return run
