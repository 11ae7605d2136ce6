"""Recipes over invented data, tiny encoders and the tiny parser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parents[1] / "data" / "tasks"
NAMES = {"0": "negative", "1": "positive"}


@pytest.fixture(autouse=True)
def on_one_thread(one_thread: None) -> None:
    """Every test of this folder runs on one thread: all its encoders are tiny."""


@pytest.fixture
def task_data() -> Path:
    """The folder of invented examples."""
    return DATA


@pytest.fixture
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
    }

    def table(name: str = "sentiment", encoder: str = "bert", **train: Any) -> dict[str, Any]:
        task, file = tasks[name]
        quick = {"epochs": 2.0, "batch_size": 8, "learning_rate": 2e-3, "device": "cpu"}
        return {
            "task": task,
            "encoder": {"name": str(encoder_folder(encoder)), "pooling": "mean"},
            "syntax": {"parser": str(tiny_model_dir), "sla": {"threshold": 2}},
            "train": {"data": [file], "dev": [file], **quick, **train},
        }

    return table
