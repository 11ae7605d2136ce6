"""Speed on older processors beside PyTorch: python -m benchmarks.speed.run_processors --trees FILE

Parses the first ``--sentences`` of FILE's trees, words given, on one thread of a CPU. A row is a processor that
Numba compiles for (NUMBA_CPU_NAME), a backend and a precision; PyTorch uses all that this processor has, or is kept
to SSE4.2 or AVX, as on a processor that has no more. Each row is a process of its own. Rows take turns, ``--repeats``
times, and each one's fastest turn counts, in seconds of CPU time. Needs an x86 processor with AVX2. Writes
``processors.md`` beside this file, or in ``--output``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.machine import begun, command, memory, processor, without_folders
from benchmarks.pages import notes
from benchmarks.speed.run_models import read_words


class Row(NamedTuple):
    """``compiled_for`` is a name in ``NUMBA``, ``torch_has`` one in ``TORCH``."""

    compiled_for: str
    torch_has: str
    backend: str
    precision: str


NUMBA = {
    "this processor": {},
    "generic x86-64 (SSE2)": {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""},
    "Sandy Bridge (AVX)": {
        "NUMBA_CPU_NAME": "sandybridge",
        "NUMBA_CPU_FEATURES": "+avx,+sse4.2,+popcnt,+64bit",
    },
    "Haswell (AVX2)": {
        "NUMBA_CPU_NAME": "haswell",
        "NUMBA_CPU_FEATURES": "+avx,+avx2,+fma,+sse4.2,+f16c,+bmi,+bmi2,+popcnt,+64bit",
    },
}
TORCH = {
    "this processor": {},
    "SSE4.2": {
        "ATEN_CPU_CAPABILITY": "default",
        "MKL_ENABLE_INSTRUCTIONS": "SSE4_2",
        "ONEDNN_MAX_CPU_ISA": "SSE41",
    },
    "AVX": {
        "ATEN_CPU_CAPABILITY": "default",
        "MKL_ENABLE_INSTRUCTIONS": "AVX",
        "ONEDNN_MAX_CPU_ISA": "AVX",
    },
}
HERE, GENERIC, SANDY_BRIDGE, HASWELL = NUMBA
ROWS = (
    Row(GENERIC, HERE, "auto", "auto"),
    Row(GENERIC, HERE, "compiled", "int8"),
    Row(GENERIC, HERE, "compiled", "float32"),
    Row(GENERIC, "SSE4.2", "torch", "float32"),
    Row(SANDY_BRIDGE, HERE, "compiled", "int8"),
    Row(SANDY_BRIDGE, "AVX", "torch", "float32"),
    Row(HASWELL, HERE, "compiled", "int8"),
    Row(HERE, HERE, "compiled", "int8"),
    Row(HERE, HERE, "torch", "float32"),
)
HEAD = """\
# Speed on older processors

{where}.

    {command}

`{model}` parses the words of the first {sentences} sentences of `{trees}` on one thread. The speed is in sentences per second of CPU time. The first column is the processor for
which the loops are compiled, the second column the instruction set of PyTorch. Each row is measured {repeats} times, in turn with the others; the fastest measurement counts.

| compiled loops for | instruction set of PyTorch | backend | precision | computed by | sentences/s |
|---|---|---|---|---|---|"""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--trees", type=Path, required=True)
    arguments.add_argument("--model", default="en")
    arguments.add_argument("--sentences", type=int, default=60)
    arguments.add_argument("--repeats", type=int, default=3)
    arguments.add_argument("--output", type=Path, default=Path(__file__).parent, metavar="DIR")
    arguments.add_argument("--part", type=int, help=argparse.SUPPRESS)
    options = arguments.parse_args()
    if options.part is not None:
        words = read_words(options.trees, options.sentences)
        print(json.dumps(measure(options.model, ROWS[options.part], words)))
        return
    lines = [
        HEAD.format(
            where=f"{begun()}; {processor()}, {memory()}",
            command=command("benchmarks.speed.run_processors", without_folders(sys.argv[1:])),
            model=options.model, sentences=options.sentences, trees=options.trees.name,
            repeats=options.repeats,
        )
    ]  # fmt: skip
    turns = [[part(number) for number in range(len(ROWS))] for _ in range(options.repeats)]
    for row, found in zip(ROWS, zip(*turns, strict=True), strict=True):
        seconds, computed = min(taken for taken, _ in found), found[0][1]
        lines.append(f"| {' | '.join(row)} | {computed} | {options.sentences / seconds:.1f} |")
    options.output.mkdir(parents=True, exist_ok=True)
    path = options.output / "processors.md"
    page = "\n".join(lines) + "\n" + notes(path)
    path.write_text(page, encoding="utf-8")
    print(page)


def part(number: int) -> tuple[float, str]:
    """Measure a row in a process of its own: instructions are chosen when it starts."""
    row = ROWS[number]
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    environment = {**os.environ, **threads, **NUMBA[row.compiled_for], **TORCH[row.torch_has]}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "benchmarks.speed.run_processors", *sys.argv[1:], "--part", str(number)],
        check=True, stdout=subprocess.PIPE, text=True, env=environment,
    )  # fmt: skip
    seconds, computed = json.loads(done.stdout.splitlines()[-1])
    return seconds, computed


def measure(model: str, row: Row, words: list[tuple[str, ...]]) -> tuple[float, str]:
    """Return seconds of CPU time, and what computed; a first turn does not count."""
    from bnaparser import Parser

    parser = Parser.load(model, "cpu", precision=row.precision, backend=row.backend)  # type: ignore[arg-type]
    parser.parse_many(words[:20])
    before = time.process_time()
    parser.parse_many(words)
    return time.process_time() - before, f"{parser.backend}, {parser.precision}"


if __name__ == "__main__":
    main()
