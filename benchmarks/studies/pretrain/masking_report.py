"""The page of run_masking.py."""

from __future__ import annotations

import argparse
import statistics
import sys

from benchmarks.encoders import described
from benchmarks.machine import NUMBERS, command, listed_of, processor
from benchmarks.pages import spread
from benchmarks.studies.pretrain.masking_tables import (
    BATCH_SIZE,
    BLOCK,
    JUDGED,
    LEARNING_RATE,
    NONE,
    PAPER,
    PAPER_COLUMNS,
    PAPER_SUBWORDS,
    RUNS,
    SEEDS,
)
from benchmarks.studies.pretrain.masking_training import PARTS, Result


def report(options: argparse.Namespace, rows: list[Result]) -> str:
    """Return the page of what is done so far."""
    if not rows:
        sys.exit(f"{options.output} holds no results with this budget")
    dates = sorted(row["date"] for row in rows)
    lines = ["# Masking schemes of pre-training", "", f"{dates[0]} to {dates[-1]} UTC.", ""]
    lines += machine(options, rows)
    lines += ["", *missing(rows), *losses(rows), "", *scores(rows), "", *paper(rows)]
    return "\n".join(lines) + "\n"


def of(rows: list[Result], name: str) -> list[Result]:
    return [row for row in rows if row["name"] == name]


def title(name: str) -> str:
    if name == NONE:
        return "the encoder as it is"
    run = RUNS[name]
    return f"{run.title}, next sentence" if run.next_sentence else run.title


def names(rows: list[Result]) -> list[str]:
    """Return the runs that are done with any seed, in the order of the paper's table."""
    return [name for name in (NONE, *RUNS) if of(rows, name)]


def missing(rows: list[Result]) -> list[str]:
    """Return which runs of the table are not done."""
    done = {(row["name"], row["seed"]) for row in rows}
    left = [
        f"{title(name)} (seed {seed})"
        for name in (NONE, *RUNS)
        for seed in SEEDS
        if (name, seed) not in done
    ]
    count = f"{len(done)} of {len(done) + len(left)} runs are done."
    return [f"{count} Not done: {', '.join(left)}." if left else count, ""]


def losses(rows: list[Result]) -> list[str]:
    """Return the table of what is lost on held-out text."""
    lines = [
        "Loss on held-out text, in nats for each prediction, mean over seeds:",
        "",
        "- subwords, spans: loss on masked words if subwords, or geometric spans, of one segment are masked. All runs are scored with these masks, whatever they were trained on.",
        "- own words, boundaries, next: losses of the run's own objectives, with its own masks.",
        "",
        "| masked, predicted | seeds | subwords seen | subwords | spans | own words | boundaries | next |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name in names(rows):
        if name == NONE:
            continue
        found = of(rows, name)
        cells = [f"{statistics.fmean(row['tokens'] for row in found):,.0f}"]
        cells += [
            f"{statistics.fmean(row['words_lost'][scheme] for row in found):.3f}"
            for scheme in ("subwords", "geometric")
        ]
        for objective in ("words", "boundaries", "next_sentence"):
            values = [row["history"][-1].get(f"held_out_{objective}") for row in found]
            cells.append("" if None in values else f"{statistics.fmean(values):.3f}")
        lines.append(f"| {title(name)} | {seeds(found)} | {' | '.join(cells)} |")
    return lines


def scores(rows: list[Result]) -> list[str]:
    """Return the table of what parser and tasks make of the encoders."""
    columns = {"parser": "parser, F1"} | {task: title for task, (_, title) in JUDGED.items()}
    shown = [
        (key, part, title)
        for key, title in columns.items()
        for part in PARTS
        if all(part in row.get(key, {}) for row in rows)
    ]
    heads = " | ".join(f"{title}, {part}" for _, part, title in shown)
    lines = [
        "Scores of parsers and task models that were trained on each encoder, mean and standard deviation over seeds. No setting was chosen by these scores.",
        "",
        f"| masked, predicted | seeds | {heads} |",
        "|---|---|" + "---|" * len(shown),
    ]
    for name in names(rows):
        found = of(rows, name)
        cells = [spread([row[key][part] for row in found]) for key, part, _ in shown]
        lines.append(f"| {title(name)} | {seeds(found)} | {' | '.join(cells)} |")
    return lines


def seeds(rows: list[Result]) -> str:
    return " ".join(str(seed) for seed in sorted(row["seed"] for row in rows))


def paper(rows: list[Result]) -> list[str]:
    """Return the paper's scores, and how many times more text it has seen than these runs."""
    seen = statistics.fmean(row["tokens"] for row in rows if row["name"] != NONE)
    ratio = round(PAPER_SUBWORDS / seen / 10_000) * 10_000
    lines = [
        "The next table has the paper's scores, F1 or accuracy (tables 6 and 7; two segments and next sentence prediction unless stated otherwise).",
        "The paper trains BERT-large from scratch and reports checkpoints at 1.2 million updates of 256 blocks of 512 subwords.",
        f"That is {ratio:,} times as many subwords as here.",
        "",
        f"| masked | {' | '.join(PAPER_COLUMNS)} |",
        "|---|" + "---|" * len(PAPER_COLUMNS),
    ]
    lines += [
        f"| {name} | {' | '.join(f'{value:.1f}' for value in values)} |"
        for name, values in PAPER.items()
    ]
    return lines


def machine(options: argparse.Namespace, rows: list[Result]) -> list[str]:
    """Return what was measured where, and how to measure it again."""
    threads = "1 thread" if options.threads == 1 else f"{options.threads} threads"
    arguments = [f"--text={file.name}" for file in options.text]
    arguments += [f"--data={options.data.name}", f"--tasks={options.tasks.name}"]
    arguments += [f"--encoder={options.encoder.name}", f"--output={options.output.name}"]
    arguments += [f"--updates={options.updates}", f"--parser-updates={options.parser_updates}"]
    arguments += [f"--threads={options.threads}", f"--precision={options.precision}"]
    again = command("benchmarks.studies.pretrain.run_masking", arguments)
    what = (
        f"- {options.updates} updates of {BATCH_SIZE} blocks of {BLOCK} subwords, "
        f"learning rate {LEARNING_RATE:g}; then {options.parser_updates} updates of a parser without layers"
    )
    minutes = statistics.fmean(row["seconds"] for row in rows) / 60
    return [
        f"- {processor()}; {threads} a run, {NUMBERS[options.precision]}; a run takes {minutes:.1f} minutes",
        f"- {listed_of(rows)}",
        f"- Encoder: {described(options.encoder.name)}",
        what,
        f"- `{again}`, then the same with `--report`",
    ]
