"""Speed of several models beside each other: python -m benchmarks.speed.run_models --trees FILE

Parses the first ``--sentences`` of FILE's trees, words given, on a CPU, in each precision and on each number of threads. The models take turns,
``--repeats`` times, so that what slows the machine slows them all; the ratio is that of the first model's fastest turn to
each one's. Writes ``models.md`` beside this file, or in ``--output``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.machine import begun, command, memory, processor, without_folders
from benchmarks.pages import notes

PRECISIONS = ("int8", "float32")
HEAD = """\
# Speed of the models that ship

{where}.

    {command}

The models parse the words of the first {sentences} sentences of `{trees}` ({words} words) on a CPU. Each model is measured {repeats} times, in turn with the others; the fastest measurement counts.

| model | precision | threads | sentences/s | ms a sentence | times as fast as `{first}` |
|---|---|---|---|---|---|"""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--trees", type=Path, required=True)
    arguments.add_argument("--models", nargs="+", default=["en", "en-free"], metavar="MODEL")
    arguments.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    arguments.add_argument("--sentences", type=int, default=300)
    arguments.add_argument("--repeats", type=int, default=5)
    arguments.add_argument("--output", type=Path, default=Path(__file__).parent, metavar="DIR")
    arguments.add_argument("--part", action="store_true", help=argparse.SUPPRESS)
    options = arguments.parse_args()
    sentences = read_words(options.trees, options.sentences)
    if options.part:
        print(json.dumps(measure(options.models, sentences, options.repeats)))
        return
    lines = [
        HEAD.format(
            where=f"{begun()}; {processor()}, {memory()}",
            command=command("benchmarks.speed.run_models", without_folders(sys.argv[1:])),
            sentences=len(sentences), trees=options.trees.name, words=sum(map(len, sentences)),
            repeats=options.repeats, first=options.models[0],
        )
    ]  # fmt: skip
    for threads in options.threads:
        for precision, seconds in on_threads(threads).items():
            lines += rows(seconds, precision, threads, len(sentences))
    options.output.mkdir(parents=True, exist_ok=True)
    path = options.output / "models.md"
    page = "\n".join(lines) + "\n" + notes(path)
    path.write_text(page, encoding="utf-8")
    print(page)


def read_words(trees: Path, sentences: int) -> list[tuple[str, ...]]:
    """Return the words of a file's first trees."""
    from bnaparser.treebanks.reading import load_clean_trees

    return [tree.words for tree in load_clean_trees(trees)[:sentences]]


def on_threads(threads: int) -> dict[str, dict[str, float]]:
    """Measure in a process of its own, since a process has its threads from its start."""
    limits = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(threads))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "benchmarks.speed.run_models", *sys.argv[1:], "--part"],
        check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, **limits},
    )  # fmt: skip
    found: dict[str, dict[str, float]] = json.loads(done.stdout.splitlines()[-1])
    return found


def measure(
    models: list[str], sentences: list[tuple[str, ...]], repeats: int
) -> dict[str, dict[str, float]]:
    """Return the seconds of each model's fastest turn, by precision; a first turn does not count."""
    from bnaparser import Parser

    found: dict[str, dict[str, float]] = {}
    for precision in PRECISIONS:
        parsers = {model: Parser.load(model, "cpu", precision=precision) for model in models}  # type: ignore[arg-type]
        turns: dict[str, list[float]] = {model: [] for model in models}
        for _ in range(repeats + 1):
            for model, parser in parsers.items():
                start = time.perf_counter()
                parser.parse_many(sentences)
                turns[model].append(time.perf_counter() - start)
        found[precision] = {model: min(taken[1:]) for model, taken in turns.items()}
    return found


def rows(seconds: dict[str, float], precision: str, threads: int, sentences: int) -> list[str]:
    """Return the rows of a table, a model each; the first model is what the others are compared with."""
    first = next(iter(seconds.values()))
    return [
        f"| `{model}` | {precision} | {threads} | {sentences / taken:.0f} | {1000 * taken / sentences:.1f} | {first / taken:.1f} |"
        for model, taken in seconds.items()
    ]


if __name__ == "__main__":
    main()
