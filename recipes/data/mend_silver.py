"""Mend by rule what a teacher's trees of running text get wrong again and again, before a student learns it.

    python recipes/data/mend_silver.py TREES OUTPUT

As the Penn Treebank's guidelines have it (Bies et al., 1995): an interjection is an INTJ of its own, also where a name follows it ("Hi
Peter"), a question word and an SQ are an SBARQ, and a QP has more than one word. A tree is left out where a clause has a finite verb
and no VP, where a FRAG has bare words, or where a speaker's clause interrupts a quotation and is no PRN: what is right there is not to
be told from the tree (`write_speech` makes such trees). TREES, plain or .xz, has a tree
a line; OUTPUT has the others in their order.
"""

from __future__ import annotations

import argparse
import io
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from bnaparser import Tree
from bnaparser.files.compressed import open_compressed
from bnaparser.trees.tree import parse_trees

CLAUSES = frozenset({"S", "SINV", "SQ", "SBARQ"})
FINITE = frozenset({"VBZ", "VBP", "VBD"})
MARKS = frozenset({",", ".", ":", "``", "''", "-LRB-", "-RRB-", "HYPH", "SYM"})
QUESTION_WORDS = frozenset({"WHNP", "WHADVP", "WHPP", "WHADJP"})
GREETINGS = frozenset({"hi", "hello", "hey", "dear", "yo", "hiya", "goodbye", "bye"})
NAMES = frozenset({"NNP", "NNPS", "NN", "NNS", "DT", "PRP", "PRP$", "JJ", "POS"})


def mended(tree: Tree) -> Tree | None:
    """Return the tree as the guidelines have it; None where that is not to be told."""
    if tree.word is not None:
        return tree
    below = [mended(child) for child in tree.subtrees]
    children = [child for child in below if child is not None]
    if len(children) < len(below):
        return None
    if tree.label == "QP" and len(children) == 1:
        return children[0]
    return _whole(tree.label, _questions(tree.label, _interjections(tree.label, children)))


def _interjections(label: str, children: Sequence[Tree]) -> list[Tree]:
    """Give each interjection an INTJ, and what a greeting names a phrase of its own."""
    if label == "INTJ":
        return [*children]
    alone = label in ("ADVP", "NP") and len(children) == 1
    found: list[Tree] = []
    for child in children:
        if child.label == "UH" and not alone:
            found.append(Tree("INTJ", [child]))
        elif child.label == "INTJ" and _greets(child):
            first, *rest = child.subtrees
            named = rest[0] if len(rest) == 1 and rest[0].label == "NP" else Tree("NP", rest)
            found += [Tree("INTJ", [first]), named]
        else:
            found.append(child)
    return found


def _greets(node: Tree) -> bool:
    first, *rest = node.subtrees
    word = (first.word or "").lower()
    return bool(rest) and word in GREETINGS and all(one.label in NAMES | {"NP"} for one in rest)


def _questions(label: str, children: list[Tree]) -> list[Tree]:
    """Put an SBARQ over a question word and its SQ."""
    if label in ("SBARQ", "SBAR"):
        return children
    for place, (first, second) in enumerate(pairwise(children)):
        if first.label in QUESTION_WORDS and second.label == "SQ":
            return [*children[:place], Tree("SBARQ", [first, second]), *children[place + 2 :]]
    return children


def _whole(label: str, children: list[Tree]) -> Tree | None:
    """Return the node of these children, None where it is not what it should be."""
    labels = [child.label for child in children]
    if label in ("S", "SINV") and FINITE & {*labels} and "VP" not in labels:
        return None
    if (
        label == "FRAG"
        and sum(one.word is not None and one.label not in MARKS | {"CC"} for one in children) > 1
    ):
        return None
    for place in range(len(children) - 4):
        if _interrupts(children[place : place + 6]):
            return None
    if label in ("ADVP", "NP") and labels == ["UH"]:
        label = "INTJ"
    return Tree(label, children)


def _interrupts(children: Sequence[Tree]) -> bool:
    """Tell whether a comma and a closing quotation mark come first, and a comma and an opening one after a clause or two phrases."""
    labels = [child.label for child in children]
    if labels[:2] != [",", "''"]:
        return False
    after = next((at for at, one in enumerate(labels[2:], 2) if one == ","), None)
    return (
        after is not None
        and labels[after + 1 : after + 2] == ["``"]
        and "PRN" not in labels[2:after]
    )


def main() -> None:
    """Write the trees that the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("trees", type=Path, metavar="TREES")
    parser.add_argument("output", type=Path, metavar="OUTPUT")
    options = parser.parse_args()
    count: Counter[str] = Counter()
    with (
        open_compressed(options.trees) as raw,
        options.output.open("w", encoding="utf-8") as out,
    ):
        lines = io.TextIOWrapper(raw, encoding="utf-8")
        for tree in parse_trees(lines, str(options.trees)):
            new = mended(tree)
            count["left out" if new is None else "kept" if new == tree else "mended"] += 1
            if new is not None:
                out.write(f"{new}\n")
    print(", ".join(f"{number} {what}" for what, number in sorted(count.items())))


if __name__ == "__main__":
    main()
