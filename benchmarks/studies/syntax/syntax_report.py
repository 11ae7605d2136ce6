"""The page of run_syntax.py: what the runs scored, beside the papers' own scores."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.encoders import described
from benchmarks.machine import NUMBERS, listed_of
from benchmarks.pages import spread
from benchmarks.studies.syntax.cost_tables import cost
from benchmarks.studies.syntax.inside_tables import inside
from benchmarks.studies.syntax.kept_runs import Result
from benchmarks.studies.syntax.probe_tables import probed
from benchmarks.studies.syntax.runs import prepared
from benchmarks.studies.syntax.syntax_cells import (
    LEVEL,
    comparison,
    holm_level,
    line,
    majority_cell,
    of,
    over_majority,
    table_head,
    tested_cell,
    values,
)
from benchmarks.studies.syntax.syntax_tables import (
    ABLATION,
    BY_THRESHOLD,
    INSIDE,
    MAIN,
    METRICS,
    PLAIN,
    SLA_BASE,
    SLA_COLUMNS,
    SLA_PAIRS,
    SLA_PAIRS_COLUMNS,
    SYNTAX_BERT_BASE,
    SYNTAX_BERT_COLUMNS,
    SYSTEMS,
    TABLE_5,
    TASKS,
    THRESHOLDS,
    TREES,
    VARIED,
    WINDOW,
)

BOLD = f"Bold: significant at {LEVEL:g} after Holm's correction for the comparisons of the table."
NOTES = Path(__file__).with_name("syntax_notes.md")


def report(options: argparse.Namespace, rows: list[Result]) -> str:
    """Return the page of what is done so far."""
    if not rows:
        raise SystemExit(f"{options.output} holds no results with these settings")
    lines = ["# Attention guided by syntax", "", *machine(options, rows), ""]
    lines += main_table(rows)
    lines += floor(rows)
    lines += differences(rows)
    lines += papers()
    lines += ablation(rows)
    lines += trees(options, rows)
    lines += reasons(rows)
    lines += thresholds(rows)
    lines += inside(options)
    lines += probed(options)
    lines += cost(options)
    if NOTES.is_file():
        lines += ["", NOTES.read_text(encoding="utf-8").strip()]
    return "\n".join(lines) + "\n"


def machine(options: argparse.Namespace, rows: list[Result]) -> list[str]:
    """Return what was measured where and how, and how to do it again."""
    dates = sorted(row["date"] for row in rows)
    seeds = sorted({row["seed"] for row in rows})
    machines = " and ".join(dict.fromkeys(row["processor"] for row in rows))
    hours = sum(row["total_seconds"] for row in rows) / 3600
    budgets = ", ".join(
        f"{task.title} {row['examples']} x {row['epochs']:g} ({row['scored_examples']} of {task.judged})"
        for name, task in TASKS.items()
        for row in of(rows, name)[:1]
    )
    command = f"python -m benchmarks.studies.syntax.run_syntax --tasks {options.tasks.name} "
    command += f"--encoder {options.encoder.name} --output {options.output.name}"
    command += f" --precision {options.precision}" if options.precision != "no" else ""
    return [
        f"{dates[0]} to {dates[-1]} UTC, {len(rows)} trainings in {hours:.1f} hours.",
        "",
        f"- {machines}; {options.threads} threads, {options.device}, {NUMBERS[options.precision]}",
        f"- {listed_of(rows)}",
        f"- Encoder: {described(options.encoder.name)}",
        (
            f"- Trees of the parser {options.parser!r}; seeds "
            f"{', '.join(map(str, seeds))}; batches of {options.batch_size}, learning rate "
            f"{options.learning_rate:g}, which rises for a tenth of the updates and falls to 0; "
            f"{options.pooling} pooling"
        ),
        f"- Training examples x passes (scored): {budgets}. They are drawn at random, once.",
        f"- `{command}`, then the same with `--report`",
        "",
        (
            "All systems of a task have the same encoder, examples, batches, updates and learning rates. No setting is "
            "chosen by the scores of this page: the network after the last update is scored once, on `test` if "
            "the task has a test part, otherwise on `dev`. All systems have their default settings "
            "([syntax.md](../../../docs/syntax.md)): threshold 3 for SLA, a window of 4 for WLA, one layer for "
            "SG-Net. SLA's paper runs its baselines on single sentences; here all systems read pairs too."
        ),
    ]


def shown(rows: list[Result]) -> list[str]:
    """Return the tasks that there are runs of."""
    return [name for name in TASKS if of(rows, name)]


def main_table(rows: list[Result], systems: Iterable[str] = MAIN) -> list[str]:
    """Return these systems' scores on every task, mean and deviation over seeds."""
    columns = [(name, metric) for name in shown(rows) for metric in TASKS[name].metrics]
    head = [f"{TASKS[name].title} {METRICS[metric]}" for name, metric in columns]
    lines = ["## The systems", "", *table_head(["", *head])]
    cells = [majority_cell(rows, name, metric) for name, metric in columns]
    lines.append(line(["majority answer", *cells]))
    for system in systems:
        cells = [spread(values(rows, name, system, metric), 1) for name, metric in columns]
        lines.append(line([SYSTEMS[system].title, *cells]))
    return [
        *lines,
        "",
        (
            "Percent, mean ± standard deviation over seeds. The majority answer is a baseline: the most frequent "
            "class of the training examples, for tagging the most frequent tag, for regression the mean score."
        ),
        "",
    ]


def floor(rows: list[Result]) -> list[str]:
    """Return which tasks the plain encoder has not begun to learn."""
    shown = []
    for name, task in TASKS.items():
        found = over_majority(rows, name)
        if found is not None and (found.difference <= 0 or found.p_value >= LEVEL):
            shown.append(f"{task.title} (p {found.p_value:.2f})")
    if not shown:
        return ["On every task the plain encoder is significantly above the majority answer.", ""]
    return [
        (
            f"Not learned at this size: {', '.join(shown)}. On these tasks the plain encoder is not significantly above the "
            "majority answer, so a difference between systems says nothing about syntax."
        ),
        "",
    ]


def differences(rows: list[Result], systems: Iterable[str] = MAIN) -> list[str]:
    """Return what each of these systems gains over the plain encoder, tested in pairs."""
    tasks = shown(rows)
    lines = table_head(["over the plain encoder", *(TASKS[name].title for name in tasks)])
    found = {
        system: [comparison(rows, name, system, PLAIN) for name in tasks]
        for system in systems
        if system != PLAIN
    }
    every = [one for row in found.values() for one in row]
    level = holm_level(every)
    for system, row in found.items():
        lines.append(line([SYSTEMS[system].title, *(tested_cell(one, level) for one in row)]))
    p_values = [one.p_value for one in every if one is not None]
    alone = sum(value < LEVEL for value in p_values)
    marked = sum(value <= level for value in p_values)
    several = [name for name in ("mrpc", "stsb") if name in tasks]  # columns that say nothing of it
    named = ", ".join(f"of {TASKS[name].title} {METRICS[TASKS[name].metric]}" for name in several)
    which = f" ({named})" if named else ""
    return [
        *lines,
        "",
        (
            f"A cell has the difference of the task's metric{which}, mean over seeds, [95 % interval], p-value. Approximate randomisation and the bootstrap draw "
            "examples, with 2,000 trials each; all seeds of an example stay together. The tests show whether these networks differ on such "
            "examples. The standard deviations above show how much another seed would change a score. Bold: significant at "
            f"{LEVEL:g} after Holm's correction for the {len(p_values)} comparisons of the table. {marked} comparisons are significant; "
            f"{alone} have a p-value under {LEVEL:g}, of which {LEVEL * len(p_values):.0f} would be expected if there were no differences."
        ),
        "",
    ]


def papers() -> list[str]:
    """Return what the papers report, on full data and BERT-base."""
    lines = ["## The papers' own scores", ""]
    lines += ["SLA (Li and others 2021, table 1; full data, BERT-base, mean of 5 runs):", ""]
    lines += printed(SLA_COLUMNS, SLA_BASE)
    pairs = printed(SLA_PAIRS_COLUMNS, SLA_PAIRS)
    lines += ["", "SLA on pairs of sentences (table 2, development parts):", "", *pairs]
    lines += ["", "Syntax-BERT (Bai and others 2021, tables 2 to 4; full data, BERT-base):", ""]
    lines += printed(SYNTAX_BERT_COLUMNS, SYNTAX_BERT_BASE)
    return [*lines, ""]


def ablation(rows: list[Result]) -> list[str]:
    """Return Syntax-BERT's table 5, ours beside the paper's."""
    cola, stsb = TASKS["cola"], TASKS["stsb"]
    head = [
        "",
        f"{cola.title}, bnaparser",
        "over Syntax-BERT",
        f"{stsb.title}, bnaparser",
        "over Syntax-BERT",
        "CoLA, paper",
        "SST-2, paper",
        "STS-B, paper",
    ]
    lines = ["## Syntax-BERT's table 5", "", *table_head(head)]
    compared = {
        (name, system): comparison(rows, name, system, "syntax-bert")
        for name in ("cola", "stsb")
        for system in ABLATION
    }
    level = holm_level(compared.values())
    for system in (PLAIN, "syntax-bert", *ABLATION):
        cells = []
        for name in ("cola", "stsb"):
            metrics = TASKS[name].metrics
            scores = " / ".join(spread(values(rows, name, system, metric), 1) for metric in metrics)
            cells += [scores.strip(" /"), tested_cell(compared.get((name, system)), level)]
        sst2, cola_paper, stsb_paper = TABLE_5.get(system, ("", "", ""))
        lines.append(line([SYSTEMS[system].title, *cells, cola_paper, sst2, stsb_paper]))
    return [
        *lines,
        "",
        (
            "bnaparser's scores are on CoLA, which has the shortest sentences, and for pairwise masks on STS-B. The paper's scores are from "
            "BERT-large and full data. Without topical attention the paper uses a sum. The row with the mean "
            f"keeps the scale with which the encoder was trained. {BOLD}"
        ),
        "",
    ]


def trees(options: argparse.Namespace, rows: list[Result]) -> list[str]:
    """Return what SST's own trees and the controls do on SST-2."""
    shares = prepared(options).get("shares", {})
    head = [
        "SST-2",
        "accuracy",
        "over the plain encoder",
        "over our parser's trees",
        "pairs seen, %",
    ]
    lines = ["## Source of the trees", "", *table_head(head)]
    systems = (PLAIN, "sla", *TREES)
    over_plain = {system: comparison(rows, "sst2", system, PLAIN) for system in systems}
    over_base = {
        system: comparison(rows, "sst2", system, base) if (base := base_of(system)) else None
        for system in systems
    }
    level = holm_level([*over_plain.values(), *over_base.values()])
    for system in systems:
        cells = [
            spread(values(rows, "sst2", system, "accuracy"), 1),
            tested_cell(over_plain[system], level),
            tested_cell(over_base[system], level),
            f"{100 * shares[system]:.0f}" if system in shares else "",
        ]
        lines.append(line([SYSTEMS[system].title, *cells]))
    window = prepared(options).get("window")
    size = "" if window is None else f" of {window} words to each side"
    return [
        *lines,
        "",
        (
            "All trees are over the words of SST. SST's own trees are binary and have no labels except the sentiment. "
            "They are the output of a parser (Stanford's, binarised; Socher and others 2013), not a gold "
            "standard. Head rules cannot read them, so the head of a phrase is the word that is "
            "highest in bnaparser's dependencies. Random trees are binary, with random splits. "
            "Pairs seen: percentage of the word pairs of the training sentences that are visible under the mask. Of all windows, the "
            f"window{size} has the percentage of pairs that is nearest to SLA's. {BOLD}"
        ),
        "",
    ]


def base_of(system: str) -> str | None:
    """Return what has our parser's trees where a system has others."""
    if system.startswith("sla-") or system == WINDOW:
        return "sla"
    return "constituents" if system.startswith("constituents-") else None


def reasons(rows: list[Result]) -> list[str]:
    """Return what LISA does with a lighter supervision, and SG-Net's layer without syntax."""
    systems = ("lisa", "lisa-0.1", "lisa-0.01", "sgnet", "sgnet-random")
    lines = ["## Smaller weights of the supervision, and a layer without syntax", ""]
    return [*lines, *against_plain(rows, INSIDE, systems), "", BOLD, ""]


def thresholds(rows: list[Result]) -> list[str]:
    """Return what SLA does with each threshold."""
    if not any(of(rows, name, system) for name in VARIED for system in THRESHOLDS):
        return []
    lines = ["## Threshold of SLA", "", *against_plain(rows, VARIED, BY_THRESHOLD)]
    return [
        *lines,
        "",
        (
            "The threshold is a number of edges in the tree: a word sees all words within this distance of itself or of one of its neighbours. SLA without a number "
            f"has the default, 3; the paper chose from 3 and 4. {BOLD}"
        ),
        "",
    ]


def against_plain(rows: list[Result], tasks: Sequence[str], systems: Sequence[str]) -> list[str]:
    """Return a table of systems' scores on tasks, and what each gains over the plain encoder."""
    head = [""]
    for name in tasks:
        head += [f"{TASKS[name].title} {METRICS[TASKS[name].metric]}", "over the plain encoder"]
    lines = table_head(head)
    compared = {
        (name, system): comparison(rows, name, system, PLAIN)
        for name in tasks
        for system in systems
    }
    level = holm_level(compared.values())
    for system in (PLAIN, *systems):
        cells = []
        for name in tasks:
            cells += [
                spread(values(rows, name, system, TASKS[name].metric), 1),
                tested_cell(compared.get((name, system)), level),
            ]
        lines.append(line([SYSTEMS[system].title, *cells]))
    return lines


def printed(columns: Sequence[str], rows: Mapping[str, Sequence[Any]]) -> list[str]:
    lines = table_head(["", *columns])
    return lines + [line([name, *map(str, cells)]) for name, cells in rows.items()]
