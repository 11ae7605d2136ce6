"""How far two annotators agree on the sentences of which both accepted a tree."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from bnaparser.annotation.project import Project
from bnaparser.eval import score
from bnaparser.trees.tree import Tree, assemble, flatten


def agreements(project: Project) -> list[dict[str, Any]]:
    """Return the agreement of each pair of annotators.

    Of a pair: ``annotators``; ``sentences`` that both accepted; ``exact``, the number of these with equal trees;
    ``f1``, EVALB's, in percent; ``tags``, the percentage of equal tags; ``differing``, the other sentences, each with its
    number from 0, its F1 and both trees. Both trees are scored with the tags of the first, since EVALB leaves out
    sentences in which a tag makes a punctuation mark of a word.
    """
    return [_agreement(project, one, other) for one, other in combinations(project.annotators, 2)]


def _agreement(project: Project, one: str, other: str) -> dict[str, Any]:
    numbers, pairs = [], []
    for number in range(len(project.sentences)):
        accepted = [project.history(name, number).accepted for name in (one, other)]
        if None not in accepted:
            numbers.append(number)
            pairs.append([Tree.parse(str(tree)) for tree in accepted])
    scores = score([a for a, _ in pairs], [_with_tags(b, a.tags) for a, b in pairs])
    tags = [x == y for a, b in pairs for x, y in zip(a.tags, b.tags, strict=True)]
    differing = [
        {"number": number, "f1": _f1(row.matched, row.gold, row.test), "trees": [str(a), str(b)]}
        for number, (a, b), row in zip(numbers, pairs, scores.rows, strict=True)
        if a != b
    ]
    return {
        "annotators": [one, other],
        "sentences": len(pairs),
        "exact": len(pairs) - len(differing),
        "f1": scores.f1 if pairs else None,
        "tags": 100 * sum(tags) / len(tags) if tags else None,
        "differing": differing,
    }


def _f1(matched: int, gold: int, test: int) -> float:
    return 200 * matched / (gold + test) if gold + test else 100.0


def _with_tags(tree: Tree, tags: tuple[str, ...]) -> Tree:
    labels, arities, words = flatten(tree)
    given = iter(tags)
    changed = [
        label if arity else next(given) for label, arity in zip(labels, arities, strict=True)
    ]
    return assemble(changed, arities, words)
