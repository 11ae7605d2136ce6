"""Rows of results into the cells of the page: spreads over seeds, and paired tests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from benchmarks.studies.syntax.kept_runs import Result
from benchmarks.studies.syntax.syntax_tables import PLAIN, TASKS

if TYPE_CHECKING:
    from bnaparser.tasks.significance import Comparison

LEVEL = 0.05


def of(rows: list[Result], task: str, system: str | None = None) -> list[Result]:
    found = [row for row in rows if row["task"] == task and system in (None, row["system"])]
    return sorted(found, key=lambda row: row["seed"])


def values(rows: list[Result], task: str, system: str, metric: str) -> list[float]:
    return [row["scores"][metric] for row in of(rows, task, system)]


def comparison(rows: list[Result], task: str, system: str, other: str) -> Comparison | None:
    """Return the paired test of two systems over the seeds that both have; None without any."""
    first, second = ({row["seed"]: row for row in of(rows, task, name)} for name in (system, other))
    seeds = sorted(first.keys() & second.keys())
    if system == other or not seeds:
        return None
    gold = first[seeds[0]]["gold"]
    if any(row["gold"] != gold for seed in seeds for row in (first[seed], second[seed])):
        raise SystemExit(f"{task}: {system} and {other} were scored on different examples")
    runs = [[one[seed]["predicted"] for seed in seeds] for one in (first, second)]
    return compared(first[seeds[0]], runs[0], runs[1])


def over_majority(rows: list[Result], task: str) -> Comparison | None:
    """Return the paired test of the plain encoder and the majority answer; None without runs."""
    plain = of(rows, task, PLAIN)
    if not plain:
        return None
    answers = [majority_answers(row) for row in plain]
    return compared(plain[0], [row["predicted"] for row in plain], answers)


def compared(row: Result, first: list[list[Any]], second: list[list[Any]]) -> Comparison:
    """Return the paired test of two systems' predictions, by seed, for the examples of a run."""
    from bnaparser.tasks.all_seeds import as_gold
    from bnaparser.tasks.settings import TaskSettings
    from bnaparser.tasks.significance import compare

    settings = TaskSettings.model_validate(TASKS[row["task"]].table)
    runs = [[as_gold(one) for one in run] for run in (first, second)]
    return compare(settings, row["labels"], as_gold(row["gold"]), runs[0], runs[1])


def majority_answers(row: Result) -> list[Any]:
    """Return what the majority answer is for each example of a run."""
    answer = row["majority"]
    return [[answer] * len(gold) if isinstance(gold, list) else answer for gold in row["gold"]]


def majority_cell(rows: list[Result], task: str, metric: str) -> str:
    """Return what the majority answer scores."""
    from bnaparser.tasks.all_seeds import as_gold
    from bnaparser.tasks.settings import TaskSettings

    found = of(rows, task)
    if not found:
        return ""
    settings, row = TaskSettings.model_validate(TASKS[task].table), found[0]
    gold, answers = as_gold(row["gold"]), as_gold(majority_answers(row))
    return f"{settings.of_kind.score(row['labels'], gold, answers)[metric]:.1f}"


def holm_level(comparisons: Iterable[Comparison | None]) -> float:
    """Return the largest p-value that is significant among several by Holm's step-down correction at 0.05.

    Without any significant one it is -1, which no p-value is below.
    """
    level = -1.0
    p_values = sorted(found.p_value for found in comparisons if found is not None)
    for place, p_value in enumerate(p_values):
        if p_value > LEVEL / (len(p_values) - place):
            break
        level = p_value
    return level


def tested_cell(found: Comparison | None, level: float) -> str:
    """Return a cell with a difference, its interval and p-value, bold where p is at most ``level``."""
    if found is None:
        return ""
    p_value = "< 0.001" if found.p_value < 0.001 else f"{found.p_value:.3f}"
    shown = f"{found.difference:+.1f} [{found.low:+.1f}, {found.high:+.1f}], {p_value}"
    return f"**{shown}**" if found.p_value <= level else shown


def table_head(cells: Sequence[str]) -> list[str]:
    return [line(cells), "|---" * len(cells) + "|"]


def line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
