"""benchmarks/pretrain: runs that are done are not done again; the pages say what was measured."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.pretrain import plot_curves, run_masking, run_pretrain_speed
from benchmarks.pretrain.masking_report import report
from benchmarks.pretrain.masking_tables import RUNS, SEEDS, TASKS
from benchmarks.pretrain.masking_training import budget, task_scores
from bnaparser.tasks.settings import TaskRecipe


@pytest.fixture
def options(tmp_path: Path) -> argparse.Namespace:
    return argparse.Namespace(
        encoder=Path("minilm-l3"),
        text=[Path("en.txt.xz")],
        data=Path("wsj_sample"),
        tasks=Path("tasks"),
        output=tmp_path,
        page=tmp_path / "masking.md",
        updates=60,
        parser_updates=100,
        precision="bf16",
        threads=1,
        only=None,
        seed=None,
    )


def row(options: argparse.Namespace, name: str, seed: int, **more: Any) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": name, "seed": seed, **budget(options), "tokens": 1000, "seconds": 60.0,
        "words_lost": {"subwords": 4.0 + seed, "geometric": 5.0}, "versions": {"torch": "2"},
        "history": [{"update": 60, "tokens": 1000, "held_out_words": 4.5}],
        "parser": {"dev": 80.0 + seed, "test": 70.0}, "date": f"2026-01-0{seed} 00:00",
        "ner_wnut17": {"dev": 10.0, "test": 9.0},
    }  # fmt: skip
    return found | more


def test_what_is_done_is_not_done_again(options: argparse.Namespace) -> None:
    everything = run_masking.pending(options)
    assert len(everything) == len(set(everything)) == (len(RUNS) + 1) * len(SEEDS)
    rows = [row(options, "geometric", 1), row(options, "words", 1, updates=30)]
    text = "".join(json.dumps(one) + "\n" for one in rows)
    (options.output / "results.jsonl").write_text(text)
    assert set(everything) - set(run_masking.pending(options)) == {("geometric", 1)}


def test_the_page_has_a_line_a_run_and_is_made_again_of_what_lies_beside_it(
    options: argparse.Namespace,
) -> None:
    rows = [row(options, "geometric", 1), row(options, "geometric", 2), row(options, "none", 1)]
    page = report(options, rows)
    assert "| geometric spans | 1 2 | 1,000 | 5.500 | 5.000 | 4.500 |  |  |" in page
    assert "| geometric spans | 1 2 | 81.50 ± 0.71 | 70.00 ± 0.00 |" in page
    assert "| the encoder as it is | 1 | 81.00 | 70.00 | 10.00 | 9.00 |" in page
    assert "whole words" in page.partition("The paper")[2]
    beside = "".join(json.dumps(one) + "\n" for one in rows)
    options.page.with_suffix(".jsonl").write_text(beside)
    assert run_masking.results(options) == rows


@pytest.mark.parametrize("task", TASKS)
def test_tasks_have_recipes_and_the_scores_they_are_judged_by(
    options: argparse.Namespace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, task: str
) -> None:
    seen = []

    def train(recipe: TaskRecipe, output: Path) -> dict[str, Any]:
        seen.append(recipe)
        scores = {recipe.task.main_metric: 50.0}
        return {"seeds": {"1": {"dev": scores}}}

    monkeypatch.setattr("bnaparser.tasks.all_seeds.train", train)
    assert task_scores(options, task, Path("made"), 1, tmp_path) == {"dev": 50.0}
    assert seen[0].encoder.name == "made"
    assert seen[0].train.data[0].path.startswith(str(options.tasks))


def test_the_fastest_quarter_of_updates_counts() -> None:
    found = {"seconds": {"both": [1.0, 2.0, 4.0, 8.0]}, "tokens": [100, 100, 100, 100]}
    assert run_pretrain_speed.speeds(found) == {"both": 100.0}


def test_curves_tell_what_was_lost_before_and_after() -> None:
    history = [
        {"update": 0, "tokens": 0, "held_out_words": 9.0},
        {"update": 5, "tokens": 50_000, "loss": 4.0, "held_out_words": 3.25},
    ]
    found = plot_curves.table({"tiny": history})
    assert found.splitlines()[2:] == ["| tiny | masked words | 50,000 | 9.000 | 3.250 |"]
