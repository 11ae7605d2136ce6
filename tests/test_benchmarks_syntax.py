"""What benchmarks/syntax.py compares: trees that are not ours, and a window as dense as SLA."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from bnaparser.syntax.structure import Structure
from bnaparser.trees.tree import Tree

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return import_module("syntax_runs")


def test_sst_trees_get_the_heads_that_our_dependencies_put_highest(runs: ModuleType) -> None:
    words = ("The", "cat", "sat", "on", "the", "mat")
    structure = Structure(words, (2, 3, 0, 3, 6, 4))
    tree = Tree.parse("(3 (2 (2 The) (2 cat)) (3 (2 (2 sat) (2 on)) (2 (2 the) (2 mat))))")
    found = runs.with_tree(structure, {words: tree})
    # "mat" hangs from "sat": here "sat on" is a phrase, with "sat" as its head.
    assert found.heads == (2, 3, 0, 3, 6, 3)
    assert found.trees == (tree,)


def test_the_window_is_as_dense_as_it_can_be(runs: ModuleType) -> None:
    # Three words: a window of 1 lets 7 of 9 pairs see each other, one of 2 all.
    assert runs.window_as_dense([3], 0.7) == (1, pytest.approx(7 / 9))
    assert runs.window_as_dense([3], 0.95) == (2, 1.0)


def test_every_run_is_listed_once_and_known(runs: ModuleType) -> None:
    tables = import_module("syntax_tables")
    assert len(set(tables.RUNS)) == len(tables.RUNS)
    assert {task for task, _ in tables.RUNS} == set(tables.TASKS)
    assert {system for _, system in tables.RUNS} == set(tables.SYSTEMS)
    assert set(tables.TABLE_5) < set(tables.SYSTEMS)
