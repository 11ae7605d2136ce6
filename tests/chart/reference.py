"""The chart decoder again in plain Python, slow and obvious: what the tests hold ``cky`` to.

Scores are nested sequences (spans, labels), packed as in ``spans``; a node is a triple of start, end
and label. Two searches for the best tree are given, by enumeration of all binary trees (up to about
eight words) and by CKY (up to about fifty). Both add in double precision and break ties as ``cky``
does, so they find the same tree wherever single precision holds the sums exactly and the best tree
is not minus infinity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

Scores = Sequence[Sequence[float]]
Node = tuple[int, int, int]
Tree = tuple[float, list[Node]]
Search = Callable[[Scores, int, bool], Tree]


def span_index(start: int, end: int, n: int) -> int:
    """Row of the span (start, end), by counting the spans before it."""
    return [(i, j) for i in range(n) for j in range(i + 1, n + 1)].index((start, end))


def best_label(row: Sequence[float], first_label: int) -> int:
    """The lowest label from ``first_label`` on with the greatest score."""
    return max(range(first_label, len(row)), key=lambda label: (row[label], -label))


def labelled(scores: Scores, n: int, allow_empty_root: bool) -> dict[tuple[int, int], Node]:
    """The best node over each span: only the whole sentence may be denied the empty label."""
    nodes = {}
    for start in range(n):
        for end in range(start + 1, n + 1):
            whole = (start, end) == (0, n)
            row = scores[span_index(start, end, n)]
            label = best_label(row, 1 if whole and not allow_empty_root else 0)
            nodes[start, end] = (start, end, label)
    return nodes


def binary_trees(start: int, end: int) -> Iterator[list[tuple[int, int]]]:
    """The spans, in pre-order, of each binary tree over start..end; lowest split points first."""
    if end - start == 1:
        yield [(start, end)]
    for split in range(start + 1, end):
        for left in binary_trees(start, split):
            for right in binary_trees(split, end):
                yield [(start, end), *left, *right]


def best_tree_by_enumeration(scores: Scores, n: int, allow_empty_root: bool = False) -> Tree:
    """Score and all 2n - 1 nodes of the best tree: the first with the greatest sum."""
    nodes = labelled(scores, n, allow_empty_root)

    def score(spans: list[tuple[int, int]]) -> float:
        return sum(scores[span_index(*span, n)][nodes[span][2]] for span in spans)

    best = max(binary_trees(0, n), key=score)
    return score(best), [nodes[span] for span in best]


def best_tree_by_cky(scores: Scores, n: int, allow_empty_root: bool = False) -> Tree:
    """The same, from shorter spans to longer ones."""
    nodes = labelled(scores, n, allow_empty_root)
    best: dict[tuple[int, int], Tree] = {}
    for width in range(1, n + 1):
        for start in range(n - width + 1):
            end = start + width
            node = nodes[start, end]
            own = scores[span_index(start, end, n)][node[2]]
            if width == 1:
                best[start, end] = own, [node]
                continue
            split = max(
                range(start + 1, end),
                key=lambda middle: (best[start, middle][0] + best[middle, end][0], -middle),
            )
            left, right = best[start, split], best[split, end]
            best[start, end] = own + left[0] + right[0], [node, *left[1], *right[1]]
    return best[0, n]


def decode(
    scores: Scores, n: int, allow_empty_root: bool = False, search: Search = best_tree_by_cky
) -> Tree:
    """Score and constituents of the best tree, its empty nodes left out."""
    score, nodes = search(scores, n, allow_empty_root)
    return score, [node for node in nodes if node[2] > 0]


def cost_augment(
    scores: Scores,
    gold_labels: Sequence[int],
    n: int,
    allow_empty_root: bool = False,
    search: Search = best_tree_by_cky,
) -> tuple[float, int, list[Node]]:
    """Value, cost and all nodes of the best tree when every label but the gold one scores 1 more."""
    augmented = [
        [score + (label != gold) for label, score in enumerate(row)]
        for row, gold in zip(scores, gold_labels, strict=True)
    ]
    value, nodes = search(augmented, n, allow_empty_root)
    wrong = [label != gold_labels[span_index(start, end, n)] for start, end, label in nodes]
    return value, sum(wrong), nodes
