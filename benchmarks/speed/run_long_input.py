"""Time and memory of one long sentence: python -m benchmarks.speed.run_long_input [--words 500,1000,2000,4000]

`Parser.parse_words` on a CPU, one thread, with sentences of words drawn at random: the best tree, the 10 best,
probabilities, and both; each length of each in a process of its own, which parses a short sentence first.
Memory is the process's peak resident size. Takes two minutes. Writes ``long_input.md`` beside this file, or
in ``--output``.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.machine import begun, command, listed, memory, processor, versions, without_folders

VOCABULARY = [
    "the",
    "old",
    "company",
    "said",
    "that",
    "it",
    "would",
    "sell",
    "its",
    "three",
    "largest",
    "plants",
    "in",
    "the",
    "north",
    "of",
    "the",
    "country",
    "next",
    "year",
    "and",
    "that",
    "nobody",
    "had",
    "yet",
    "decided",
    "what",
    "would",
    "be",
    "done",
    "with",
    "all",
    "of",
    "the",
    "money",
]
WAYS: dict[str, dict[str, Any]] = {
    "best tree": {},
    "10 best trees": {"n_best": 10},
    "probabilities": {"probabilities": True},
    "10 best trees, probabilities": {"n_best": 10, "probabilities": True},
}
PAGE = """\
# Long input

{where}; {packages}.

    {command}

Each row parses one sentence with `Parser.load("{model}", "cpu", max_words=...)` on one thread, in {precision}, with {labels} labels. Memory is the peak
resident memory of the process; after a short sentence it is {before} MB.

| what | words | CPU, s | wall, s | peak, MB |
|---|---|---|---|---|"""
NOTES = """
A sentence of n words has n (n + 1) / 2 spans.

- The best tree needs about 30 bytes for each span: only the best label of a span and its score are stored.
- The n best trees need all scores, 4 bytes for each label and span, and about 80 bytes for each span to search.
- Probabilities need the scores a second time.
- The time of the chart grows with the cube of n. The time of all other steps grows with the square of n or less."""


def main() -> None:
    options = options_from_command_line()
    if options.part:
        print(json.dumps(measure(options)))
        return
    where = f"{begun()}; {processor()}, {memory()}"
    found = []
    for way in WAYS:
        for words in options.words if way == "best tree" else options.words_of_lists:
            found.append(part(options, way, words))
    page = PAGE.format(
        where=where,
        packages=listed(versions(("bnaparser", "numpy", "numba"))),
        command=command("benchmarks.speed.run_long_input", without_folders(sys.argv[1:])),
        model=options.model,
        precision=found[0]["precision"],
        labels=found[0]["labels"],
        before=round(min(one["before_mb"] for one in found)),
    )
    text = "\n".join([page, *map(row, found), NOTES]) + "\n"
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "long_input.md").write_text(text, encoding="utf-8")
    print(text)


def options_from_command_line() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="en")
    parser.add_argument("--words", type=numbers, default=[500, 1000, 2000, 4000])
    parser.add_argument("--words-of-lists", type=numbers, default=[500, 1000, 2000])
    parser.add_argument("--output", type=Path, default=Path(__file__).parent, metavar="DIR")
    parser.add_argument("--part", choices=WAYS, help=argparse.SUPPRESS)
    return parser.parse_args()


def numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


def part(options: argparse.Namespace, way: str, words: int) -> dict[str, Any]:
    started = [sys.executable, "-W", "ignore", "-m", "benchmarks.speed.run_long_input"]
    started += ["--part", way, "--words", str(words), "--model", options.model]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(started, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Parse one sentence in this process."""
    from bnaparser import Parser

    (words,) = options.words
    parser = Parser.load(options.model, "cpu", max_words=words)
    parser.parse_words(VOCABULARY[:5], **WAYS[options.part])
    sentence = random.Random(1).choices(VOCABULARY, k=words)
    before = peak_mb()
    cpu, wall = time.process_time(), time.perf_counter()
    parse = parser.parse_words(sentence, **WAYS[options.part])
    times = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
    assert parse.error is None
    known = {"way": options.part, "words": words, "before_mb": before, "peak_mb": peak_mb()}
    return {**known, **times, "labels": len(parser.model.labels), "precision": parser.precision}


def row(found: dict[str, Any]) -> str:
    times = f"{found['cpu']:.2f} | {found['wall']:.2f}"
    return f"| {found['way']} | {found['words']:,} | {times} | {found['peak_mb']:,.0f} |"


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
