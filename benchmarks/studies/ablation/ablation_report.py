"""The page of run_ablation.py."""

from __future__ import annotations

import argparse
import statistics
import sys

from benchmarks.encoders import described
from benchmarks.machine import NUMBERS, command, listed_of
from benchmarks.pages import spread
from benchmarks.studies.ablation.ablation_tables import (
    BARE,
    BATCH_SIZE,
    BATCH_TOKENS,
    BY_NGRAMS,
    BY_NSA_LAYERS,
    MAIN,
    MARGIN,
    PARTS,
    PEER,
    RUNS,
    SEEDS,
    WARM_UP,
)
from benchmarks.studies.ablation.ablation_training import Result, as_rows, learning_rate
from bnaparser.eval.significance import compare_rows
from bnaparser.text.text_rules import DEFAULT_LANGUAGE


def report(options: argparse.Namespace, rows: list[Result]) -> str:
    """Return the page of what is done so far."""
    if not rows:
        sys.exit(f"{options.output} holds no results with {options.updates} updates")
    dates = sorted(row["date"] for row in rows)
    lines = ["# Ablation", "", f"{dates[0]} to {dates[-1]} UTC.", "", *machine(options, rows), ""]
    lines += [
        "F1 (EVALB with COLLINS.prm, gold tags in all trees): mean and standard deviation over seeds.",
        "Head: number of weights outside the encoder, in millions. Minutes: training time.",
        "",
        "| layers | seeds | development | test | head, M | minutes |",
        "|---|---|---|---|---|---|",
    ]
    mixed = len({row["precision"] for row in rows}) > 1
    lines += [table_line(name, of(rows, name), mixed) for name in RUNS if of(rows, name)]
    lines += ["", *gains(rows), *significance(rows), *targets(rows)]
    for title, runs in (("n of NSA", BY_NGRAMS), ("NSA layers", BY_NSA_LAYERS)):
        if not any(of(rows, name, SEEDS[0]) for name in runs.values() if name != MAIN):
            continue
        lines += ["", f"| {title} (seed {SEEDS[0]}) | development | test |", "|---|---|---|"]
        lines += [small_line(label, of(rows, name, SEEDS[0])) for label, name in runs.items()]
    return "\n".join(lines) + "\n"


def of(rows: list[Result], name: str, seed: int | None = None) -> list[Result]:
    return [row for row in rows if row["name"] == name and seed in (None, row["seed"])]


def table_line(name: str, rows: list[Result], mixed: bool) -> str:
    """Return a row of the table; ``mixed``: not all are in one precision, and each says in which it is."""
    numbers = " and ".join(dict.fromkeys(NUMBERS[row["precision"]] for row in rows))
    title = f"{RUNS[name].title} ({numbers})" if mixed else RUNS[name].title
    seeds = " ".join(str(seed) for seed in sorted(row["seed"] for row in rows))
    scores = " | ".join(spread([row[part] for row in rows]) for part in PARTS)
    head = rows[0].get("head_parameters")
    weights = f"{head / 1e6:.1f}" if head else ""
    minutes = statistics.mean(row["seconds"] for row in rows) / 60
    return f"| {title} | {seeds} | {scores} | {weights} | {minutes:.1f} |"


def small_line(label: str, rows: list[Result]) -> str:
    cells = [f"{rows[0][part]:.2f}" if rows else "" for part in PARTS]
    return f"| {label} | {' | '.join(cells)} |"


def gains(rows: list[Result]) -> list[str]:
    """Return what BiMSA + NSA adds to a network without layers, and whether that is shown."""
    ours, bare = of(rows, MAIN), of(rows, BARE)
    if not ours or not bare:
        return ["There is no run without layers, so the gain of the layers is unknown."]
    lines = [
        "A gain is shown if every seed with the layers has a higher score than every seed without layers.",
        "",
    ]
    for part in PARTS:
        mine, others = ([row[part] for row in of_one] for of_one in (ours, bare))
        difference = statistics.mean(mine) - statistics.mean(others)
        verdict = "a gain is shown" if min(mine) > max(others) else "no gain is shown"
        lines.append(f"- {part}: {RUNS[MAIN].title} {difference:+.2f} above no layers, {verdict}")
    return lines


def significance(rows: list[Result]) -> list[str]:
    """Return what each run, where its sentences' brackets are kept, has over that without layers of the same seed."""
    lines = []
    for row in rows:
        bare = of(rows, BARE, row["seed"])
        kept = [f"{part} brackets" for part in PARTS]
        if (
            row["name"] == BARE
            or not bare
            or not all(key in one for one in (row, *bare) for key in kept)
        ):
            continue
        cells = []
        for key in kept:
            found = compare_rows(as_rows(row[key]), as_rows(bare[0][key]))
            interval = f"[{found.low:+.2f}, {found.high:+.2f}]"
            cells.append(f"{found.difference:+.2f} {interval}, {found.p_value:.4f}")
        lines.append(f"| {RUNS[row['name']].title} | {row['seed']} | {' | '.join(cells)} |")
    if not lines:
        return []
    heads = ["| compared with no layers | seed | development | test |", "|---|---|---|---|"]
    legend = "A cell has the difference in F1, [95 % interval], p-value: bootstrap and approximate randomisation over sentences."
    return ["", *heads, *lines, "", legend]


def targets(rows: list[Result]) -> list[str]:
    """Return, for each part, whether the mean of BiMSA + NSA is far enough above benepar's."""
    ours, theirs = of(rows, MAIN), of(rows, PEER)
    if not ours or not theirs:
        return []
    lines = ["", f"Target: {RUNS[MAIN].title} at least {MARGIN} F1 above benepar.", ""]
    for part in PARTS:
        mine, its = ([row[part] for row in of_one] for of_one in (ours, theirs))
        difference = statistics.mean(mine) - statistics.mean(its)
        verdict = "met" if difference >= MARGIN else "**missed**"
        lines.append(f"- {part}: {difference:+.2f}, {verdict}")
    return lines


def machine(options: argparse.Namespace, rows: list[Result]) -> list[str]:
    """Return what was measured where, and how to measure it again."""
    threads = "1 thread" if options.threads == 1 else f"{options.threads} threads"
    processors = " and ".join(dict.fromkeys(row["processor"] for row in rows))
    numbers = " and ".join(dict.fromkeys(NUMBERS[row["precision"]] for row in rows))
    lines = [f"- {processors}; {threads} a run, {numbers}"]
    for program in ("bnaparser", "benepar"):
        found = [row for row in rows if program in row["versions"]]
        if found:
            lines.append(f"- {listed_of(found)}")
    encoder = "characters" if options.encoder is None else options.encoder.name
    names = [folder.name for folder in options.data]
    lines.append(f"- Encoder: {described(encoder)}")
    lines.append(
        f"- {' '.join(names)}; {options.updates} updates of {BATCH_SIZE} "
        f"sentences, learning rate {learning_rate(options):g}, warm-up {WARM_UP}, tags predicted by a tag head"
    )
    arguments = ["--data", *names]
    if options.judged is not None:
        arguments += ["--judged", str(options.judged)]
    if options.encoder is not None:
        arguments += ["--encoder", encoder]
    if options.language != DEFAULT_LANGUAGE:
        arguments += ["--language", options.language]
    arguments += ["--output", options.output.name, "--updates", str(options.updates)]
    if options.batch_tokens != BATCH_TOKENS:
        arguments += ["--batch-tokens", str(options.batch_tokens)]
    arguments += ["--threads", str(options.threads), "--precision", options.precision]
    if any(row["name"] == PEER for row in rows):
        arguments += ["--benepar-python", "python"]
    again = command("benchmarks.studies.ablation.run_ablation", arguments)
    return [*lines, f"- `{again}`, then the same with `--report`"]
