"""What benchmarks/syntax/run_syntax.py compares: trees that are not ours, and a window as dense as SLA."""

from __future__ import annotations

import pytest

from benchmarks.syntax import runs, syntax_tables
from bnaparser.syntax.structure import Structure
from bnaparser.trees.tree import Tree


def test_sst_trees_get_the_heads_that_our_dependencies_put_highest() -> None:
    words = ("The", "cat", "sat", "on", "the", "mat")
    structure = Structure(words, (2, 3, 0, 3, 6, 4))
    tree = Tree.parse("(3 (2 (2 The) (2 cat)) (3 (2 (2 sat) (2 on)) (2 (2 the) (2 mat))))")
    found = runs.with_tree(structure, {words: tree})
    # "mat" hangs from "sat": here "sat on" is a phrase, with "sat" as its head.
    assert found.heads == (2, 3, 0, 3, 6, 3)
    assert found.trees == (tree,)


def test_the_window_is_as_dense_as_it_can_be() -> None:
    # Three words: a window of 1 lets 7 of 9 pairs see each other, one of 2 all.
    assert runs.window_as_dense([3], 0.7) == (1, pytest.approx(7 / 9))
    assert runs.window_as_dense([3], 0.95) == (2, 1.0)


def test_every_run_is_listed_once_and_known() -> None:
    assert len(set(syntax_tables.RUNS)) == len(syntax_tables.RUNS)
    assert {task for task, _ in syntax_tables.RUNS} == set(syntax_tables.TASKS)
    assert {system for _, system in syntax_tables.RUNS} == set(syntax_tables.SYSTEMS)
    assert set(syntax_tables.TABLE_5) < set(syntax_tables.SYSTEMS)
