"""Time of all that a chart answers: python -m benchmarks.speed.run_chart [--rounds 15]

Batches of 64 sentences of 50 words on one thread, random scores of ``--labels`` labels: each answer in turn,
round after round, beside the best tree of the same round, in CPU and wall time. Then sentences alone by
their length, then the first tree of a fresh process. Takes a minute; the compiling before does not count.
Writes ``chart.md`` beside this file, or in ``--output``.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.machine import begun, command, listed, memory, processor, versions, without_folders
from bnaparser import chart

SENTENCES, WORDS, BEST = 64, 50, 10
ROOT = WORDS - 1  # the row of the whole sentence among its spans
BEST_TREE = "best tree"
AIMS = {"10 best trees": 3.0, "probabilities": 6.0}
PAGE = """\
# Speed of the chart

{where}; {packages}.

    {command}

A batch has {sentences} sentences of {words} words with random scores of {labels} labels. The table has milliseconds for a batch on one thread, and the time relative
to the best tree: medians of {rounds} rounds, in which the rows take turns. The rows from "best tree" to
"constrained" read the scores of all labels.

| what | CPU, ms | wall, ms | CPU, times | wall, times | aim |
|---|---|---|---|---|---|"""
START = """
import time
begin = time.perf_counter()
import numpy, numba
imported = time.perf_counter()
from bnaparser import chart
chart.decode(numpy.zeros((3, 4), numpy.float32), 2)
print(f"{1e3 * (imported - begin):.0f} {1e3 * (time.perf_counter() - imported):.0f}")
"""


class Timed(NamedTuple):
    """Seconds of one run."""

    cpu: float
    wall: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--labels", type=int, default=112)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--longest", type=int, default=1000, help="words of a sentence alone")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent, metavar="DIR")
    options = parser.parse_args()
    where = f"{begun()}; {processor()}, {memory()}"
    page = PAGE.format(
        where=where,
        packages=listed(versions(("bnaparser", "numpy", "numba", "llvmlite"))),
        command=command("benchmarks.speed.run_chart", without_folders(sys.argv[1:])),
        sentences=SENTENCES,
        words=WORDS,
        labels=options.labels,
        rounds=options.rounds,
    )
    lines = [page, *rows(in_turn(answers(options.labels), options.rounds))]
    lines += ["", *alone(options.labels, options.longest), "", fresh()]
    text = "\n".join(lines) + "\n"
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "chart.md").write_text(text, encoding="utf-8")
    print(text)


def answers(labels: int) -> dict[str, Callable[[], object]]:
    """Return all that a chart of the batch can be asked for, by name."""
    scores, gold = drawn(SENTENCES, WORDS, labels)
    lengths = [WORDS] * SENTENCES
    arrays = np.split(scores, SENTENCES)
    best, label = scores.max(1), scores.argmax(1).astype(np.int32)
    roots = scores[ROOT :: len(arrays[0]), 1:]
    of_roots = roots.max(1), roots.argmax(1).astype(np.int32) + 1

    def least_risk() -> object:
        shares = chart.marginals_packed(scores, lengths, 1).probabilities
        return chart.decode_expected(shares, lengths, 1)

    def constrained() -> object:
        rules = [
            chart.Rule(3, 9, must=True),
            chart.Rule(12, 15, uncrossed=True),
            chart.Rule(20, 31, frozenset({1, 2})),
        ]
        found = []
        for one in arrays:
            changed, never_empty = chart.constrain(one, WORDS, rules)
            found.append(chart.decode_n_best(changed, WORDS, BEST, never_empty=never_empty))
        return found

    return {
        BEST_TREE: partial(chart.decode_packed, scores, lengths, 1),
        "10 best trees": partial(chart.decode_n_best_packed, scores, lengths, BEST, 1),
        "probabilities": partial(chart.marginals_packed, scores, lengths, 1),
        "least expected error (with probabilities)": least_risk,
        "10 best trees, constrained by 3 rules": constrained,
        "best tree, 1 more for wrong labels": partial(
            chart.cost_augment_packed, scores, gold, lengths, 1
        ),
        "best tree, best labels given": partial(
            chart.decode_best_packed, best, label, *of_roots, lengths, 1
        ),
    }


def drawn(count: int, n: int, labels: int) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Return random scores, and gold labels of which most are empty."""
    generator = np.random.default_rng(1)
    scores = generator.standard_normal((count * chart.span_count(n), labels), dtype=np.float32)
    scores[:, 0] = 0
    filled = generator.random(len(scores)) < 0.05
    gold = np.where(filled, generator.integers(0, labels, len(scores)), 0)
    return scores, gold.astype(np.int32)


def in_turn(works: dict[str, Callable[[], object]], rounds: int) -> dict[str, Timed]:
    """Return the median times of several works, done one after another in each round."""
    for work in works.values():
        work()
    times: dict[str, list[Timed]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            times[name].append(timed(work))
    return {
        name: Timed(*map(statistics.median, zip(*found, strict=True)))
        for name, found in times.items()
    }


def timed(work: Callable[[], object]) -> Timed:
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return Timed(time.process_time() - cpu, time.perf_counter() - wall)


def rows(found: dict[str, Timed]) -> list[str]:
    one = found[BEST_TREE]
    lines = []
    for name, of_name in found.items():
        aim = f"at most {AIMS[name]:g}" if name in AIMS else ""
        lines.append(
            f"| {name} | {1e3 * of_name.cpu:.2f} | {1e3 * of_name.wall:.2f}"
            f" | {of_name.cpu / one.cpu:.2f} | {of_name.wall / one.wall:.2f} | {aim} |"
        )
    return lines


def alone(labels: int, longest: int) -> list[str]:
    """Return a table of single sentences by their length."""
    lines = ["One sentence alone, CPU ms:", ""]
    columns = [BEST_TREE, "best labels given", "10 best trees", "probabilities"]
    lines += [f"| words | {' | '.join(columns)} |", "|---" * (1 + len(columns)) + "|"]
    for n in (10, 20, 50, 100, 200, 500, 1000):
        if n > longest:
            break
        scores, _ = drawn(1, n, labels)
        best, label = scores.max(1), np.ones(len(scores), np.int32)
        works: dict[str, Callable[[], object]] = {
            BEST_TREE: partial(chart.decode, scores, n),
            "best labels given": partial(chart.decode_best_packed, best, label, [1.0], [1], [n], 1),
            "10 best trees": partial(chart.decode_n_best, scores, n, BEST),
            "probabilities": partial(chart.marginals, scores, n),
        }
        found = in_turn(works, 15 if n < 200 else 3)
        lines.append(f"| {n} | {' | '.join(f'{1e3 * found[one].cpu:.2f}' for one in columns)} |")
    return lines


def fresh() -> str:
    """Return what a fresh process takes, the fastest of three."""
    found = []
    for _ in range(3):
        output = subprocess.check_output([sys.executable, "-c", START], text=True)
        found.append([int(number) for number in output.split()])
    imported, first = map(min, zip(*found, strict=True))
    return f"A fresh process: {imported} ms to import numpy and numba, {first} ms more to a first tree."


if __name__ == "__main__":
    main()
