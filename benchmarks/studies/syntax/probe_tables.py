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
    CHAIN: "no network: words that stand nearer are nearer, the first is the root",
    UNTRAINED: "the encoder before training",
}
SHOWN = {"parsed": "trees shown", "none": "none shown"}


def probed(options: argparse.Namespace) -> list[str]:
    """Return the table of ``--probe``, where it has been run with this budget."""
    wanted = budget(options, PROBED).items()
    rows = [row for row in measured(options, "probed") or [] if wanted <= row.items()]
    if not rows:
        return []
    head = [f"{title}, {told}" for title, _ in SCORES.values() for told in SHOWN.values()]
    lines = ["## Trees in the vectors: the structural probe", "", *table_head(["", *head])]
    for system in (*TITLES, *MAIN):
        cells = [cell(rows, system, shown, name) for name in SCORES for shown in SHOWN]
        lines.append(line([TITLES.get(system) or SYSTEMS[system].title, *cells]))
    paper = "; ".join(f"{name} {uuas}, {100 * spr:.0f}" for name, (uuas, spr) in TABLE_6.items())
    return [
        *lines,
        "",
        (
            f"Percent, mean ± standard deviation over seeds; each network trained on {TASKS[PROBED].title} as above, the last "
            f"layer's vectors, the probe ([inspect.md](../../../docs/inspect.md)) trained on the first {SENTENCES:,} training sentences of "
            f"{rows[0]['treebank']}, stopped by its development part, and scored on its test part; {rows[-1]['processor']}, "
            f"{rows[-1]['date']} UTC. What a system has with trees shown and not without "
            "is the tree that it was shown, and not what its weights know. Below the first row is what a probe of so few sentences "
            "loses of what the words' order alone tells. The parser whose trees are shown was trained on the "
            f"training part. The paper's table 6 (UUAS, distance Spearman; Stanford Dependencies, the whole Penn Treebank): {paper}."
        ),
        "",
    ]


def cell(rows: list[Result], system: str, shown: str, name: str) -> str:
    """Return the spread over seeds of one score of a system; nothing where it was not taken."""
    scale = SCORES[name][1]
    found = [row for row in rows if (row["system"], row["shown"]) == (system, shown)]
    return spread([scale * row[name] for row in sorted(found, key=lambda row: row["seed"])], 1)
