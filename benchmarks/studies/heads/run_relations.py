"""Relations of our CoNLL-U beside gold ones: python -m benchmarks.studies.heads.run_relations FILE.conllu.xz [--sentences 3000]

Parses the words of a file in CoNLL-U with a model, makes dependencies of the trees, and compares them
with those of the file. Prints in Markdown: the share of words with the gold head; of these the share
with the gold relation, with and without subtypes, and without punctuation marks; the number of words
with two subjects; and for each relation how many of ours are right, and how many of the gold ones are
found, where the head is right.

A part of a file (--sentences) is drawn with a fixed seed. No torch is loaded.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from benchmarks.machine import now, processor, versions
from bnaparser import Parser
from bnaparser.treebanks.conllu import COLUMNS
from bnaparser.treebanks.lines import read_lines
from bnaparser.trees.heads.universal import UniversalArc, universal_arcs


class GoldWord(NamedTuple):
    """A word of a file in CoNLL-U."""

    form: str
    head: int
    relation: str


class Pair(NamedTuple):
    """Our arc of a word and the gold word."""

    arc: UniversalArc
    word: GoldWord


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--sentences", type=int)
    parser.add_argument("--model", default="en")
    arguments = parser.parse_args()
    sentences = list(read_gold(arguments.file))
    if arguments.sentences and arguments.sentences < len(sentences):
        places = list(range(len(sentences)))
        random.Random(1).shuffle(places)
        sentences = [sentences[place] for place in sorted(places[: arguments.sentences])]
    parses = Parser.load(arguments.model).parse_many(
        [word.form for word in sentence] for sentence in sentences
    )
    pairs: list[Pair] = []
    subjects = 0
    for parse, sentence in zip(parses, sentences, strict=True):
        if parse.tree is not None:
            arcs = universal_arcs(parse.tree)
            pairs += map(Pair, arcs, sentence)
            subjects += count_double_subjects(arcs)
    known = versions(("bnaparser", "numpy"))
    shown = ", ".join(f"{name} {version}" for name, version in known.items())
    print(f"{now()} UTC, {processor()}, model {arguments.model}, {shown}")
    print(f"{len(sentences):,} sentences, {len(pairs):,} words\n")
    print_summary(pairs, subjects)
    print_relations(pairs)


def read_gold(path: str) -> Iterator[list[GoldWord]]:
    """Yield the sentences of a file; multiword tokens and empty nodes are passed over."""
    sentence: list[GoldWord] = []
    for line in read_lines(path):
        columns = line.rstrip("\n").split("\t")
        if len(columns) == COLUMNS and columns[0].isdigit():
            sentence.append(GoldWord(columns[1], int(columns[6]), columns[7]))
        elif not line.strip() and sentence:
            yield sentence
            sentence = []
    if sentence:
        yield sentence


def count_double_subjects(arcs: list[UniversalArc]) -> int:
    """Count the words with two subjects; the outer subject of "the point is that he lied" is none of them."""
    heads = Counter(arc.head for arc in arcs if arc.relation in ("nsubj", "nsubj:pass"))
    return sum(count > 1 for count in heads.values())


def universal(relation: str) -> str:
    """Return a relation without its subtype: nsubj of nsubj:pass."""
    return relation.partition(":")[0]


def print_summary(pairs: list[Pair], subjects: int) -> None:
    same_head = [pair for pair in pairs if pair.arc.head == pair.word.head]
    words = [pair for pair in same_head if pair.word.relation != "punct"]
    rows = {
        "heads": share(sum(1 for _ in same_head), len(pairs)),
        "relations of correct heads": share(sum(map(is_right, same_head)), len(same_head)),
        "relations with subtypes": share(
            sum(pair.arc.relation == pair.word.relation for pair in same_head), len(same_head)
        ),
        "relations without punctuation marks": share(sum(map(is_right, words)), len(words)),
        "words with two nsubj": str(subjects),
    }
    print("| | |\n|---|---|")
    for name, value in rows.items():
        print(f"| {name} | {value} |")


def is_right(pair: Pair) -> bool:
    """Tell whether the relations are the same, subtypes left out."""
    return universal(pair.arc.relation) == universal(pair.word.relation)


def print_relations(pairs: list[Pair]) -> None:
    """Print precision and recall of each relation, of words whose head is right."""
    same_head = [pair for pair in pairs if pair.arc.head == pair.word.head]
    gold = Counter(universal(pair.word.relation) for pair in same_head)
    ours = Counter(universal(pair.arc.relation) for pair in same_head)
    right = Counter(universal(pair.word.relation) for pair in same_head if is_right(pair))
    print("\n| relation | gold | predicted | precision | recall |\n|---|---|---|---|---|")
    for relation, count in gold.most_common():
        precision = share(right[relation], ours[relation])
        recall = share(right[relation], count)
        print(f"| {relation} | {count:,} | {ours[relation]:,} | {precision} | {recall} |")


def share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}" if whole else "-"


if __name__ == "__main__":
    main()
