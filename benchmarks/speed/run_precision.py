"""Speed and memory of a model in each precision: python -m benchmarks.speed.run_precision --trees FILE

Parses the first ``--sentences`` of FILE's trees, as words and as one running text, and a sentence of 20
words by itself, with the model ``en`` on a CPU: each precision in a process of its own, on one thread and
on ``--threads``. "PyTorch" is float32 computed by PyTorch, as before there were precisions. Then
``bnaparse`` from start to end, and one matrix product by itself, to tell how near the processor's limit
it is. Repeats count by the fastest: other programs only ever add time. Needs a
quiet machine; takes a minute or two. Writes ``precision.md`` beside this file, or in ``--output``.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.machine import begun, command, memory, processor, without_folders
from benchmarks.pages import notes

SENTENCE = (
    "The old company said that it would sell its three largest plants in the north of the country"
    " next year ."
)
WAYS = ("PyTorch", "float32", "bfloat16", "int8")
PRODUCT = "product"
NOTES = """\
# Speed by precision

{where}.

    {command}

The model `{model}` on a CPU parses the first {sentences} sentences of `{trees}`, from words and from running text, and one sentence
of 20 words (from text to tree). Memory is measured after that. *PyTorch* is float32 computed by PyTorch.

| precision | threads | sentences/s, words | sentences/s, text | one sentence, ms | resident, MB |
|---|---|---|---|---|---|"""


def main() -> None:
    options = options_from_command_line()
    if options.part:
        print(json.dumps(products() if options.part == PRODUCT else measure(options)))
        return
    where = f"{begun()}; {processor()}, {memory()}"
    shown = command("benchmarks.speed.run_precision", without_folders(sys.argv[1:]))
    lines = [
        NOTES.format(
            where=where, command=shown, model=options.model, sentences=options.sentences,
            trees=options.trees.name,
        )
    ]  # fmt: skip
    for threads in dict.fromkeys((1, options.threads)):
        lines += [row(way, threads, part(options, way, threads)) for way in WAYS]
    first, *others = [started(options) for _ in range(options.repeats + 1)]
    lines += [
        "",
        f"`bnaparse` from start to end: {min(others):.2f} s (the first time {first:.2f} s).",
        "",
        "300 rows times a matrix of 3,072 by 768, one thread, thousand million multiplications and additions a second: "
        + ", ".join(f"{way} {speed:.0f}" for way, speed in part(options, PRODUCT, 1).items())
        + ".",
    ]
    options.output.mkdir(parents=True, exist_ok=True)
    path = options.output / "precision.md"
    page = "\n".join(lines) + "\n" + notes(path)
    path.write_text(page, encoding="utf-8")
    print(page)


def options_from_command_line() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trees", type=Path, required=True)
    parser.add_argument("--model", default="en")
    parser.add_argument("--sentences", type=int, default=300)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent, metavar="DIR")
    parser.add_argument("--part", choices=(*WAYS, PRODUCT), help=argparse.SUPPRESS)
    return parser.parse_args()


def part(options: argparse.Namespace, way: str, threads: int) -> dict[str, float]:
    started = [sys.executable, "-W", "ignore", "-m", "benchmarks.speed.run_precision"]
    started += ["--part", way, "--trees", str(options.trees), "--model", options.model]
    started += ["--sentences", str(options.sentences), "--repeats", str(options.repeats)]
    limits = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(threads))
    environment = {**os.environ, **limits}
    done = subprocess.run(started, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def measure(options: argparse.Namespace) -> dict[str, float]:
    """Measure one precision, in this process."""
    from bnaparser.treebanks.reading import load_clean_trees

    words = [tree.words for tree in load_clean_trees(options.trees)[: options.sentences]]
    text = "\n".join(" ".join(sentence) for sentence in words)
    parser = loaded(options.part, options.model)
    one = fastest(lambda: parser.parse_sentence(SENTENCE), 10 * options.repeats)
    given = fastest(lambda: parser.parse_many(words), options.repeats)
    count = len(parser(text))
    running = fastest(lambda: parser(text), options.repeats)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"words": len(words) / given, "text": count / running, "one": 1000 * one, "mb": peak}


def products() -> dict[str, float]:
    """Measure a product as the encoder has it, by ours and by others: operations a nanosecond."""
    import numpy as np
    import torch

    from bnaparser.compute.matrices import multiply, pack_bytes, pack_floats

    torch.set_num_threads(1)
    generator = np.random.default_rng(0)
    rows = generator.standard_normal((300, 768)).astype(np.float32)
    matrix = generator.standard_normal((3072, 768)).astype(np.float32)
    bias = np.zeros(3072, np.float32)
    floats, packed = pack_floats(matrix), pack_bytes(matrix)
    rows_there, matrix_there = torch.from_numpy(rows), torch.from_numpy(matrix)
    ways: dict[str, Callable[[], object]] = {
        "bnaparser in float32": lambda: multiply(rows, floats, bias),
        "PyTorch's": lambda: rows_there @ matrix_there.T,
        "NumPy's": lambda: rows @ matrix.T,
        "bnaparser in int8": lambda: multiply(rows, packed, bias),
    }
    work = 2 * rows.shape[0] * matrix.size
    return {way: work / fastest(act, 50) / 1e9 for way, act in ways.items()}


def loaded(way: str, model: str) -> Any:
    from bnaparser import Parser

    if way != "PyTorch":
        return Parser.load(model, "cpu", precision=way)  # type: ignore[arg-type]
    from bnaparser.models import find
    from bnaparser.network import storage

    return Parser(storage.load(find(model)))


def started(options: argparse.Namespace) -> float:
    command = [sys.executable, "-W", "ignore", "-c"]
    command += ["from bnaparser.cli.parse import main; raise SystemExit(main())"]
    command += ["--model", options.model, "--device", "cpu", SENTENCE]
    return fastest(lambda: subprocess.run(command, check=True, capture_output=True), 1)


def fastest(work: Callable[[], object], times: int) -> float:
    """Return the least wall seconds."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def row(way: str, threads: int, found: dict[str, float]) -> str:
    speeds = f"{found['words']:.0f} | {found['text']:.0f} | {found['one']:.1f} | {found['mb']:.0f}"
    return f"| {way} | {threads} | {speeds} |"


if __name__ == "__main__":
    main()
