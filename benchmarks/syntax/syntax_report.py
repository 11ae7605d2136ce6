"""The page of syntax.py."""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.speed.speed_report import Row, processor
from benchmarks.syntax.runs import Result, predictions_file, prepared
from benchmarks.syntax.syntax_tables import (
    ABLATION,
    INSIDE,
    MAIN,
    METRICS,
    PLAIN,
    SLA_BASE,
    SLA_COLUMNS,
    SLA_PAIRS,
    SLA_PAIRS_COLUMNS,
    SYNTAX_BERT_BASE,
    SYNTAX_BERT_COLUMNS,
    SYSTEMS,
    TABLE_5,
    TASKS,
    TREES,
    WINDOW,
)

NOTES = Path(__file__).with_name("syntax_notes.md")
LEVEL = 0.05


def report(options: argparse.Namespace, rows: list[Result]) -> str:
    """Return the page of what is done so far."""
    if not rows:
        raise SystemExit(f"{options.output} holds no results with these settings")
    lines = ["# Attention guided by syntax", "", *machine(options, rows), ""]
    lines += main_table(rows)
    lines += differences(options, rows)
    lines += papers()
    lines += ablation(options, rows)
    lines += trees(options, rows)
    lines += reasons(options, rows)
    lines += inside(options)
    lines += cost(options)
    if NOTES.is_file():
        lines += ["", NOTES.read_text(encoding="utf-8").strip()]
    return "\n".join(lines) + "\n"


def machine(options: argparse.Namespace, rows: list[Result]) -> list[str]:
    """Return what was measured where and how, and how to do it again."""
    dates = sorted(row["date"] for row in rows)
    packages = ", ".join(f"{name} {text}" for name, text in rows[-1]["versions"].items())
    seeds = sorted({row["seed"] for row in rows})
    hours = sum(row["total_seconds"] for row in rows) / 3600
    budgets = ", ".join(
        f"{task.title} {row['examples']} x {row['epochs']:g} ({row['scored_examples']} of {task.judged})"
        for name, task in TASKS.items()
        for row in of(rows, name)[:1]
    )
    command = f"python -m benchmarks.syntax.run_syntax --tasks {options.tasks.name} "
    command += f"--encoder {options.encoder.name} --output {options.output.name}"
    return [
        f"{dates[0]} to {dates[-1]} UTC, {len(rows)} trainings in {hours:.1f} hours.",
        "",
        f"- {processor()}; {options.threads} threads, {options.device}, float32",
        f"- {packages}",
        (
            f"- {options.encoder.name}, trees of the parser {options.parser!r}; seeds "
            f"{', '.join(map(str, seeds))}; batches of {options.batch_size}, learning rate "
            f"{options.learning_rate:g}, which rises for a tenth of the updates and falls to 0; "
            f"{options.pooling} pooling"
        ),
        f"- Training examples x passes (scored): {budgets}. They are drawn at random, once.",
        f"- `{command}`, then the same with `--report`",
        "",
        (
            "Every system of a task has the same encoder, examples, batches, updates and rates. Nothing is "
            "chosen on what is scored: the network after the last update is scored once, on `test` where "
            "the task has one, else on `dev`. All settings of a system are its defaults "
            "([syntax.md](../docs/syntax.md)): threshold 3 for SLA, a window of 4 for WLA, one layer for "
            "SG-Net. SLA's paper runs its baselines on single sentences; all systems here take pairs."
        ),
    ]


def main_table(rows: list[Result]) -> list[str]:
    """Return every system's scores on every task, mean and deviation over seeds."""
    columns = [(name, metric) for name, task in TASKS.items() for metric in task.metrics]
    head = [f"{TASKS[name].title} {METRICS[metric]}" for name, metric in columns]
    lines = ["## The systems", "", *table_head(["", *head])]
    for system, (title, *_) in MAIN.items():
        cells = [spread(values(rows, name, system, metric)) for name, metric in columns]
        lines.append(line([title, *cells]))
    return [*lines, "", "Percent, mean ± standard deviation over seeds.", ""]


def differences(options: argparse.Namespace, rows: list[Result]) -> list[str]:
    """Return what each system gains over the plain encoder, tested in pairs."""
    lines = table_head(["over the plain encoder", *(task.title for task in TASKS.values())])
    tested = marked = 0
    for system, (title, *_) in MAIN.items():
        if system == PLAIN:
            continue
        cells = []
        for name in TASKS:
            found = comparison(options, rows, name, system, PLAIN)
            tested += found is not None
            marked += found is not None and found.p_value < LEVEL
            cells.append(tested_cell(found))
        lines.append(line([title, *cells]))
    return [
        *lines,
        "",
        (
            "Difference of the first metric of a task [95 % interval], p; bold where p is under "
            f"{LEVEL:g}. Paired by example, the seeds pooled: approximate randomisation and bootstrap, "
            "2,000 trials each. Pooling says whether these networks differ on such examples; what another "
            f"seed would do is in the deviations above. Of {tested} comparisons {marked} are bold; were "
            f"all systems alike, {LEVEL * tested:.0f} would be."
        ),
        "",
    ]


def papers() -> list[str]:
    """Return what the papers report, on full data and BERT-base."""
    lines = ["## The papers' own scores", ""]
    lines += ["SLA (Li and others 2021, table 1; full data, BERT-base, mean of 5 runs):", ""]
    lines += printed(SLA_COLUMNS, SLA_BASE)
    lines += ["", "The same, pairs (table 2, dev):", "", *printed(SLA_PAIRS_COLUMNS, SLA_PAIRS)]
    lines += ["", "Syntax-BERT (Bai and others 2021, tables 2 to 4; full data, BERT-base):", ""]
    lines += printed(SYNTAX_BERT_COLUMNS, SYNTAX_BERT_BASE)
    return [*lines, ""]


def ablation(options: argparse.Namespace, rows: list[Result]) -> list[str]:
    """Return Syntax-BERT's table 5, ours beside the paper's."""
    cola, stsb = TASKS["cola"], TASKS["stsb"]
    head = [
        "",
        f"{cola.title}, ours",
        "over Syntax-BERT",
        f"{stsb.title}, ours",
        "over Syntax-BERT",
        "CoLA, paper",
        "SST-2, paper",
        "STS-B, paper",
    ]
    lines = ["## Syntax-BERT's table 5", "", *table_head(head)]
    for system in (PLAIN, "syntax-bert", *ABLATION):
        cells = []
        for name in ("cola", "stsb"):
            metrics = TASKS[name].metrics
            scores = " / ".join(spread(values(rows, name, system, metric)) for metric in metrics)
            found = None
            if system in ABLATION:
                found = comparison(options, rows, name, system, "syntax-bert")
            cells += [scores.strip(" /"), tested_cell(found)]
        sst2, cola_paper, stsb_paper = TABLE_5.get(system, ("", "", ""))
        lines.append(line([SYSTEMS[system].title, *cells, cola_paper, sst2, stsb_paper]))
    return [
        *lines,
        "",
        (
            "Ours on CoLA, which has the shortest sentences, and pairwise masks on STS-B; the paper's on "
            "BERT-large and full data. The paper puts a sum in topical attention's place; the mean "
            "beside it keeps the scale that the encoder knows."
        ),
        "",
    ]


def trees(options: argparse.Namespace, rows: list[Result]) -> list[str]:
    """Return what SST's own trees and the controls do on SST-2."""
    shares = prepared(options).get("shares", {})
    head = [
        "SST-2",
        "accuracy",
        "over the plain encoder",
        "over our parser's trees",
        "pairs seen, %",
    ]
    lines = ["## Whose trees", "", *table_head(head)]
    for system in (PLAIN, "sla", *TREES):
        base = base_of(system)
        over_base = comparison(options, rows, "sst2", system, base) if base else None
        cells = [
            spread(values(rows, "sst2", system, "accuracy")),
            tested_cell(comparison(options, rows, "sst2", system, PLAIN)),
            tested_cell(over_base),
            f"{100 * shares[system]:.0f}" if system in shares else "",
        ]
        lines.append(line([SYSTEMS[system].title, *cells]))
    window = prepared(options).get("window")
    return [
        *lines,
        "",
        (
            "All are over the words of SST. Its own trees are binary and, the sentiment aside, without "
            "labels: a parser's output as well (Stanford's, binarised; Socher and others 2013), no gold "
            "standard. Head rules cannot read them, so of the words of a phrase the one that is "
            "highest in our parser's dependencies is its head. Random trees are binary, split anywhere. "
            f"Pairs seen: of the pairs of words of the training sentences, those that a mask lets see; the "
            f"window of {window} words to each side is the one whose share is nearest to SLA's."
        ),
        "",
    ]


def base_of(system: str) -> str | None:
    """Return what has our parser's trees where a system has others."""
    if system.startswith("sla-") or system == WINDOW:
        return "sla"
    return "constituents" if system.startswith("constituents-") else None


def reasons(options: argparse.Namespace, rows: list[Result]) -> list[str]:
    """Return what LISA does with a lighter supervision, and SG-Net's layer without syntax."""
    head = [""]
    for name in INSIDE:
        metric = METRICS[TASKS[name].metrics[0]]
        head += [f"{TASKS[name].title} {metric}", "over the plain encoder"]
    lines = ["## Lighter supervision, and a layer without syntax", "", *table_head(head)]
    for system in (PLAIN, "lisa", "lisa-0.1", "lisa-0.01", "sgnet", "sgnet-random"):
        cells = []
        for name in INSIDE:
            cells += [
                spread(values(rows, name, system, TASKS[name].metrics[0])),
                tested_cell(comparison(options, rows, name, system, PLAIN)),
            ]
        lines.append(line([SYSTEMS[system].title, *cells]))
    return [*lines, ""]


def inside(options: argparse.Namespace) -> list[str]:
    """Return the tables of ``--inside``, where it has been run."""
    path = options.output / "inside.json"
    if not path.is_file():
        return []
    found = json.loads(path.read_text(encoding="utf-8"))
    lines = ["## Inside the networks", ""]
    for task in INSIDE:
        lines += table_head([f"{TASKS[task].title}, before → after training", *INSIDE_COLUMNS])
        for system in MAIN:
            pair = [row for row in found if (row["task"], row["system"]) == (task, system)]
            if pair:
                cells = [changed(shown, pair) for shown in INSIDE_COLUMNS.values()]
                lines.append(line([SYSTEMS[system].title, *cells]))
        lines.append("")
    return [
        *lines,
        (
            "Over 128 training texts, seed 1, without dropout. Moved: how far the encoder's vectors "
            "are from those that the same weights give without syntax, over the length of these. "
            "Share of syntax: the gates by layer (SLA, WLA), the share of the sub-networks that syntax masks "
            "(Syntax-BERT), the mixture's weight of the guided layer (SG-Net). On the parent: the "
            "supervised heads' attention to it, geometric mean over tokens and layers. Pull: length of the "
            "gradient at the encoder's own weights, and the cosine between that of the task and that of the "
            "supervision."
        ),
        "",
    ]


INSIDE_COLUMNS: dict[str, Callable[[Result], str]] = {
    "moved": lambda row: f"{row['moved']:.2f}",
    "share of syntax": lambda row: ", ".join(f"{share:.2f}" for share in row["shares"]),
    "on the parent": lambda row: f"{row['on_parent']:.2f}" if "on_parent" in row else "",
    "the task's loss": lambda row: f"{row['task_loss']:.2f}",
    "the task's pull": lambda row: f"{row['task_pull']:.2f}",
    "the supervision's pull": lambda row: (
        f"{row['supervision_pull']:.2f}" if "supervision_pull" in row else ""
    ),
    "cosine": lambda row: f"{row['agreement']:+.2f}" if "agreement" in row else "",
}


def changed(shown: Callable[[Result], str], rows: list[Result]) -> str:
    """Return what a column shows of a system before its training and after it."""
    by_time = {row["when"]: shown(row) for row in rows}
    return " → ".join(filter(None, (by_time["before"], by_time["after"])))


def cost(options: argparse.Namespace) -> list[str]:
    """Return the tables of syntax_cost.py, where it has been run."""
    path = options.output / "cost.json"
    if not path.is_file():
        return ["## Cost", "", "Not measured: `python -m benchmarks.syntax.cost`.", ""]
    found = json.loads(path.read_text(encoding="utf-8"))
    packages = ", ".join(f"{name} {text}" for name, text in found["versions"].items())
    lines = ["## Cost", "", f"{found['begun']}.", ""]
    lines += [
        f"- {found['machine']}; {found['threads']} threads, float32; {packages}",
        f"- {found['encoder']}, {found['texts']} texts a batch, the fastest of {found['repeats']} turns",
        (
            f"- `python -m benchmarks.syntax.cost --encoder {found['encoder']} "
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
            "Times the plain encoder, wall / CPU. Masks are made beside the encoder, by the data loader; "
            "the column says how long for the longest texts. The plain encoder has the attention that "
            "transformers gives it by default (sdpa). Memory is the peak of a whole process."
        ),
        "",
        "![Cost by length](syntax_cost.svg)",
        "",
    ]


def targets(times: list[Result]) -> list[Row]:
    """Return what was asked for: SLA at any length, Syntax-BERT at 30 words."""
    found = []
    for system, limit, at in (("sla", 1.3, None), ("syntax-bert", 6.0, 30)):
        for mode in sorted({row["mode"] for row in times}):
            lengths = {row["words"] for row in times if at in (None, row["words"])}
            for key, clock in (("wall_ms", "wall"), ("cpu_ms", "CPU")):
                worst = max((ratio(times, system, mode, words, key), words) for words in lengths)
                name = f"{MAIN[system].title}, {mode}, {clock}: at {worst[1]} words"
                name += ", the worst length" if at is None else ""
                found.append(Row(name, worst[0], " x", "under", limit))
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


def of(rows: list[Result], task: str, system: str | None = None) -> list[Result]:
    found = [row for row in rows if row["task"] == task and system in (None, row["system"])]
    return sorted(found, key=lambda row: row["seed"])


def values(rows: list[Result], task: str, system: str, metric: str) -> list[float]:
    return [row["scores"][metric] for row in of(rows, task, system)]


def spread(found: Sequence[float]) -> str:
    if not found:
        return ""
    mean = f"{statistics.mean(found):.1f}"
    return mean if len(found) == 1 else f"{mean} ± {statistics.stdev(found):.1f}"


def comparison(
    options: argparse.Namespace, rows: list[Result], task: str, system: str, other: str
) -> Any:
    """Return the paired test of two systems over the seeds that both have; None without any."""
    from bnaparser.tasks.task_settings import TaskSettings
    from bnaparser.tasks.task_significance import compare

    mine, theirs = ({row["seed"] for row in of(rows, task, name)} for name in (system, other))
    if system == other or not mine & theirs:
        return None
    pooled: dict[str, list[Any]] = {"gold": [], "first": [], "second": []}
    for seed in sorted(mine & theirs):
        first, second = (
            json.loads(predictions_file(options, task, name, seed).read_text(encoding="utf-8"))
            for name in (system, other)
        )
        if first["gold"] != second["gold"]:
            raise SystemExit(f"{task}: {system} and {other} were scored on different examples")
        pooled["gold"] += as_gold(first["gold"])
        pooled["first"] += as_gold(first["predicted"])
        pooled["second"] += as_gold(second["predicted"])
    settings = TaskSettings.model_validate(TASKS[task].table)
    return compare(settings, first["labels"], *pooled.values())


def as_gold(found: list[Any]) -> list[Any]:
    """Return what JSON gives as lists as the tuples that they were."""
    return [tuple(gold) if isinstance(gold, list) else gold for gold in found]


def tested_cell(found: Any) -> str:
    if found is None:
        return ""
    shown = f"{found.difference:+.1f} [{found.low:+.1f}, {found.high:+.1f}], {found.p_value:.3f}"
    return f"**{shown}**" if found.p_value < LEVEL else shown


def printed(columns: Sequence[str], rows: dict[str, Sequence[Any]]) -> list[str]:
    lines = table_head(["", *columns])
    return lines + [line([name, *map(str, cells)]) for name, cells in rows.items()]


def table_head(cells: Sequence[str]) -> list[str]:
    return [line(cells), "|---" * len(cells) + "|"]


def line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
