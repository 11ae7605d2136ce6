"""The page's tables of what ``--inside`` found."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from benchmarks.studies.syntax.kept_runs import Result, measured
from benchmarks.studies.syntax.syntax_cells import line, table_head
from benchmarks.studies.syntax.syntax_tables import INSIDE, MAIN, SYSTEMS, TASKS

INSIDE_COLUMNS: dict[str, Callable[[Result], str]] = {
    "moved": lambda row: f"{row['moved']:.2f}",
    "fraction of syntax": lambda row: ", ".join(f"{share:.2f}" for share in row["shares"]),
    "on the parent": lambda row: f"{row['on_parent']:.2f}" if "on_parent" in row else "",
    "the task's loss": lambda row: f"{row['task_loss']:.2f}",
    "the task's pull": lambda row: f"{row['task_pull']:.2f}",
    "the supervision's pull": lambda row: (
        f"{row['supervision_pull']:.2f}" if "supervision_pull" in row else ""
    ),
    "cosine": lambda row: f"{row['agreement']:+.2f}" if "agreement" in row else "",
}


def inside(options: argparse.Namespace) -> list[str]:
    """Return the tables of ``--inside``, where it has been run."""
    found = measured(options, "inside")
    if found is None:
        return []
    lines = ["## Inside the networks", ""]
    for task in INSIDE:
        lines += table_head([f"{TASKS[task].title}, before → after training", *INSIDE_COLUMNS])
        for system in MAIN:
            pair = [row for row in found if (row["task"], row["system"]) == (task, system)]
            if pair:
                cells = [changed(shown, pair) for shown in INSIDE_COLUMNS.values()]
                lines.append(line([SYSTEMS[system].title, *cells]))
        lines.append("")
    return [
        *lines,
        (
            "Means over 128 training texts, seed 1, without dropout. Moved: distance between the encoder's vectors "
            "with and without syntax (with the same weights), divided by the length of the vectors without syntax. "
            "Fraction of syntax: the gates by layer (SLA, WLA), the fraction of the sub-networks that syntax masks "
            "(Syntax-BERT), the mixture's weight of the guided layer (SG-Net). On the parent: the "
            "attention of the supervised heads to the parent, geometric mean over tokens and layers. Pull: length of the "
            "gradient at the encoder's own weights. Cosine: between the gradient of the task and the gradient of the "
            "supervision."
        ),
        "",
    ]


def changed(shown: Callable[[Result], str], rows: list[Result]) -> str:
    """Return what a column shows of a system before its training and after it."""
    by_time = {row["when"]: shown(row) for row in rows}
    return " → ".join(filter(None, (by_time["before"], by_time["after"])))
