"""Time of chart decoding: python -m benchmarks.chart.run_chart [--labels 112] [--repeats 30]

Prints the best and the median wall time in milliseconds, after compilation: first for 64 sentences
of 50 words by one thread and by two, then for a sentence alone by length, then a fresh process.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bnaparser import chart

START = """
import time
begin = time.perf_counter()
import numpy, numba
imported = time.perf_counter()
from bnaparser import chart
chart.decode(numpy.zeros((3, 4), numpy.float32), 2)
print(f"{1e3 * (imported - begin):.0f} {1e3 * (time.perf_counter() - imported):.0f}")
"""


def measure(name: str, work: Callable[[], object], repeats: int) -> None:
    work()
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        times.append(1e3 * (time.perf_counter() - begin))
    print(f"{name:<44}{min(times):9.2f}{statistics.median(times):9.2f}", flush=True)


def batch(
    generator: np.random.Generator, count: int, n: int, labels: int
) -> tuple[NDArray[np.float32], NDArray[np.int32], list[int]]:
    """Random scores, gold labels of which most are empty, and lengths."""
    scores = generator.standard_normal((count * chart.span_count(n), labels), dtype=np.float32)
    scores[:, 0] = 0
    filled = generator.random(len(scores)) < 0.05
    gold = np.where(filled, generator.integers(0, labels, len(scores)), 0).astype(np.int32)
    return scores, gold, [n] * count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--labels", type=int, default=112)
    parser.add_argument("--repeats", type=int, default=30)
    options = parser.parse_args()
    generator = np.random.default_rng(1)

    print(f"{'milliseconds':<44}{'best':>9}{'median':>9}")
    scores, gold, lengths = batch(generator, 64, 50, options.labels)
    arrays = np.split(scores, 64)
    best, label = scores.max(1), scores.argmax(1).astype(np.int32)
    roots = best[49::1275], label[49::1275]
    for threads in 1, 2:
        title = f"64 x 50 words, {options.labels} labels, {threads} threads: "
        cases: dict[str, Callable[[], object]] = {
            "packed": partial(chart.decode_packed, scores, lengths, threads),
            "batch": partial(chart.decode_batch, arrays, lengths, threads),
            "best": partial(chart.decode_best_packed, best, label, *roots, lengths, threads),
            "cost": partial(chart.cost_augment_packed, scores, gold, lengths, threads),
        }
        for name, work in cases.items():
            measure(title + name, work, options.repeats)

    for n in 10, 20, 50, 100, 200, 500, 1000, 2000:
        repeats = options.repeats if n < 500 else 3
        if n <= 1000:  # 2,000 words would need scores of 0.9 GB
            scores, _, _ = batch(generator, 1, n, options.labels)
            measure(f"1 x {n} words", partial(chart.decode, scores, n), repeats)
        best = generator.random(chart.span_count(n), dtype=np.float32)
        label = np.ones(len(best), np.int32)
        work = partial(chart.decode_best, best, label, 1.0, 1, n)
        measure(f"1 x {n} words, maxima given", work, repeats)

    for _ in range(3):
        output = subprocess.check_output([sys.executable, "-c", START], text=True)
        print("fresh process, ms: import numpy and numba, then first tree:", output.strip())


if __name__ == "__main__":
    main()
