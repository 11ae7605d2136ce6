"""The page's tables of what cost.py measured: targets, time and memory."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from benchmarks.machine import listed
from benchmarks.speed.speed_report import SpeedRow
from benchmarks.studies.syntax.kept_runs import Result, measured
from benchmarks.studies.syntax.syntax_cells import line, table_head
from benchmarks.studies.syntax.syntax_tables import MAIN, PLAIN


def cost(options: argparse.Namespace) -> list[str]:
    """Return the tables of cost.py, where it has been run."""
    found = measured(options, "cost")
    if found is None:
        return ["## Cost", "", "Not measured: `python -m benchmarks.studies.syntax.cost`.", ""]
    packages = listed(found["versions"])
    lines = ["## Cost", "", f"{found['begun']}.", ""]
    lines += [
        f"- {found['machine']}; {found['threads']} threads, float32; {packages}",
        f"- {found['encoder']}, {found['texts']} texts a batch, the fastest of {found['repeats']} turns",
        (
            f"- `python -m benchmarks.studies.syntax.cost --encoder {found['encoder']} "
            f"--output {options.output.name}`"
        ),
        "",
        *table_head(["what", "measured", "target", ""]),
        *map(str, targets(found["times"])),
        "",
    ]
    for mode in sorted({row["mode"] for row in found["times"]}):
        lines += [*time_table([row for row in found["times"] if row["mode"] == mode], mode), ""]
    for mode in sorted({row["mode"] for row in found["memory"]}):
        lines += [*memory_table([row for row in found["memory"] if row["mode"] == mode], mode), ""]
    return [
        *lines,
        (
            "Time relative to the plain encoder, wall / CPU. The data loader makes the masks, in parallel with the encoder; "
            "the last column has the time for making the masks of the longest texts. The plain encoder uses the default attention of "
            "transformers (sdpa). Memory is the peak of a whole process."
        ),
        "",
        "![Cost by length](syntax_cost.svg)",
        "",
    ]


def targets(times: list[Result]) -> list[SpeedRow]:
    """Return what was asked for: SLA at any length, Syntax-BERT at 30 words."""
    found = []
    for system, limit, at in (("sla", 1.3, None), ("syntax-bert", 6.0, 30)):
        for mode in sorted({row["mode"] for row in times}):
            lengths = {row["words"] for row in times if at in (None, row["words"])}
            for key, clock in (("wall_ms", "wall"), ("cpu_ms", "CPU")):
                worst = max((ratio(times, system, mode, words, key), words) for words in lengths)
                name = f"{MAIN[system].title}, {mode}, {clock}: at {worst[1]} words"
                name += ", the worst length" if at is None else ""
                found.append(SpeedRow(name, worst[0], " x", "under", limit))
    return found


def ratio(rows: Iterable[Result], system: str, mode: str, words: int, key: str) -> float:
    """Return how many times the plain encoder's time a system takes."""
    both = {row["system"]: row[key] for row in rows if (row["mode"], row["words"]) == (mode, words)}
    times: float = both[system] / both[PLAIN]
    return times


def time_table(rows: list[Result], mode: str) -> list[str]:
    lengths = sorted({row["words"] for row in rows})
    lines = table_head([mode, *(f"{words} words" for words in lengths), "masks, ms a text"])
    for system, (title, *_) in MAIN.items():
        mine = {row["words"]: row for row in rows if row["system"] == system}
        if system == PLAIN:
            cells = [f"{mine[words]['wall_ms']:.2f} ms a text" for words in lengths]
        else:
            cells = [
                " / ".join(
                    f"{ratio(rows, system, mode, words, key):.2f}" for key in ("wall_ms", "cpu_ms")
                )
                for words in lengths
            ]
        masks = f"{mine[lengths[-1]]['masks_ms']:.2f}" if system != PLAIN else ""
        lines.append(line([title, *cells, masks]))
    return lines


def memory_table(rows: list[Result], mode: str) -> list[str]:
    lengths = sorted({row["words"] for row in rows})
    lines = table_head([f"peak MB, {mode}", *(f"{words} words" for words in lengths)])
    for system, (title, *_) in MAIN.items():
        mine = {row["words"]: row["peak_mb"] for row in rows if row["system"] == system}
        lines.append(line([title, *(f"{mine[words]:.0f}" for words in lengths)]))
    return lines
