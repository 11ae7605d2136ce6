"""Measure syntax-guided attention with more examples, each system at the better of two learning rates.

    python -m benchmarks.studies.syntax.run_large --tasks TASKS --encoder DIR --output DIR [--of TASK ...]
    python -m benchmarks.studies.syntax.run_large --tasks TASKS --encoder DIR --output DIR --report

run_syntax.py compares many variants after few updates. This script has four tasks (in ``large_tables``), with
enough examples that the plain encoder is well above the majority answer, and the main systems only
(``--systems`` names others, ``--rates`` other learning rates).
A tenth of the training examples is held out. The first seed of every system is trained at each learning rate;
the other seeds use the rate with the best score on the held-out examples. The scored examples (the task's test part,
or its development part if there is no test part) are not used for this choice. One task
is done after another, so that what is done can be shown; with ``--of`` these tasks alone. Two tasks are Chinese,
for an encoder and a parser that know it: ``--of ner-zh chnsenticorp --parser multi --page large_zh.md``.

Runs are kept and shared as run_syntax.py does it: the command may be started several times with the
same OUTPUT. ``--report`` writes ``large.md`` beside this file (or ``--page``), below it what
the page's ``_notes.md`` says, and packs all runs beside the page. Packed runs are resumed; to do
them again, give another page.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from benchmarks.machine import check_precision, command, without_folders
from benchmarks.speed.run_speed import say
from benchmarks.studies.syntax.kept_runs import (
    Result,
    Run,
    all_packed,
    budget,
    claimed,
    pack,
    read_run,
    write_run,
)
from benchmarks.studies.syntax.large_report import PAGE, best_rate, large_report
from benchmarks.studies.syntax.large_tables import LARGE, RATES
from benchmarks.studies.syntax.options import add_options
from benchmarks.studies.syntax.processes import in_a_process, preload, quiet_threads
from benchmarks.studies.syntax.runs import parse_texts, run_one
from benchmarks.studies.syntax.syntax_tables import ENGLISH, MAIN, SYSTEMS, TASKS

DEFAULT = [task for task in LARGE if task in ENGLISH]
Job = tuple[argparse.Namespace, Run]


def options_from_command_line() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser)
    parser.add_argument("--of", nargs="+", metavar="TASK", choices=LARGE, default=DEFAULT)
    parser.add_argument(
        "--systems", nargs="+", metavar="SYSTEM", choices=SYSTEMS, default=tuple(MAIN)
    )
    parser.add_argument("--rates", nargs="+", type=float, metavar="RATE", default=RATES)
    parser.set_defaults(page=PAGE, held_out=True)
    options = parser.parse_args()
    if not options.report:
        check_precision(parser, options.precision)
    return options


def at(options: argparse.Namespace, task: str, rate: float) -> argparse.Namespace:
    """Return the options of a task's runs at a rate."""
    return argparse.Namespace(**vars(options), **LARGE[task]._asdict(), learning_rate=rate)


def planned(options: argparse.Namespace) -> Iterator[Job]:
    """Yield the runs that there are to be, as far as rates are chosen, in the order of doing them."""
    first, *others = options.seeds
    for task in options.of:
        for system in options.systems:
            for rate in options.rates:
                yield at(options, task, rate), (task, system, first)
        chosen = {
            system: best_rate(trials(options, task, system), options.rates)
            for system in options.systems
        }
        for seed in others:
            for system, best in chosen.items():
                if best is not None:
                    yield at(options, task, best), (task, system, seed)


def trials(options: argparse.Namespace, task: str, system: str) -> list[Result]:
    """Return the runs of a system's first seed that are done, one for each rate."""
    run = task, system, options.seeds[0]
    found = [read_run(at(options, task, rate), run) for rate in options.rates]
    return [row for row in found if row is not None]


def run_all(options: argparse.Namespace) -> None:
    """Do what is missing, until nothing is or others are at what is left."""
    preload()
    with claimed(options, "trees", wait=True):
        for task in options.of:
            in_a_process(parse_texts, at(options, task, options.rates[0]), task)
    while any(train(options, *job) for job in missing(options)):
        pass


def missing(options: argparse.Namespace) -> list[Job]:
    return [(given, run) for given, run in planned(options) if read_run(given, run) is None]


def train(options: argparse.Namespace, given: argparse.Namespace, run: Run) -> bool:
    """Do a run unless another process has done it or is at it; tell whether it was ours."""
    if read_run(given, run) is not None:
        return False
    row = in_a_process(run_one, given, run)
    if row is None:
        return False
    task, system, seed = run
    found = ", ".join(f"{name} {row['scores'][name]:.2f}" for name in TASKS[task].metrics)
    say(
        f"{task} {system} seed {seed} rate {given.learning_rate:g}: {found}; held out "
        f"{row['held_out']:.2f}; {row['total_seconds']:.0f} s"
    )
    return True


def results(options: argparse.Namespace) -> list[Result]:
    """Return all runs that are done."""
    found = [read_run(given, run) for given, run in planned(options)]
    return [row for row in found if row is not None]


def packed(options: argparse.Namespace) -> list[Result]:
    """Return the runs that are kept beside the page, of these tasks with their budgets."""
    return [
        row
        for row in all_packed(options.page)
        if row["task"] in options.of
        and row["system"] in options.systems
        and given_to(options, row).items() <= row.items()
    ]


def given_to(options: argparse.Namespace, row: Result) -> Result:
    """Return the budget that a row's task has at the row's rate."""
    return budget(at(options, row["task"], row["learning_rate"]), row["task"])


def unpack(options: argparse.Namespace) -> None:
    """Put what is kept beside the page into OUTPUT, where it has not been done there."""
    for row in packed(options):
        given = at(options, row["task"], row["learning_rate"])
        run = row["task"], row["system"], row["seed"]
        if read_run(given, run) is None:
            write_run(given, run, row)


def main() -> None:
    options = options_from_command_line()
    options.output.mkdir(parents=True, exist_ok=True)
    unpack(options)
    again = command("benchmarks.studies.syntax.run_large", without_folders(sys.argv[1:]))
    if options.report:
        rows = results(options)
        page = large_report(options, rows, again)
        pack(options, rows)
        options.page.write_text(page, encoding="utf-8")
        print(page)
        return
    quiet_threads(options.threads)
    run_all(options)
    say(f"all done; {again} --report writes the page")


if __name__ == "__main__":
    main()
