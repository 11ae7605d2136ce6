"""The page and the plots of speed.py."""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.encoders import described
from benchmarks.machine import command, listed, memory, processor, versions, without_folders
from benchmarks.speed.parts import WORDS_IN_BATCH, Result

NETWORK_WALL = "encoder, layers and scorer, wall time relative to the bare encoder"
NETWORK_CPU = "encoder, layers and scorer, CPU time relative to the bare encoder"
PACKAGES = ("bnaparser", "torch", "transformers", "tokenizers", "numpy", "numba")


def least(results: Sequence[Result], key: str) -> float:
    return float(min(result[key] for result in results))


class SpeedRow(NamedTuple):
    """A line of the table with targets."""

    name: str
    value: float
    unit: str
    relation: str
    target: float

    def __str__(self) -> str:
        met = {
            "at most": self.value <= self.target,
            "at least": self.value >= self.target,
            "under": self.value < self.target,
        }[self.relation]
        wanted = f"{self.relation} {self.target:g}{self.unit}"
        verdict = "met" if met else "**missed**"
        return f"| {self.name} | {self.value:.2f}{self.unit} | {wanted} | {verdict} |"


def ours(found: Result, suffix: str) -> dict[str, float]:
    """Return the numbers of one of our models, from the fastest turns."""
    numbers = {}
    for kind, what, count in (
        ("parse", "parsing", "sentences/s"),
        ("train", "training", "examples/s"),
    ):
        turns = found[f"{kind}{suffix}"]
        wall = least(turns, "wall_s")
        numbers[f"{what}, {count}"] = turns[0]["count"] / wall
        numbers[f"{what}, wall time relative to the bare encoder"] = wall / least(turns, "bare_s")
        numbers[f"{what}, CPU time relative to the bare encoder"] = least(turns, "cpu_s") / least(
            turns, "bare_cpu_s"
        )
        numbers[f"{what}, peak MB"] = least(turns, "peak_mb")
    turns = found[f"parse{suffix}"]
    for key, unit, bare in (
        (NETWORK_WALL, "network_s", "bare_s"),
        (NETWORK_CPU, "network_cpu_s", "bare_cpu_s"),
    ):
        numbers[key] = least(turns, unit) / least(turns, bare)
    return numbers | {"nodes a tree": found[f"parse{suffix}"][0]["nodes_per_tree"]}


def theirs(found: Result, way: str) -> dict[str, float]:
    """Return the same numbers of benepar; ``way`` is how it forms batches in parsing."""
    parsing = [turn["a_parsing"][way] for turn in found["benepar"]]
    training = [turn["b_training"] for turn in found["benepar"]]
    numbers = {
        "parsing, sentences/s": max(turn["sentences_per_s"] for turn in parsing),
        "training, examples/s": max(turn["examples_per_s"] for turn in training),
        "parsing, peak MB": found["benepar parse mb"],
        "training, peak MB": least(training, "peak_mb"),
        "nodes a tree": found["benepar"][0]["a_parsing"]["nodes_per_tree"],
    }
    for what, turns in (("parsing", parsing), ("training", training)):
        numbers[f"{what}, wall time relative to the bare encoder"] = least(
            turns, "ratio_to_bare_encoder"
        )
        numbers[f"{what}, CPU time relative to the bare encoder"] = least(
            turns, "cpu_ratio_to_bare_encoder"
        )
    return numbers


def systems(found: Result) -> dict[str, dict[str, float]]:
    result = {"BiMSA + NSA": ours(found, ""), "no layers": ours(found, " none")}
    if found["benepar"]:
        result["benepar, public API"] = theirs(found, "batch64")
        result["benepar, sorted"] = theirs(found, "subbatch500")
    return result


def rows(found: Result) -> list[SpeedRow]:
    """Return the table with targets."""
    both, none, *peers = systems(found).values()
    table = [
        SpeedRow(f"BiMSA + NSA: {key}", both[key], " x", "at most", 1.5)
        for key in (NETWORK_WALL, NETWORK_CPU)
    ]
    for name, numbers, what, target in (
        ("BiMSA + NSA", both, "parsing", 1.5),
        ("no layers", none, "parsing", 1.25),
        ("BiMSA + NSA", both, "training", 1.75),
    ):
        for key in (
            f"{what}, wall time relative to the bare encoder",
            f"{what}, CPU time relative to the bare encoder",
        ):
            table.append(SpeedRow(f"{name}: {key}", numbers[key], " x", "at most", target))
    if peers:
        public, by_length = peers
        for name, peer, key, relation, target in (
            ("benepar's public API", public, "parsing, sentences/s", "at least", 15),
            ("benepar sorted", by_length, "parsing, sentences/s", "at least", 1.7),
            ("benepar", public, "training, examples/s", "at least", 2.2),
            ("benepar", public, "parsing, peak MB", "under", 0.5),
            ("benepar", public, "training, peak MB", "under", 0.5),
        ):
            title = f"BiMSA + NSA: {key}, relative to {name}"
            table.append(SpeedRow(title, both[key] / peer[key], " x", relation, target))
    chart, cold = found["chart"]["wall_s"], found["cold"]
    extra = cold["start_s"] - cold["imports_s"]
    title = "chart, 64 sentences of 50 words, 112 labels"
    table.append(SpeedRow(title, 1000 * chart, " ms", "under", 6))
    table.append(SpeedRow("cold start, more than importing", extra, " s", "at most", 1.0))
    return table


def details(found: Result) -> list[str]:
    """Return the table of the numbers behind it."""
    numbers = systems(found)
    lines = ["| | " + " | ".join(numbers) + " |", "|---" * (len(numbers) + 1) + "|"]
    for key in numbers["BiMSA + NSA"]:
        cells = " | ".join(
            f"{system[key]:.2f}" if key in system else "" for system in numbers.values()
        )
        lines.append(f"| {key} | {cells} |")
    return lines


def report(options: argparse.Namespace, found: Result, begun: str) -> str:
    """Return the whole page."""
    cold = found["cold"]
    lines = ["# Speed", "", begun, "", *machine(options, found), ""]
    lines += ["| what | measured | target | |", "|---|---|---|---|", *map(str, rows(found)), ""]
    lines += ["The figures of the chart, the fastest of all turns:", "", *details(found), ""]
    lines.append(
        f"Cold start: `bnaparse` takes {cold['start_s']:.2f} s from start to end, and "
        f"{cold['first_s']:.2f} s at the first run, which compiles. A process that only imports torch and the "
        f"encoder's class takes {cold['imports_s']:.2f} s."
    )
    if found["benepar"]:
        theirs = min(t["c_cold_start"]["import_to_first_tree_s"] for t in found["benepar"])
        lines[-1] += f" benepar takes {theirs:.2f} s from import to its first tree."
    lines += ["", "![By length](speed_length.svg)", "", "![By batch size](speed_batch.svg)", ""]
    lines.append(
        "The plots show measurements with sentences of random words. Memory is the peak of the process up to that size."
    )
    return "\n".join(lines) + "\n"


def machine(options: argparse.Namespace, found: Result) -> list[str]:
    """Return what was measured where, and how to measure it again."""
    lines = [
        f"- {processor()}, {memory()}; {options.threads} threads; bnaparser parses in int8; everything else is in float32",
        f"- Python {platform.python_version()}, {listed(versions(PACKAGES))}",
    ]
    if found["benepar"]:
        first = found["benepar"][0]
        lines.append(f"- benepar {first['version']} with {listed(first['packages'])}")
    again = command("benchmarks.speed.run_speed", without_folders(sys.argv[1:]))
    count = found["parse"][0]["count"]
    lines.append(f"- Encoder: {described(options.encoder.name)}")
    lines.append(f"- First {count} sentences of {options.trees.name}")
    lines.append(f"- `{again}`")
    return lines


def plot(found: Result, output: Path) -> None:
    """Draw time and memory by sentence length and by batch size."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "speed", "font.size": 9})
    theirs = found.get("benepar lengths", [])
    times, memories = [], []
    for size in (1, 8):
        ours = found[f"lengths {size}"]
        lengths = [row["words"] for row in ours]
        times.append((f"bnaparser, {size} at once", lengths, [row["ms"] for row in ours]))
        times.append((f"bare encoder, {size}", lengths, [row["bare_ms"] for row in ours]))
        memories.append((f"bnaparser, {size} at once", lengths, [row["peak_mb"] for row in ours]))
        done = [row for row in theirs if "ms_per_sentence" in row[f"batch{size}"]]
        milliseconds = [row[f"batch{size}"]["ms_per_sentence"] for row in done]
        times.append((f"benepar, {size} at once", [row["words"] for row in done], milliseconds))
    peaks = [row["peak_mb"] for row in theirs]
    memories.append(("benepar, 8 at once", [row["words"] for row in theirs], peaks))
    draw(output / "speed_length.svg", "words a sentence", times, memories)
    ours = found["batches"]
    sizes = [row["sentences"] for row in ours]
    times = [("bnaparser", sizes, [row["ms"] for row in ours])]
    times.append(("bare encoder", sizes, [row["bare_ms"] for row in ours]))
    memories = [("bnaparser", sizes, [row["peak_mb"] for row in ours])]
    draw(
        output / "speed_batch.svg", f"sentences of {WORDS_IN_BATCH} words at once", times, memories
    )


def draw(path: Path, label: str, times: list[Any], memories: list[Any]) -> None:
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    panels = (("milliseconds a sentence", times), ("peak memory, MB", memories))
    for axis, (title, curves) in zip(axes, panels, strict=True):
        for name, across, up in curves:
            if across:
                axis.plot(across, up, marker="o", markersize=3, label=name)
        axis.set(xscale="log", yscale="log", xlabel=label, ylabel=title)
        axis.grid(alpha=0.3, which="both")
        axis.legend()
    figure.savefig(path, metadata={"Date": None})
