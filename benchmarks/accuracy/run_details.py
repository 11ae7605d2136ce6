"""Where a model errs: F1 by label and by length, wrong labels, and some trees, as a model's card has them.

    python -m benchmarks.accuracy.run_details TREEBANKS [--model en] [--part test] [--shown masc] [--examples 4]

Sets, words and label maps are those of run_accuracy. Constituents are compared as EVALB does with COLLINS.prm: without
marks and TOP, ADVP being PRT. Those of all sets are counted together, so large sets count more; what becomes of gold
constituents that are not found is told of each set. Trees are shown of the
set ``--shown`` alone, whose text may be passed on: the first in which one or two constituents are wrong.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from pathlib import Path
from typing import NamedTuple

from benchmarks.accuracy.run_accuracy import PACKAGES, SETS, gold_trees
from benchmarks.machine import listed, now, processor, versions
from bnaparser import Parser, Tree
from bnaparser.eval import collins
from bnaparser.eval.scorer import FastScorer

LENGTHS = (10, 20, 30, 40)  # words a sentence at most
LABELS, CONFUSIONS = 20, 12  # rows at most
SHORT = 18  # words of a sentence that is shown


class PlacedLabel(NamedTuple):
    """A constituent over the words that EVALB counts, from ``start`` up to ``end``."""

    start: int
    end: int
    label: str


@dataclass
class Count:
    """Constituents of gold trees, of a model's, and of both; sentences, and those without an error."""

    gold: int = 0
    test: int = 0
    matched: int = 0
    sentences: int = 0
    exact: int = 0

    def add(self, gold: Counter[PlacedLabel], test: Counter[PlacedLabel]) -> None:
        """Count one sentence."""
        self.gold += gold.total()
        self.test += test.total()
        self.matched += (gold & test).total()
        self.sentences += 1
        self.exact += gold == test

    @property
    def scores(self) -> str:
        """Recall, precision and F1 in per cent, as cells of a table."""
        recall = 100 * self.matched / max(self.gold, 1)
        precision = 100 * self.matched / max(self.test, 1)
        return f"{recall:.2f} | {precision:.2f} | {self.f1:.2f}"

    @property
    def f1(self) -> float:
        """In per cent."""
        return 200 * self.matched / max(self.gold + self.test, 1)


@dataclass
class Lost:
    """Gold constituents that a model does not give: how many there are, and what it gives instead."""

    gold: int = 0
    relabelled: int = 0  # another label over the same words
    crossed: int = 0  # one that begins or ends within it, and goes on outside
    absent: int = 0  # nothing of the kind
    absent_nps: int = 0

    def add(self, gold: Counter[PlacedLabel], test: Counter[PlacedLabel]) -> None:
        """Count one sentence."""
        self.gold += gold.total()
        places = {(start, end) for start, end, _ in test}
        for start, end, label in (gold - test).elements():
            if (start, end) in places:
                self.relabelled += 1
            elif any(a < start < b < end or start < a < end < b for a, b in places):
                self.crossed += 1
            else:
                self.absent += 1
                self.absent_nps += label == "NP"

    @property
    def cells(self) -> str:
        """All of it as cells of a table."""
        lost = self.relabelled + self.crossed + self.absent
        counts = (self.gold, lost, self.relabelled, self.crossed, self.absent, self.absent_nps)
        return " | ".join(f"{count:,}" for count in counts)


@dataclass
class Details:
    """Counts by label, by length (the number of its row), and of labels that stand for another on the same words."""

    labels: dict[str, Count] = field(default_factory=dict)
    lengths: dict[int, Count] = field(default_factory=dict)
    confusions: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, words: int, gold: Counter[PlacedLabel], test: Counter[PlacedLabel]) -> None:
        """Count one sentence of so many words."""
        row = sum(words > limit for limit in LENGTHS)
        self.lengths.setdefault(row, Count()).add(gold, test)
        for label in {bracket.label for bracket in gold | test}:
            self.labels.setdefault(label, Count()).add(only(gold, label), only(test, label))
        self.confusions.update(confused(gold, test))


def only(brackets: Counter[PlacedLabel], label: str) -> Counter[PlacedLabel]:
    """Return those of one label."""
    return Counter({key: count for key, count in brackets.items() if key.label == label})


def confused(gold: Counter[PlacedLabel], test: Counter[PlacedLabel]) -> list[tuple[str, str]]:
    """Return gold and given label of the words whose only wrong constituents differ in nothing else."""
    missing, wrong = by_words(gold - test), by_words(test - gold)
    return [
        (missing[place][0], wrong[place][0])
        for place in missing.keys() & wrong.keys()
        if len(missing[place]) == len(wrong[place]) == 1
    ]


def by_words(brackets: Counter[PlacedLabel]) -> dict[tuple[int, int], list[str]]:
    """Return the labels of constituents by the words that they cover."""
    found: dict[tuple[int, int], list[str]] = {}
    for start, end, label in brackets.elements():
        found.setdefault((start, end), []).append(label)
    return found


def brackets_of(scorer: FastScorer, tree: Tree) -> Counter[PlacedLabel]:
    """Return what EVALB compares of a tree; ValueError where the quick reader cannot read it."""
    outline = scorer.read(str(tree).encode())
    if outline is None:
        raise ValueError(f"not a line in good order: {tree}")
    return Counter(
        PlacedLabel(start, end, label.decode()) for start, end, label in outline.brackets
    )


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("treebanks", type=Path)
    arguments.add_argument("--model", default="en")
    arguments.add_argument("--part", default="test")
    arguments.add_argument("--shown", default="masc", choices=SETS)
    arguments.add_argument("--examples", type=int, default=4)
    options = arguments.parse_args()
    parser = Parser.load(options.model, device="cpu")
    scorer, details = FastScorer(collins()), Details()
    lost = {name: Lost() for name in SETS}
    shown: list[tuple[Tree, Tree]] = []
    for name in SETS:
        gold = gold_trees(options.treebanks, name, options.part, None)
        telling = add_all(details, lost[name], parser, gold, scorer)
        if name == options.shown:
            shown = telling
    print(
        f"{now()} UTC, {processor()}, {listed(versions(PACKAGES))}, {options.model}, {parser.precision},"
        f" {options.part} parts of {', '.join(SETS)}\n"
    )
    print("\n".join([*tables(details), "", *lost_table(lost)]))
    print("\n".join(examples(islice(shown, options.examples))))


def add_all(
    details: Details, lost: Lost, parser: Parser, gold: Sequence[Tree], scorer: FastScorer
) -> list[tuple[Tree, Tree]]:
    """Count all trees of a treebank; return those that are telling, the model's beside each."""
    telling = []
    parses = parser.parse_many([tree.words for tree in gold])
    for tree, parse in zip(gold, parses, strict=True):
        given = Tree.from_spans(tree.words, tree.tags, parse.spans)
        right, found = brackets_of(scorer, tree), brackets_of(scorer, given)
        details.add(len(tree.words), right, found)
        lost.add(right, found)
        if is_telling(tree, right, found):
            telling.append((tree, given))
    return telling


def is_telling(tree: Tree, gold: Counter[PlacedLabel], test: Counter[PlacedLabel]) -> bool:
    """Tell whether a tree is short, and a constituent or two of it are wrong."""
    return len(tree.words) <= SHORT and 1 <= (gold - test).total() <= 2


def tables(details: Details) -> list[str]:
    """Return the lines of all tables."""
    lines = [
        "| words | sentences | recall | precision | F1 | exactly right |",
        "|---|---|---|---|---|---|",
    ]
    names = length_names()
    for row, count in sorted(details.lengths.items()):
        exact = 100 * count.exact / count.sentences
        lines.append(f"| {names[row]} | {count.sentences:,} | {count.scores} | {exact:.1f} % |")
    lines += ["", "| label | in gold trees | recall | precision | F1 |", "|---|---|---|---|---|"]
    for label, count in largest(details.labels, LABELS):
        lines.append(f"| {label} | {count.gold:,} | {count.scores} |")
    lines += ["", "| gold label | predicted | times |", "|---|---|---|"]
    for (right, given), times in details.confusions.most_common(CONFUSIONS):
        lines.append(f"| {right} | {given} | {times:,} |")
    return lines


def lost_table(lost: dict[str, Lost]) -> list[str]:
    """Return the lines of the table of what is not found, by set."""
    return [
        "| set | in gold trees | lost | another label | crossed | absent | absent NPs |",
        "|---|---|---|---|---|---|---|",
        *(f"| {name} | {one.cells} |" for name, one in lost.items()),
    ]


def length_names() -> list[str]:
    """Return what the rows by length are called."""
    between = [f"{shorter + 1} to {longer}" for shorter, longer in pairwise(LENGTHS)]
    return [f"up to {LENGTHS[0]}", *between, f"over {LENGTHS[-1]}"]


def largest(labels: dict[str, Count], most: int) -> list[tuple[str, Count]]:
    """Return the labels of most constituents in gold trees, at most so many."""
    return sorted(labels.items(), key=lambda item: (-item[1].gold, item[0]))[:most]


def examples(shown: Iterable[tuple[Tree, Tree]]) -> list[str]:
    """Return the lines of a block with gold trees and the model's below each; none where none is shown."""
    pairs = [f"gold      {gold}\npredicted {given}" for gold, given in shown]
    return ["", "```", "\n\n".join(pairs), "```"] if pairs else []


if __name__ == "__main__":
    main()
