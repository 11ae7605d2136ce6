"""The page of run_large.py: what each system scored at the rate that was chosen for it."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.encoders import described
from benchmarks.machine import NUMBERS, listed_of
from benchmarks.studies.syntax.kept_runs import Result, beside
from benchmarks.studies.syntax.syntax_cells import line, of, table_head
from benchmarks.studies.syntax.syntax_report import differences, floor, main_table, shown
from benchmarks.studies.syntax.syntax_tables import METRICS, SYSTEMS, TASKS

PAGE = Path(__file__).with_name("large.md")


def large_report(options: argparse.Namespace, rows: list[Result], command: str) -> str:
    """Return the page of what is done so far."""
    if not rows:
        raise SystemExit(f"{options.output} holds no results with these settings")
    chosen = at_best_rates(rows, options.rates)
    lines = ["# Attention guided by syntax, with more examples", ""]
    lines += machine(options, rows, command)
    lines += main_table(chosen, options.systems)
    lines += floor(chosen)
    lines += differences(chosen, options.systems)
    lines += rates(rows, options.systems, options.rates)
    notes = beside(options.page, "notes.md")
    if notes.is_file():
        lines += [notes.read_text(encoding="utf-8").strip()]
    return "\n".join(lines) + "\n"


def best_rate(trials: Sequence[Result], tried: Sequence[float]) -> float | None:
    """Return the rate whose run did best on what is held out, the lowest of several; None before all are done."""
    if {row["learning_rate"] for row in trials} != set(tried):
        return None
    best = max(trials, key=lambda row: (row["held_out"], -row["learning_rate"]))
    rate: float = best["learning_rate"]
    return rate


def trials_of(rows: list[Result], task: str, system: str) -> list[Result]:
    """Return the runs of a system's first seed, one for each rate."""
    found = of(rows, task, system)
    return [row for row in found if row["seed"] == found[0]["seed"]]


def at_best_rates(rows: list[Result], tried: Sequence[float]) -> list[Result]:
    """Return the runs at the rate that was chosen for their system and task."""
    best = {
        (row["task"], row["system"]): best_rate(trials_of(rows, row["task"], row["system"]), tried)
        for row in rows
    }
    return [row for row in rows if best[row["task"], row["system"]] == row["learning_rate"]]


def machine(options: argparse.Namespace, rows: list[Result], command: str) -> list[str]:
    """Return what was measured where and how, and how to do it again."""
    dates = sorted(row["date"] for row in rows)
    machines = " and ".join(dict.fromkeys(row["processor"] for row in rows))
    hours = sum(row["total_seconds"] for row in rows) / 3600
    seeds = sorted({row["seed"] for row in rows})
    budgets = ", ".join(
        f"{TASKS[name].title} {row['examples']} x {row['epochs']:g} ({row['scored_examples']} of {TASKS[name].judged})"
        for name in TASKS
        for row in of(rows, name)[:1]
    )
    return [
        f"{dates[0]} to {dates[-1]} UTC, {len(rows)} trainings in {hours:.1f} hours.",
        "",
        f"- {machines}; {options.threads} thread a run, {NUMBERS[options.precision]}",
        f"- {listed_of(rows)}",
        f"- Encoder: {described(options.encoder.name)}",
        (
            f"- Trees of the parser {options.parser!r}; seeds "
            f"{', '.join(map(str, seeds))}; batches of {options.batch_size}; {options.pooling} pooling"
        ),
        f"- Training examples, at most, x passes (scored): {budgets}",
        f"- `{command}`",
        "",
        (
            "A tenth of the training examples is held out. The first seed of every system was trained at "
            f"learning rates of {' and '.join(f'{rate:g}' for rate in options.rates)}, which rise for a tenth of the updates and fall to 0. The rate with the best score on "
            "the held-out examples is used for all seeds of the system. The scored examples were not used for this choice. They are "
            "scored once, after the last update. All systems have their default settings "
            "([syntax.md](../../../docs/syntax.md)). [syntax.md](syntax.md) has fewer updates, more systems and tasks, and the papers' own scores."
        ),
        "",
    ]


def rates(rows: list[Result], systems: Iterable[str], tried: Sequence[float]) -> list[str]:
    """Return the table of the held-out scores at each learning rate, with the chosen rate in bold."""
    tasks = shown(rows)
    lines = ["## Learning rates", ""]
    lines += table_head(
        ["held out", *(f"{TASKS[name].title} {METRICS[TASKS[name].metric]}" for name in tasks)]
    )
    for system in systems:
        cells = []
        for task in tasks:
            trials = trials_of(rows, task, system)
            best = best_rate(trials, tried)
            by_rate = {row["learning_rate"]: f"{row['held_out']:.1f}" for row in trials}
            scores = (
                f"**{by_rate[rate]}**" if rate == best else by_rate.get(rate, "") for rate in tried
            )
            cells.append(", ".join(scores).strip(", "))
        lines.append(line([SYSTEMS[system].title, *cells]))
    return [
        *lines,
        "",
        f"Scores of seed {rows[0]['seed']} on the held-out examples, at learning rates of {' and '.join(f'{rate:g}' for rate in tried)}. Bold: the rate that was chosen.",
        "",
    ]
