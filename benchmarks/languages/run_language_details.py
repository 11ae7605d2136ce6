"""Where a model of several languages errs: F1 by length and by label in each, and some trees.

    python -m benchmarks.languages.run_language_details TREEBANKS multi [--part test] [--shown is] [--examples 3]

For the words of the treebanks, as `run_languages` has them. What counts as a constituent and which trees are shown is said in
`benchmarks/accuracy/run_details.py`. ``--shown`` is a language whose treebank's text may be passed on.
"""

from __future__ import annotations

import argparse
from itertools import islice
from pathlib import Path

from benchmarks.accuracy.run_details import (
    LENGTHS,
    Count,
    Details,
    Lost,
    add_all,
    examples,
    largest,
    length_names,
    lost_table,
)
from benchmarks.languages.round_trip import TREEBANKS
from benchmarks.languages.run_languages import gold_trees
from benchmarks.machine import now, processor
from bnaparser import Parser, Tree
from bnaparser.eval import collins
from bnaparser.eval.scorer import FastScorer

MOST_LABELS = 8  # of a language
COMMON = 10  # constituents that a label must have


def tables(found: dict[str, Details]) -> list[str]:
    """Return the lines of both tables."""
    names = length_names()
    lines = [f"| words | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
    for language, details in found.items():
        cells = [_f1(details.lengths.get(row)) for row in range(len(LENGTHS) + 1)]
        lines.append(f"| {language} | {' | '.join(cells)} |")
    lines += ["", "| | most frequent labels, F1 | worst labels, F1 |", "|---|---|---|"]
    for language, details in found.items():
        most = largest(details.labels, MOST_LABELS)
        common = [item for item in details.labels.items() if item[1].gold >= COMMON]
        worst = sorted(common, key=lambda item: (item[1].f1, item[0]))[:3]
        lines.append(f"| {language} | {_listed(most)} | {_listed(worst)} |")
    return lines


def _f1(count: Count | None) -> str:
    return "" if count is None else f"{count.f1:.1f}"


def _listed(labels: list[tuple[str, Count]]) -> str:
    return ", ".join(f"{label} {count.f1:.1f}" for label, count in labels)


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("treebanks", type=Path, metavar="TREEBANKS")
    arguments.add_argument("model")
    arguments.add_argument("--part", choices=("dev", "test"), default="test")
    arguments.add_argument("--shown", choices=TREEBANKS, default="is")
    arguments.add_argument("--examples", type=int, default=3)
    options = arguments.parse_args()
    parser, scorer = Parser.load(options.model, device="cpu"), FastScorer(collins())
    found: dict[str, Details] = {}
    lost: dict[str, Lost] = {}
    shown: list[tuple[Tree, Tree]] = []
    for language in TREEBANKS.keys() & parser.networks.keys():
        trees = gold_trees(options.treebanks, language, options.part)
        found[language], lost[language] = Details(), Lost()
        own = parser.in_language(language)
        telling = add_all(found[language], lost[language], own, trees, scorer)
        if language == options.shown:
            shown = telling
    print(f"{now()} UTC, {processor()}; {options.model}, {options.part} parts\n")
    print(
        "\n".join(
            [*tables(dict(sorted(found.items()))), "", *lost_table(dict(sorted(lost.items())))]
        )
    )
    print("\n".join(examples(islice(shown, options.examples))))


if __name__ == "__main__":
    main()
