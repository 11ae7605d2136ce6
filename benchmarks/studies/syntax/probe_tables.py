"""The page's table of what ``--probe`` found."""

from __future__ import annotations

import argparse

from benchmarks.pages import spread
from benchmarks.studies.syntax.kept_runs import Result, budget, measured
from benchmarks.studies.syntax.probe_networks import CHAIN, SENTENCES, UNTRAINED
from benchmarks.studies.syntax.syntax_cells import line, table_head
from benchmarks.studies.syntax.syntax_tables import MAIN, PROBED, SYSTEMS, TABLE_6, TASKS

SCORES = {
    "uuas": ("UUAS", 1),
    "distance_spearman": ("distance Spearman", 100),
    "root_accuracy": ("root", 1),
    "depth_spearman": ("depth Spearman", 100),
}
TITLES = {
    CHAIN: "no network: distance in the sentence, the first word as root",
    UNTRAINED: "the encoder before training",
}
SHOWN = {"parsed": "with trees", "none": "without trees"}


def probed(options: argparse.Namespace) -> list[str]:
    """Return the table of ``--probe``, where it has been run with this budget."""
    budget_items = budget(options, PROBED).items()
    rows = [row for row in measured(options, "probed") or [] if budget_items <= row.items()]
    if not rows:
        return []
    head = [f"{title}, {source}" for title, _ in SCORES.values() for source in SHOWN.values()]
    lines = ["## Trees in the vectors: the structural probe", "", *table_head(["", *head])]
    for system in (*TITLES, *MAIN):
        cells = [cell(rows, system, shown, name) for name in SCORES for shown in SHOWN]
        lines.append(line([TITLES.get(system) or SYSTEMS[system].title, *cells]))
    paper = "; ".join(f"{name} {uuas}, {100 * spr:.0f}" for name, (uuas, spr) in TABLE_6.items())
    return [
        *lines,
        "",
        (
            f"Percent, mean ± standard deviation over seeds ({rows[-1]['processor']}, {rows[-1]['date']} UTC). "
            f"The networks were trained on {TASKS[PROBED].title} as above; the probe ([inspect.md](../../../docs/inspect.md)) reads the vectors of the last "
            f"layer. It was trained on the first {SENTENCES:,} training sentences of "
            f"{rows[0]['treebank']}, stopped by the development part, and scored on the test part. "
            "A score that is high only with trees in the input comes from these trees, not from the weights. The first row uses only "
            "the order of the words. A score below this row shows what a probe loses with so few sentences. The parser whose trees are in the input was trained on the "
            f"training part. The paper's table 6 (UUAS, distance Spearman; Stanford Dependencies, the whole Penn Treebank): {paper}."
        ),
        "",
    ]


def cell(rows: list[Result], system: str, shown: str, name: str) -> str:
    """Return the spread over seeds of one score of a system; nothing where it was not taken."""
    scale = SCORES[name][1]
    found = [row for row in rows if (row["system"], row["shown"]) == (system, shown)]
    return spread([scale * row[name] for row in sorted(found, key=lambda row: row["seed"])], 1)
