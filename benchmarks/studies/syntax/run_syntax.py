"""Measure SLA, WLA, LISA, SG-Net and Syntax-BERT on eight tasks.

    python -m benchmarks.studies.syntax.run_syntax --tasks TASKS --encoder DIR --output DIR [--cost-encoder DIR]
    python -m benchmarks.studies.syntax.run_syntax --tasks TASKS --encoder DIR --output DIR --inside
    python -m benchmarks.studies.syntax.run_syntax --tasks TASKS --encoder DIR --output DIR --report

TASKS is a folder with cola, sst, ner_wikineural, ged_realec, mrpc, stsb and snli_sample. Four groups
of runs, in ``syntax_tables``: every system on every task; Syntax-BERT's table 5; SST-2 with our
parser's trees, SST's own, random ones and a linear window; and what may explain a loss or a gain.
All runs of a task have the same encoder, examples, number of updates and learning rates, and each run has
its own process. No setting is chosen by the scores: the network after the last update is scored once.
All trees are parsed first, into ``OUTPUT/trees.sqlite``. A finished run is stored in ``OUTPUT/runs`` with its
predictions and is not repeated. An interrupted run starts over. Several processes of the command may share
one OUTPUT, for example one for each core: each takes the runs that no other process has taken. With
``--cost-encoder`` cost.py follows. ``--inside`` trains each variant again on two tasks, and measures its
gates and gradients. ``--report`` writes ``syntax.md`` beside this file (or ``--page``), adds ``syntax_notes.md``
below the tables, and packs all runs beside the page. If OUTPUT has no runs, the page is made from the packed runs.

All parameters have one learning rate, as in the papers, but it is 3e-4: small BERT models and few updates
need a higher rate than the papers' 3e-5 (Turc and others 2019 tried 3e-5 to 3e-4). It was chosen over 1e-4
after two trials with the plain encoder alone, on training sentences that are not in the sample.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
from pathlib import Path

from benchmarks.machine import check_precision, command
from benchmarks.speed.run_speed import say
from benchmarks.studies.syntax.inside import look_inside
from benchmarks.studies.syntax.kept_runs import (
    Run,
    claimed,
    pack,
    packed_runs,
    read_run,
    results,
    unpack,
)
from benchmarks.studies.syntax.options import add_options
from benchmarks.studies.syntax.probe_networks import probe_networks
from benchmarks.studies.syntax.processes import in_a_process, preload, quiet_threads
from benchmarks.studies.syntax.runs import prepare, prepared, run_one
from benchmarks.studies.syntax.syntax_report import report
from benchmarks.studies.syntax.syntax_tables import RUNS, SYSTEMS, TASKS


def options_from_command_line() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)
    parser.add_argument("--examples", type=int, help="of training; default: by task, up to 2000")
    parser.add_argument("--epochs", type=float, help="default: by task, 1 or 2")
    parser.add_argument("--learning-rate", type=float, default=3e-4)
    parser.add_argument("--only", nargs=2, metavar=("TASK", "SYSTEM"))
    parser.add_argument("--cost-encoder", type=Path, metavar="DIR", help="measure the cost as well")
    parser.add_argument("--go-on", action="store_true", help="continue from the packed runs")
    parser.add_argument(
        "--inside",
        action="store_true",
        help="train the networks of two tasks again and measure gates and gradients",
    )
    parser.add_argument(
        "--probe",
        type=Path,
        metavar="FOLDER",
        help="train the networks of CoLA again and train a structural probe on this treebank",
    )
    parser.set_defaults(page=Path(__file__).with_name("syntax.md"), held_out=False)
    options = parser.parse_args()
    if options.only and (options.only[0] not in TASKS or options.only[1] not in SYSTEMS):
        parser.error(f"tasks are {', '.join(TASKS)}, systems {', '.join(SYSTEMS)}")
    if not options.report:
        check_precision(parser, options.precision)
    return options


def wanted(options: argparse.Namespace) -> list[Run]:
    """Return the runs that were asked for, one seed of everything after another."""
    pairs = [tuple(options.only)] if options.only else RUNS
    return [(task, system, seed) for seed in options.seeds for task, system in pairs]


def time_left(options: argparse.Namespace, runs: list[Run]) -> str:
    """Say how long runs will take, going by those that are done: of the same task if there are any."""
    done = results(options)
    if not done:
        return "time left unknown"
    total = 0.0
    for task, system, _ in runs:
        of_task = [row for row in done if row["task"] == task]
        same = [row for row in of_task if row["system"] == system]
        total += statistics.mean(row["total_seconds"] for row in same or of_task or done)
    return f"about {total / 60:.0f} min for one process"


def run_all(options: argparse.Namespace) -> None:
    """Do what is missing, until nothing is or others are at what is left."""
    preload()
    with claimed(options, "trees", wait=True):
        if not prepared(options):
            say("trees for all texts")
            in_a_process(prepare, options)
    while any(train_next(options, run) for run in missing(options, wanted(options))):
        pass


def missing(options: argparse.Namespace, runs: list[Run]) -> list[Run]:
    return [run for run in runs if read_run(options, run) is None]


def train_next(options: argparse.Namespace, run: Run) -> bool:
    """Do a run unless another process has done it or is at it; tell whether it was ours."""
    if not missing(options, [run]):
        return False
    result = in_a_process(run_one, options, run)
    if result is None:
        return False
    task, system, seed = run
    found = ", ".join(f"{name} {result['scores'][name]:.2f}" for name in TASKS[task].metrics)
    left = missing(options, wanted(options))
    say(f"{task} {system} seed {seed}: {found}; {result['total_seconds']:.0f} s")
    say(f"{len(left)} runs to do, {time_left(options, left)}")
    return True


def measure_cost(options: argparse.Namespace) -> None:
    if (options.output / "cost.json").is_file():
        return
    say("cost of each variant")
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.studies.syntax.cost"]
    command += ["--encoder", str(options.cost_encoder)]
    subprocess.run([*command, "--output", str(options.output)], check=True)


def main() -> None:
    options = options_from_command_line()
    options.output.mkdir(parents=True, exist_ok=True)
    if options.report:
        rows = results(options)
        if rows:
            pack(options, rows)
        page = report(options, rows or packed_runs(options))
        options.page.write_text(page, encoding="utf-8")
        print(page)
        return
    quiet_threads(options.threads)
    if options.go_on:
        unpack(options)
    if options.inside:
        look_inside(options)
        return
    if options.probe:
        probe_networks(options)
        return
    run_all(options)
    if options.cost_encoder:
        measure_cost(options)
    again = command("benchmarks.studies.syntax.run_syntax", [*sys.argv[1:], "--report"])
    say(f"all done; {again} writes the page")


if __name__ == "__main__":
    main()
