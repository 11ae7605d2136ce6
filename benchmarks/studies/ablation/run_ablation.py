"""Compare the F1 of kinds of attention layers, sizes of n-grams, and benepar 0.2.

    python -m benchmarks.studies.ablation.run_ablation --data FOLDER... [--encoder DIR] --output DIR [--benepar-python PYTHON]
    python -m benchmarks.studies.ablation.run_ablation --data FOLDER... [--encoder DIR] --output DIR --report

A FOLDER has the trees of a treebank in the files ``train``, ``dev`` and ``test`` with any suffix. Several treebanks are
concatenated; if ``--label-maps`` has a map with the name of a treebank, it is applied. ``--judged`` limits the number of
development and test trees of each treebank. ``--language`` is the language of the text. Without an encoder the words are read
from their characters. PYTHON is the interpreter of an environment with benepar 0.2 (without it, benepar is left out).
All runs of RUNS have the same encoder, data, batches (for one seed), number of updates and learning rate. Each run has its
own process. Encoder and layers are trained in bfloat16 (``--precision no``: float32); weights, span scores, losses and
parsing are in float32. On a processor with bfloat16 instructions a run takes 0.6 of the time. A finished run
writes a line to ``OUTPUT/results.jsonl`` and is not repeated. ``--report`` writes ``ablation.md``
beside this file (or ``--page``) and keeps the notes at its end. If OUTPUT has no rows, the rows beside the page are used.

Encoder and head have one learning rate: warm-up of 160 updates, then constant. Adam has betas (0.9, 0.98) and no clipping.
This is the schedule of benepar's training script and of the BNA program. The learning rate, 1e-4, is in the middle of the
rates that the authors of the small BERT models tried (3e-4, 1e-4, 5e-5, 3e-5; Turc and others 2019); no score was used to
choose it. With characters it is 8e-4, as in the BNA paper. The network after the last update parses the development and the
test trees once. The notes of the page say what was decided by the development score.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

from benchmarks.machine import check_precision, command
from benchmarks.pages import kept_rows, notes
from benchmarks.speed.run_speed import say
from benchmarks.studies.ablation.ablation_report import of, report
from benchmarks.studies.ablation.ablation_tables import BATCH_TOKENS, MAIN, PEER, RUNS, SEEDS
from benchmarks.studies.ablation.ablation_training import Result, run_one
from bnaparser.text.text_rules import DEFAULT_LANGUAGE, LANGUAGE_NAMES

# Options that a run's own process is given.
PASSED_ON = ("label_maps", "judged", "language", "encoder", "output", "benepar_python",
             "updates", "batch_tokens", "threads", "precision")  # fmt: skip


def options_from_command_line() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, nargs="+", required=True, metavar="FOLDER")
    parser.add_argument("--label-maps", type=Path, default=Path("recipes/label_maps.toml"))
    parser.add_argument("--judged", type=int, metavar="TREES", help="all, where it is not given")
    parser.add_argument("--language", choices=LANGUAGE_NAMES, default=DEFAULT_LANGUAGE)
    parser.add_argument("--encoder", type=Path, metavar="DIR")
    parser.add_argument("--output", type=Path, required=True, metavar="DIR")
    parser.add_argument("--benepar-python", metavar="PYTHON")
    parser.add_argument("--updates", type=int, default=600)
    parser.add_argument(
        "--batch-tokens", type=int, default=BATCH_TOKENS, help="at once; the batches are the same"
    )
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--precision", choices=("bf16", "no"), default="bf16")
    parser.add_argument("--only", choices=RUNS)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--report", action="store_true", help="write the page; run nothing")
    parser.add_argument("--page", type=Path, default=Path(__file__).with_name("ablation.md"))
    options = parser.parse_args()
    if options.only == PEER and not (options.benepar_python or options.report):
        parser.error("benepar needs --benepar-python")
    if options.benepar_python and options.encoder is None:
        parser.error("beside benepar there must be an --encoder")
    if not options.report:
        check_precision(parser, options.precision)
    return options


def pending(options: argparse.Namespace) -> list[tuple[str, int]]:
    """Return the runs that were asked for and are not done.

    Those that the target compares come first, then one seed of all others before the next.
    """
    done = {
        (row["name"], row["seed"])
        for row in results(options)
        if row["precision"] == options.precision
    }
    wanted = [
        (name, seed)
        for seed in ([options.seed] if options.seed is not None else SEEDS)
        for name, setting in RUNS.items()
        if seed in setting.seeds or options.seed is not None
        if options.only in (None, name)
        if setting.layers is not None or options.benepar_python
    ]
    wanted.sort(key=lambda run: run[0] not in (MAIN, PEER))
    return [run for run in wanted if run not in done]


def run_all(options: argparse.Namespace, runs: list[tuple[str, int]]) -> None:
    """Do the runs one after the other, each in a process of its own."""
    for number, (name, seed) in enumerate(runs):
        say(
            f"run {number + 1} of {len(runs)}, {name} seed {seed}; {time_left(options, runs[number:])}"
        )
        started = [sys.executable, "-W", "ignore", "-m", "benchmarks.studies.ablation.run_ablation"]
        started += ["--only", name, "--seed", str(seed), "--data", *map(str, options.data)]
        for key in PASSED_ON:
            if getattr(options, key) is not None:
                started.append(f"--{key.replace('_', '-')}={getattr(options, key)}")
        subprocess.run(started, check=True)


def time_left(options: argparse.Namespace, runs: list[tuple[str, int]]) -> str:
    """Say how long runs will take, going by those that are done: the same ones where there are any."""
    done = results(options)
    if not done:
        return "time left unknown"
    total = 0.0
    for name, _ in runs:
        total += statistics.mean(row["total_seconds"] for row in of(done, name) or done)
    return f"about {total / 60:.0f} min left"


def results(options: argparse.Namespace) -> list[Result]:
    """Return what is done with this number of updates, in whichever precision: the page says in which."""
    beside = options.page if options.report else options.output
    rows = kept_rows(options.output / "results.jsonl", beside)
    return [row for row in rows if row["updates"] == options.updates]


def main() -> None:
    options = options_from_command_line()
    options.output.mkdir(parents=True, exist_ok=True)
    if options.report:
        page = report(options, results(options)) + notes(options.page)
        options.page.write_text(page, encoding="utf-8")
        print(options.page.read_text(encoding="utf-8"))
        return
    os.environ |= {"OMP_WAIT_POLICY": "passive", "TOKENIZERS_PARALLELISM": "false"}
    runs = pending(options)
    if options.only is not None and options.seed is not None:
        for name, seed in runs:
            run_one(options, name, seed)
        return
    run_all(options, runs)
    again = command("benchmarks.studies.ablation.run_ablation", [*sys.argv[1:], "--report"])
    say(f"all done; {again} writes the page")


if __name__ == "__main__":
    main()
