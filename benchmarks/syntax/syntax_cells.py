"""Rows of results into the cells of the page: spreads over seeds, and paired tests."""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from benchmarks.syntax.runs import Result, predictions_file
from benchmarks.syntax.syntax_tables import TASKS

if TYPE_CHECKING:
    from bnaparser.tasks.task_significance import Comparison

LEVEL = 0.05


def of(rows: list[Result], task: str, system: str | None = None) -> list[Result]:
    found = [row for row in rows if row["task"] == task and system in (None, row["system"])]
    return sorted(found, key=lambda row: row["seed"])


def values(rows: list[Result], task: str, system: str, metric: str) -> list[float]:
    return [row["scores"][metric] for row in of(rows, task, system)]


def spread(found: Sequence[float]) -> str:
    if not found:
        return ""
    mean = f"{statistics.mean(found):.1f}"
    return mean if len(found) == 1 else f"{mean} ± {statistics.stdev(found):.1f}"


def comparison(
    options: argparse.Namespace, rows: list[Result], task: str, system: str, other: str
) -> Comparison | None:
    """Return the paired test of two systems over the seeds that both have; None without any.

    None too where their predictions are not there: the rows that are kept beside the page come
    without them.
    """
    from bnaparser.tasks.task_settings import TaskSettings
    from bnaparser.tasks.task_significance import compare

    mine, theirs = ({row["seed"] for row in of(rows, task, name)} for name in (system, other))
    pairs = [
        [predictions_file(options, task, name, seed) for name in (system, other)]
        for seed in sorted(mine & theirs)
    ]
    if system == other or not pairs or not all(file.is_file() for pair in pairs for file in pair):
        return None
    pooled: dict[str, list[Any]] = {"gold": [], "first": [], "second": []}
    for pair in pairs:
        first, second = (json.loads(file.read_text(encoding="utf-8")) for file in pair)
        if first["gold"] != second["gold"]:
            raise SystemExit(f"{task}: {system} and {other} were scored on different examples")
        pooled["gold"] += as_gold(first["gold"])
        pooled["first"] += as_gold(first["predicted"])
        pooled["second"] += as_gold(second["predicted"])
    settings = TaskSettings.model_validate(TASKS[task].table)
    return compare(settings, first["labels"], *pooled.values())


def as_gold(found: list[Any]) -> list[Any]:
    """Return what JSON gives as lists as the tuples that they were."""
    return [tuple(gold) if isinstance(gold, list) else gold for gold in found]


def tested_cell(found: Comparison | None) -> str:
    if found is None:
        return ""
    shown = f"{found.difference:+.1f} [{found.low:+.1f}, {found.high:+.1f}], {found.p_value:.3f}"
    return f"**{shown}**" if found.p_value < LEVEL else shown


def table_head(cells: Sequence[str]) -> list[str]:
    return [line(cells), "|---" * len(cells) + "|"]


def line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
