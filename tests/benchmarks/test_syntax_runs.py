"""What benchmarks/syntax/run_syntax.py compares, and the page that it makes of kept runs."""

from __future__ import annotations

import argparse
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from benchmarks.syntax import runs, syntax_report, syntax_tables
from benchmarks.syntax.kept_runs import (
    Result,
    budget,
    pack,
    packed_runs,
    results,
    unpack,
    write_run,
)
from benchmarks.syntax.probe_networks import chain
from benchmarks.syntax.probe_tables import probed
from bnaparser.inspection.gold import GoldSentence
from bnaparser.syntax.structure import Structure
from bnaparser.tasks.settings import TaskSettings
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
    assert {task for task, _ in syntax_tables.RUNS} == set(syntax_tables.ENGLISH)
    assert {system for _, system in syntax_tables.RUNS} == set(syntax_tables.SYSTEMS)
    assert set(syntax_tables.TABLE_5) < set(syntax_tables.SYSTEMS)


@pytest.fixture
def options(tmp_path: Path) -> argparse.Namespace:
    return argparse.Namespace(
        tasks=Path("tasks"),
        encoder=Path("minilm-l3"),
        output=tmp_path / "syntax",
        page=tmp_path / "syntax.md",
        parser="en",
        examples=None,
        epochs=None,
        scored=1000,
        batch_size=16,
        learning_rate=3e-4,
        pooling="mean",
        precision="no",
        seeds=(1, 2, 3),
        threads=1,
        device="cpu",
    )


def invented(options: argparse.Namespace, task: str, system: str, seed: int) -> Result:
    """A run whose plain encoder has learned CoLA, and of MRPC the most frequent class."""
    draw = random.Random(f"{task} {system} {seed}")
    gold: list[Any] = [number % 3 % 2 for number in range(90)]
    right = 0.9 if task == "cola" else 0.0
    predicted: list[Any] = [one if draw.random() < right else 0 for one in gold]
    settings = TaskSettings.model_validate(syntax_tables.TASKS[task].table)
    return {
        "task": task,
        "system": system,
        "seed": seed,
        **budget(options, task),
        "scores": settings.of_kind.score(("0", "1"), gold, predicted),
        "scored_examples": len(gold),
        "total_seconds": 60.0,
        "versions": {"bnaparser": "1"},
        "processor": "Abacus, 2 cores",
        "date": "2026-11-23 03:00",
        "labels": ["0", "1"],
        "gold": gold,
        "predicted": predicted,
        "majority": 0,
    }


def test_the_page_comes_of_what_is_packed(options: argparse.Namespace) -> None:
    for task in ("cola", "mrpc"):
        for system in ("plain", "sla"):
            for seed in options.seeds:
                write_run(options, (task, system, seed), invented(options, task, system, seed))
    rows = results(options)
    assert len(rows) == 12
    pack(options, rows)
    page = syntax_report.report(options, rows)
    options.output = options.output.with_name("empty") / "syntax"
    assert results(options) == []
    assert syntax_report.report(options, packed_runs(options)) == page
    assert "- Abacus, 2 cores; " in page
    assert "| majority answer | 0.0 |" in page
    assert "At the floor at this size: MRPC (p " in page
    sla = next(line for line in page.splitlines() if line.startswith("| SLA |") and "[" in line)
    assert re.match(r"\| SLA \| [*]*[+-]\d+\.\d \[", sla)


def test_what_is_packed_can_be_gone_on_from(options: argparse.Namespace) -> None:
    first, second = (invented(options, "cola", "plain", seed) for seed in (1, 2))
    pack(options, [first | {"date": "2026-11-22 03:00"}, second])
    write_run(options, ("cola", "plain", 1), first)
    unpack(options)
    assert results(options) == [first, second]


def test_thresholds_stand_in_order_beside_the_plain_encoder(options: argparse.Namespace) -> None:
    rows = [invented(options, "cola", "plain", 1), invented(options, "cola", "sla", 1)]
    assert "How far SLA lets" not in syntax_report.report(options, rows)
    rows += [invented(options, "cola", f"sla-{number}", 1) for number in (4, 0)]
    lines = syntax_report.report(options, rows).splitlines()
    start = lines.index("## How far SLA lets a word see")
    shown = [line.split(" | ") for line in lines[start + 4 : start + 10]]
    assert [cells[0].strip("| ") for cells in shown] == [
        "plain encoder", "SLA, threshold 0", "SLA, threshold 1", "SLA, threshold 2", "SLA", "SLA, threshold 4"
    ]  # fmt: skip
    assert shown[2][1] == "" and shown[1][1] != ""


def test_probes_are_shown_with_trees_and_without(options: argparse.Namespace) -> None:
    rows = [
        {"system": system, "seed": seed, "shown": shown, "uuas": 40.0 + seed, "distance_spearman": 0.5,
         "root_accuracy": 30.0, "depth_spearman": 0.25, "treebank": "wsj", "processor": "Abacus",
         "date": "2026-11-25 19:00", **budget(options, "cola")}
        for system, shown in (("plain", "none"), ("sla", "parsed"), ("sla", "none"))
        for seed in (1, 3)
    ]  # fmt: skip
    options.output.mkdir()
    (options.output / "probed.json").write_text(json.dumps(rows))
    lines = probed(options)
    spread = "42.0 ± 1.4"
    assert any(
        line.startswith(f"| plain encoder |  | {spread} |  | 50.0 ± 0.0 |") for line in lines
    )
    assert any(line.startswith(f"| SLA | {spread} | {spread} | 50.0 ± 0.0 |") for line in lines)
    options.learning_rate = 1e-5
    assert probed(options) == []


def test_a_chain_of_words_has_the_edges_of_neighbours() -> None:
    # Five of eight edges are of neighbours; the first word is the root of one of two sentences.
    gold = [
        GoldSentence(Structure(tuple(text.split()), heads), (False,) * 5)
        for text, heads in (
            ("The cat sat very well", (2, 3, 0, 5, 3)),
            ("Sing very well my dear", (0, 3, 1, 5, 1)),
        )
    ]
    found = chain(gold)
    assert found["words"] == 10
    assert found["uuas"] == 62.5 and found["root_accuracy"] == 50


def test_the_page_is_that_of_the_runs_beside_it(options: argparse.Namespace) -> None:
    options.page = Path(syntax_report.__file__).with_name("syntax.md")
    page = options.page.read_text(encoding="utf-8").splitlines()
    found = syntax_report.report(options, packed_runs(options)).splitlines()
    assert [line for line in found if " threads, " not in line] == [
        line for line in page if " threads, " not in line
    ]
