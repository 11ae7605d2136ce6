"""What benchmarks/syntax/run_syntax.py compares, and the page that it makes of stored rows."""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

import pytest

from benchmarks.syntax import runs, syntax_report, syntax_tables
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
    window, density = runs.window_as_dense([3], 0.7)
    assert window == 1 and density == pytest.approx(7 / 9)
    assert runs.window_as_dense([3], 0.95) == (2, 1.0)


def test_every_run_is_listed_once_and_known() -> None:
    assert len(set(syntax_tables.RUNS)) == len(syntax_tables.RUNS)
    assert {task for task, _ in syntax_tables.RUNS} == set(syntax_tables.TASKS)
    assert {system for _, system in syntax_tables.RUNS} == set(syntax_tables.SYSTEMS)
    assert set(syntax_tables.TABLE_5) < set(syntax_tables.SYSTEMS)


def test_the_stored_rows_give_the_page_but_for_tests_and_cost(tmp_path: Path) -> None:
    """The predictions, which the paired tests need, are too large to be stored."""
    folder = Path(runs.__file__).parent
    page = (folder / "syntax.md").read_text(encoding="utf-8").splitlines()
    stored = (folder / "syntax.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in stored]
    shutil.copy(folder / "syntax_inside.json", tmp_path / "inside.json")
    options = argparse.Namespace(
        tasks=Path("tasks"),
        encoder=Path("minilm-l3"),
        output=tmp_path,
        parser="en",
        examples=None,
        epochs=None,
        scored=1000,
        batch_size=16,
        learning_rate=3e-4,
        pooling="mean",
        threads=1,
        device="cpu",
    )
    found = syntax_report.report(options, rows).splitlines()
    assert "No paired tests: the predictions of the runs are not there." in found
    scores = [line for line in found if line.startswith(("| LISA | 2.8", "| SG-Net | 0.71"))]
    assert len(scores) == 3  # of all systems, of the reasons, from inside
    for heading in ("## The systems", "## Inside the networks"):
        at, there = found.index(heading), page.index(heading)
        assert found[at : at + 10] == page[there : there + 10]
