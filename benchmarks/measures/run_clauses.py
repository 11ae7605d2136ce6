"""The clauses of `parse.clauses()` beside those of gold dependencies.

    python -m benchmarks.measures.run_clauses GOLD... [--trees TREES...] [--sentences 300] [--model en]

GOLD are files in CoNLL-U; TREES are files of trees, of which those with the words of a gold sentence are taken. Of each
file 300 sentences are drawn, with a fixed seed, from every fifth document. `benchmarks.measures.gold_clauses` says which
clauses dependencies have. A clause of ours is right where a gold clause of its kind has its verb, or, without a verb,
its words. Writes ``clauses.md`` beside this file. With ``--development`` the sentences are drawn from
the other documents, and the tables are printed only.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, get_args

from benchmarks.machine import begun, command, listed, processor, versions, without_folders
from benchmarks.measures.gold_clauses import GoldClause, Word, gold_clauses, read_sentences
from bnaparser import Parser
from bnaparser.treebanks.reading import find_trees
from bnaparser.trees.clauses.partition import Kind
from bnaparser.trees.escapes import unescape
from bnaparser.trees.heads.dependencies import is_punctuation
from bnaparser.trees.heads.universal import universal_arcs
from bnaparser.trees.tree import Tree

KINDS: tuple[str, ...] = get_args(Kind)
_EACH = 5  # every fifth document is for the test


class Sample(NamedTuple):
    """A sentence of a gold file, with its tree where the files of trees have it."""

    words: list[Word]
    tree: Tree | None


class Found(NamedTuple):
    """What one way of finding clauses has found, sentence by sentence, beside the gold clauses."""

    name: str
    clauses: list[list[GoldClause]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gold", nargs="+", metavar="GOLD")
    parser.add_argument("--trees", type=Path, nargs="*", default=[])
    parser.add_argument("--sentences", type=int, default=300)
    parser.add_argument("--model", default="en")
    parser.add_argument("--development", action="store_true")
    options = parser.parse_args()
    where = f"{begun()}; {processor()}; {listed(versions(('bnaparser', 'numpy')))}"
    trees = {
        tuple(map(unescape, found.tree.words)): found.tree
        for file in options.trees
        for found in find_trees(file)
    }
    model = Parser.load(options.model)
    lines = []
    for path in options.gold:
        samples = draw(path, trees, options.sentences, options.development)
        lines += [
            "",
            f"## {Path(path).name.partition('.')[0]}",
            "",
            *report(samples, model, options.model),
        ]
    if options.development:
        print("\n".join(lines))
        return
    again = command("benchmarks.measures.run_clauses", without_folders(sys.argv[1:]))
    page = Path(__file__).with_name("clauses.md")
    start = page.read_text(encoding="utf-8").partition("\n## ")[0].rstrip()
    page.write_text("\n".join([start, *lines, "", f"{where}; `{again}`", ""]), encoding="utf-8")


def draw(
    path: str, trees: dict[tuple[str, ...], Tree], number: int, development: bool
) -> list[Sample]:
    """Return sentences of one part of a file, those with a tree if enough have one, in the order of the file."""
    chosen = [
        Sample(words, trees.get(tuple(unescape(word.form) for word in words)))
        for document, words in read_sentences(path)
        if (document % _EACH == 0) != development
    ]
    with_trees = [sample for sample in chosen if sample.tree is not None]
    if len(with_trees) >= number:
        chosen = with_trees
    places = list(range(len(chosen)))
    random.Random(1).shuffle(places)
    return [chosen[place] for place in sorted(places[:number])]


def report(samples: Sequence[Sample], model: Parser, name: str) -> list[str]:
    """Return the tables of one file."""
    gold = [gold_clauses(sample.words) for sample in samples]
    parses = model.parse_many([word.form for word in sample.words] for sample in samples)
    parsed = [parse.tree for parse in parses]
    ways = []
    if all(sample.tree for sample in samples):
        ways.append(Found("trees of the treebank", [ours(sample.tree) for sample in samples]))
    ways += [
        Found(f"trees of `{name}`", [ours(tree) for tree in parsed]),
        Found(f"dependencies of `{name}`'s trees", [converted(tree) for tree in parsed]),
        Found("a sentence is one clause", [whole(sample.words) for sample in samples]),
    ]
    words = sum(len(sample.words) for sample in samples)
    lines = [f"{len(samples)} sentences, {words:,} words, {sum(map(len, gold)):,} clauses.", ""]
    marks = [[is_punctuation(word.tag) for word in sample.words] for sample in samples]
    lines += [
        "| clauses of | precision | recall | F1 | F1 with kinds | F1 with own words | words in the right clause |",
        "|---|---|---|---|---|---|---|",
        *(summary(way, gold, marks) for way in ways),
    ]
    for way in ways[:-2]:
        lines += [
            "",
            f"{way.name[0].upper()}{way.name[1:]}:",
            "",
            "| kind | gold | found | precision | recall |",
            "|---|---|---|---|---|",
        ]
        lines += by_kind(way, gold)
    return lines


def ours(tree: Tree | None) -> list[GoldClause]:
    """Return the clauses of a tree in the form of gold ones."""
    if tree is None:
        return []
    return [
        GoldClause(
            clause.kind,
            frozenset() if clause.verb is None else frozenset({clause.verb.start}),
            frozenset(clause.words),
        )
        for clause in tree.clauses()
    ]


def converted(tree: Tree | None) -> list[GoldClause]:
    """Return the clauses that the dependencies of a tree have, as those of gold ones are found."""
    if tree is None:
        return []
    arcs = zip(tree.words, tree.tags, universal_arcs(tree), strict=True)
    return gold_clauses(
        [Word(word, arc.part_of_speech, tag, arc.head, arc.relation) for word, tag, arc in arcs]
    )


def whole(words: Sequence[Word]) -> list[GoldClause]:
    """Return one main clause with all words."""
    verbs = frozenset(place for place, word in enumerate(words) if not word.head)
    return [GoldClause("main", verbs, frozenset(range(len(words))))]


def pairs(
    found: Sequence[GoldClause], gold: Sequence[GoldClause]
) -> list[tuple[GoldClause, GoldClause]]:
    """Return the clauses that are the same: they share a verb, or one without a verb shares a word with one whose head is in it."""
    left = list(gold)
    same = []
    for clause in found:
        other = next((one for one in left if clause.verbs & one.verbs), None)
        if other is None and not clause.verbs:
            other = next((one for one in left if one.verbs <= clause.words), None)
        if other is not None:
            left.remove(other)
            same.append((clause, other))
    return same


def f1(right: int, found: int, gold: int) -> tuple[float, float, float]:
    """Return precision, recall and F1 in percent."""
    precision, recall = right / max(found, 1), right / max(gold, 1)
    both = 2 * right / max(found + gold, 1)
    return 100 * precision, 100 * recall, 100 * both


def summary(
    way: Found, gold: Sequence[Sequence[GoldClause]], marks: Sequence[Sequence[bool]]
) -> str:
    """Return one row: all clauses together."""
    right = kinds = spans = right_words = 0
    for found, wanted, punctuation in zip(way.clauses, gold, marks, strict=True):
        kept = {place for place, mark in enumerate(punctuation) if not mark}
        for clause, other in pairs(found, wanted):
            right += 1
            kinds += clause.kind == other.kind
            spans += clause.words & kept == other.words & kept
            right_words += len(clause.words & other.words & kept)
    numbers = sum(map(len, way.clauses)), sum(map(len, gold))
    words = sum(row.count(False) for row in map(list, marks))
    shown = (
        *f1(right, *numbers),
        f1(kinds, *numbers)[2],
        f1(spans, *numbers)[2],
        100 * right_words / words,
    )
    return f"| {way.name} | " + " | ".join(f"{value:.1f}" for value in shown) + " |"


def by_kind(way: Found, gold: Sequence[Sequence[GoldClause]]) -> Iterable[str]:
    """Yield one row a kind."""
    right: Counter[str] = Counter()
    for found, wanted in zip(way.clauses, gold, strict=True):
        right.update(one.kind for one, other in pairs(found, wanted) if one.kind == other.kind)
    ours_ = Counter(clause.kind for found in way.clauses for clause in found)
    golds = Counter(clause.kind for wanted in gold for clause in wanted)
    for kind in KINDS:
        precision, recall, _ = f1(right[kind], ours_[kind], golds[kind])
        yield f"| {kind} | {golds[kind]} | {ours_[kind]} | {precision:.1f} | {recall:.1f} |"


if __name__ == "__main__":
    main()
