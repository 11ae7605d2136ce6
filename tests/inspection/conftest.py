"""Tiny models of a task that syntax guides, and sentences with random trees."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bnaparser.syntax.syntax_trees import SyntaxTrees


@pytest.fixture(autouse=True)
def on_one_thread(one_thread: None) -> None:
    """Every test of this folder runs on one thread: all its models are tiny."""


@pytest.fixture
def build(encoder_folder: Callable[[str], Path]) -> Callable[..., Any]:
    """A function from a family and a table of [syntax] to an untrained model of a task."""
    import torch

    from bnaparser.settings import validate
    from bnaparser.tasks.model import create
    from bnaparser.tasks.settings import TaskModelSettings

    def make(family: str = "bert", syntax: dict[str, Any] | None = None, **task: Any) -> Any:
        table = {
            "task": task,
            "encoder": {"name": str(encoder_folder(family))},
            "syntax": syntax or {},
        }
        torch.manual_seed(4)
        model = create(validate(TaskModelSettings, table, "test"), ("no", "yes"))
        model.network.eval()
        return model

    return make


@pytest.fixture
def the_cat() -> SyntaxTrees:
    """The sentence of the examples, with a word of several pieces at its end."""
    words = ("The", "cat", "sat", "on", "the", "unaffable")
    return SyntaxTrees(words, (2, 3, 0, 3, 6, 4))


@pytest.fixture
def it_rained() -> SyntaxTrees:
    return SyntaxTrees(("It", "rained"), (2, 0))
