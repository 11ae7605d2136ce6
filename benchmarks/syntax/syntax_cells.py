"""Rows of results into the cells of the page: spreads over seeds, and paired tests."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchmarks.syntax.kept_runs import Result
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


def comparison(rows: list[Result], task: str, system: str, other: str) -> Comparison | None:
    """Return the paired test of two systems over the seeds that both have; None without any."""
    from bnaparser.tasks.all_seeds import as_gold
    from bnaparser.tasks.task_settings import TaskSettings
    from bnaparser.tasks.task_significance import compare

    first, second = ({row["seed"]: row for row in of(rows, task, name)} for name in (system, other))
    seeds = sorted(first.keys() & second.keys())
    if system == other or not seeds or "gold" not in first[seeds[0]]:
        return None
    pairs = [(first[seed], second[seed]) for seed in seeds]
    gold = pairs[0][0]["gold"]
    if any(row["gold"] != gold for pair in pairs for row in pair):
        raise SystemExit(f"{task}: {system} and {other} were scored on different examples")
    runs = [[as_gold(row["predicted"]) for row in run] for run in zip(*pairs, strict=True)]
    settings = TaskSettings.model_validate(TASKS[task].table)
    return compare(settings, pairs[0][0]["labels"], as_gold(gold), runs[0], runs[1])


def tested_cell(found: Comparison | None) -> str:
    if found is None:
        return ""
    shown = f"{found.difference:+.1f} [{found.low:+.1f}, {found.high:+.1f}], {found.p_value:.3f}"
    return f"**{shown}**" if found.p_value < LEVEL else shown


def table_head(cells: Sequence[str]) -> list[str]:
    return [line(cells), "|---" * len(cells) + "|"]


def line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
